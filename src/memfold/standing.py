"""A standing budget: a namespace that a write takes past it is refined at once, or the write is refused.

What was just written is never the victim of the room that it took: it is neither deleted nor merged by that refinement. A
fact outranks the budget here too, so a namespace may stay above it; the report tells.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Literal, TypeAlias

from memfold.budget import Budget
from memfold.errors import BudgetError, OverBudget
from memfold.refine import Report
from memfold.refine.guards import GuardSettings

if TYPE_CHECKING:
    from memfold.memory import Memory

WhenFull: TypeAlias = Literal["refine", "raise"]
ROOM = 0.1
"""Share of the budget that a refinement makes free, so that not every write needs one; and by which a namespace that could not
be brought within its budget has to grow before it is tried again."""


@dataclass(slots=True)
class StandingBudget:
    """The bytes that each namespace of a store may take.

    :param when_full: `refine` with the embedded judge, or `raise`.
    """

    max_bytes: int
    when_full: WhenFull = "refine"
    last: Report | None = None
    """Of the last refinement that a write set off."""
    _tried: dict[str, int] = field(default_factory=dict[str, int])

    @classmethod
    def parse(cls, written: str | int | Budget, when_full: WhenFull) -> StandingBudget:
        """A budget like `2MB`.

        :raises BudgetError: it cannot be understood, or is no number of bytes.
        """
        budget = Budget.parse(written)
        if budget.unit != "bytes" or budget.share:
            raise BudgetError(f"a standing budget is a number of bytes, like 2MB; {written!r} is {budget}")
        if when_full not in ("refine", "raise"):
            raise BudgetError(f"when a namespace is full, 'refine' or 'raise'; not {when_full!r}")
        return cls(budget.limit(0), when_full)

    def admit(self, memory: Memory, namespace: str, more: int) -> None:
        """Refuse a write of so many bytes where it would go past the budget, if that is how the store was opened.

        :raises OverBudget: it would.
        """
        size = memory.totals(namespace)[1]
        if self.when_full == "raise" and size + more > self.max_bytes:
            cure = "refine it, forget something, or open the store with a larger max_bytes or when_full='refine'"
            raise OverBudget(f"namespace {namespace!r} has {size:,} bytes of {self.max_bytes:,}, and {more:,} more do not fit: {cure}")

    def keep(self, memory: Memory, namespace: str, written: Collection[str]) -> None:
        """Bring a namespace back within the budget after entries of these ids were written to it."""
        size = memory.totals(namespace)[1]
        if self.when_full == "raise" or size <= self.max_bytes or size <= self._tried.get(namespace, 0):
            return
        goal = Budget(self.max_bytes * (1 - ROOM))
        spare = replace(GuardSettings(), protected=frozenset(written))
        self.last = memory.refine(namespace, budget=goal, apply=True, guard_settings=spare)
        missed = self.last.after > self.max_bytes
        self._tried[namespace] = self.last.after + int(ROOM * self.max_bytes) if missed else 0
