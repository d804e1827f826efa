"""Matching (ProMem 3): which turns a claim comes from, and what can be seen of it without a model."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from memfold.extract.claims import Claim, Work
from memfold.types import Turn

BEFORE = 2
"""Turns before an evidence turn that are read with it: the question to an answer, the name to a pronoun."""
_NAMED = 3
"""Values named in a reason."""


@dataclass(frozen=True, slots=True)
class Evidence:
    """The turns of a claim by their places, best first, and why the claim is doubted ("" where it is not).

    The turns are those that the model cites and the `settings.evidence` most similar ones of `match_cosine` and more; where there are
    neither, the most similar one.
    """

    places: tuple[int, ...]
    doubt: str = ""


def match(work: Work, claims: Sequence[Claim]) -> list[Evidence]:
    """The evidence of each claim: G[j, t] = cos(claim j, turn t), and the free checks."""
    if not claims or not work.turns:
        return [Evidence((), "the session has no turns") for _ in claims]
    cosines = work.cosines([claim.text for claim in claims], [said(turn) for turn in work.turns])
    out: list[Evidence] = []
    for claim, row in zip(claims, cosines, strict=True):
        ranked = sorted(range(len(work.turns)), key=lambda t: (-float(row[t]), t))
        near = [t for t in ranked[: work.settings.evidence] if row[t] >= work.settings.match_cosine]
        places = sorted({*claim.turns, *near}, key=lambda t: (-float(row[t]), t)) or ranked[:1]
        evidence = tuple(places)
        if not near:
            doubt = f"no turn is similar to it (the nearest: {row[ranked[0]]:.2f})"
        else:
            doubt = unfounded(work, claim, [work.turns[t] for t in evidence])
        out.append(Evidence(evidence, doubt))
    return out


def unfounded(work: Work, claim: Claim, turns: Sequence[Turn]) -> str:
    """What the claim says and the turns do not; "" where values and most words are theirs."""
    reader = work.tools.reader
    lacking = reader.lacks(claim.text, moment(work, turns), turns)
    if lacking:
        return f"no turn of it says {', '.join(lacking[:_NAMED])}"
    share = reader.unsaid(claim.text, turns)
    return f"its turns lack {share:.0%} of its words" if share > work.settings.unsaid else ""


def around(work: Work, places: Sequence[int]) -> list[int]:
    """The places with the turns shortly before each, in order."""
    return sorted({near for place in places for near in range(max(0, place - BEFORE), place + 1)})


def moment(work: Work, turns: Sequence[Turn]) -> datetime | None:
    """From when the turns' relative dates count: the first one's time, else the session's."""
    return turns[0].time if turns else work.session.time


def said(turn: Turn) -> str:
    """The turn as it is embedded: who speaks, then what is said."""
    return f"{turn.speaker}: {turn.text}" if turn.speaker else turn.text
