"""Relation verification by necessity (ProMem 3): an edge is added only where a question needs it and the turns support it.

One request writes a question for each proposed relation and answers it from the flat entries of the session; a second one asks of those
that stay unanswered whether the turns say so. Neither is sent where no relation is proposed, or none is needed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from memfold.extract.claims import Asking, Claim, Relating, Work
from memfold.extract.evidence import around
from memfold.extract.prompts import lines, request
from memfold.extract.replies import Probe, Probes, Supports
from memfold.extract.windows import shown_turns

RELATIONS = ("causes", "before", "updates", "part_of", "involves")
MOST = 64
"""Relations of one session that are looked at."""


@dataclass(frozen=True, slots=True)
class Relation:
    """A relation between two claims by their places in the session's list, the turns that support it, and the question that needs it."""

    source: int
    target: int
    relation: str
    turns: tuple[int, ...] = ()
    probe: str = ""


def relate(work: Work, claims: Sequence[Claim], proposed: Sequence[Relating]) -> Asking[list[Relation]]:
    """Those of the proposed relations that are needed and supported; the others are noted with the reason."""
    candidates = _candidates(work, claims, proposed)
    if not candidates:
        return []
    probes = yield from _probe(work, claims, candidates)
    needed = [n for n, probe in probes.items() if not (probe.answered and probe.answer.strip())]
    for n in sorted(probes.keys() - set(needed)):
        _drop(work, claims, candidates[n], "the entries answer its question without it")
    return (yield from _supported(work, claims, candidates, {n: probes[n] for n in needed}))


def _candidates(work: Work, claims: Sequence[Claim], proposed: Sequence[Relating]) -> list[Relation]:
    """Relations of a known kind between two claims that are still there, each once."""
    place: dict[tuple[int, int], int] = {}
    for n, claim in enumerate(claims):
        for number in claim.numbers:
            place.setdefault(number, n)
    out: dict[Relation, None] = {}
    for item in proposed[: MOST * 4]:
        relation = Relation(place.get(item.source, -1), place.get(item.target, -1), item.relation)
        if item.relation not in RELATIONS:
            work.reject(f"{item.source[1]} {item.relation} {item.target[1]}", "relate", f"no relation; known: {', '.join(RELATIONS)}")
        elif min(relation.source, relation.target) < 0:
            work.reject(f"{item.source[1]} {item.relation} {item.target[1]}", "relate", "one side is no entry, or was rejected")
        elif relation.source != relation.target:
            out[relation] = None
    return list(out)[:MOST]


def _probe(work: Work, claims: Sequence[Claim], candidates: Sequence[Relation]) -> Asking[dict[int, Probe]]:
    statements = lines({"statement": n, "text": claim.text} for n, claim in enumerate(claims, start=1))
    parts = {"statements": statements, "relations": _shown(candidates, range(len(candidates)))}
    replies = yield from work.ask([request("probe", work.tools.prompts.probe, parts, Probes, work.settings.reply_tokens)])
    value = replies[0].value
    if value is None:
        work.notes.append(f"relations were left out: {replies[0].failure.message if replies[0].failure else 'no reply'}")
        return {}
    return {p.relation - 1: p for p in reversed(value.probes) if 1 <= p.relation <= len(candidates) and p.question.strip()}


def _supported(work: Work, claims: Sequence[Claim], candidates: Sequence[Relation], probes: Mapping[int, Probe]) -> Asking[list[Relation]]:
    order = sorted(probes)
    if not order:
        return []
    near = {n: {t for c in (candidates[n].source, candidates[n].target) for t in around(work, claims[c].turns)} for n in order}
    chosen = _fitting(work, near)
    turns = {t for n in chosen for t in near[n]}
    parts = {
        "turns": shown_turns(work, turns),
        "statements": lines({"statement": n, "text": claim.text} for n, claim in enumerate(claims, start=1)),
        "relations": _shown(candidates, chosen),
    }
    replies = yield from work.ask([request("support", work.tools.prompts.support, parts, Supports, work.settings.reply_tokens)])
    value = replies[0].value
    if value is None:
        work.notes.append(f"relations were left out: {replies[0].failure.message if replies[0].failure else 'no reply'}")
        return []
    said = {s.relation - 1: s for s in reversed(value.relations)}
    out: list[Relation] = []
    for row, n in enumerate(chosen):
        support = said.get(row)
        places = tuple(t - 1 for t in dict.fromkeys(support.turns) if t - 1 in near[n]) if support else ()
        relation = candidates[n]
        if support is None or not support.supported:
            _drop(work, claims, relation, "the turns do not say it")
        elif not places:
            _drop(work, claims, relation, "no turn of its two entries is named that says it")
        else:
            out.append(Relation(relation.source, relation.target, relation.relation, places, " ".join(probes[n].question.split())[:300]))
    return out


def _fitting(work: Work, near: Mapping[int, set[int]]) -> list[int]:
    """The relations whose turns fit one request; the rest are left out, and that is noted."""
    turns: set[int] = set()
    chosen: list[int] = []
    for n, places in near.items():
        if chosen and sum(work.tools.counter.count(work.turns[t].text) for t in turns | places) > work.settings.window:
            continue
        turns |= places
        chosen.append(n)
    if len(chosen) < len(near):
        work.notes.append(f"{len(near) - len(chosen)} relations were left out: their turns do not fit one request")
    return chosen


def _shown(candidates: Sequence[Relation], chosen: Sequence[int]) -> str:
    rows = (
        {"relation": row, "source": candidates[n].source + 1, "type": candidates[n].relation, "target": candidates[n].target + 1}
        for row, n in enumerate(chosen, start=1)
    )
    return lines(rows)


def _drop(work: Work, claims: Sequence[Claim], relation: Relation, why: str) -> None:
    work.reject(f"{claims[relation.source].text} ({relation.relation}) {claims[relation.target].text}", "relate", why)
