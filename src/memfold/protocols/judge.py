"""Who proposes pairs, and who decides what becomes of them (MemRefine)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from memfold.protocols.vectors import Vectors
from memfold.types import Decision, Entry, Pair


class Judge(Protocol):
    """Decides what becomes of two entries that similarity proposed (MemRefine 3.2, `Judge(u, v)` and `Merge`).

    `name` identifies the judge with all that its decisions depend on (version, parameters): judgements are
    remembered under it. `floor` is a cosine: below it the judge preserves every pair, so such pairs need not be
    shown (-1 to be shown all). `costly` says that a judgement costs money or seconds, so that each is stored at once.
    A judge may also name the order of edits that suits it, `order: config.Order`; without it that is the paper's, "cosine".
    """

    @property
    def name(self) -> str: ...

    @property
    def floor(self) -> float: ...

    @property
    def costly(self) -> bool: ...

    def decide(self, pairs: Sequence[Pair]) -> list[Decision]:
        """One decision a pair, in order. A judge that fails on a pair answers `preserve` with `failed=True`."""
        ...


class Proposer(Protocol):
    """Gives the next pair to judge (MemRefine 3.2, Candidate Pair Selection)."""

    def next(self) -> Pair | None:
        """The next pair that was not proposed yet, both sides alive; None when none is left."""
        ...

    def remove(self, ids: Sequence[str]) -> None:
        """These entries are gone: no pair with them is proposed any more."""
        ...

    def add(self, entries: Sequence[Entry], vectors: Vectors) -> None:
        """New entries, shape of vectors (len(entries), dim): their pairs with all living entries are proposed in turn."""
        ...
