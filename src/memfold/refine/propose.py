"""The next most similar pair, exactly and in linear memory (MemRefine 3.2, Candidate Pair Selection).

    (u, v) <- arg max over unjudged pairs of cos(e_u, e_v),     ties by id

Every entry is a row and owns its pairs with the entries that came before it. A row holds only its next few pairs, in
order; a heap holds the head of every row; a row that runs dry is filled again by one matrix-vector product. Products
are float32 and only pre-select: what is compared is the cosine in float64 of float16 components, whose products and
sums are exact, so the order is the same on every machine, for any block size and any BLAS.

Memory: n * d float32 and float16 components, and n * ROW pairs; rows of entries that are gone make room for those that
come. Time: one blocked product of the lower triangle (n^2 d / 2 multiply-adds), then one matrix-vector product for
each entry added and for each row filled again.
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
GROUPS = 256
"""Columns that a row is folded to when its largest cosines are looked for."""
CROWD = 64
"""Candidates above which a row of the first product is filled alone, so that many equal vectors do not fill the memory."""
SLACK = 1e-5
"""More than the largest error of a float32 dot product of two unit vectors."""

Known: TypeAlias = Callable[[str, Sequence[str]], Sequence[bool]]
"""(id, ids) -> which of the pairs (id, ids[i]) were judged before and need not be proposed."""
Key: TypeAlias = tuple[float, str, str]
"""(-cosine, smaller id, larger id): pairs are proposed in ascending order of it."""
Held: TypeAlias = tuple[Key, int]
"""A pair of a row: its key, and the row of the other side."""

_FIRST: Key = (-2.0, "", "")
"""Before every key: the mark of a row that has held nothing yet."""
_SPENT: Key = (3.0, "", "")
"""After every key: the mark of a row that has no further pair."""
GONE = np.float32(-4.0)
"""Added to the rough cosines of entries that are gone: takes them below any floor."""


def quantise(vectors: Vectors) -> NDArray[np.float16]:
    """Vectors as they are stored and compared: float16 components, shape (n, d)."""
    return np.asarray(vectors, np.float16)


def exact_cosines(rows: NDArray[np.float16], row: NDArray[np.float16]) -> NDArray[np.float64]:
    """Cosines of `rows` (n, d) with `row` (d,), or with the rows of `row` (n, d) one to one; shape (n,).

    The same to the last bit whatever n and the machine: a product of two float16 numbers has 22 bits and is a multiple
    of 2^-48; sums of such below 2^4 fit into float64.
    """
    left, right = rows.astype(np.float64), np.atleast_2d(row).astype(np.float64)
    norms = np.sqrt(np.einsum("ij,ij->i", left, left)) * np.sqrt(np.einsum("ij,ij->i", right, right))
    products = np.einsum("ij,ij->i", left, np.broadcast_to(right, left.shape))
    return np.where(norms > 0, products / np.where(norms > 0, norms, 1.0), 0.0)


class MostSimilar:
    """The exact proposer of Algorithm 1. Implements `protocols.Proposer`.

    Homes are walls: two entries of different homes are never a pair, since no edit may touch both.

    :param entries: distinct ids; `vectors` has shape (len(entries), d).
    :param floor: pairs of a lower cosine are never proposed.
    :param known: tells which pairs were judged before; such pairs are passed over.
    """

    def __init__(self, entries: Sequence[Entry], vectors: Vectors, *, floor: float = -1.0, known: Known | None = None) -> None:
        if len(entries) != len(vectors):
            raise ValueError(f"{len(entries)} entries but {len(vectors)} vectors")
        self._floor = max(floor, -1.0)
        self._known = known
        self._entries: list[Entry] = list(entries)
        self._row_of = {entry.id: row for row, entry in enumerate(entries)}
        self._exact = quantise(vectors)
        self._size = len(entries)
        self._rough = unit_rows(self._exact)
        self._gone = np.zeros(self._size, np.float32)
        self._homes = np.zeros(self._size, np.int32)
        self._numbers: dict[str, int] = {}
        self._house(0)
        self._rows: list[list[Held]] = [[] for _ in entries]
        self._last: list[Key] = [_FIRST] * self._size
        self._heap: list[tuple[Key, int, int]] = []
        self._back: list[tuple[Key, int, Pair]] = []
        self._given_back = 0
        self._open(0)

    def next(self) -> Pair | None:
        while self._heap or self._back:
            if self._back and (not self._heap or self._back[0][0] <= self._heap[0][0]):
                pair = heapq.heappop(self._back)[-1]
                if self._holds(pair.a) and self._holds(pair.b):
                    return pair
                continue
            (minus_cosine, first, second), row, other = heapq.heappop(self._heap)
            if self._gone[row]:
                continue
            self._push(row)
            if not self._gone[other]:
                a, b = self._row_of[first], self._row_of[second]
                return Pair(self._entries[a], self._entries[b], -minus_cosine)
        return None

    def put_back(self, pair: Pair) -> None:
        """Take a pair that `next` gave: it is given again in its turn, if both entries are still there by then."""
        self._given_back += 1
        key = (-pair.cosine, min(pair.a.id, pair.b.id), max(pair.a.id, pair.b.id))
        heapq.heappush(self._back, (key, self._given_back, pair))

    def peek(self, count: int) -> list[Pair]:
        """The pairs that the next `count` calls of `next` would give if nothing changed before; fewer where fewer are left."""
        pairs: list[Pair] = []
        while len(pairs) < count and (pair := self.next()) is not None:
            pairs.append(pair)
        for pair in pairs:
            self.put_back(pair)
        return pairs

    def _holds(self, entry: Entry) -> bool:
        """Whether this very entry is still proposed: one that came again under its id is another."""
        row = self._row_of.get(entry.id)
        return row is not None and self._entries[row] is entry

    def remove(self, ids: Sequence[str]) -> None:
        for id in ids:
            row = self._row_of.pop(id)
            self._gone[row] = GONE
            self._rows[row] = []

    def add(self, entries: Sequence[Entry], vectors: Vectors) -> None:
        if not entries:
            return
        self._reserve(len(entries))
        start, exact = self._size, quantise(vectors)
        self._size += len(entries)
        self._exact[start : self._size] = exact
        self._rough[start : self._size] = unit_rows(exact)
        self._gone[start : self._size] = 0.0
        for row, entry in enumerate(entries, start):
            self._entries.append(entry)
            self._row_of[entry.id] = row
            self._rows.append([])
            self._last.append(_FIRST)
        self._house(start)
        self._open(start)

    def _house(self, start: int) -> None:
        """Number the homes of the rows from `start` on."""
        for row, entry in enumerate(self._entries[start:], start):
            self._homes[row] = self._numbers.setdefault(entry.home, len(self._numbers))

    # Rows are filled

    def _open(self, start: int) -> None:
        """Fill the rows from `start` on for the first time: one blocked product of the lower triangle."""
        for low in range(start, self._size, BLOCK):
            high = min(low + BLOCK, self._size)
            rough = self._cosines(low, high)
            alone = self._take_block(low, rough)
            for row in range(low, high):
                if row in alone:
                    self._take(row, rough[row - low, :row])
                self._push(row)

    def _cosines(self, low: int, high: int) -> Vectors:
        """Rough cosines of the rows low..high, shape (high - low, high). What a row does not own is below any floor."""
        if high - low == 1:
            rough = (self._rough[:high] @ self._rough[low])[None]
        else:
            rough = self._rough[low:high] @ self._rough[:high].T
        rough += self._gone[:high]
        if len(self._numbers) > 1:
            rough[self._homes[low:high, None] != self._homes[:high]] = GONE
        rough[:, low:high][np.triu_indices(high - low)] = GONE
        return rough

    def _take_block(self, low: int, rough: Vectors) -> set[int]:
        """Hold the first ROW pairs of each row of a block, given `_cosines`. Returns the rows that must be filled alone."""
        cut = np.maximum(at_least(rough, ROW) - 2 * SLACK, self._floor - SLACK)
        here, there = np.divmod(np.flatnonzero(rough >= cut[:, None]), rough.shape[1])
        counts = np.bincount(here, minlength=len(rough))
        keep = counts[here] <= CROWD
        here, there = here[keep], there[keep]
        cosines = exact_cosines(self._exact[there], self._exact[low + here])
        alone = set((low + np.flatnonzero(counts > CROWD)).tolist())
        ends = np.cumsum(np.where(counts > CROWD, 0, counts)).tolist()
        for row, begin, end in zip(range(low, low + len(rough)), [0, *ends], ends, strict=False):
            if row in alone:
                continue
            found = self._keyed(row, there[begin:end], cosines[begin:end])
            whole = bool(cut[row - low] <= self._floor - SLACK)
            if not self._hold(row, found, whole=whole, want=ROW):
                alone.add(row)
        return alone

    def _push(self, row: int) -> None:
        """Put the head of a row on the heap, filling the row first if it is dry."""
        if not self._rows[row] and self._last[row] != _SPENT:
            rough = self._rough[:row] @ self._rough[row]
            rough += self._gone[:row]
            if len(self._numbers) > 1:
                rough[self._homes[:row] != self._homes[row]] = GONE
            self._take(row, rough)
        if self._rows[row]:
            key, other = self._rows[row].pop(0)
            heapq.heappush(self._heap, (key, row, other))

    def _take(self, row: int, rough: Vectors) -> None:
        """Hold the next ROW pairs of a row after the last that it held, given its rough cosines (shape (row,))."""
        want, floor = ROW, self._floor - SLACK
        while True:
            last = self._last[row]
            columns = np.flatnonzero((rough <= -last[0] + SLACK) & (rough >= floor))
            repeated = int(np.count_nonzero(rough[columns] >= -last[0] - SLACK))  # some of them were held before
            whole = len(columns) <= want + repeated
            if not whole:
                place = len(columns) - want - repeated
                cut = np.partition(rough[columns], place)[place]
                columns = columns[rough[columns] >= cut - 2 * SLACK]
            keyed = self._keyed(row, columns, exact_cosines(self._exact[columns], self._exact[row]))
            found = [pair for pair in keyed if pair[0] > last]
            if self._hold(row, found, whole=whole, want=want):
                return
            want *= 2

    def _keyed(self, row: int, columns: NDArray[np.intp], cosines: NDArray[np.float64]) -> list[Held]:
        """The pairs of a row with those at `columns`, in their order, as far as the floor allows."""
        own, entries = self._entries[row].id, self._entries
        out: list[Held] = []
        listed: tuple[list[float], list[int]] = cosines.tolist(), columns.tolist()
        for cosine, column in zip(*listed, strict=True):
            if cosine >= self._floor:
                other = entries[column].id
                out.append(((-cosine, own, other) if own < other else (-cosine, other, own), column))
        out.sort()
        return out

    def _hold(self, row: int, found: Sequence[Held], *, whole: bool, want: int) -> bool:
        """Give a row the first ROW of its next pairs that were not judged before.

        :param found: its next pairs, in order, from the one after the last that it held: at least `want`, or all of them.
        :param whole: no pair is left beyond them.
        :returns: whether that settles it: the row has pairs again, or none is left.
        """
        spent = len(found) < want or (whole and len(found) == want)
        unjudged = self._unjudged(row, found[:want])
        held = unjudged[:ROW]
        if len(unjudged) > len(held):
            self._last[row] = held[-1][0]
        else:
            self._last[row] = _SPENT if spent else found[want - 1][0]
        self._rows[row] = held
        return bool(held) or spent

    def _unjudged(self, row: int, pairs: Sequence[Held]) -> list[Held]:
        if self._known is None or not pairs:
            return list(pairs)
        known = self._known(self._entries[row].id, [self._entries[other].id for _, other in pairs])
        return [pair for pair, skip in zip(pairs, known, strict=True) if not skip]

    # Rows make room

    def _reserve(self, more: int) -> None:
        """Make room for rows to come: where an eighth of all is gone its rows are given up, else the arrays grow by a quarter.

        Either way adding one entry at a time stays linear.
        """
        capacity = len(self._gone)
        if self._size + more <= capacity:
            return
        if 8 * len(self._row_of) <= 7 * self._size:
            self._compact()
        if self._size + more > capacity:
            self._grow(max(self._size + more, self._size + self._size // 4, 16))

    def _grow(self, capacity: int) -> None:
        for name in ("_exact", "_rough", "_gone", "_homes"):
            old: NDArray[np.generic] = getattr(self, name)
            new = np.zeros((capacity, *old.shape[1:]), old.dtype)
            new[: self._size] = old[: self._size]
            setattr(self, name, new)

    def _compact(self) -> None:
        """Close the gaps that gone entries left. The order of the rows, and so who owns which pair, stays."""
        living = np.flatnonzero(self._gone[: self._size] == 0)
        place = np.full(self._size, -1)
        place[living] = np.arange(len(living))
        moved: list[int] = place.tolist()
        heap, self._heap = self._heap, []
        bereft = [moved[row] for _, row, other in heap if moved[row] >= 0 > moved[other]]
        self._heap = [(key, moved[row], moved[other]) for key, row, other in heap if moved[row] >= 0 <= moved[other]]
        heapq.heapify(self._heap)
        old = living.tolist()
        self._rows = [[(key, moved[other]) for key, other in self._rows[row] if moved[other] >= 0] for row in old]
        self._entries = [self._entries[row] for row in old]
        self._last = [self._last[row] for row in old]
        self._row_of = {entry.id: row for row, entry in enumerate(self._entries)}
        self._size = len(old)
        for array in (self._exact, self._rough, self._gone, self._homes):
            array[: self._size] = array[living]
        for row in bereft:
            self._push(row)


def at_least(rough: Vectors, keep: int) -> Vectors:
    """For each row a number that at least `keep` of its values reach, and few more; shape (len(rough),). -4 where a row is shorter.

    A row is folded to GROUPS maxima; each stands for a value of its own.
    """
    width = rough.shape[1]
    folds = width // GROUPS
    if folds >= 2 and keep < GROUPS:
        rough, width = rough[:, : folds * GROUPS].reshape(len(rough), folds, GROUPS).max(axis=1), GROUPS
    if width <= keep:
        return np.full(len(rough), GONE)
    return np.partition(rough, width - keep, axis=1)[:, width - keep]


def unit_rows(vectors: NDArray[np.float16]) -> Vectors:
    """Rows scaled to length one in float32; a zero row stays zero."""
    rough = vectors.astype(np.float32)
    norms = np.linalg.norm(rough, axis=1, keepdims=True)
    return rough / np.where(norms > 0, norms, 1.0).astype(np.float32)
