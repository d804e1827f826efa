"""What became of a session, and of all sessions of a run."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from memfold.types import JSON, Entry, Halt

State: TypeAlias = Literal["stored", "empty", "failed", "known", "halted"]
"""stored: entries came of it. empty: it holds nothing worth keeping. failed: the model gave nothing usable; run it again.
known: it was taken in before. halted: its replies are still to come, or cannot be had now."""
Stop: TypeAlias = Literal["", "waiting", "spent", "unreachable", "interrupted"]
"""Why a run ended before its last session."""


@dataclass(frozen=True, slots=True)
class Rejected:
    """A claim that was not stored: what it said (cut to 200 characters), which step refused it, and why."""

    text: str
    step: str
    reason: str

    def as_dict(self) -> dict[str, JSON]:
        """The claim as JSON."""
        return {"text": self.text, "step": self.step, "reason": self.reason}


@dataclass(frozen=True, slots=True)
class Edge:
    """A link between two entries, with the turns that support it and, where one was asked, the question that needs it."""

    source: str
    target: str
    relation: str
    turns: tuple[str, ...] = ()
    probe: str = ""

    def as_dict(self) -> dict[str, JSON]:
        """The edge as JSON."""
        return {"source": self.source, "target": self.target, "relation": self.relation, "turns": list(self.turns), "probe": self.probe}


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of one session.

    `entries` are stored, or would be, with their links; `edges` are those links with their turns. `reason` says why a
    session failed or halted. `notes` say what went otherwise than meant without harm to what is stored. `asked` counts
    the requests, `calls` what was really sent for them: remembered replies cost nothing.
    """

    session: str
    state: State
    entries: tuple[Entry, ...] = ()
    edges: tuple[Edge, ...] = ()
    rejected: tuple[Rejected, ...] = ()
    reason: str = ""
    halt: Halt = ""
    notes: tuple[str, ...] = ()
    asked: int = 0
    calls: int = 0
    tokens: int = 0
    cost: float = 0.0

    def as_dict(self) -> dict[str, JSON]:
        """The outcome as JSON, empty fields left out."""
        out: dict[str, JSON] = {
            "session": self.session,
            "state": self.state,
            "entries": [entry.as_dict() for entry in self.entries],
            "edges": [edge.as_dict() for edge in self.edges],
            "rejected": [claim.as_dict() for claim in self.rejected],
            "reason": self.reason,
            "halt": self.halt,
            "notes": list(self.notes),
        }
        counts: dict[str, JSON] = {"asked": self.asked, "calls": self.calls, "tokens": self.tokens, "cost": self.cost}
        return {name: value for name, value in (out | counts).items() if value or name in ("session", "state")}


@dataclass(slots=True)
class Observation:
    """The report of a run over conversations; `stopped` says why it ended early. Prints as text, is JSON on request."""

    namespace: str
    model: str = ""
    outcomes: list[Outcome] = field(default_factory=list[Outcome])
    stopped: Stop = ""
    reason: str = ""

    @property
    def states(self) -> Counter[State]:
        """How many sessions came to each state."""
        return Counter(outcome.state for outcome in self.outcomes)

    @property
    def entries(self) -> list[Entry]:
        """All entries that were stored."""
        return [entry for outcome in self.outcomes for entry in outcome.entries]

    @property
    def rejected(self) -> list[Rejected]:
        """All claims that were not."""
        return [claim for outcome in self.outcomes for claim in outcome.rejected]

    def as_dict(self) -> dict[str, JSON]:
        """The totals as JSON; the outcomes of the sessions are told one by one."""
        sums: dict[str, JSON] = {
            "asked": sum(outcome.asked for outcome in self.outcomes),
            "calls": sum(outcome.calls for outcome in self.outcomes),
            "tokens": sum(outcome.tokens for outcome in self.outcomes),
            "cost": sum(outcome.cost for outcome in self.outcomes),
        }
        states: dict[str, JSON] = dict(sorted(self.states.items()))
        counts: dict[str, JSON] = {"entries": len(self.entries), "rejected": len(self.rejected)}
        named: dict[str, JSON] = {"namespace": self.namespace, "model": self.model, "sessions": states}
        return {**named, **counts, **sums, "stopped": self.stopped, "reason": self.reason}

    def __str__(self) -> str:
        totals = self.as_dict()
        told = ", ".join(f"{count} {state}" for state, count in sorted(self.states.items())) or "none"
        lines = [f"sessions: {told}", f"entries: {totals['entries']} stored; claims rejected: {totals['rejected']}"]
        if totals["asked"]:
            lines.append(
                f"model: {totals['asked']} requests, {totals['calls']} calls, {totals['tokens']:,} tokens, cost {totals['cost']:.4f}"
            )
        return "\n".join([*lines, *([f"stopped: {self.stopped}; {self.reason}"] if self.stopped else [])])
