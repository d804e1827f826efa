"""What the stages ask of each other: small protocols, so that every part can be replaced by yours."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from memfold.types import JSON, Decision, Entry, Pair

Vectors = NDArray[np.float32]


class Embedder(Protocol):
    """Texts to vectors."""

    @property
    def name(self) -> str:
        """Model and version, as stored beside the vectors: vectors of different names are never compared."""
        ...

    @property
    def dim(self) -> int:
        """Length of a vector."""
        ...

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Unit vectors, shape (len(texts), dim), float32. The same text gives the same vector in any batch.

        An empty sequence gives shape (0, dim). Texts longer than the model's window are embedded as a whole (the
        implementation says how), never cut silently.
        """
        ...


class TokenCounter(Protocol):
    """Counts the tokens of a text."""

    @property
    def name(self) -> str: ...

    def count(self, text: str) -> int: ...


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


@dataclass(frozen=True, slots=True)
class Snapshot:
    """What a host held at one moment.

    `raw` is the host's bytes where it is a file. `fingerprint` changes with any change of the host.
    """

    entries: tuple[Entry, ...]
    fingerprint: str
    raw: bytes = b""


class Host(Protocol):
    """A store that somebody else owns: read it, bring it to a new state.

    A host never keeps a journal: the caller does, in a Memfold database beside it, and calls `render` with the
    entries that shall live.
    """

    @property
    def name(self) -> str:
        """The kind of host, as in a STORE url: `jsonl`, `mcp`, `letta` …"""
        ...

    @property
    def location(self) -> str:
        """Path or address, for messages."""
        ...

    @property
    def form(self) -> Mapping[str, JSON]:
        """How the host was read, where that is a choice (which field of a JSONL file is what); {} where it is none."""
        ...

    def use(self, form: Mapping[str, JSON]) -> None:
        """Read the host as `form` says from now on, so that what was done to it can be taken back.

        :raises StoreError: the user asked for another way.
        """
        ...

    def read(self) -> Snapshot:
        """All entries in the host's order.

        :raises NotAStore: this is not such a host, and what it looks like instead.
        :raises BadEntry: one part cannot be read; the message gives its line and the cure.
        """
        ...

    def parse(self, raw: bytes) -> Snapshot:
        """The snapshot that `read` gives when the host holds these bytes (files only). Pure.

        Raises as `read` does.
        """
        ...

    def render(self, live: Sequence[Entry], base: Snapshot) -> Snapshot:
        """The host's next state: `base` with exactly `live` in it. Pure: writes nothing.

        An entry equal to one of `base.entries` keeps its bytes and place; one with the id of a base entry and other
        content replaces it in place; one that `base` lacks (a merge, or an undo after the host moved on) is put where
        it belongs, see `Entry.metadata` of the host; an entry of `base` that `live` lacks goes, and what pointed
        to it with it. `render(base.entries, base).raw == base.raw`.
        """
        ...

    def check_writable(self) -> None:
        """Say before a long run that its result could not be written.

        :raises ReadOnlyStore: the host cannot be written.
        """
        ...

    def replace(self, old: Snapshot, new: Snapshot) -> None:
        """Write `new` atomically if the host still is `old`.

        :raises StoreChanged: somebody else changed the host since `old` was read; nothing was written.
        :raises ReadOnlyStore: it cannot be written. :raises StoreFull: the disk is full; the host is as before.
        """
        ...

    def erase(self, text: str, base: Snapshot) -> tuple[Snapshot, int]:
        """`base` without any trace of `text` (case-folded substring) outside the entries, as far as the host's form allows.

        Returns the new state and how many occurrences remain that the host cannot remove. Used by `forget`, after the
        entries themselves were rewritten.
        """
        ...

    def size(self, entry: Entry) -> int:
        """Bytes that an entry takes in the host: UTF-8 length of its JSON there, without ASCII escapes, and its separator.

        This is what a budget means for the host's entries; what else stands in it is not counted.
        """
        ...

    def combine(self, a: Entry, b: Entry, merged: Entry) -> Entry:
        """Complete a merged entry with what only the host knows (its home, its metadata), so that `render` can place it."""
        ...
