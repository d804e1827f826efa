"""The ledgers of a refinement: one that carries edits out, and one for a preview, which leaves the store as it is."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from typing import Self

import numpy as np
from numpy.typing import NDArray

from memfold.errors import UnknownEntry
from memfold.store.journal import Journal
from memfold.store.judged import JudgedPairs
from memfold.store.lease import SECONDS, renew
from memfold.types import Decision, Edit, Entry, Pair

CRASHES = 2
"""A pair during whose judgement this many runs died is set aside."""


class PreviewLedger:
    """Remembers nothing but the decisions of a costly judge, so that carrying the plan out does not pay again."""

    def __init__(self, journal: Journal, judged: JudgedPairs) -> None:
        self.journal = journal
        self.judged = judged
        self.namespace = judged.namespace
        self._set_aside = judged.crashed(CRASHES)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        """Nothing was changed."""

    def keys(self) -> NDArray[np.int64]:
        return self.judged.keys()

    def begin(self, key: int, alone: bool = True) -> bool:
        """Whether a pair may be judged; False when it is set aside.

        :param alone: nothing else is being judged: if the process dies now, it is laid to this pair.
        """
        return key not in self._set_aside

    def recall(self, key: int) -> Decision | None:
        return self.judged.verdict(key)

    def record(self, key: int, decision: Decision) -> None:
        self.judged.record(key, decision)

    def issued(self, width: int) -> Sequence[tuple[str, str, float, int]]:
        """The pairs that were outstanding when an earlier run ended, oldest first: two ids, cosine, key."""
        return self.judged.issued(width)

    def issue(self, width: int, pair: Pair, key: int) -> None:
        """A pair is before the judge."""

    def retire(self, width: int, pairs: Sequence[Pair]) -> None:
        """Pairs are before the judge no more."""

    def preserve(self, key: int) -> None:
        """The pair stays apart."""

    def commit(self, edit: Edit, vectors: Mapping[str, np.ndarray], unchanged: Sequence[Entry]) -> None:
        """Carry an edit out."""

    def current(self, id: str) -> Entry | None:
        """The entry as it is in the store now; None when it is gone."""
        try:
            return self.journal.store.get(self.namespace, id)
        except UnknownEntry:
            return None

    def revisions(self) -> Mapping[str, int] | None:
        """Id -> revision of all entries now, or None when the store is not expected to change."""
        return None

    def flush(self) -> None:
        """Write what is still in memory."""


class RunLedger(PreviewLedger):
    """Carries edits out in the store and its journal, for one run that holds the namespace's lease. Used in a `with` block.

    :param sync: await each edit and decision on the disk, for judges that cost money or seconds; without it a power cut
        (not a killed process) may lose the run's last edits, wholly, see `Connection.unsynced`.
    """

    def __init__(self, journal: Journal, judged: JudgedPairs, run: str, *, sync: bool = True) -> None:
        super().__init__(journal, judged)
        self.run = run
        self._syncing = nullcontext() if sync else journal.connection.unsynced()
        self._pending: list[int] = []
        self._retired: list[tuple[int, str, str]] = []
        self._renewed = time.monotonic()

    def __enter__(self) -> Self:
        self._syncing.__enter__()
        return self

    def __exit__(self, *exception: object) -> None:
        self._syncing.__exit__(None, None, None)

    def begin(self, key: int, alone: bool = True) -> bool:
        if not super().begin(key, alone):
            return False
        connection = self.journal.connection
        with connection.writing() as db:
            self.flush()
            db.execute("UPDATE runs SET current = ? WHERE id = ?", (key if alone else None, self.run))
            if time.monotonic() - self._renewed > SECONDS / 8:
                renew(connection, self.namespace)
                self._renewed = time.monotonic()
        return True

    def issue(self, width: int, pair: Pair, key: int) -> None:
        with self.journal.connection.writing():
            self.flush()
            self.judged.issue(width, pair, key)

    def retire(self, width: int, pairs: Sequence[Pair]) -> None:
        self._retired += [(width, pair.a.id, pair.b.id) for pair in pairs]

    def preserve(self, key: int) -> None:
        self._pending.append(key)

    def commit(self, edit: Edit, vectors: Mapping[str, np.ndarray], unchanged: Sequence[Entry]) -> None:
        with self.journal.connection.writing():
            self.journal.commit(edit, vectors, unchanged)
            self.judged.settle([entry.id for entry in edit.before])

    def revisions(self) -> Mapping[str, int]:
        return self.journal.store.revisions(self.namespace)

    def flush(self) -> None:
        """Write what is still in memory, all of it or nothing."""
        pending, self._pending = self._pending, []
        retired, self._retired = self._retired, []
        if pending or retired:
            with self.journal.connection.writing():
                self.judged.add(pending)
                self.judged.retire(retired)
