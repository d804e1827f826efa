"""Which entries are near each other: exact, over all pairs, in memory that grows with the entries and not their square."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from memfold.protocols import Vectors

_CELLS = 8_000_000
"""Cosines held at a time: 32 MB."""


@dataclass(frozen=True, slots=True)
class Neighbours:
    """Pairs of rows by falling cosine (ties by row numbers), and each row's best.

    `a` and `b` are row numbers, a < b, int64 of shape (pairs,); `cosine` is float32 of the same shape; `best` is
    float32 of shape (rows,), NaN for a row that has no other to be compared with.
    """

    a: NDArray[np.int64]
    b: NDArray[np.int64]
    cosine: Vectors
    best: Vectors


def find_neighbours(vectors: Vectors, homes: Sequence[str], *, floor: float, per_row: int) -> Neighbours:
    """The pairs of rows of one home with a cosine of at least `floor`.

    Exact while no row has more than `per_row` such neighbours; of a row with more, its nearest `per_row` are kept
    (a pair stays if either row keeps it).

    :param vectors: unit vectors, shape (rows, dim).
    """
    best = np.full(len(vectors), np.nan, dtype=np.float32)
    found: list[tuple[NDArray[np.int64], NDArray[np.int64], Vectors]] = []
    for rows in _by_home(homes):
        part = np.ascontiguousarray(vectors[rows], dtype=np.float32)
        step = max(1, min(1024, _CELLS // max(1, len(rows))))
        for start in range(0, len(rows) if len(rows) > 1 else 0, step):
            here, there, cosine, nearest = _block(part, start, min(start + step, len(rows)), floor, per_row)
            best[rows[start : start + step]] = nearest
            found.append((rows[here], rows[there], cosine))
    if not found:
        none = np.empty(0, dtype=np.int64)
        return Neighbours(none, none, np.empty(0, dtype=np.float32), best)
    return _unique(*(np.concatenate(column) for column in zip(*found, strict=True)), best=best)


def _by_home(homes: Sequence[str]) -> list[NDArray[np.int64]]:
    rows: dict[str, list[int]] = {}
    for row, home in enumerate(homes):
        rows.setdefault(home, []).append(row)
    return [np.array(group, dtype=np.int64) for group in rows.values()]


def _block(
    part: Vectors, start: int, stop: int, floor: float, per_row: int
) -> tuple[NDArray[np.int64], NDArray[np.int64], Vectors, Vectors]:
    """Rows start..stop of one home against all of it: (row, other row, cosine) at or above the floor, and each row's best."""
    cosines = part[start:stop] @ part.T
    own = np.arange(stop - start)
    cosines[own, start + own] = -2
    nearest = cosines.max(axis=1)
    here, there = np.divmod(np.flatnonzero(cosines >= floor), len(part))
    counts = np.bincount(here, minlength=stop - start)
    crowded = np.flatnonzero(counts > per_row)
    if len(crowded):
        kept = np.argpartition(cosines[crowded], -per_row, axis=1)[:, -per_row:]
        rest = counts[here] <= per_row
        here = np.concatenate((here[rest], np.repeat(crowded, per_row)))
        there = np.concatenate((there[rest], kept.ravel()))
    return here + start, there, cosines[here, there], nearest


def _unique(one: NDArray[np.int64], other: NDArray[np.int64], cosine: Vectors, best: Vectors) -> Neighbours:
    """Each pair once. Blocks may give its two directions a last bit apart: the higher counts."""
    a, b = np.minimum(one, other), np.maximum(one, other)
    order = np.lexsort((-cosine, b, a))
    a, b, cosine = a[order], b[order], cosine[order]
    first = np.ones(len(a), dtype=np.bool_)
    first[1:] = (a[1:] != a[:-1]) | (b[1:] != b[:-1])
    a, b, cosine = a[first], b[first], cosine[first]
    order = np.lexsort((b, a, -cosine))
    return Neighbours(a[order], b[order], cosine[order], best)
