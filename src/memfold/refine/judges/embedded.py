"""The judge that works without a language model: facts of both texts, two linear scores, one rule.

    cover(x)   how probable it is that x can go because the other side holds all its facts
    merge      how probable it is that the two, neither covering the other, read well as one memory

    cosine < FLOOR                  preserve
    the larger cover >= DELETE      delete that side
    merge >= MERGE                  merge, if a text shorter than the two comes out
    else                            preserve

The facts are in `facts.py`, their numbers in `features.py`, the weights of the scores in `weights.py`
(`scripts/fit_embedded_judge.py` fits them). Texts are only counted, never obeyed: an order in a text is a text.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Literal

from memfold.refine.judges.facts import Coverage, FactFinder, Facts
from memfold.refine.judges.features import FEW, cover_features, merge_features
from memfold.refine.judges.similarity import less_specific
from memfold.refine.judges.weights import COVER
from memfold.refine.judges.weights import MERGE as TOGETHER
from memfold.refine.merging import merge_texts
from memfold.refine.text import Value
from memfold.types import Decision, Pair, Relation

VERSION = 1
FLOOR = 0.30
"""Cosine below which every pair is preserved. Nine in ten of the pairs that may lose a side lie above it."""
DELETE = 0.80
"""Least `cover` for a deletion: what keeps the share of lossy deletions near one in ten on labelled pairs."""
MERGE = 0.50
"""Least `merge` for a merge."""
COVERED_TOO = 0.50
"""`cover` of the survivor from which both sides are said to state the same."""
_SHOWN = 3
"""Words or values named in a reason."""


class EmbeddedJudge:
    """Deletes what the other side covers, merges what shares a matter and differs, preserves the rest.

    :param updates: with "latest", the older of two states of one thing goes, where "history" keeps it in a merge.
    """

    costly = False
    floor = FLOOR

    def __init__(self, updates: Literal["history", "latest"] = "history") -> None:
        self._updates = updates
        self._finder = FactFinder()
        self.name = f"embedded/{VERSION}" + (":latest" if updates == "latest" else "")

    def decide(self, pairs: Sequence[Pair]) -> list[Decision]:
        """One decision a pair, in order. The same pair always gets the same one, its sides swapped or not."""
        return [self._one(pair) for pair in pairs]

    def _one(self, pair: Pair) -> Decision:
        if pair.cosine < FLOOR:
            return self._preserve(f"cosine {pair.cosine:.2f} is below {FLOOR:.2f}", 1.0)
        facts = self._finder.of(pair)
        if facts.same_text:
            return Decision("delete", less_specific(pair.a, pair.b), "same", reason="both have the same text", judge=self.name)
        covers = {side: score(cover_features(facts, side), COVER) for side in ("a", "b")}
        if max(covers.values()) >= DELETE:
            return self._delete(pair, facts, covers["a"], covers["b"])
        return self._keep_both(pair, facts, max(covers.values()))

    def _delete(self, pair: Pair, facts: Facts, a: float, b: float) -> Decision:
        target = less_specific(pair.a, pair.b) if a == b else "a" if a > b else "b"
        relation = _covering(facts, target, min(a, b))
        reason = _why_covered(facts, target, relation)
        return Decision("delete", target, relation, reason=reason, confidence=round(max(a, b), 4), judge=self.name)

    def _keep_both(self, pair: Pair, facts: Facts, covered: float) -> Decision:
        together = score(merge_features(facts), TOGETHER)
        if together < MERGE:
            return self._preserve(_why_apart(facts), (1 - covered) * (1 - together))
        revised = is_update(facts)
        if revised and self._updates == "latest" and facts.later:
            older = "b" if facts.later == "a" else "a"
            reason = f"{facts.later} is the later state: {_differences(facts)}"
            return Decision("delete", older, "update", reason=reason, confidence=round(together, 4), judge=self.name)
        merged = merge_texts(pair.a, pair.b, earlier=revised)
        if merged is None:
            return self._preserve(f"{_why_together(facts)}, but no text shorter than the two came out", 1 - together)
        confidence = round((1 - covered) * together, 4)
        relation: Relation = "update" if revised else "overlap"
        return Decision("merge", "", relation, merged, reason=_why_together(facts), confidence=confidence, judge=self.name)

    def _preserve(self, reason: str, confidence: float) -> Decision:
        return Decision("preserve", "", "distinct", reason=reason, confidence=round(confidence, 4), judge=self.name)


def score(features: Mapping[str, float], weights: Mapping[str, float]) -> float:
    """A probability from a weighted sum: 1 / (1 + exp(-(w . x + bias)))."""
    total = weights["bias"] + math.fsum(weight * features[name] for name, weight in weights.items() if name != "bias")
    return 1 / (1 + math.exp(-total)) if total > -500 else 0.0


def is_update(facts: Facts) -> bool:
    """Whether the later side gives another value for the same thing: same beginning, little else that differs."""
    a, b = facts.a_in_b, facts.b_in_a
    differ = bool((a.numbers or a.names or a.fresh) and (b.numbers or b.names or b.fresh))
    return bool(facts.later) and facts.days > 0 and differ and facts.opening >= 2 and max(len(a.fresh), len(b.fresh)) <= FEW


def _covering(facts: Facts, target: Literal["a", "b", ""], other: float) -> Relation:
    a, b = facts.a, facts.b
    chatty = [side.spoken and len(side.special) <= FEW and not side.names and not side.numbers for side in (a, b)]
    if all(side.filler or side.question or says_little for side, says_little in zip((a, b), chatty, strict=True)):
        return "low_value"
    if other >= COVERED_TOO:
        return "same"
    return "b_covers_a" if target == "a" else "a_covers_b"


def _why_covered(facts: Facts, target: Literal["a", "b", ""], relation: Relation) -> str:
    survivor, victim, cover = ("b", facts.a, facts.a_in_b) if target == "a" else ("a", facts.b, facts.b_in_a)
    if relation == "low_value":
        return "neither side tells a fact"
    if victim.filler or victim.question:
        return f"{target} is {'a question' if victim.question else 'small talk'} and tells no fact"
    lacking = _named(cover)
    words = f"{survivor} holds {cover.words:.0%} of the words of {target}"
    return f"{words}, {f'lacks {lacking}' if lacking else 'lacks no name, number or word of its own'}; cosine {facts.cosine:.2f}"


def _why_together(facts: Facts) -> str:
    shared = sorted(facts.a.special & facts.b.special, key=lambda word: (-len(word), word))[:_SHOWN]
    return f"both speak of {', '.join(shared) or 'one matter'}; {_differences(facts)}; cosine {facts.cosine:.2f}"


def _why_apart(facts: Facts) -> str:
    shared, either = len(facts.a.special & facts.b.special), len(facts.a.special | facts.b.special)
    return f"different facts: {_differences(facts)}; {shared} of {either} words shared, cosine {facts.cosine:.2f}"


def _differences(facts: Facts) -> str:
    alone = [f"{side} alone has {named}" for side, cover in (("a", facts.a_in_b), ("b", facts.b_in_a)) if (named := _named(cover))]
    return ", ".join(alone) or "the wording differs"


def _named(cover: Coverage) -> str:
    """The values and words that are lacking, the telling ones first, in one line."""
    values: list[Value] = sorted(cover.numbers | cover.names, key=lambda value: (value.kind, value.canonical))
    shown = [" ".join((value.surface or value.canonical).split())[:40] for value in values]
    shown += [word[:40] for word in sorted(cover.fresh, key=lambda word: (-len(word), word)) if word not in {s.casefold() for s in shown}]
    more = len(shown) - _SHOWN
    return ", ".join(shown[:_SHOWN]) + (f" and {more} more" if more > 0 else "")
