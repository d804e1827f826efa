"""The retriever of one namespace: it keeps the matrix and the words between questions, and turns a ranking into hits."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Protocol

import numpy as np

from memfold.config import RetrieveSettings
from memfold.protocols import Clusterer, Shelf, Vector
from memfold.retrieve.approximate import Nearest, open_nearest
from memfold.retrieve.filters import Filter
from memfold.retrieve.inquiry import Inquiry, Search
from memfold.retrieve.keywords import Keywords
from memfold.retrieve.matrix import Matrix
from memfold.retrieve.scorers import Scorer, unit
from memfold.types import Entry, Hit

DEFAULTS = RetrieveSettings()


class Reranker(Protocol):
    """Looks at the best entries once more, for example with a cross-encoder."""

    @property
    def name(self) -> str: ...

    def scores(self, question: str, entries: Sequence[Entry]) -> Sequence[float]:
        """What each entry is worth for the question, in order; higher is better, on a scale of its own."""
        ...


class Retriever:
    """Answers questions over one shelf, from any thread, one at a time.

    Whoever changes the store, an answer is of its state when it is asked.

    :param clusterer: gives the atoms of the namespace, in step with the store; called once a question. None: there are none.
    """

    def __init__(
        self,
        shelf: Shelf,
        settings: RetrieveSettings = DEFAULTS,
        *,
        clusterer: Callable[[], Clusterer] | None = None,
        reranker: Reranker | None = None,
    ) -> None:
        self._shelf = shelf
        self._settings = settings
        self._clusterer = clusterer
        self._reranker = reranker
        self.matrix = Matrix(shelf, file_from=settings.file_from)
        self._search = Search(shelf, self.matrix, Keywords(shelf, self.matrix, settings), settings)
        self._nearest: Nearest | None = None

    def recall(
        self,
        scorer: Scorer,
        text: str,
        vector: Vector | None = None,
        *,
        limit: int = 10,
        filter: Filter = Filter(),  # noqa: B008
        linked: int = 0,
        atoms: bool = True,
    ) -> list[Hit]:
        """The best entries for a question: by score, ties to the entry that was stored last.

        :param vector: of the question, shape (dim,); None where the scorer needs none, or `hybrid` must do by words alone.
        :param limit: hits at most. :param filter: what an entry must be; it holds before the cut to `limit`.
        :param linked: draw in so many entries at most that hits link to, each after its source and beyond `limit` (A-MEM); the filter
            holds for them too.
        :param atoms: whether hits tell their atoms, which takes having them in step.
        :raises BadParameter: the scorer needs atoms or a vector, and there are none.
        """
        with self._shelf.lock:
            clusterer = self._clusterer() if atoms and self._clusterer is not None else None
            self._prepare()
            with self._shelf.snapshot():
                self._refresh()
                q = None if vector is None else unit(vector)
                looked_at = max(limit, self._settings.pool) if self._reranker else limit
                return self._answer(Inquiry(self._search, text, q, looked_at, filter, clusterer), scorer, limit, linked)

    def _prepare(self) -> None:
        self.matrix.prepare()
        least = self._settings.approximate_from
        if least is None:
            return
        if self.matrix.mark is None:
            with self._shelf.snapshot():
                self.matrix.refresh()
        if int(self.matrix.embedded.sum()) < max(1, least):
            self._nearest = None
        elif self._nearest is None:
            self._nearest = open_nearest(self._shelf, self.matrix)
        self._search.nearest = self._nearest

    def _refresh(self) -> None:
        self.matrix.refresh()
        if self._nearest is not None:
            self._nearest.refresh()

    def _answer(self, inquiry: Inquiry, scorer: Scorer, limit: int, linked: int) -> list[Hit]:
        hits = self._hits(inquiry, scorer)
        if self._reranker is not None and hits:
            hits = _reranked(self._reranker, inquiry.text, hits)
        return _with_links(inquiry, hits[:limit], linked) if linked > 0 else hits[:limit]

    def _hits(self, inquiry: Inquiry, scorer: Scorer) -> list[Hit]:
        ranking = scorer.rank(inquiry)
        best = inquiry.best(ranking, inquiry.limit)
        entries = inquiry.entries([row for row, _ in best])
        found = zip(best, entries, strict=True)
        return [_hit(inquiry, entry, score, ranking.why(row)) for (row, score), entry in found if entry is not None]


def _hit(inquiry: Inquiry, entry: Entry, score: float, why: str) -> Hit:
    atom = inquiry.atom_of(entry.id)
    return Hit(entry, score, why, atom, 0.0 if atom is None else inquiry.atom_score(atom))


def _reranked(reranker: Reranker, text: str, hits: Sequence[Hit]) -> list[Hit]:
    """The hits by what the re-ranker says; ties stay as they were."""
    scores = [float(score) for score in reranker.scores(text, [hit.entry for hit in hits])]
    told = [
        replace(hit, score=score, why=f"{hit.why}; {reranker.name} {score:.2f} (was place {place})")
        for place, (hit, score) in enumerate(zip(hits, scores, strict=True), 1)
    ]
    return sorted(told, key=lambda hit: -hit.score)


def _with_links(inquiry: Inquiry, hits: Sequence[Hit], most: int) -> list[Hit]:
    """The hits, each followed by what it links to and is not there yet; their score is the source's."""
    there, left, out = {hit.entry.id for hit in hits}, most, list[Hit]()
    for hit in hits:
        out.append(hit)
        relations = {link.target: link.relation for link in reversed(hit.entry.links) if link.target not in there}
        rows = inquiry.matrix.rows_at(np.array(inquiry.search.shelf.places(list(relations)), np.int64))
        found = inquiry.entries(inquiry.passing(rows))
        drawn = {entry.id: entry for entry in found if entry is not None and entry.namespace == hit.entry.namespace}
        for target in dict.fromkeys(link.target for link in hit.entry.links):
            if left == 0 or target not in drawn or target in there:
                continue
            relation = relations[target]
            why = f"linked from {hit.entry.id}: {relation}" if relation else f"linked from {hit.entry.id}"
            out.append(_hit(inquiry, drawn[target], hit.score, why))
            there.add(target)
            left -= 1
    return out
