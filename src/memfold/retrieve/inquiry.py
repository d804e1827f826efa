"""One question while it is being answered: what scorers may look at, and the walk from scores to the best entries."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from memfold.config import RetrieveSettings
from memfold.protocols import Clusterer, Shelf, Vector
from memfold.retrieve.filters import Filter
from memfold.retrieve.keywords import Found, Keywords
from memfold.retrieve.matrix import Matrix
from memfold.types import Entry

NEVER = np.float32(-np.inf)
"""The score of what is no candidate."""
PAGE = 4_096
"""Entries read at once at most."""
PATIENCE = 1_000
"""When so many entries are to be looked at, the store is first asked which may pass at all."""
REMEMBERED = 1_024
"""Exact cosines asked for at once up to which they are remembered, since the reasons of the hits name them."""
ROUNDING = 1e-5
"""How far a fast score may be from the exact one, at 1."""


@dataclass(frozen=True, slots=True)
class Ranking:
    """What a scorer says of every row.

    :param scores: higher is better, `NEVER` where an entry is no candidate; float32, shape (rows,).
    :param exact: some rows -> their scores to more places, the same wherever the rows stand: what ties are told by.
    :param why: a row -> how it was found, in a few words.
    """

    scores: NDArray[np.float32]
    exact: Callable[[NDArray[np.intp]], NDArray[np.float64]]
    why: Callable[[int], str]


@dataclass(slots=True)
class Search:
    """What one shelf can be asked: its matrix, its words, its approximate index where there is one."""

    shelf: Shelf
    matrix: Matrix
    keywords: Keywords
    settings: RetrieveSettings
    nearest: Callable[[Vector, int], NDArray[np.intp]] | None = None
    """Rows near a vector, from an approximate index; None where the search is exact."""


@dataclass
class Inquiry:
    """A question, and what is already known about it.

    :param vector: its unit vector; None where there is no embedder, and words alone must do.
    :param clusterer: the atoms of the namespace, where it has some.
    """

    search: Search
    text: str
    vector: Vector | None
    limit: int
    filter: Filter
    clusterer: Clusterer | None = None
    _entries: dict[int, Entry | None] = field(default_factory=dict[int, "Entry | None"])
    _cosines: dict[int, float] = field(default_factory=dict[int, float])

    @property
    def matrix(self) -> Matrix:
        return self.search.matrix

    @property
    def settings(self) -> RetrieveSettings:
        return self.search.settings

    @cached_property
    def found(self) -> Found:
        """What the question's words found."""
        return self.search.keywords.find(self.text)

    @cached_property
    def cosines(self) -> NDArray[np.float32]:
        """The cosine of every row; `NEVER` where there is no vector, or where an approximate index did not look."""
        matrix, near = self.matrix, self.search.nearest
        if self.vector is None or matrix.dim != len(self.vector):
            return np.full(len(matrix), NEVER, np.float32)
        if near is not None and not self.filter.reads_entries:
            rows = near(self.vector, max(self.settings.candidates, 4 * self.limit) + len(self.unwanted))
            out = np.full(len(matrix), NEVER, np.float32)
            out[rows] = self.exact_cosines(rows)
            return out
        cosines = matrix.product(self.vector)
        return cosines if matrix.embedded.all() else np.where(matrix.embedded, cosines, NEVER)

    def exact_cosines(self, rows: NDArray[np.intp]) -> NDArray[np.float64]:
        """Cosines of rows, 0 where there is no vector."""
        if self.vector is None or self.matrix.dim != len(self.vector):
            return np.zeros(len(rows))
        cosines = self.matrix.exact(rows, self.vector)
        if len(rows) <= REMEMBERED:
            self._cosines.update(zip(rows.tolist(), cosines.tolist(), strict=True))
        return cosines

    def cosine(self, row: int) -> float:
        """The cosine of one row."""
        if row not in self._cosines:
            self._cosines[row] = float(self.exact_cosines(np.array([row], np.intp))[0])
        return self._cosines[row]

    # Entries

    def entries(self, rows: Sequence[int] | NDArray[np.intp]) -> list[Entry | None]:
        """The entries in these rows, each read once."""
        wanted = [int(row) for row in rows]
        missing = [row for row in wanted if row not in self._entries]
        if missing:
            places = [int(self.matrix.places[row]) for row in missing]
            self._entries.update(zip(missing, self.search.shelf.entries(places), strict=True))
        return [self._entries[row] for row in wanted]

    @cached_property
    def unwanted(self) -> NDArray[np.intp]:
        """The rows of the ids that are not wanted, ascending."""
        ids = sorted(self.filter.without)
        return self.matrix.rows_at(np.array(self.search.shelf.places(ids) if ids else [], np.int64))

    def passing(self, rows: NDArray[np.intp], most: int | None = None) -> NDArray[np.intp]:
        """Those of the rows that come into question, in their order; the first `most` of them."""
        rows = rows[self.matrix.alive[rows]]
        if len(self.unwanted):
            rows = rows[~np.isin(rows, self.unwanted)]
        if not self.filter.reads_entries:
            return rows[:most]
        kept: list[int] = []
        size, low = 64, 0
        while low < len(rows) and (most is None or len(kept) < most):
            part = rows[low : low + size]
            kept += [int(row) for row, e in zip(part, self.entries(part), strict=True) if e is not None and self.filter.passes(e)]
            low, size = low + size, min(4 * size, PAGE)
        return np.array(kept[:most], np.intp)

    @cached_property
    def possible(self) -> NDArray[np.bool_]:
        """Whether each row may pass, as far as the store tells without reading its entry."""
        wanted = self.filter
        out = np.zeros(len(self.matrix), np.bool_)
        out[self.matrix.rows_at(self.search.shelf.possible(wanted.kinds, wanted.days, wanted.fields))] = True
        return out

    # The walk

    def best(self, ranking: Ranking, limit: int) -> list[tuple[int, float]]:
        """The best rows that come into question, with their exact scores: by score, ties to the entry that was stored last."""
        scores, most = ranking.scores, max(64, 4 * limit)
        while limit > 0 and len(scores):
            rows, floor = _top(scores, most)
            exact = ranking.exact(rows)
            order = np.lexsort((-self.matrix.places[rows], -exact))
            rows, exact = rows[order], exact[order]
            sure = exact > floor + ROUNDING * max(1.0, abs(floor)) if np.isfinite(floor) else np.ones(len(rows), np.bool_)
            kept = self.passing(rows[sure], limit)
            if len(kept) == limit or not np.isfinite(floor):
                told = dict(zip(rows.tolist(), exact.tolist(), strict=True))
                return [(int(row), told[int(row)]) for row in kept]
            most *= 4
            if most >= PATIENCE and self.filter.narrows:
                scores = np.where(self.possible, scores, NEVER)
        return []

    # Atoms

    @cached_property
    def _numbers(self) -> Sequence[int]:
        return self.clusterer.numbers() if self.clusterer is not None else ()

    def atom_of(self, id: str) -> int | None:
        """The atom of an entry, where there is one."""
        return None if self.clusterer is None else self.clusterer.atom_of(id)

    def atom_score(self, atom: int) -> float:
        """|v1 . q| of one atom (RSM-full, Eq. 2)."""
        at = bisect_left(self._numbers, atom)
        if self.clusterer is None or self.vector is None or at == len(self._numbers):
            return 0.0
        return float(abs(self.clusterer.leading()[at] @ self.vector))


def _top(scores: NDArray[np.float32], most: int) -> tuple[NDArray[np.intp], float]:
    """Rows of the `most` best scores, and a bound that no other score exceeds: -inf where there is no other."""
    candidates = np.flatnonzero(scores > NEVER)
    if len(candidates) <= most:
        return candidates, -np.inf
    values = scores if len(candidates) == len(scores) else scores[candidates]
    best = np.argpartition(values, len(values) - most)[len(values) - most :]
    return candidates[best], float(values[best].min())
