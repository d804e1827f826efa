"""The k nearest living neighbours of every entry, exactly, in linear memory, while entries go and come.

    N(u) = the k entries v != u of u's home with the largest cos(e_u, e_v) >= floor,
           ties: the next greater ids first, then from the least id on

Ties go round, so that of many equal entries each is near to its next k, and not all to the same k: one that goes is then
missed by few.
N(u) is a function of the living entries alone: however a store became what it is, its lists are the same. A row holds
SPARE times as many neighbours as are asked for, so that it seldom has to be filled again. As in `propose`, float32
products only pre-select, and what is compared is the exact cosine of float16 components.

Memory: n * d float32 and float16 components and n * SPARE * k neighbours of 12 bytes; a row is not used again, so n counts
every entry there ever was (merges at most double it). Time: one blocked product of all vectors (n^2 d multiply-adds);
for each entry that comes two matrix-vector products; for each that goes one look through the lists (n * SPARE * k), and a
product that fills about SPARE / (SPARE - 1) of them again, since SPARE * k lists lose one and each has (SPARE - 1) * k to spare.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Sequence
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from memfold.protocols import Vectors
from memfold.refine.propose import GONE, SLACK, at_least, exact_cosines, quantise, unit_rows
from memfold.types import Entry, Pair

BLOCK = 256
"""Rows that are filled by one product."""
SPARE = 2
"""Neighbours that a filled row holds, as a multiple of those asked for; more than 1."""

Near: TypeAlias = tuple[int, int]
"""Two rows of which one is among the nearest of the other, the smaller row first."""


class Neighbours:
    """The pairs of every living entry with its nearest, kept exact. Pairs are given by row; `pair` makes them whole.

    Homes are walls: an entry has no neighbour in another home.

    :param entries: distinct ids; `vectors` has shape (len(entries), d).
    :param count: neighbours of each entry, at least 1.
    :param floor: entries of a lower cosine are never neighbours.
    """

    def __init__(self, entries: Sequence[Entry], vectors: Vectors, *, count: int, floor: float = -1.0) -> None:
        if len(entries) != len(vectors):
            raise ValueError(f"{len(entries)} entries but {len(vectors)} vectors")
        if count < 1:
            raise ValueError(f"{count} neighbours: there must be at least one")
        self.row_of: dict[str, int] = {}
        self._count, self._floor = count, max(floor, -1.0)
        self._width = SPARE * count
        self._entries: list[Entry] = []
        self._numbers: dict[str, int] = {}
        n, dim = len(entries), vectors.shape[1]
        self._exact = np.zeros((n, dim), np.float16)
        self._rough = np.zeros((n, dim), np.float32)
        self._gone = np.zeros(n, np.float32)
        self._homes = np.zeros(n, np.int32)
        self._others = np.full((n, self._width), -1, np.int32)
        self._cosines = np.zeros((n, self._width))
        self._held = np.zeros(n, np.int32)
        self._least = np.zeros(n)
        self._whole = np.zeros(n, np.bool_)
        self._house(entries, vectors)
        self._fill(range(n))

    def __len__(self) -> int:
        """Rows, those of entries that are gone counted."""
        return len(self._entries)

    def pairs(self) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64]]:
        """All pairs, each once: smaller rows, larger rows, cosines; the most similar first, ties by ids."""
        size = len(self)
        if not size:
            return np.zeros(0, np.int64), np.zeros(0, np.int64), np.zeros(0)
        near = np.arange(self._width) < np.minimum(self._held[:size], self._count)[:, None]
        near &= (self._gone[:size] == 0)[:, None]
        rows, slots = np.nonzero(near)
        others = self._others[rows, slots].astype(np.int64)
        code, first = np.unique(np.minimum(rows, others) * size + np.maximum(rows, others), return_index=True)
        low, high = np.divmod(code, size)
        cosines = self._cosines[rows[first], slots[first]]
        rank = np.empty(size, np.int64)
        rank[sorted(range(size), key=lambda row: self._entries[row].id)] = np.arange(size)
        order = np.lexsort((np.maximum(rank[low], rank[high]), np.minimum(rank[low], rank[high]), -cosines))
        return low[order], high[order], cosines[order]

    def lives(self, row: int, other: int) -> bool:
        """Whether both entries are still there."""
        return not (self._gone[row] or self._gone[other])

    def near(self, row: int, other: int) -> bool:
        """Whether both live and one is among the nearest of the other."""
        return self.lives(row, other) and (other in self._window(row) or row in self._window(other))

    def pair(self, row: int, other: int) -> Pair:
        """The pair of two rows, the side with the smaller id first."""
        a, b = sorted((row, other), key=lambda side: self._entries[side].id)
        return Pair(self._entries[a], self._entries[b], float(exact_cosines(self._exact[a : a + 1], self._exact[b])[0]))

    def remove(self, ids: Sequence[str]) -> list[Near]:
        """Entries are gone. Returns the pairs that take the place of theirs."""
        rows = [self.row_of.pop(id) for id in ids]
        self._gone[rows] = GONE
        size = len(self)
        touched = np.zeros(size, np.bool_)
        for row in rows:
            touched |= (self._others[:size] == row).any(axis=1)
        mended: list[int] = np.flatnonzero(touched & (self._gone[:size] == 0)).tolist()
        before = [self._window(row) for row in mended]
        for row in mended:
            others = self._others[row, : self._held[row]]
            alive = self._gone[others] == 0
            self._set(row, others[alive].tolist(), self._cosines[row, : len(others)][alive].tolist(), whole=bool(self._whole[row]))
        self._fill([row for row in mended if self._held[row] < self._count and not self._whole[row]])
        return [_near(row, other) for row, old in zip(mended, before, strict=True) for other in self._window(row) if other not in old]

    def add(self, entries: Sequence[Entry], vectors: Vectors) -> list[Near]:
        """New entries. Returns the pairs that come with them."""
        new: list[Near] = []
        start = len(self)
        self._reserve(start + len(entries))
        self._house(entries, vectors)
        self._fill(range(start, len(self)))
        for row in range(start, len(self)):
            new += [_near(row, other) for other in self._window(row)]
            new += [_near(row, other) for other in self._offer(row, start)]
        return [near for near in dict.fromkeys(new) if self.near(*near)]

    def _offer(self, new: int, start: int) -> list[int]:
        """Put a new row into the lists of the rows before `start` that it is near enough to; those whose nearest it is among."""
        rough = self._rough[:start] @ self._rough[new] + self._gone[:start]
        rough[self._homes[:start] != self._homes[new]] = GONE
        rows = np.flatnonzero(rough >= self._least[:start] - SLACK)
        cosines = exact_cosines(self._exact[rows], self._exact[new])
        found: list[tuple[int, float]] = list(zip(rows.tolist(), cosines.tolist(), strict=True))
        return [row for row, cosine in found if self._insert(row, new, cosine) < self._count]

    def _insert(self, row: int, new: int, cosine: float) -> int:
        """Put a neighbour into the list of a row; its place there, or one beyond the list where it does not belong."""
        others, cosines, whole = self._list(row), self._cosines[row, : self._held[row]].tolist(), bool(self._whole[row])
        keys = [self._key(row, other, near) for other, near in zip(others, cosines, strict=True)]
        place = bisect_left(keys, self._key(row, new, cosine))
        if cosine < self._floor or (place == len(keys) and (not whole or place == self._width)):
            self._whole[row] = whole and cosine < self._floor
            self._bound(row)
            return self._width
        others.insert(place, new)
        cosines.insert(place, cosine)
        self._set(row, others[: self._width], cosines[: self._width], whole=whole and len(others) <= self._width)
        return place

    def _fill(self, rows: Sequence[int]) -> None:
        """Make the lists of some rows anew from all that lives: one blocked product."""
        size = len(self)
        for start in range(0, len(rows), BLOCK):
            block = np.array(rows[start : start + BLOCK])
            rough = self._rough[block] @ self._rough[:size].T
            rough += self._gone[:size]
            if len(self._numbers) > 1:
                rough[self._homes[block, None] != self._homes[:size]] = GONE
            rough[np.arange(len(block)), block] = GONE
            cuts = np.maximum(at_least(rough, self._width) - 2 * SLACK, self._floor - SLACK)
            for row, cosines, cut in zip(block.tolist(), rough, cuts, strict=True):
                columns = np.flatnonzero(cosines >= cut)
                self._choose(row, columns, all_of_them=bool(cut <= self._floor - SLACK))

    def _choose(self, row: int, columns: NDArray[np.intp], *, all_of_them: bool) -> None:
        """Hold the nearest of some columns: at least the `_width` nearest there are, or all above the floor."""
        listed: tuple[list[float], list[int]] = (
            exact_cosines(self._exact[columns], self._exact[row]).tolist(),
            columns.tolist(),
        )
        found = [(self._key(row, other, cosine), other) for cosine, other in zip(*listed, strict=True) if cosine >= self._floor]
        kept = sorted(found)[: self._width]
        others, cosines = [other for _, other in kept], [-key[0] for key, _ in kept]
        self._set(row, others, cosines, whole=all_of_them and len(found) == len(kept))

    def _key(self, row: int, other: int, cosine: float) -> tuple[float, bool, str]:
        """The nearer, the less."""
        own, id = self._entries[row].id, self._entries[other].id
        return -cosine, id < own, id

    def _set(self, row: int, others: Sequence[int], cosines: Sequence[float], *, whole: bool) -> None:
        held = len(others)
        self._others[row, :held], self._others[row, held:] = others, -1
        self._cosines[row, :held] = cosines
        self._held[row], self._whole[row] = held, whole
        self._bound(row)

    def _bound(self, row: int) -> None:
        """Note the least cosine that a new neighbour of a row must have to be held: below the last of a row that holds not all, none is."""
        held = self._held[row]
        self._least[row] = self._floor if self._whole[row] or not held else self._cosines[row, held - 1]

    def _list(self, row: int) -> list[int]:
        return self._others[row, : self._held[row]].tolist()

    def _window(self, row: int) -> list[int]:
        """The nearest rows of a row, as many as were asked for where there are so many."""
        return self._list(row)[: self._count]

    def _house(self, entries: Iterable[Entry], vectors: Vectors) -> None:
        """Give new entries their rows, vectors and homes; their lists are still empty."""
        start, exact = len(self), quantise(vectors)
        for row, entry in enumerate(entries, start):
            self._entries.append(entry)
            self.row_of[entry.id] = row
            self._homes[row] = self._numbers.setdefault(entry.home, len(self._numbers))
        self._exact[start : len(self)] = exact
        self._rough[start : len(self)] = unit_rows(exact)

    def _reserve(self, size: int) -> None:
        """Make room for so many rows; the arrays grow by a quarter, so adding one at a time stays linear."""
        if size <= len(self._gone):
            return
        for name in ("_exact", "_rough", "_gone", "_homes", "_others", "_cosines", "_held", "_least", "_whole"):
            old: NDArray[np.generic] = getattr(self, name)
            new = np.zeros((max(size, len(old) + len(old) // 4, 16), *old.shape[1:]), old.dtype)
            new[: len(old)] = old
            setattr(self, name, new)


def _near(row: int, other: int) -> Near:
    return (row, other) if row < other else (other, row)
