"""Guards: what may never happen to a pair, whatever a judge says. A veto means preserve."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Literal, TypeAlias

from memfold.types import Decision, Pair


@dataclass(frozen=True, slots=True)
class GuardSettings:
    """How strict the guards are.

    `updates`: with "history" an outdated value is a fact of its own and is kept; with "latest" the older of two states
    may go. `max_merge_chars`: longest merged text, 0 for no limit. `max_merge_sources`: most sources that a merged
    entry may gather, 0 for no limit.
    """

    updates: Literal["history", "latest"] = "history"
    max_merge_chars: int = 2000
    max_merge_sources: int = 64


Guard: TypeAlias = Callable[[Pair, Decision, GuardSettings], str | None]


def _pinned(pair: Pair, decision: Decision, settings: GuardSettings) -> str | None:
    touched = (pair.a, pair.b) if decision.action == "merge" else (pair.a if decision.target == "a" else pair.b,)
    return next((f"entry {entry.id} is pinned" for entry in touched if entry.pinned), None)


def _home(pair: Pair, decision: Decision, settings: GuardSettings) -> str | None:
    if decision.action == "merge" and pair.a.home != pair.b.home:
        return f"the entries live in different places: {pair.a.home or 'none'} and {pair.b.home or 'none'}"
    return None


GUARDS: dict[str, Guard] = {"pinned": _pinned, "home": _home}


def check(
    pair: Pair, decision: Decision, settings: GuardSettings = GuardSettings(), *, only: Iterable[str] | None = None
) -> Decision:
    """The decision itself, or its veto by the first guard that has a reason.

    :param only: names of the guards to ask; all of them by default.
    """
    if decision.action == "preserve":
        return decision
    for name in GUARDS if only is None else only:
        why = GUARDS[name](pair, decision, settings)
        if why is not None:
            return decision.vetoed(name, why)
    return decision
