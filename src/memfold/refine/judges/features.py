"""Facts of a pair as numbers for the embedded judge's scores. Every number has a name and a plain meaning.

A row is seen from one side, the victim: what the other side, the survivor, holds of it, and the reverse (`back_`).
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sized
from difflib import SequenceMatcher
from functools import cache
from typing import Literal

from memfold.refine.judges.facts import Coverage, Facts, Side

FEW = 2
"""Special words up to which spoken words without a name or number are taken to say next to nothing."""
FAR = 0.6
"""Cosine below which a pair is far apart."""
A_DAY = 0.5
"""Days from which two entries are of different days: dates without a time of day differ by whole ones."""
TIMES_UNKNOWN = {"days_apart": -1.0, "same_time": 0.5, "another_day": 0.5}
"""The features of time, as they are where it is not known how far apart the two were recorded."""


def features(facts: Facts, *, timed: bool = True) -> tuple[dict[str, float], dict[str, float]]:
    """All that the scores look at, by name, always in the same order: the row with a as the victim, and the one with b.

    Counts are taken as log(1 + n), so that long texts weigh no more than they should.

    :param timed: False leaves out how far apart the two were recorded, as where that is not known.
    """
    a = _covered(facts, facts.a, facts.b, facts.a_in_b, "a")
    b = _covered(facts, facts.b, facts.a, facts.b_in_a, "b")
    near = {"cosine": facts.cosine, "far": max(0.0, FAR - facts.cosine)}
    both = {**_together(facts), **_times(facts, timed)}
    return {**near, **a, **_back(b), **both}, {**near, **b, **_back(a), **both}


def lost(facts: Facts, victim: Literal["a", "b"]) -> frozenset[str]:
    """Stems of the words that only the victim has: what a deletion would lose."""
    v, s = (facts.a, facts.b) if victim == "a" else (facts.b, facts.a)
    return v.manner.stems - s.manner.stems


def _back(row: Mapping[str, float]) -> dict[str, float]:
    return {_named_back(name): value for name, value in row.items()}


@cache
def _named_back(name: str) -> str:
    return f"back_{name}"


def _covered(facts: Facts, v: Side, s: Side, lacks: Coverage, victim: Literal["a", "b"]) -> dict[str, float]:
    """What the survivor s holds of the victim v, and what v is like."""
    later = facts.later == victim and facts.days >= 1
    bare = not lacks.names and not lacks.numbers
    plain = not v.names and not v.numbers
    rare = v.manner.lacking(s.manner)
    lacking, weight = sum(rare), v.manner.weight
    return {
        "cosine_x_words": facts.cosine * lacks.words,
        "cosine_x_grams": facts.cosine * lacks.grams,
        "special": lacks.special,
        "grams": lacks.grams,
        "fresh": _log(lacks.fresh),
        "unheld_in_note": math.log1p(0 if v.spoken else len(lacks.unheld)),
        "later_with_states": float(later and bool(lacks.states)),
        "nothing_fresh": float(not lacks.fresh and bare),
        "names": _log(lacks.names),
        "numbers": _log(lacks.numbers),
        "bare": float(bare),
        "special_words": _log(v.special),
        "phrases": _phrases(v, s),
        "length": math.log((len(v.words) + 1) / (len(s.words) + 1)),
        "spoken": float(v.spoken),
        "spoken_says_little": float(v.spoken and plain and len(v.special) <= FEW),
        "spoken_says_nothing": float(v.spoken and plain and not v.special),
        "filler": float(v.filler),
        "question_says_little": float(v.question and plain and len(v.special) <= FEW),
        "negation_lost": float(v.negations > 0 and s.negations == 0),
        **_manner(v),
        "rare_lacking": math.log1p(lacking),
        "rare_share_lacking": lacking / max(0.3, weight),
        "rarest_lacking": rare[-1] if rare else 0.0,
        "second_rarest_lacking": rare[-2] if len(rare) > 1 else 0.0,
        "rather_rare_lacking": math.log1p(sum(rarity > 0.5 for rarity in rare)),
        "very_rare_lacking": math.log1p(sum(rarity > 0.8 for rarity in rare)),
    }


def _manner(side: Side) -> dict[str, float]:
    manner = side.manner
    rarest = sorted(manner.rarity.values())[-3:]
    return {
        "size": _log(manner.words),
        "me": manner.me,
        "you": manner.you,
        "cries": min(manner.cries, 4) / 4,
        "asking": manner.asking,
        "names_within": math.log1p(manner.names),
        "clauses": math.log1p(manner.clauses),
        "past": math.log1p(manner.past),
        "digits": math.log1p(manner.digits),
        "weight": math.log1p(manner.weight),
        "rarest": sum(rarest) / 3,
        "rarity": manner.weight / max(1, len(manner.rarity)),
    }


def _together(facts: Facts) -> dict[str, float]:
    """What the two share, and how alike they are built. The same from either side."""
    a, b, one, other = facts.a, facts.b, facts.a_in_b, facts.b_in_a
    shared = a.special & b.special
    values_alone = bool(one.numbers) and bool(other.numbers)
    few_alone = max(len(one.fresh), len(other.fresh)) <= FEW
    order, end = _alignment(a, b)
    return {
        "cosine_squared": facts.cosine**2,
        "shared": _log(shared),
        "shared_share": len(shared) / max(1, len(a.special | b.special)),
        "shared_values": math.log1p(len(a.names & b.names) + len(a.numbers & b.numbers)),
        "grams_either": max(one.grams, other.grams),
        "fresh_either": max(_log(one.fresh), _log(other.fresh)),
        "names_alone": float(bool(one.names) and bool(other.names)),
        "numbers_alone": float(values_alone),
        "numbers_alone_count": min(_log(one.numbers), _log(other.numbers)),
        "frame_with_other_numbers": float(values_alone and few_alone),
        "opening": min(facts.opening, 4) / 4,
        "long_opening": facts.opening / 6,
        "same_order": order,
        "same_end": end,
        "words_of_both": math.log1p(len(a.words) + len(b.words)),
        "both_spoken": float(a.spoken and b.spoken),
        "subject": _alike(a.subject, b.subject),
        "speaker": _alike(a.speaker, b.speaker),
        "heading": _alike(a.manner.heading, b.manner.heading),
    }


def _times(facts: Facts, timed: bool) -> dict[str, float]:
    if not timed or not facts.timed:
        return TIMES_UNKNOWN
    return {
        "days_apart": math.log1p(facts.days),
        "same_time": float(facts.days < 0.01),
        "another_day": float(facts.days >= A_DAY),
    }


def _alike(one: str, other: str) -> float:
    """1 for the same, -1 for two different ones, 0 where a side has none."""
    return 0.0 if not one or not other else 1.0 if one == other else -1.0


def _phrases(victim: Side, survivor: Side) -> float:
    """Share of the victim's pairs of neighbouring words that stand so in the survivor."""
    phrases = set(zip(victim.ordered, victim.ordered[1:], strict=False))
    return len(phrases.intersection(zip(survivor.ordered, survivor.ordered[1:], strict=False))) / max(1, len(phrases))


def _alignment(a: Side, b: Side) -> tuple[float, float]:
    """Share of the longer side's first words that stand in the other in the same order, and whether both end alike."""
    one, other = sorted((a.ordered, b.ordered))  # which blocks match depends on the order, and the sides may be swapped
    blocks = SequenceMatcher(None, one, other, autojunk=False).get_matching_blocks()
    longer = max(len(a.ordered), len(b.ordered), 1)
    last = a.ordered[-1:] == b.ordered[-1:] != ()
    return sum(block.size for block in blocks) / longer, float(last)


def _log(things: Sized) -> float:
    return math.log1p(len(things))


FALLING = frozenset(
    """fresh unheld_in_note later_with_states names numbers negation_lost rare_lacking rare_share_lacking rarest_lacking
    second_rarest_lacking rather_rare_lacking very_rare_lacking""".split()
)
"""The more of these, the less the victim may go: the trees of the cover score may not learn the reverse."""
RISING = frozenset(
    """cosine cosine_x_words cosine_x_grams special grams nothing_fresh bare phrases spoken_says_little spoken_says_nothing filler
    question_says_little""".split()
)
"""The more of these, the more the victim may go."""
