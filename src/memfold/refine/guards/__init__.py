"""Guards: what may never happen to a pair, whatever a judge says. A veto means preserve.

`GUARDS` is the list of promises, asked in this order; each is one function of `rules`. A guard looks at the entries, the action, the
target and the merged text, and (for outdated values alone) at the relation; never at a judge's name, reason or confidence.
"""

from __future__ import annotations

from collections.abc import Iterable

from memfold.refine.guards import rules
from memfold.refine.guards.rules import Guard, GuardSettings
from memfold.types import Decision, Pair

__all__ = ["GUARDS", "Guard", "GuardSettings", "check"]

GUARDS: dict[str, Guard] = {
    "namespace": rules.namespace,  # two namespaces never meet
    "pinned": rules.pinned,  # what is pinned is never touched
    "protected": rules.protected,  # nor what this run is told to leave alone
    "home": rules.home,  # no edit touches two homes
    "incomplete": rules.incomplete,  # a delete names its target, a merge brings its text
    "size": rules.size,  # a merge is smaller than the two
    "length": rules.length,  # a merge does not grow without end
    "newer": rules.newer,  # of two states the newer never falls to the older
    "digits": rules.digits,  # texts that differ in digits alone are two facts
    "values": rules.values,  # no number, date, time, name or code is lost
    "invented": rules.invented,  # a merge says no value that neither side says
    "speaker": rules.speaker,  # who says it of themselves is not lost
    "negation": rules.negation,  # what is denied is not kept as said, nor the other way round
    "modality": rules.modality,  # what was done is not kept as a plan
    "frame": rules.frame,  # same frame, other words: two facts
    "field": rules.field,  # the value of a field is a fact
    "content": rules.content,  # what goes must be said by what stays
}


PASSING = ("pinned", "protected")
"""Vetoes that say nothing of the texts: another run may decide otherwise, so they are not remembered."""
HISTORY = GuardSettings()


def check(pair: Pair, decision: Decision, settings: GuardSettings = HISTORY, *, only: Iterable[str] | None = None) -> Decision:
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
