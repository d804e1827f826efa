"""The next most similar pair, exactly and in linear memory (MemRefine 3.2, Candidate Pair Selection).

    (u, v) <- arg max over unjudged pairs of cos(e_u, e_v),     ties by id

Every entry is a row and owns its pairs with the entries that came before it. A row holds only its next few pairs, in
order; a heap holds the head of every row; a row that runs dry is filled again by one matrix-vector product. Products
are float32 and only pre-select: what is compared is the cosine in float64 of float16 components, whose products and
sums are exact, so the order is the same on every machine, for any block size and any BLAS.

Memory: n * d float32 and float16 components, and n * ROW pairs. Time: one blocked product of the lower triangle
(n^2 d multiply-adds), then one matrix-vector product for each entry added and for each row filled again.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Sequence
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from memfold.protocols import Vectors
from memfold.types import Entry, Pair

ROW = 8
"""Pairs that a row holds at once."""
BLOCK = 256
"""Rows of one block of the first product."""
SLACK = 1e-5
"""More than the largest error of a float32 dot product of two unit vectors."""

Known: TypeAlias = Callable[[str, Sequence[str]], Sequence[bool]]
"""(id, ids) -> which of the pairs (id, ids[i]) were judged before and need not be proposed."""
Key: TypeAlias = tuple[float, str, str]
"""(-cosine, smaller id, larger id): pairs are proposed in ascending order of it."""


def quantise(vectors: Vectors) -> NDArray[np.float16]:
    """Vectors as they are stored and compared: float16 components, shape (n, d)."""
    return np.asarray(vectors, np.float16)


def exact_cosines(rows: NDArray[np.float16], row: NDArray[np.float16]) -> NDArray[np.float64]:
    """Cosines of `rows` (n, d) with `row` (d,), shape (n,), the same to the last bit whatever n and the machine.

    A product of two float16 numbers has 22 bits and is a multiple of 2^-48; sums of such below 2^4 fit into float64.
    """
    left, right = rows.astype(np.float64), row.astype(np.float64)
    norms = np.sqrt(np.einsum("ij,ij->i", left, left)) * np.sqrt(right @ right)
    return np.where(norms > 0, (left @ right) / np.where(norms > 0, norms, 1.0), 0.0)


class MostSimilar:
    """The exact proposer of Algorithm 1. Implements `protocols.Proposer`.

    :param entries: distinct ids; `vectors` has shape (len(entries), d).
    :param floor: pairs of a lower cosine are never proposed.
    :param known: tells which pairs were judged before; such pairs are passed over.
    """

    def __init__(self, entries: Sequence[Entry], vectors: Vectors, *, floor: float = -1.0, known: Known | None = None) -> None:
        if len(entries) != len(vectors):
            raise ValueError(f"{len(entries)} entries but {len(vectors)} vectors")
        self._floor = floor
        self._known = known
        self._entries: list[Entry] = list(entries)
        self._row_of = {entry.id: row for row, entry in enumerate(entries)}
        self._exact = quantise(vectors)
        self._size = len(entries)
        self._rough = unit_rows(self._exact)
        self._alive = np.ones(self._size, bool)
        self._rows: list[list[tuple[Key, int]]] = [[] for _ in entries]
        self._last: list[Key] = [(-2.0, "", "")] * self._size
        self._heap: list[tuple[Key, int, int]] = []
        self._open(0)

    def next(self) -> Pair | None:
        while self._heap:
            (minus_cosine, first, second), row, other = heapq.heappop(self._heap)
            if not self._alive[row]:
                continue
            self._push(row)
            if self._alive[other]:
                a, b = self._row_of[first], self._row_of[second]
                return Pair(self._entries[a], self._entries[b], -minus_cosine)
        return None

    def remove(self, ids: Sequence[str]) -> None:
        for id in ids:
            row = self._row_of.pop(id)
            self._alive[row] = False
            self._rows[row] = []

    def add(self, entries: Sequence[Entry], vectors: Vectors) -> None:
        if not entries:
            return
        self._reserve(len(entries))
        start, exact = self._size, quantise(vectors)
        self._size += len(entries)
        self._exact[start : self._size] = exact
        self._rough[start : self._size] = unit_rows(exact)
        self._alive[start : self._size] = True
        for row, entry in enumerate(entries, start):
            self._entries.append(entry)
            self._row_of[entry.id] = row
            self._rows.append([])
            self._last.append((-2.0, "", ""))
        self._open(start)

    def _open(self, start: int) -> None:
        """Fill the rows from `start` on for the first time: one blocked product of the lower triangle."""
        for low in range(start, self._size, BLOCK):
            high = min(low + BLOCK, self._size)
            rough = self._rough[low:high] @ self._rough[:high].T
            rough[:, ~self._alive[:high]] = -2.0
            rough[np.triu(np.ones((high - low, high), bool), low)] = -2.0
            best = rough.max(axis=1)
            for row in range(low, high):
                if best[row - low] >= self._floor - SLACK:
                    self._take(row, rough[row - low, :row])
                    self._push(row)

    def _push(self, row: int) -> None:
        """Put the head of a row on the heap, filling the row first if it is dry."""
        if not self._rows[row] and self._last[row] != _SPENT:
            rough = self._rough[:row] @ self._rough[row]
            rough[~self._alive[:row]] = -2.0
            self._take(row, rough)
        if self._rows[row]:
            key, other = self._rows[row].pop(0)
            heapq.heappush(self._heap, (key, row, other))

    def _take(self, row: int, rough: NDArray[np.float32]) -> None:
        """Hold the next ROW pairs of a row after the last that it held, given its rough cosines (shape (row,))."""
        while self._last[row] != _SPENT:
            last = self._last[row]
            ceiling, floor = -last[0] + SLACK, self._floor - SLACK
            wanted = ROW + int(np.count_nonzero(np.abs(rough + last[0]) <= SLACK))
            columns = np.flatnonzero((rough <= ceiling) & (rough >= floor))
            spent = len(columns) <= wanted
            if not spent:
                cut = np.partition(rough[columns], len(columns) - wanted)[len(columns) - wanted]
                columns = columns[rough[columns] >= cut - 2 * SLACK]
            found = sorted(pair for pair in self._keyed(row, columns) if pair[0] > last)
            if not spent or len(found) > ROW:
                spent = False
                found = found[:ROW]
            self._last[row] = _SPENT if spent or not found else found[-1][0]
            self._rows[row] = self._unjudged(row, [pair for pair in found if -pair[0][0] >= self._floor])
            if self._rows[row]:
                return

    def _keyed(self, row: int, columns: NDArray[np.intp]) -> list[tuple[Key, int]]:
        cosines = exact_cosines(self._exact[columns], self._exact[row])
        own = self._entries[row].id
        out: list[tuple[Key, int]] = []
        for cosine, column in zip(map(float, cosines), map(int, columns), strict=True):
            other = self._entries[column].id
            out.append(((-cosine, min(own, other), max(own, other)), column))
        return out

    def _unjudged(self, row: int, pairs: list[tuple[Key, int]]) -> list[tuple[Key, int]]:
        if self._known is None or not pairs:
            return pairs
        known = self._known(self._entries[row].id, [self._entries[other].id for _, other in pairs])
        return [pair for pair, skip in zip(pairs, known, strict=True) if not skip]

    def _reserve(self, more: int) -> None:
        """Grow the arrays by doubling, so that adding one entry at a time stays linear."""
        capacity = len(self._alive)
        if self._size + more <= capacity:
            return
        grown = max(2 * capacity, self._size + more, 16)
        for name in ("_exact", "_rough", "_alive"):
            old: NDArray[np.generic] = getattr(self, name)
            new = np.zeros((grown, *old.shape[1:]), old.dtype)
            new[: self._size] = old[: self._size]
            setattr(self, name, new)


_SPENT: Key = (3.0, "", "")
"""The mark of a row that has no pair left: after every key."""


def unit_rows(vectors: NDArray[np.float16]) -> Vectors:
    """Rows scaled to length one in float32; a zero row stays zero."""
    rough = vectors.astype(np.float32)
    norms = np.linalg.norm(rough, axis=1, keepdims=True)
    return rough / np.where(norms > 0, norms, 1.0).astype(np.float32)
