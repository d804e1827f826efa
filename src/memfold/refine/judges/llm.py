"""The paper's judge and merge, asked of a language model (MemRefine 3.2, A.1).

    d <- Judge(u, v)                      delete (which side), merge (with an instruction), or preserve
    m <- Merge(u, v, d.instruction)       where d is a merge
    once more, with the reason, if a guard refuses m or m is no smaller than the two; then it preserves

Whatever fails is `preserve`. A text that was longer than the model may see goes neither whole nor into a merge: nobody
has read the rest.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from hashlib import blake2b

from memfold.protocols import ChatModel, ChatReply, ChatRequest, Failure, Message
from memfold.refine import guards
from memfold.refine.judges.prompts import OURS, Merged, Prompts, Verdict, again, one_line
from memfold.types import Decision, Pair

VERSION = 1
FLOOR = 0.30
"""Cosine below which no pair is shown to the model. The paper has no such floor (-1); what lies below is hardly ever redundant, and there
are so many of such pairs that asking about them is what a run would cost."""


@dataclass(slots=True)
class _Case:
    """A pair on its way to a decision. `swapped` when the model sees b first: a pair is one request, whichever side is named first."""

    pair: Pair
    swapped: bool
    decision: Decision = Decision("preserve")
    asked: tuple[Message, ...] = ()
    calls: int = 0
    tokens: int = 0
    cost: float = 0.0

    def spent(self, reply: ChatReply[Verdict] | ChatReply[Merged]) -> None:
        """Add what a request took."""
        self.calls += reply.calls
        self.tokens += reply.tokens
        self.cost += reply.cost


class LLMJudge:
    """Asks a model what becomes of a pair, and for the merged text. Safe to use from several threads, if the model is.

    :param model: see `memfold.llm.open_model`.
    :param checked: the guards that a merged text has to pass to be kept at the first try; None to take any text.
    :param floor: least cosine of a pair that is asked about, in [-1, 1].
    :param reply_tokens: tokens of a reply at most; None leaves it to the endpoint (models that think first need thousands).
    """

    costly = True
    order = "window"

    def __init__(
        self,
        model: ChatModel,
        *,
        prompts: Prompts = OURS,
        checked: guards.GuardSettings | None = guards.HISTORY,
        floor: float = FLOOR,
        reply_tokens: int | None = None,
    ) -> None:
        self.model = model
        self.prompts = prompts
        self.floor = floor
        self._checked = checked
        self._reply_tokens = reply_tokens
        self.name = f"llm/{VERSION}:{model.name}{_differing(prompts, floor)}"

    def decide(self, pairs: Sequence[Pair]) -> list[Decision]:
        """One decision a pair, in order: all judgements in one call of the model, then all merges, then those to be written again."""
        cases = [self._case(pair) for pair in pairs]
        asked = [case for case in cases if case.pair.cosine >= self.floor]
        self._judge(asked)
        self._merge([case for case in asked if case.decision.action == "merge"])
        return [self._decision(case) for case in cases]

    def judge_request(self, pair: Pair) -> ChatRequest[Verdict]:
        """What is asked about a pair."""
        return ChatRequest(self.prompts.judge_messages(pair), Verdict, "judge", self._reply_tokens)

    def merge_request(self, pair: Pair, instruction: str) -> ChatRequest[Merged]:
        """What is asked for when a pair is to be merged."""
        return self._to_merge(self.prompts.merge_messages(pair, instruction))

    def _to_merge(self, messages: tuple[Message, ...]) -> ChatRequest[Merged]:
        return ChatRequest(messages, Merged, "merge", self._reply_tokens)

    def _case(self, pair: Pair) -> _Case:
        swapped = (pair.b.text, pair.b.id) < (pair.a.text, pair.a.id)
        shown = replace(pair, a=pair.b, b=pair.a) if swapped else pair
        return _Case(shown, swapped, Decision("preserve", reason=f"cosine {pair.cosine:.2f} is below {self.floor:.2f}"))

    def _judge(self, cases: Sequence[_Case]) -> None:
        for case, reply in zip(cases, self.model.complete_many([self.judge_request(case.pair) for case in cases]), strict=True):
            case.spent(reply)
            case.decision = self._judged(case.pair, reply)

    def _judged(self, pair: Pair, reply: ChatReply[Verdict]) -> Decision:
        verdict = reply.value
        if verdict is None:
            return _failed(reply.failure)
        reason = one_line(verdict.reason) or f"the model says {verdict.action}"
        target = verdict.target if verdict.action == "delete" else ""
        decision = Decision(verdict.action, target, verdict.relation, instruction=one_line(verdict.instruction), reason=reason)
        return self._if_seen(pair, decision)

    def _if_seen(self, pair: Pair, decision: Decision) -> Decision:
        """The decision, unless it would remove a text that the model did not see to its end."""
        cut_a, cut_b = self.prompts.cuts(pair)
        gone = {"delete": cut_a if decision.target == "a" else cut_b, "merge": cut_a or cut_b, "preserve": False}
        if self._checked is None or not gone[decision.action]:
            return decision
        why = f"a text is longer than the {self.prompts.max_chars:,} characters that the model is shown (--max-chars)"
        return decision.vetoed("cut", why)

    def _merge(self, cases: Sequence[_Case]) -> None:
        for case in cases:
            case.asked = self.prompts.merge_messages(case.pair, case.decision.instruction)
        refused = self._write(cases)
        for case, veto in refused:
            case.asked = again(case.asked, case.decision.merged, veto.reason)
        for case, veto in self._write([case for case, _ in refused]):
            case.decision = case.decision.vetoed(veto.veto, veto.reason)

    def _write(self, cases: Sequence[_Case]) -> list[tuple[_Case, Decision]]:
        """Ask for the merged texts; gives the cases whose text a guard refuses, each with the veto."""
        requests = [self._to_merge(case.asked) for case in cases]
        refused: list[tuple[_Case, Decision]] = []
        for case, reply in zip(cases, self.model.complete_many(requests), strict=True):
            case.spent(reply)
            if reply.value is None:
                case.decision = replace(_failed(reply.failure), proposed="merge", instruction=case.decision.instruction)
                continue
            case.decision = replace(case.decision, merged=reply.value.text.strip(), keywords=_keywords(case.pair, reply.value))
            if self._checked is not None:
                checked = guards.check(case.pair, replace(case.decision, reason=""), self._checked)
                refused += [(case, checked)] if checked.veto else []
        return refused

    def _decision(self, case: _Case) -> Decision:
        decision = replace(case.decision, judge=self.name, calls=case.calls, tokens=case.tokens, cost=case.cost)
        return decision.swapped() if case.swapped else decision


def _keywords(pair: Pair, merged: Merged) -> tuple[str, ...]:
    """The model's keywords where a side has some: entries without them take none on, for they cost bytes."""
    if not (pair.a.keywords or pair.b.keywords):
        return ()
    return tuple(dict.fromkeys(word for word in map(one_line, merged.keywords) if word))


def _failed(failure: Failure | None) -> Decision:
    """Every failure preserves; one that all further pairs would share says so."""
    if failure is None:
        return Decision("preserve", reason="the model gave neither a value nor a failure", failed=True)
    return Decision("preserve", reason=one_line(f"{failure.kind}: {failure.message}"), failed=True, halt=failure.halt)


def _differing(prompts: Prompts, floor: float) -> str:
    """What the decisions depend on beside the model, as far as it is not the default."""
    written = blake2b(f"{prompts.judge}\0{prompts.merge}".encode("utf-8", "surrogatepass"), digest_size=4).hexdigest()
    told = {
        "prompts": written if prompts.judge or prompts.merge else "",
        "chars": "" if prompts.max_chars == OURS.max_chars else str(prompts.max_chars or "all"),
        "floor": "" if floor == FLOOR else f"{floor:g}",
        "updates": "" if prompts.updates == "history" else prompts.updates,
    }
    return "".join(f":{name}={value}" for name, value in told.items() if value)
