"""What a refinement with a language model would probably ask of it, before anything is asked.

The run is played through twice on the real entries, with the requests that would be sent and stand-ins for the model:

    few    a model that finds an edit in four of five pairs, the most similar first, so that the budget is met soon
    many   the embedded judge with all guards, which preserves much and so asks about many pairs

A real model lies in between; how near to which depends on how redundant the store is.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

from memfold.config import ModelSettings, RefineSettings
from memfold.errors import BadParameter
from memfold.protocols import ChatReply, ChatRequest, Failure, Judge, Shape
from memfold.refine.judges.cascade import CascadeJudge
from memfold.refine.judges.embedded import EmbeddedJudge
from memfold.refine.judges.llm import LLMJudge
from memfold.refine.judges.scripted import ScriptedJudge
from memfold.types import JSON, Decision, Pair

VERDICT = 60
"""Tokens of a judge's reply."""
FRAME = 120
"""Tokens that the reply's form adds to a request."""
LIMIT = 20_000
"""Judgements after which playing through ends; the figures are then lower bounds."""


@dataclass(slots=True)
class Tally:
    """Requests and tokens of a run that was played through. `cut` when it was ended before it was done."""

    judgements: int = 0
    merges: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    cut: bool = False

    @property
    def calls(self) -> int:
        return self.judgements + self.merges

    def as_dict(self) -> dict[str, JSON]:
        """The tally as JSON."""
        counts: dict[str, JSON] = {"calls": self.calls, "judgements": self.judgements, "merges": self.merges}
        return counts | {"tokens_in": self.tokens_in, "tokens_out": self.tokens_out, "at_least": self.cut}


class Unasked:
    """A model that is never asked: it lends a judge its name."""

    def __init__(self, name: str) -> None:
        self.name = name

    def complete_many(self, requests: Sequence[ChatRequest[Shape]]) -> list[ChatReply[Shape]]:
        """A failure for each request."""
        return [ChatReply(failure=Failure("unreachable", "an estimate asks no model")) for _ in requests]


class StandIn:
    """Decides as another judge does, and counts what the model would have been asked.

    :param asked: the judge whose requests are counted; its model is never asked.
    :param decides: what the model is taken to say.
    :param count: tokens of a text.
    """

    costly = False
    order = "cosine"

    def __init__(self, asked: LLMJudge, decides: Judge, count: Callable[[str], int]) -> None:
        self._asked, self._decides, self._count = asked, decides, count
        self.tally = Tally()
        self.name = f"estimate({asked.name}, {decides.name})"
        self.floor = asked.floor

    def decide(self, pairs: Sequence[Pair]) -> list[Decision]:
        """The stand-in's decisions, one a pair."""
        decided = self._decides.decide(pairs)
        for pair, decision in zip(pairs, decided, strict=True):
            if pair.cosine >= self.floor:
                self._add(pair, decision)
        return [replace(decision, judge=self.name) for decision in decided]

    def _add(self, pair: Pair, decision: Decision) -> None:
        tally = self.tally
        tally.judgements += 1
        tally.tokens_in += self._size(self._asked.judge_request(pair))
        tally.tokens_out += VERDICT
        if decision.action == "merge":
            tally.merges += 1
            tally.tokens_in += self._size(self._asked.merge_request(pair, "x" * 200))
            tally.tokens_out += self._count(decision.merged) + VERDICT // 3

    def _size(self, request: ChatRequest[Shape]) -> int:
        return FRAME + sum(self._count(message.content) for message in request.messages)


@dataclass(frozen=True, slots=True)
class Estimate:
    """Calls, tokens, money and minutes that a refinement would probably take, from a least to a most.

    :param cost: (least, most) in the currency of the prices; None where the model's price is not known.
    :param minutes: (least, most), at SECONDS a call.
    """

    namespace: str
    judge: str
    few: Tally
    many: Tally
    cost: tuple[float, float] | None
    minutes: tuple[float, float]

    def as_dict(self) -> dict[str, JSON]:
        """The estimate as JSON."""
        told: dict[str, JSON] = {"namespace": self.namespace, "judge": self.judge}
        told |= {"few": self.few.as_dict(), "many": self.many.as_dict()}
        told |= {"cost": list[JSON](self.cost) if self.cost else None, "minutes": list[JSON](self.minutes)}
        return told


SECONDS = 2.0
"""What a call is taken to last."""


def minutes(tally: Tally, refining: RefineSettings, model: ModelSettings) -> float:
    """How long the calls of a tally take, with as many at once as the order has outstanding and the model takes, within its limits."""
    at_once = min(refining.window or model.concurrency, model.concurrency)
    waiting = tally.calls * SECONDS / 60 / at_once
    by_requests = tally.calls / model.requests_per_minute if model.requests_per_minute else 0.0
    by_tokens = (tally.tokens_in + tally.tokens_out) / model.tokens_per_minute if model.tokens_per_minute else 0.0
    return max(waiting, by_requests, by_tokens)


Played: TypeAlias = tuple[Judge, Tally]
"""A judge that asks no model, and where it counts what it would have asked."""


def stand_ins(asked: Judge, count: Callable[[str], int]) -> tuple[Played, Played]:
    """The judges with which the two runs are played through in the place of one that asks a model: few calls, many calls.

    :param count: tokens of a text.
    :raises BadParameter: this judge asks no model.
    """
    few, many = (_standing_in(asked, decides, count) for decides in (ScriptedJudge.mix(), EmbeddedJudge()))
    return few, many


def _standing_in(asked: Judge, decides: Judge, count: Callable[[str], int]) -> Played:
    if isinstance(asked, LLMJudge):
        stand_in = StandIn(asked, decides, count)
        return stand_in, stand_in.tally
    if isinstance(asked, CascadeJudge):
        model, tally = _standing_in(asked.then, decides, count)
        return CascadeJudge(asked.first, model, sure=asked.sure, checked=asked.checked), tally
    raise BadParameter(f"{asked.name} asks no model: there is nothing to estimate")
