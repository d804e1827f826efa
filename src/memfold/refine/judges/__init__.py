"""Judges by name: what becomes of two entries that similarity proposed."""

from __future__ import annotations

from collections.abc import Callable

from memfold.errors import UnknownName
from memfold.protocols import Embedder, Judge
from memfold.refine.judges.pagerank import PageRankJudge
from memfold.refine.judges.similarity import SimilarityJudge


def _embedded(parameter: str, embedder: Embedder | None) -> Judge:
    from memfold.refine.judges.embedded import EmbeddedJudge

    return EmbeddedJudge()


def _similarity(parameter: str, embedder: Embedder | None) -> Judge:
    return SimilarityJudge(float(parameter)) if parameter else SimilarityJudge()


def _pagerank(parameter: str, embedder: Embedder | None) -> Judge:
    return PageRankJudge(float(parameter)) if parameter else PageRankJudge()


JUDGES: dict[str, Callable[[str, Embedder | None], Judge]] = {
    "embedded": _embedded,
    "similarity": _similarity,
    "pagerank": _pagerank,
}


def open_judge(spec: str, *, embedder: Embedder | None = None) -> Judge:
    """The judge of a name: `embedded`, `similarity:0.8`, `pagerank:0.8`."""
    name, _, parameter = spec.partition(":")
    if name not in JUDGES:
        raise UnknownName("judge", name, JUDGES)
    return JUDGES[name](parameter, embedder)
