"""Explicit completeness check (ProMem 3): events that the draft misses are added to it.

The matrix C[i, j] = cos(event i, statement j) is |E| x |M|; event i is missing where no C[i, j] reaches `coverage_cosine`, or M is empty.
A higher bound adds more, so completeness rises with it and accuracy falls a little (ProMem D). Vectors hardly see numbers: an event that
gives a value (number, date, name) which stands nowhere in the draft is missing too [I].
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
    for i, event in enumerate(drafted.events):
        best = max(range(len(statements)), key=lambda j: (cosines[i, j], -j), default=None)
        if best is None or cosines[i, best] < work.settings.coverage_cosine or read(event.text, when) - values:
            missing.append(replace(event, numbers=()))
        elif cosines[i, best] >= work.settings.same_cosine:
            claims[statements[best]] = replace(joined(claims[statements[best]], replace(event, numbers=())), kind="event")
        else:
            claims[statements[best]] = replace(claims[statements[best]], kind="event")
    return [*claims, *missing]
