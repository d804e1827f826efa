"""The entries of one namespace, as a search sees them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from memfold.protocols.vectors import Vectors
from memfold.types import Entry

Mark: TypeAlias = tuple[int, int]
"""A state of a store: the number of its last change, and that change's own random token. Equal marks mean equal content."""


@dataclass(frozen=True, slots=True)
class ShelfRows:
    """Entries as a search sees them, a row each, by ascending place.

    :param places: where they stand in the store, int64, shape (n,); a place is never given to another entry.
    :param vectors: unit rows, float32, shape (n, dim); zeros for an entry that has none yet.
    :param words: how many words each text has, int32, shape (n,).
    :param embedded: whether each has a vector, shape (n,).
    """

    places: NDArray[np.int64]
    vectors: Vectors
    words: NDArray[np.int32]
    embedded: NDArray[np.bool_]


class Shelf(Protocol):
    """The entries of one namespace (or of all), by place, with their vectors and their words: what retrieval asks of a store."""

    @property
    def name(self) -> str:
        """Which namespace of which embedder it is: what was kept for one is never used for another."""
        ...

    @property
    def file(self) -> Path | None:
        """Where a copy of the vectors may be kept, so that `forget` finds and removes it; None for a store in memory."""
        ...

    @property
    def dim(self) -> int:
        """Length of a vector; 0 before the first."""
        ...

    @property
    def lock(self) -> AbstractContextManager[object]:
        """Held while a thread works with the store; may be taken again by the same thread."""
        ...

    def snapshot(self) -> AbstractContextManager[object]:
        """Inside, everything is read from one state of the store, whatever others write meanwhile."""
        ...

    def exclusive(self) -> AbstractContextManager[object]:
        """Inside, nobody else writes.

        :raises ReadOnlyStore: the store cannot be written.
        """
        ...

    def mark(self) -> Mark:
        """The state that is read now."""
        ...

    def changed(self, since: Mark) -> list[int] | None:
        """The places of all that came, changed or went after `since`, each once; None where that is not known any more."""
        ...

    def count(self) -> int:
        """How many entries there are."""
        ...

    def pages(self) -> Iterator[ShelfRows]:
        """All entries, by ascending place, a page at a time."""
        ...

    def rows(self, places: Sequence[int]) -> ShelfRows:
        """The entries at these places, as far as there are any."""
        ...

    def entries(self, places: Sequence[int]) -> list[Entry | None]:
        """The entry at each place; None where there is none (any more)."""
        ...

    def places(self, ids: Sequence[str]) -> list[int]:
        """Places of the entries with these ids, as far as there are any, ascending."""
        ...

    def possible(self, kinds: Sequence[str], days: tuple[str, str], fields: Mapping[str, str]) -> NDArray[np.int64]:
        """Ascending places of the entries that may be of one of these kinds, within these days and with these fields; never too few.

        :param kinds: none is any. :param days: first and last as `2031-05-01`; "" is open. :param fields: of the metadata, texts only.
        """
        ...

    def terms(self, text: str) -> list[str]:
        """What a question asks for by words, each once: words, and pairs of characters of scripts without spaces."""
        ...

    def postings(self, term: str) -> NDArray[np.int64]:
        """Ascending places of the entries that hold the term; also of other namespaces' entries, which are to be passed over."""
        ...
