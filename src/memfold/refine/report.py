"""What a refinement did, or would do, and why it stopped."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field, replace
from typing import Literal, TypeAlias

from memfold.budget import Unit
from memfold.types import JSON, Edit

Stopped: TypeAlias = Literal[
    "met", "exhausted", "max_judgements", "max_edits", "max_seconds", "quit", "interrupted", "waiting", "spent", "unreachable"
]

WHY: dict[Stopped, str] = {
    "met": "the budget is met",
    "exhausted": "no pair is left that could be deleted or merged without losing a fact",
    "max_judgements": "the limit of judgements was reached",
    "max_edits": "the limit of edits was reached",
    "max_seconds": "the time limit was reached",
    "quit": "you ended the review",
    "interrupted": "it was interrupted; run the same command again to go on",
    "waiting": "replies of the model are still to come; run the same command again when they are there",
    "spent": "the model's budget of calls, tokens or money is spent; run the same command again to go on",
    "unreachable": "the model cannot be reached",
}
EXAMPLES = 200
"""Vetoes and failures kept with their reasons; all are counted."""


@dataclass(frozen=True, slots=True)
class Held:
    """A pair that was preserved against the judge's wish (a veto), or for want of an answer (a failure)."""

    a: str
    b: str
    cosine: float
    why: str
    """The guard's name, `failed`, `no saving`, `stale` or `set aside`."""
    reason: str


@dataclass(slots=True)
class Report:
    """The account of one run over one namespace. Sizes are in `unit`; `bytes_…` always in bytes.

    `plan` holds the edits of a preview; those of an applied run are in the journal under `run`.
    """

    namespace: str
    judge: str
    unit: Unit
    budget: str
    limit: int
    taken_in: int
    before: int
    entries_before: int
    bytes_before: int
    applied: bool = False
    run: str = ""
    after: int = 0
    entries_after: int = 0
    bytes_after: int = 0
    stopped: Stopped = "met"
    judgements: int = 0
    """Judgements that were needed; those made ahead in vain are `unused`."""
    unused: int = 0
    """Judgements made ahead, paid for and not needed so far. They are remembered."""
    deletes: int = 0
    merges: int = 0
    expired: int = 0
    """Entries that went because their own time was over."""
    preserved: int = 0
    vetoes: Counter[str] = field(default_factory=Counter[str])
    failures: int = 0
    stale: int = 0
    set_aside: int = 0
    calls: int = 0
    """Requests to a model, retries included; remembered replies are none."""
    asked_model: int = 0
    """Judgements that took at least one request."""
    halted: str = ""
    """What the model's side said when it ended the run."""
    waiting: int = 0
    """Judgements whose replies are still to come."""
    tokens: int = 0
    cost: float = 0.0
    seconds: float = 0.0
    files: dict[str, int] = field(default_factory=dict[str, int])
    """File name -> bytes on disk after the run: the store, and the journal beside it."""
    held: list[Held] = field(default_factory=list[Held])
    plan: list[Edit] = field(default_factory=list[Edit])
    resumed: str = ""
    """Id of the interrupted run that this one goes on with."""

    @property
    def edits(self) -> int:
        return self.deletes + self.merges + self.expired

    @property
    def met(self) -> bool:
        return self.after <= self.limit

    @property
    def missed_by(self) -> int:
        """How far over the budget the store still is, in `unit`; 0 when it is met."""
        return max(0, self.after - self.limit)

    @property
    def why(self) -> str:
        """Why the run stopped, in words."""
        vetoed = sum(self.vetoes.values()) - self.vetoes["no saving"]
        if self.stopped == "exhausted" and vetoed:
            return f"{WHY['exhausted']} ({vetoed} of {self.judgements} judgements were vetoed by guards)"
        return f"{WHY[self.stopped]} ({self.halted})" if self.halted and self.stopped != "waiting" else WHY[self.stopped]

    def __str__(self) -> str:
        """The account in a few lines."""
        verb = "made" if self.applied else "would be made"
        budget = f"{self.budget} = {self.limit:,} {self.unit}" if "%" in self.budget else f"{self.limit:,} {self.unit}"
        outcome = "met" if self.met else f"missed by {self.missed_by:,} {self.unit}: {self.why}"
        lines = [
            f"{self.namespace}: {self.before:,} -> {self.after:,} {self.unit}, {self.entries_before:,} -> {self.entries_after:,} entries",
            f"budget {budget}: {outcome}",
            f"{self.edits} edits {verb}: {self.deletes} deletes, {self.merges} merges; {self.judgements} judgements by {self.judge}",
        ]
        if self.expired:
            lines.append(f"removed since their time was over: {self.expired}")
        if self.vetoes:
            lines.append("preserved by guards: " + ", ".join(f"{name} {count}" for name, count in self.vetoes.most_common()))
        if self.unused:
            lines.append(f"{self.unused} more were made ahead and not needed")
        if self.waiting:
            lines.append(f"waiting for replies to {self.waiting} judgements")
        if self.failures or self.stale or self.set_aside:
            lines.append(f"failed {self.failures}, stale {self.stale}, set aside {self.set_aside}")
        return "\n".join(lines)

    def hold(self, held: Held) -> None:
        """Keep a pair that was preserved against the judge's wish, as far as there is room."""
        if len(self.held) < EXAMPLES:
            self.held.append(held)

    def as_dict(self) -> dict[str, JSON]:
        """The report as JSON, without plan and examples (those are lines of their own)."""
        names = [name for name in self.__slots__ if name not in ("held", "plan", "vetoes", "files")]
        out: dict[str, JSON] = {name: getattr(self, name) for name in names}
        out |= {"vetoes": dict(self.vetoes), "files": dict(self.files)}
        return out | {"edits": self.edits, "met": self.met, "missed_by": self.missed_by, "why": self.why}

    def copy(self) -> Report:
        """A copy that later steps do not change."""
        return replace(self, vetoes=self.vetoes.copy(), held=list(self.held), plan=list(self.plan), files=dict(self.files))
