"""Judges by name: what becomes of two entries that similarity proposed."""

from __future__ import annotations

from collections.abc import Callable
from math import nan

from memfold.errors import BadParameter, UnknownName
from memfold.protocols import Embedder, Judge
from memfold.refine.judges.pagerank import PageRankJudge
from memfold.refine.judges.similarity import SimilarityJudge


def _embedded(parameter: str) -> Judge:
    from memfold.refine.judges.embedded import EmbeddedJudge

    if not parameter:
        return EmbeddedJudge()
    least = _number(parameter)
    if not 0 < least <= 1:
        raise BadParameter(f"embedded:{parameter}: the least confidence of a deletion lies above 0 and up to 1, for example embedded:0.8")
    return EmbeddedJudge(delete=least)


def _similarity(parameter: str) -> Judge:
    return SimilarityJudge(_cosine("similarity", parameter)) if parameter else SimilarityJudge()


def _pagerank(parameter: str) -> Judge:
    return PageRankJudge(_cosine("pagerank", parameter)) if parameter else PageRankJudge()


def _cosine(judge: str, parameter: str) -> float:
    cosine = _number(parameter)
    if not -1 <= cosine <= 1:
        raise BadParameter(f"{judge}:{parameter}: the cosine from which it deletes lies between -1 and 1, for example {judge}:0.8")
    return cosine


def _number(parameter: str) -> float:
    """NaN, which lies in no range, where it is no number."""
    try:
        return float(parameter)
    except ValueError:
        return nan


JUDGES: dict[str, Callable[[str], Judge]] = {"embedded": _embedded, "similarity": _similarity, "pagerank": _pagerank}
"""Name to judge; what follows a colon is the judge's parameter."""


def open_judge(spec: str, *, embedder: Embedder | None = None) -> Judge:
    """The judge of a name: `embedded`, `embedded:0.8`, `similarity:0.8`, `pagerank:0.8`.

    :param embedder: for judges that embed parts of a text.
    :raises UnknownName: no judge has this name. :raises BadParameter: what follows the colon is not the judge's.
    """
    name, _, parameter = spec.partition(":")
    if name not in JUDGES:
        raise UnknownName("judge", name, JUDGES)
    return JUDGES[name](parameter)
