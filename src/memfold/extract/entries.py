"""Claims become entries: ids, dates, sources and links are computed here, never taken from a reply."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from hashlib import blake2b

from memfold.extract.claims import Claim, Work
from memfold.extract.outcome import Edge
from memfold.extract.relate import Relation
from memfold.types import JSON, Entry, Link, Session, Source, Turn


def session_key(session: Session) -> str:
    """32 hex digits of what was said, by whom and when: a session with the same content is the same session, whatever it is called."""
    turns: list[JSON] = [[turn.speaker, turn.role, turn.text, turn.time.isoformat() if turn.time else ""] for turn in session.turns]
    return _hash([session.time.isoformat() if session.time else "", turns], 16)


def timed(session: Session) -> tuple[Turn, ...]:
    """The turns, those without a time at the time of the latest turn before them that has one, else at the session's."""
    out: list[Turn] = []
    latest = session.time
    for turn in session.turns:
        latest = turn.time or latest
        out.append(turn if turn.time == latest else replace(turn, time=latest))
    return tuple(out)


def entries_of(work: Work, claims: Sequence[Claim], relations: Sequence[Relation]) -> tuple[list[Entry], list[Edge]]:
    """The entries of the claims with their links, and the edges with their turns; equal texts become one entry."""
    key = session_key(work.session)
    bare = [_entry(work, claim, key) for claim in claims]
    ids = [entry.id for entry in bare]
    edges: dict[tuple[str, str, str], Edge] = {}
    for r in relations:
        if ids[r.source] != ids[r.target]:
            turns = tuple(work.turns[place].id for place in r.turns)
            edges.setdefault((ids[r.source], ids[r.target], r.relation), Edge(ids[r.source], ids[r.target], r.relation, turns, r.probe))
    links: dict[str, list[Link]] = {}
    for edge in edges.values():
        links.setdefault(edge.source, []).append(Link(edge.target, edge.relation))
    unique = {entry.id: entry for entry in reversed(bare)}
    return [replace(unique[id], links=tuple(links.get(id, ()))) for id in dict.fromkeys(ids)], list(edges.values())


def _entry(work: Work, claim: Claim, key: str) -> Entry:
    reader = work.tools.reader
    spans = {place: reader.span(claim.text, work.turns[place].text) for place in claim.turns}
    telling = [place for place in claim.turns if spans[place]] or list(claim.turns[:1])
    dating = _dating(work, claim, telling)
    when = work.turns[dating].time if dating is not None else work.session.time
    text = reader.dated(claim.text, when)
    occurred, told = _occurred(work, claim, telling, text, when)
    more: dict[str, JSON] = {"occurred": told} if told and occurred is None else {}
    return Entry(
        id=f"o{_hash([key, claim.kind, text], 8)}",
        text=text,
        kind=claim.kind,
        occurred_at=occurred,
        created_at=when,
        sources=tuple(Source(work.turns[place].id, spans[place]) for place in telling),
        metadata=more,
    )


def _dating(work: Work, claim: Claim, places: Sequence[int]) -> int | None:
    """The turn from whose time the claim's relative dates count: the one that has the date's words, else the best one."""
    phrase = claim.phrase.casefold()
    having = (place for place in places if phrase and phrase in _folded(work.turns[place].text))
    return next(having, places[0] if places else None)


def _occurred(work: Work, claim: Claim, places: Sequence[int], text: str, when: datetime | None) -> tuple[datetime | None, str]:
    """When it happened, and the same as ISO writes it: by the words of the conversation, else by the claim's own text.

    The words must stand in a turn of the claim. A date that only a week, month or year is known of is no moment; it is told as such.
    A text that still counts from the day on which it was said keeps that day as its time, so it gets no other.
    """
    reader = work.tools.reader
    phrase = claim.phrase.casefold()
    spoken = phrase and any(phrase in _folded(work.turns[place].text) for place in places)
    found, told = reader.date(claim.phrase, when) if spoken else (None, "")
    if not told:
        found, told = reader.date(text, when)
    if when is not None and reader.dated(text, when) != text:
        return None, ""
    return found, told


def _folded(text: str) -> str:
    return " ".join(text.split()).casefold()


def turn_entry(session: Session, turn: Turn) -> Entry:
    """A turn kept as it is (no model): its id is the same however the conversation goes on."""
    stated: list[JSON] = [session.id, turn.id, turn.speaker, turn.text, turn.time.isoformat() if turn.time else ""]
    return Entry(
        id=f"t{_hash(stated, 8)}",
        text=f"{turn.speaker}: {turn.text}" if turn.speaker else turn.text,
        kind="turn",
        created_at=turn.time,
        sources=(Source(turn.id),),
    )


def _hash(value: JSON, size: int) -> str:
    return blake2b(json.dumps(value, ensure_ascii=False).encode("utf-8", "surrogatepass"), digest_size=size).hexdigest()
