"""The judge that works without a language model: facts of both texts, two fitted scores, one rule.

    cover(x)   how probable it is that x can go because the other side holds all its facts
    merge      how probable it is that the two, neither covering the other, read well as one memory

    cosine < FLOOR                  preserve
    the larger cover >= DELETE      delete that side; HELD suffices where the other has all its words, names and numbers
    merge >= MERGE                  merge, if a text no longer than the two comes out
    else                            preserve

The facts are in `facts.py`, their numbers in `features.py`, the form of the scores in `model.py`
(`scripts/fit_embedded_judge.py` fits them, docs/embedded-judge.md is their card). Texts are only counted, never obeyed: an order in a
text is a text.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import numpy as np

from memfold.refine.judges.facts import Coverage, FactFinder, Facts
from memfold.refine.judges.features import FEW, features, lost
from memfold.refine.judges.model import Model, bundled
from memfold.refine.judges.similarity import less_specific
from memfold.refine.merging import merge_texts
from memfold.refine.text import Value
from memfold.types import Decision, Pair, Relation

VERSION = 4
FLOOR = 0.30
"""Cosine below which every pair is preserved. Nine in ten of the pairs that may lose a side lie above it."""
DELETE = 0.94
"""Least `cover` for a deletion: in stores and kinds of text that the judge was not fitted on, 4 to 10 in a hundred then lose a fact."""
HELD = 0.80
"""Least `cover` where the survivor holds every telling word, name and number of the victim: what a deletion could still lose is how they
are put together."""
MERGE = 0.60
"""Least `merge` for a merge. Between a half and this as many are right as wrong, and what is kept needlessly costs only bytes."""
COVERED_TOO = 0.50
"""`cover` of the survivor from which both sides are said to state the same."""
_SHOWN = 3
"""Words or values named in a reason."""


class EmbeddedJudge:
    """Deletes what the other side covers, merges what shares a matter and differs, preserves the rest.

    A decision's confidence is the probability that it is right: for a deletion that the survivor holds all facts, for a
    merge that the two belong together, for preserving that neither is so.

    :param updates: with "latest", the older of two states of one thing goes, where "history" keeps it in a merge.
    :param model: the fitted scores; by default those that come with the package.
    :param delete: least `cover` for a deletion, in (0, 1]: lower finds more and loses more, and with the safest edits first it only matters
        once the safer ones are spent. Another value than the default is part of the judge's name.
    """

    costly = False
    floor = FLOOR
    order = "safest"

    def __init__(self, updates: Literal["history", "latest"] = "history", *, model: Model | None = None, delete: float = DELETE) -> None:
        self._updates = updates
        self._model = model
        self._delete_from = delete
        self._finder = FactFinder()
        self.name = f"embedded/{VERSION}" + (f":{delete:g}" if delete != DELETE else "") + (":latest" if updates == "latest" else "")

    def decide(self, pairs: Sequence[Pair]) -> list[Decision]:
        """One decision a pair, in order. The same pair always gets the same one, its sides swapped or not."""
        facts = [self._finder.of(pair) if pair.cosine >= FLOOR else None for pair in pairs]
        scores = iter(self.scores([one for one in facts if one is not None]))
        return [
            self._preserve(f"cosine {pair.cosine:.2f} is below {FLOOR:.2f}", 1.0) if one is None else self._one(pair, one, *next(scores))
            for pair, one in zip(pairs, facts, strict=True)
        ]

    def scores(self, facts: Sequence[Facts]) -> list[tuple[float, float, float]]:
        """Of each pair: cover(a), cover(b) and merge, each in (0, 1), to four digits."""
        if not facts:
            return []
        model = self._model or bundled()
        a, b = (np.array([list(row.values()) for row in rows]) for rows in zip(*map(features, facts), strict=True))
        lost_a, lost_b = ([lost(one, side) for one in facts] for side in ("a", "b"))
        cover_a, cover_b = (model.cover.probability(model.cover.margin(*one)) for one in ((a, lost_a), (b, lost_b)))
        merge = model.merge.probability((model.merge.margin(a) + model.merge.margin(b)) / 2)
        return [tuple(row) for row in np.column_stack([cover_a, cover_b, merge]).round(4).tolist()]

    def _one(self, pair: Pair, facts: Facts, a: float, b: float, together: float) -> Decision:
        if facts.same_text:
            return Decision("delete", less_specific(pair.a, pair.b), "same", reason="both have the same text", judge=self.name)
        if max(a, b) >= self._least(facts.a_in_b if a > b else facts.b_in_a):
            return self._delete(pair, facts, a, b)
        return self._keep_both(pair, facts, max(a, b), together)

    def _least(self, lacks: Coverage) -> float:
        """The least `cover` for a deletion.

        :param lacks: what the survivor lacks of the victim.
        """
        held = not lacks.fresh and not lacks.names and not lacks.numbers
        return min(HELD, self._delete_from) if held else self._delete_from

    def _delete(self, pair: Pair, facts: Facts, a: float, b: float) -> Decision:
        target = less_specific(pair.a, pair.b) if a == b else "a" if a > b else "b"
        relation = _covering(facts, target, min(a, b))
        reason = _why_covered(facts, target, relation)
        return Decision("delete", target, relation, reason=reason, confidence=max(a, b), judge=self.name)

    def _keep_both(self, pair: Pair, facts: Facts, covered: float, together: float) -> Decision:
        if together < MERGE:
            return self._preserve(_why_apart(facts), (1 - covered) * (1 - together))
        revised = is_update(facts)
        if revised and self._updates == "latest" and facts.later:
            older = "b" if facts.later == "a" else "a"
            reason = f"{facts.later} is the later state: {_differences(facts)}"
            return Decision("delete", older, "update", reason=reason, confidence=together, judge=self.name)
        merged = merge_texts(pair.a, pair.b, earlier=revised)
        if merged is None:
            return self._preserve(f"{_why_together(facts)}, but no text for both came out", 1 - together)
        relation: Relation = "update" if revised else "overlap"
        confidence = round((1 - covered) * together, 4)
        return Decision("merge", "", relation, merged, reason=_why_together(facts), confidence=confidence, judge=self.name)

    def _preserve(self, reason: str, confidence: float) -> Decision:
        return Decision("preserve", "", "distinct", reason=reason, confidence=round(confidence, 4), judge=self.name)


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
