"""Judges by name: what becomes of two entries that similarity proposed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import nan
from typing import TYPE_CHECKING, Literal, TypeAlias

from memfold.errors import BadParameter, UnknownName
from memfold.protocols import ChatModel, Judge
from memfold.refine import guards
from memfold.refine.judges.pagerank import PageRankJudge
from memfold.refine.judges.similarity import SimilarityJudge

if TYPE_CHECKING:
    from memfold.refine.judges.llm import LLMJudge


@dataclass(frozen=True, slots=True)
class Asking:
    """What judges may need beside their name; most of it is for those that ask a language model.

    :param judge_prompt: a text that replaces the judge's prompt, and so for `merge_prompt`; "" is ours. See `judges.prompts`.
    :param max_chars: characters of each text that the model is shown; 0 for all.
    :param updates: with "latest" the older of two states of one thing goes, with "history" a merge keeps it.
    :param checked: the guards that a merged text has to pass, else it is written again once; None to take any.
    """

    model: ChatModel | None = None
    judge_prompt: str = ""
    merge_prompt: str = ""
    max_chars: int = 2000
    updates: Literal["history", "latest"] = "history"
    checked: guards.GuardSettings | None = guards.HISTORY


NO_MODEL = Asking()


def _llm(parameter: str, asking: Asking) -> LLMJudge:
    from memfold.refine.judges.llm import FLOOR, LLMJudge
    from memfold.refine.judges.prompts import Prompts

    if asking.model is None:
        raise BadParameter("this judge asks a language model: name one, for example --model gpt-5-mini, or --model batch:FOLDER")
    prompts = Prompts(asking.judge_prompt, asking.merge_prompt, asking.max_chars or None, asking.updates)
    floor = _cosine("llm", parameter, "from which it is asked", 0.2) if parameter else FLOOR
    return LLMJudge(asking.model, prompts=prompts, checked=asking.checked, floor=floor)


def _cascade(parameter: str, asking: Asking) -> Judge:
    from memfold.refine.judges.cascade import SURE, CascadeJudge
    from memfold.refine.judges.embedded import EmbeddedJudge

    sure = _number(parameter) if parameter else SURE
    if not 0 <= sure <= 1:
        raise BadParameter(f"cascade:{parameter}: the embedded judge decides from a confidence between 0 and 1 on, for example cascade:0.8")
    return CascadeJudge(EmbeddedJudge(asking.updates), _llm("", asking), sure=sure, checked=asking.checked)


def _embedded(parameter: str, asking: Asking) -> Judge:
    from memfold.refine.judges.embedded import EmbeddedJudge

    if not parameter:
        return EmbeddedJudge(asking.updates)
    least = _number(parameter)
    if not 0 < least <= 1:
        raise BadParameter(f"embedded:{parameter}: the least confidence of a deletion lies above 0 and up to 1, for example embedded:0.8")
    return EmbeddedJudge(asking.updates, delete=least)


def _similarity(parameter: str, asking: Asking) -> Judge:
    return SimilarityJudge(_cosine("similarity", parameter)) if parameter else SimilarityJudge()


def _pagerank(parameter: str, asking: Asking) -> Judge:
    return PageRankJudge(_cosine("pagerank", parameter)) if parameter else PageRankJudge()


def _cosine(judge: str, parameter: str, what: str = "from which it deletes", like: float = 0.8) -> float:
    cosine = _number(parameter)
    if not -1 <= cosine <= 1:
        raise BadParameter(f"{judge}:{parameter}: the cosine {what} lies between -1 and 1, for example {judge}:{like}")
    return cosine


def _number(parameter: str) -> float:
    """NaN, which lies in no range, where it is no number."""
    try:
        return float(parameter)
    except ValueError:
        return nan


Opener: TypeAlias = Callable[[str, Asking], Judge]
JUDGES: dict[str, Opener] = {"embedded": _embedded, "llm": _llm, "cascade": _cascade, "similarity": _similarity, "pagerank": _pagerank}
"""Name to judge; what follows a colon is the judge's parameter."""
MODEL_JUDGES = ("llm", "cascade")
"""Those that ask a language model."""


def asks_model(spec: str) -> bool:
    """Whether the judge of a name asks a language model."""
    return spec.partition(":")[0] in MODEL_JUDGES


def open_judge(spec: str, asking: Asking = NO_MODEL) -> Judge:
    """The judge of a name: `embedded`, `embedded:0.8`, `llm`, `cascade`, `cascade:0.9`, `similarity:0.8`, `pagerank:0.8`.

    :param asking: the model and its prompts, for those of `MODEL_JUDGES`.
    :raises UnknownName: no judge has this name. :raises BadParameter: what follows the colon is not the judge's, or its model is missing.
    """
    name, _, parameter = spec.partition(":")
    if name not in JUDGES:
        raise UnknownName("judge", name, JUDGES)
    return JUDGES[name](parameter, asking)
