"""Multi-grained draft (ProMem 3, Multi-Grained Memory Disentanglement): statements, details and relations apart, events by themselves.

One request a window drafts entries, details and relations; a second one, which knows nothing of the first, tells the events. Only because
the two are independent does comparing them later say anything about what is missing. Both go out in the same round.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from memfold.extract.claims import Asking, Claim, Relating, SessionFailed, Work, value_of
from memfold.extract.prompts import request
from memfold.extract.replies import Draft, Events
from memfold.extract.screen import NOTHING, screen
from memfold.extract.windows import shown, windows


@dataclass(frozen=True, slots=True)
class Drafted:
    """What came of the first round: statements and details as claims (each once), the events told apart, relations as proposed."""

    claims: list[Claim]
    events: list[Claim]
    relations: list[Relating]


def draft(work: Work) -> Asking[Drafted]:
    """Ask for both looks at every window, and screen what comes.

    :raises SessionFailed: a reply is missing, or every item of all replies is bad.
    """
    parts = windows(work)
    prompts, settings = work.tools.prompts, work.settings
    texts = [{"turns": shown(work, part)} for part in parts]
    first = [request("draft", prompts.draft, text, Draft, settings.reply_tokens) for text in texts]
    second = [request("events", prompts.events, text, Events, settings.reply_tokens) for text in texts] if settings.completeness else []
    replies = yield from work.ask([*first, *second])
    drafts: list[Draft] = [value_of(reply) for reply in replies[: len(first)]]
    events: list[Events] = [value_of(reply) for reply in replies[len(first) :]]

    claims: list[Claim] = []
    for n, reply in enumerate(drafts):
        claims += screen(work, reply.entries, "fact", n, "draft")
    for n, reply in enumerate(drafts):
        claims += screen(work, reply.details, "detail", n, "draft")
    told = [claim for n, reply in enumerate(events) for claim in screen(work, reply.events, "event", n, "events")]
    bad = [claim for claim in work.rejected if claim.reason not in NOTHING]
    if not claims and not told and bad:
        raise SessionFailed(f"none of the {len(work.rejected)} items of the reply can be used; the first: {bad[0].reason}")
    relations = [
        Relating((n, item.source), (n, item.target), item.type.strip().lower())
        for n, reply in enumerate(drafts)
        for item in reply.relations
    ]
    return Drafted(once(work, claims, "draft"), once(work, told, "events"), relations)


def once(work: Work, claims: Sequence[Claim], step: str) -> list[Claim]:
    """The claims without those that say what an earlier one says: `same_cosine` or more, and equal values.

    The one that stays takes the turns and numbers of the other.
    """
    kept: list[Claim] = []
    if not claims:
        return kept
    texts = [claim.text for claim in claims]
    cosines = work.cosines(texts, texts)
    values = [work.tools.reader.values(text, work.session.time) for text in texts]
    places: list[int] = []
    for i, claim in enumerate(claims):
        alike = [n for n, j in enumerate(places) if cosines[i, j] >= work.settings.same_cosine and values[i] == values[j]]
        if not alike:
            places.append(i)
            kept.append(claim)
            continue
        n = max(alike, key=lambda n: (cosines[i, places[n]], -n))
        work.reject(claim.text, step, f"the same as {kept[n].text!r}")
        kept[n] = joined(kept[n], claim)
    return kept


def joined(one: Claim, other: Claim) -> Claim:
    """One claim with the turns, numbers and date of both."""
    turns = tuple(dict.fromkeys((*one.turns, *other.turns)))
    return Claim(one.text, one.kind, turns, one.phrase or other.phrase, (*one.numbers, *other.numbers), (*one.covers, *other.covers))
