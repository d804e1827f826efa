"""Facts of a pair as numbers for the embedded judge's two linear scores. Every number has a name and a plain meaning."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sized
from difflib import SequenceMatcher
from typing import Literal

from memfold.refine.judges.facts import Facts, Side

Features = Mapping[str, float]
FEW = 2
"""Special words up to which spoken words without a name or number are taken to say next to nothing."""


def cover_features(facts: Facts, victim: Literal["a", "b"]) -> Features:
    """What speaks for and against: the victim's facts all stand in the other side. Not symmetric.

    `fresh`, `names`, `numbers` count what is lacking (as log(1 + n)); the features that begin with `back_` are those of
    the opposite direction.
    """
    v, s, cover, back = (facts.a, facts.b, facts.a_in_b, facts.b_in_a) if victim == "a" else (facts.b, facts.a, facts.b_in_a, facts.a_in_b)
    later = facts.later == victim and facts.days >= 1
    bare = not cover.names and not cover.numbers
    shared_values = len(v.names & s.names) + len(v.numbers & s.numbers)
    return {
        "cosine": facts.cosine,
        "cosine_x_words": facts.cosine * cover.words,
        "cosine_x_grams": facts.cosine * cover.grams,
        "far": max(0.0, 0.6 - facts.cosine),
        "special": cover.special,
        "grams": cover.grams,
        "fresh": _log(cover.fresh),
        "unheld_in_note": math.log1p(0 if v.spoken else len(cover.unheld)),
        "later_with_states": float(later and bool(cover.states)),
        "nothing_fresh": float(not cover.fresh and bare),
        "names": _log(cover.names),
        "numbers": _log(cover.numbers),
        "bare": float(bare),
        "shared_values": math.log1p(shared_values),
        "back_words": back.words,
        "back_grams": back.grams,
        "back_fresh": _log(back.fresh),
        "back_names": _log(back.names),
        "back_numbers": _log(back.numbers),
        "shared": _log(v.special & s.held),
        "special_words": _log(v.special),
        "opening": min(facts.opening, 4) / 4,
        "phrases": _phrases(v, s),
        "length": math.log((len(v.words) + 1) / (len(s.words) + 1)),
        "spoken": float(v.spoken),
        "spoken_says_little": float(v.spoken and len(v.special) <= FEW and not v.names and not v.numbers),
        "spoken_says_nothing": float(v.spoken and not v.special and not v.names and not v.numbers),
        "spoken_days_apart": math.log1p(facts.days) * v.spoken,
        "filler": float(v.filler),
        "question_says_little": float(v.question and len(v.special) <= FEW and not v.names and not v.numbers),
        "negation_lost": float(v.negations > 0 and s.negations == 0),
        "same_subject": float(bool(v.subject) and v.subject == s.subject),
        "other_subject": float(bool(v.subject) and bool(s.subject) and v.subject != s.subject),
    }


def merge_features(facts: Facts) -> Features:
    """What speaks for and against: the two, neither covering the other, read naturally as one memory. Symmetric."""
    a, b = facts.a, facts.b
    lacking_a, lacking_b = facts.a_in_b, facts.b_in_a
    shared = a.special & b.special
    spoken = a.spoken and b.spoken
    numbers = bool(lacking_a.numbers) and bool(lacking_b.numbers)
    names = bool(lacking_a.names) and bool(lacking_b.names)
    run, tail = _alignment(a, b)
    return {
        "cosine_squared": facts.cosine**2,
        "shared": _log(shared),
        "shared_share": len(shared) / max(1, len(a.special | b.special)),
        "grams": max(lacking_a.grams, lacking_b.grams),
        "fresh": max(_log(lacking_a.fresh), _log(lacking_b.fresh)),
        "other_names": float(names),
        "other_numbers": float(numbers),
        "other_numbers_count": min(_log(lacking_a.numbers), _log(lacking_b.numbers)),
        "frame_with_other_numbers": float(numbers and len(lacking_a.fresh) <= FEW and len(lacking_b.fresh) <= FEW),
        "opening": min(facts.opening, 4) / 4,
        "long_opening": facts.opening / 6,
        "same_order": run,
        "same_end": tail,
        "length": math.log1p(len(a.words) + len(b.words)),
        "spoken": float(spoken),
        "spoken_days_apart": math.log1p(facts.days) * spoken,
    }


def _phrases(victim: Side, survivor: Side) -> float:
    """Share of the victim's pairs of neighbouring words that stand so in the survivor."""
    phrases = set(zip(victim.ordered, victim.ordered[1:], strict=False))
    return len(phrases.intersection(zip(survivor.ordered, survivor.ordered[1:], strict=False))) / max(1, len(phrases))


def _alignment(a: Side, b: Side) -> tuple[float, float]:
    """Share of the longer side's first words that stand in the other in the same order, and whether both end alike."""
    blocks = SequenceMatcher(None, a.ordered, b.ordered, autojunk=False).get_matching_blocks()
    longer = max(len(a.ordered), len(b.ordered), 1)
    last = a.ordered[-1:] == b.ordered[-1:] != ()
    return sum(block.size for block in blocks) / longer, float(last)


def _log(things: Sized) -> float:
    return math.log1p(len(things))
