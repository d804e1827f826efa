"""Explicit completeness check (ProMem 3): events that the draft misses are added to it.

The matrix C[i, j] = cos(event i, statement j) is |E| x |M|; event i is missing where no C[i, j] reaches `coverage_cosine`, or M is empty.
What an event is covered by may turn out false, so the event stays at hand (`Claim.covers`). A higher bound adds more, so completeness
rises with it and accuracy falls a little (ProMem D). Vectors hardly see numbers: an event that gives a value (number, date, name)
which stands nowhere in the draft is missing too [I].
"""

from __future__ import annotations

from dataclasses import replace

from memfold.extract.claims import Claim, Work
from memfold.extract.draft import Drafted, joined


def cover(work: Work, drafted: Drafted) -> list[Claim]:
    """The draft's claims and the missing events. A statement that covers an event is an event from here on; details are none."""
    claims = list(drafted.claims)
    statements = [n for n, claim in enumerate(claims) if claim.kind != "detail"]
    if not drafted.events:
        return claims
    read, when = work.tools.reader.values, work.session.time
    values = frozenset[str]().union(*(read(claim.text, when) for claim in claims))
    cosines = work.cosines([event.text for event in drafted.events], [claims[n].text for n in statements])
    missing: list[Claim] = []
    same = work.settings.same_cosine
    for i, event in enumerate(drafted.events):
        best = max(range(len(statements)), key=lambda j: (cosines[i, j], -j), default=None)
        if best is None or cosines[i, best] < work.settings.coverage_cosine or read(event.text, when) - values:
            missing.append(replace(event, numbers=()))
        else:
            claims[statements[best]] = _covering(claims[statements[best]], replace(event, numbers=()), cosines[i, best] >= same)
    return [*claims, *missing]


def _covering(claim: Claim, event: Claim, same: bool) -> Claim:
    """A statement that says an event: an event from here on, with the event's turns where the two are the same."""
    whole = joined(claim, event) if same else claim
    return replace(whole, kind="event", covers=(*claim.covers, event) if event.text != claim.text else claim.covers)
