"""Retrieval: a question finds entries, each with a score and why it was found (RSM-full, 1.3 of our reading).

    matrix      the namespace's vectors, brought to the store's state (`matrix`, `copy`)
    score       a scorer says what each entry is worth (`scorers`, `keywords`)
    walk        the best that pass the filter, ties to the entry that was stored last (`inquiry`, `filters`)
    re-rank     an optional model of the user's looks at the best once more
    link        what the found entries link to may come with them (A-MEM)

| scorer     | an entry's score                                                                        |
|------------|-----------------------------------------------------------------------------------------|
| `hybrid`   | its cosine and its words together (the default)                                         |
| `rrf`      | reciprocal rank fusion of `dense` and `bm25`                                            |
| `dense`    | its cosine: the paper's Full-RAG                                                        |
| `bm25`     | its words                                                                               |
| `v1`       | the paper's: its cosine, if it is in one of the best atoms by abs(v1 . q)               |
| `centroid` | the same, with the cosine to the atom's centroid                                        |
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from memfold.config import RetrieveSettings
from memfold.errors import UnknownName
from memfold.retrieve.filters import Filter
from memfold.retrieve.matrix import Matrix
from memfold.retrieve.retriever import Reranker, Retriever
from memfold.retrieve.scorers import Bm25, Dense, Hybrid, ReciprocalRanks, Scorer, centroid_scorer, leading_scorer

__all__ = ["SCORERS", "Filter", "Matrix", "Reranker", "RetrieveSettings", "Retriever", "Scorer", "open_scorer"]

SCORERS: Mapping[str, Callable[[], Scorer]] = {
    "hybrid": Hybrid,
    "rrf": ReciprocalRanks,
    "dense": Dense,
    "bm25": Bm25,
    "v1": leading_scorer,
    "centroid": centroid_scorer,
}
"""Scorers by name."""


def open_scorer(name: str) -> Scorer:
    """The scorer of this name.

    :raises UnknownName: there is none of this name.
    """
    if name not in SCORERS:
        raise UnknownName("scorer", name, SCORERS)
    return SCORERS[name]()
