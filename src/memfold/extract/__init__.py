"""Conversations to verified entries and links (ProMem, Algorithm of section 3).

    draft     statements, details, relations; events told apart            2 requests, one round
    cover     the events that the draft misses are added                   none
    verify    doubted claims are kept, revised or discarded                1 request
    relate    edges that a question needs and the turns support            2 requests, where any are proposed
    anchor    each detail is linked to the event of the same turns         none

At most five requests for a session that fits one window. A step that asks yields its requests and is sent the replies, so that `rounds` can
send those of many sessions together. Nothing here stores, and nothing raises for what a model says: a session has an `Outcome`.
"""

from __future__ import annotations

from memfold.config import ExtractSettings
from memfold.extract.anchor import anchor
from memfold.extract.claims import Asking, Claim, SessionFailed, Tools, Work
from memfold.extract.cover import cover
from memfold.extract.draft import draft
from memfold.extract.entries import entries_of, session_key, timed, turn_entry
from memfold.extract.known import Known, linked
from memfold.extract.outcome import Edge, Observation, Outcome, Rejected
from memfold.extract.prompts import Prompts
from memfold.extract.relate import Relation, relate
from memfold.extract.rounds import in_rounds
from memfold.extract.screen import NOTHING
from memfold.extract.verify import unverified, verify
from memfold.types import Entry, Session

__all__ = [
    "Edge",
    "Known",
    "Observation",
    "Outcome",
    "Prompts",
    "Rejected",
    "Tools",
    "extract",
    "in_rounds",
    "linked",
    "session_key",
    "verbatim",
]


SHORT = 24
"""Characters of an answer that says nothing without its question."""
_ASKED = ("?", "？", "؟")


def extract(session: Session, tools: Tools, settings: ExtractSettings) -> Asking[Outcome]:
    """What a session is worth remembering for, as a language model reads it and the turns support it."""
    work = Work(session, tools, settings, turns=timed(session))
    if not any(turn.text.strip() for turn in session.turns):
        return Outcome(session.id, "empty")
    try:
        drafted = yield from draft(work)
        claims = cover(work, drafted)
        claims = (yield from verify(work, claims)) if settings.verification else unverified(work, claims)
        relations: list[Relation] = (yield from relate(work, claims, drafted.relations)) if settings.relations else []
        relations += anchor(work, claims) if settings.anchoring else []
    except SessionFailed as failed:
        return _failed(work, failed)
    return _outcome(work, claims, relations)


def verbatim(session: Session, tools: Tools) -> Outcome:
    """The turns as they are, without greetings, thanks and the like: what can be kept of a session without a model.

    A question stays where it speaks of somebody or something in particular, and with a short answer, which says nothing without it.
    """
    turns = [turn for turn in timed(session) if turn.text.strip()]
    asks = [turn.text.rstrip().endswith(_ASKED) for turn in turns]
    short = [len(turn.text) <= SHORT for turn in turns]
    kept: list[Entry] = []
    refused: list[Rejected] = []
    for n, turn in enumerate(turns):
        answers, is_answered = n > 0 and asks[n - 1] and short[n], asks[n] and n + 1 < len(turns) and short[n + 1]
        if answers or is_answered or not tools.reader.is_small_talk(turn.text):
            kept.append(turn_entry(session, turn))
        else:
            refused.append(Rejected(turn.text, "small talk", "it states nothing by itself"))
    unique = {entry.id: entry for entry in kept}
    return Outcome(session.id, "stored" if kept else "empty", tuple(unique.values()), rejected=tuple(refused))


def _outcome(work: Work, claims: list[Claim], relations: list[Relation]) -> Outcome:
    entries, edges = entries_of(work, claims, relations)
    bad = [claim for claim in work.rejected if claim.reason not in NOTHING and claim.step != "relate"]
    if not entries and bad:
        return _failed(work, SessionFailed(f"all {len(bad)} claims were rejected; the first: {bad[0].reason}"))
    return Outcome(
        work.session.id,
        "stored" if entries else "empty",
        tuple(entries),
        tuple(edges),
        tuple(work.rejected),
        notes=tuple(work.notes),
        asked=work.asked,
        calls=work.calls,
        tokens=work.tokens,
        cost=work.cost,
    )


def _failed(work: Work, failed: SessionFailed) -> Outcome:
    halt = failed.failure.halt if failed.failure else ""
    return Outcome(
        work.session.id,
        "halted" if halt else "failed",
        rejected=tuple(work.rejected),
        reason=str(failed),
        halt=halt,
        notes=tuple(work.notes),
        asked=work.asked,
        calls=work.calls,
        tokens=work.tokens,
        cost=work.cost,
    )
