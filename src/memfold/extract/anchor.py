"""Detail anchoring (ProMem 3): each detail is linked to the event that the same turns tell."""

from __future__ import annotations

from collections.abc import Sequence

from memfold.extract.claims import Claim, Work
from memfold.extract.relate import Relation

PART_OF = "part_of"


def anchor(work: Work, claims: Sequence[Claim]) -> list[Relation]:
    """One edge for each detail: to what shares a turn with it, an event rather than a statement, of several the most similar; else to
    what is nearest by turns. Where the session has neither events nor statements, details stand alone.
    """
    events = [n for n, claim in enumerate(claims) if claim.kind != "detail"]
    details = [n for n, claim in enumerate(claims) if claim.kind == "detail"]
    if not events or not details:
        return []
    cosines = work.cosines([claims[n].text for n in details], [claims[n].text for n in events])
    out: list[Relation] = []
    for row, n in enumerate(details):
        far = [_distance(claims[n].turns, claims[event].turns) for event in events]
        best = min(range(len(events)), key=lambda j: (far[j], claims[events[j]].kind != "event", -float(cosines[row, j]), j))
        shared = tuple(turn for turn in claims[n].turns if turn in claims[events[best]].turns)
        out.append(Relation(n, events[best], PART_OF, shared))
    return out


def _distance(turns: Sequence[int], others: Sequence[int]) -> int:
    """Turns between the nearest two; 0 where one is shared."""
    return min((abs(a - b) for a in turns for b in others), default=10**9)
