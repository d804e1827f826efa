"""Hallucination verification (ProMem 3): claims are taken apart, and kept, revised or discarded.

    no turn reaches match_cosine, or a value of the claim is in none of its turns, or most of its words are      -> doubted
    all facts supported                       keep
    some supported or contradicted            revise to what the turns say, if the revision passes the free checks
    nothing supported                         discard

All claims of a session go into one request (several where they exceed the window); with `check_all=False`, the paper's thrift, only
those that the free checks doubt. An event whose statement is discarded is looked at for itself. A value that no turn of the session
says is never kept, whatever the model says of it. `entailment="local"` decides without a model: values and words of the claim
must stand in its turns and the two before each, and those turns together must be as similar to it as one turn should be, or
hold nearly all of its words. It cannot revise, it takes a true conclusion for an invention, and where all words of a claim
stand in a turn it does not see who is said to have done what to whom.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from memfold.extract.claims import Asking, Claim, Work
from memfold.extract.evidence import Evidence, around, match, said, unfounded
from memfold.extract.prompts import lines, request
from memfold.extract.replies import Verdict, Verdicts
from memfold.extract.screen import plain
from memfold.extract.windows import shown_turns
from memfold.protocols import ChatReply

DOUBTED = "the model doubts it"
_SUPPORTED, _CONTRADICTED = "supported", "contradicted"


def verify(work: Work, claims: Sequence[Claim]) -> Asking[list[Claim]]:
    """The claims that the turns support, each with the places of its turns, best first; the others are noted with the reason."""
    spare = [(n, event) for n, claim in enumerate(claims) for event in claim.covers]
    weighed = [*claims, *(event for _, event in spare)]
    found = match(work, weighed)
    verdicts: dict[int, Verdict] = {}
    if work.settings.entailment == "model":
        asked = [n for n, evidence in enumerate(found) if evidence.doubt or work.settings.check_all]
        verdicts = yield from _entail(work, weighed, found, asked)
    kept = [_kept(work, claim, found[n], verdicts.get(n)) for n, claim in enumerate(claims)]
    for place, (n, event) in enumerate(spare, start=len(claims)):
        if kept[n] is None:  # what seemed to say the event is not so
            kept.append(_kept(work, event, found[place], verdicts.get(place)))
    return [claim for claim in kept if claim is not None]


def _kept(work: Work, claim: Claim, evidence: Evidence, verdict: Verdict | None) -> Claim | None:
    """The claim as it may be stored, with the places of its turns; None where it may not, which is noted."""
    if verdict is not None:
        left = _judged(work, claim, evidence, verdict)
    else:
        left = _local(work, claim, evidence) if evidence.doubt else claim
    return None if left is None else replace(left, turns=evidence.places)


def unverified(work: Work, claims: Sequence[Claim]) -> list[Claim]:
    """The claims as they are, with the turns that they probably come from (the ablation without verification)."""
    return [replace(claim, turns=evidence.places) for claim, evidence in zip(claims, match(work, claims), strict=True)]


def _entail(work: Work, claims: Sequence[Claim], found: Sequence[Evidence], doubted: Sequence[int]) -> Asking[dict[int, Verdict]]:
    """What the model says of each doubted claim, as far as it says something; a failed request leaves its claims to the local check."""
    batches = list(_batches(work, claims, found, doubted))
    prompt, most = work.tools.prompts.verify, work.settings.reply_tokens
    parts = [{"turns": shown_turns(work, turns), "claims": _shown(claims, found, batch)} for batch, turns in batches]
    requests = [request("verify", prompt, part, Verdicts, most) for part in parts]
    replies = yield from work.ask(requests)
    out: dict[int, Verdict] = {}
    reply: ChatReply[Verdicts]
    for (batch, _), reply in zip(batches, replies, strict=True):
        if reply.value is None:
            why = reply.failure.message if reply.failure else "no reply"
            work.notes.append(f"{len(batch)} doubted claims were checked without the model: {why}")
            continue
        out.update((batch[v.claim - 1], v) for v in reversed(reply.value.claims) if 1 <= v.claim <= len(batch) and v.facts)
    return out


def _batches(
    work: Work, claims: Sequence[Claim], found: Sequence[Evidence], doubted: Sequence[int]
) -> Iterator[tuple[list[int], set[int]]]:
    """The doubted claims in lots whose texts and turns fit one request, each with the places of its turns."""
    batch: list[int] = []
    turns: set[int] = set()
    spent = 0
    for n in doubted:
        own = set(around(work, found[n].places))
        tokens = work.tools.counter.count(claims[n].text) + sum(work.tools.counter.count(work.turns[t].text) for t in own - turns)
        if batch and spent + tokens > work.settings.window:
            yield batch, turns
            batch, turns, spent = [], set[int](), 0
        batch.append(n)
        turns |= own
        spent += tokens
    if batch:
        yield batch, turns


def _shown(claims: Sequence[Claim], found: Sequence[Evidence], batch: Sequence[int]) -> str:
    rows = (
        {"claim": n, "text": claims[place].text, "turns": [t + 1 for t in sorted(found[place].places)]}
        for n, place in enumerate(batch, start=1)
    )
    return lines(rows)


def _judged(work: Work, claim: Claim, evidence: Evidence, verdict: Verdict) -> Claim | None:
    """The claim as the model's labels leave it, if no value in it is the model's own."""
    labels = [fact.label.strip().lower() for fact in verdict.facts]
    if all(label == _SUPPORTED for label in labels):
        invented = work.tools.reader.lacks(claim.text, work.turns[evidence.places[0]].time, work.turns)
        if invented:
            return _discard(work, claim, f"no turn says {', '.join(invented[:3])}")
        return claim
    revised = " ".join(verdict.text.split())
    if not revised or not any(label in (_SUPPORTED, _CONTRADICTED) for label in labels):
        return _discard(work, claim, f"{evidence.doubt or DOUBTED}; the turns do not say it")
    if plain(revised) == plain(claim.text):
        return _discard(work, claim, f"{evidence.doubt or DOUBTED}; the revision changes nothing")
    new = replace(claim, text=revised)
    turns = [work.turns[place] for place in around(work, evidence.places)]
    why = f"it is longer than {work.settings.longest:,} characters" if len(revised) > work.settings.longest else unfounded(work, new, turns)
    if why or work.tools.reader.says_nothing(revised):
        return _discard(work, claim, f"{evidence.doubt or DOUBTED}; of its revision {why or 'nothing is left'}")
    work.notes.append(f"revised: {claim.text!r} to {revised!r}")
    return new


def _local(work: Work, claim: Claim, evidence: Evidence) -> Claim | None:
    """The claim, if its turns and those before them say its values and words, and are together as similar to it as one should be."""
    turns = [work.turns[place] for place in around(work, evidence.places)]
    why = unfounded(work, claim, turns)
    if not why:
        joint = "\n".join(said(turn) for turn in turns)
        cosine = float(work.cosines([claim.text], [joint])[0, 0])
        literal = work.tools.reader.unsaid(claim.text, turns) <= work.settings.unsaid / 2
        why = "" if literal or cosine >= work.settings.match_cosine else f"its turns together are not similar to it ({cosine:.2f})"
    return _discard(work, claim, why) if why else claim


def _discard(work: Work, claim: Claim, why: str) -> None:
    work.reject(claim.text, "verify", why)
