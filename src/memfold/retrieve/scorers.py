"""The ways to score entries by a question. Each gives a `Ranking` over all rows of a matrix."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from memfold.errors import BadParameter
from memfold.protocols import Clusterer, Vector, Vectors
from memfold.retrieve.inquiry import NEVER, Inquiry, Ranking


class Scorer(Protocol):
    """Scores entries by a question."""

    @property
    def name(self) -> str: ...

    @property
    def needs_vector(self) -> bool:
        """Whether a question must be embedded for it."""
        ...

    @property
    def needs_atoms(self) -> bool:
        """Whether it scores atoms."""
        ...

    def rank(self, inquiry: Inquiry) -> Ranking:
        """Scores of all rows."""
        ...


class Dense:
    """Cosine over the entries (the paper's Full-RAG)."""

    name = "dense"
    needs_vector = True
    needs_atoms = False

    def rank(self, inquiry: Inquiry) -> Ranking:
        return Ranking(inquiry.cosines, inquiry.exact_cosines, lambda row: _cosine(inquiry, row))


class Bm25:
    """BM25 over the words (see `keywords`); what has none of the question's words is no candidate."""

    name = "bm25"
    needs_vector = False
    needs_atoms = False

    def rank(self, inquiry: Inquiry) -> Ranking:
        words = inquiry.found.scores
        scores = np.where(words > 0, words, NEVER)
        return Ranking(scores, lambda rows: words[rows].astype(np.float64), lambda row: _words(inquiry, row))


class Hybrid:
    """Cosine plus `words_weight` times BM25 / sqrt(best . all): the best entry's BM25, and that of all the question's words together.

    So words weigh most where one entry has nearly all of them, and less where even the best has only a few.
    An entry without a vector has cosine 0 and comes in by its words alone; without the question's vector it is BM25, and where no word
    is found it is the cosine.
    """

    name = "hybrid"
    needs_vector = True
    needs_atoms = False

    def rank(self, inquiry: Inquiry) -> Ranking:
        words, cosines = inquiry.found.scores, inquiry.cosines
        best = float(words.max(initial=0.0))
        if best == 0:
            return Dense().rank(inquiry)
        shares = words * np.float32(inquiry.settings.words_weight / (best * inquiry.found.all) ** 0.5)
        unseen = _unseen(inquiry, cosines, words)
        scores = np.add(cosines, shares, dtype=np.float32)
        scores[unseen] = shares[unseen] + inquiry.exact_cosines(unseen).astype(np.float32)

        def why(row: int) -> str:
            seen = [_cosine(inquiry, row)] if inquiry.vector is not None and inquiry.matrix.embedded[row] else []
            return "; ".join([*seen, *([_words(inquiry, row)] if words[row] > 0 else [])])

        return Ranking(scores, lambda rows: inquiry.exact_cosines(rows) + shares[rows], why)


class ReciprocalRanks:
    """Reciprocal rank fusion (Cormack et al. 2009) of dense and BM25: the sum of 1 / (rank_constant + rank) over both."""

    name = "rrf"
    needs_vector = True
    needs_atoms = False

    def rank(self, inquiry: Inquiry) -> Ranking:
        sums = np.zeros(len(inquiry.matrix), np.float64)
        said: dict[int, list[tuple[Ranking, int]]] = {}
        for scorer in (Dense(), Bm25()):
            ranking = scorer.rank(inquiry)
            for rank, (row, _) in enumerate(inquiry.best(ranking, max(inquiry.settings.pool, inquiry.limit)), 1):
                sums[row] += 1 / (inquiry.settings.rank_constant + rank)
                said.setdefault(row, []).append((ranking, rank))
        scores = np.where(sums > 0, sums, NEVER).astype(np.float32)

        def why(row: int) -> str:
            return "; ".join(f"{ranking.why(row)}, place {rank}" for ranking, rank in said[row])

        return Ranking(scores, lambda rows: sums[rows], why)


class OfAtoms:
    """The best atoms by the question, and their members by cosine (RSM-full, 1.3).

    :param rows: a clusterer -> one row an atom.
    """

    needs_vector = True
    needs_atoms = True

    def __init__(self, name: str, rows: Callable[[Clusterer], Vectors], score: Callable[[Vectors], Vectors]) -> None:
        self.name = name
        self._rows = rows
        self._score = score

    def rank(self, inquiry: Inquiry) -> Ranking:
        clusterer, q = inquiry.clusterer, inquiry.vector
        if clusterer is None or q is None:
            raise BadParameter(f"the scorer {self.name!r} needs atoms and the question's vector")
        numbers, rows = np.array(clusterer.numbers(), np.int64), self._rows(clusterer)
        of_atoms = self._score(rows @ q) if len(numbers) else np.zeros(0, np.float32)
        scores = np.full(len(inquiry.matrix), NEVER, np.float32)
        home: dict[int, tuple[int, float]] = {}
        for count, at in enumerate(np.lexsort((numbers, -of_atoms)).tolist()):
            if count >= inquiry.settings.atoms and len(home) >= inquiry.limit:
                break
            members = _members(inquiry, clusterer, int(numbers[at]))
            home |= dict.fromkeys(members.tolist(), (int(numbers[at]), float(of_atoms[at])))
            scores[members] = inquiry.exact_cosines(members)
        return Ranking(
            scores,
            inquiry.exact_cosines,
            lambda row: f"atom {home[row][0]} ({home[row][1]:.2f}), {_cosine(inquiry, row)}",
        )


def _unseen(inquiry: Inquiry, cosines: NDArray[np.float32], words: NDArray[np.float32]) -> NDArray[np.intp]:
    """Rows that come in by their words: those without a vector, and the best of those that an approximate index did not bring."""
    rows = np.flatnonzero((cosines == NEVER) & (words > 0))
    most = max(inquiry.settings.candidates, 4 * inquiry.limit)
    if inquiry.search.nearest is None or len(rows) <= most:
        return rows
    return rows[np.argsort(-words[rows], kind="stable")[:most]]


def leading_scorer() -> OfAtoms:
    """|v1 . q| (RSM-full, Eq. 2)."""
    return OfAtoms("v1", lambda clusterer: clusterer.leading(), np.abs)


def centroid_scorer() -> OfAtoms:
    """The cosine to the atom's centroid (RSM-cent-retr)."""
    return OfAtoms("centroid", lambda clusterer: clusterer.centroids(), lambda cosines: cosines)


def _members(inquiry: Inquiry, clusterer: Clusterer, atom: int) -> NDArray[np.intp]:
    """The rows of an atom's members that come into question."""
    places = inquiry.search.shelf.places(clusterer.members(atom))
    return inquiry.passing(inquiry.matrix.rows_at(np.array(places, np.int64)))


def _cosine(inquiry: Inquiry, row: int) -> str:
    return f"cosine {inquiry.cosine(row):.2f}"


def _words(inquiry: Inquiry, row: int) -> str:
    return f"words: {', '.join(inquiry.found.words(row))} (bm25 {float(inquiry.found.scores[row]):.1f})"


def unit(vector: Vector) -> Vector:
    """The vector at length 1, float32; a zero vector stays."""
    length = float(np.linalg.norm(vector))
    return np.asarray(vector / length if length else vector, np.float32)
