"""The embedded judge where it is sure, the model elsewhere.

Sure is a confidence from a threshold on (docs/embedded-judge.md has the curve) and a decision that the guards let pass:
a deletion that a guard would stop is put before the model, which may merge instead.
"""

from __future__ import annotations

from collections.abc import Sequence
from threading import Lock

from memfold.protocols import Judge
from memfold.refine import guards
from memfold.types import Decision, Pair

SURE = 0.80
"""Confidence from which the first judge decides alone."""


class CascadeJudge:
    """Two judges, the second only where the first is in doubt. Safe to use from several threads, if the second is.

    :param first: a judge that costs nothing; `then`: the one that does.
    :param sure: in [0, 1]; a higher value asks the second judge more often.
    :param checked: guards that a sure decision has to pass; None to take it as it is.
    """

    order = "window"

    def __init__(self, first: Judge, then: Judge, *, sure: float = SURE, checked: guards.GuardSettings | None = guards.HISTORY) -> None:
        self.first, self.then, self.sure, self.checked = first, then, sure, checked
        self._turn = Lock()
        self.costly = then.costly
        self.name = f"cascade:{sure:g}({first.name}, {then.name})"
        self.floor = min(first.floor, then.floor)

    def decide(self, pairs: Sequence[Pair]) -> list[Decision]:
        """One decision a pair, in order; `calls` tells which were the second judge's."""
        with self._turn:
            decided = self.first.decide(pairs)
        settled = [self._settled(pair, decision) for pair, decision in zip(pairs, decided, strict=True)]
        doubtful = [pair for pair, sure in zip(pairs, settled, strict=True) if not sure]
        answers = iter(self.then.decide(doubtful) if doubtful else ())
        return [decision if sure else next(answers) for decision, sure in zip(decided, settled, strict=True)]

    def _settled(self, pair: Pair, decision: Decision) -> bool:
        if decision.failed or decision.confidence < self.sure:
            return False
        return self.checked is None or not guards.check(pair, decision, self.checked).veto
