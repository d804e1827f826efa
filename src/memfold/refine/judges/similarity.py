"""RuleSim: similarity alone decides (MemRefine C.1, a baseline).

    delete if s(u, v) >= tau_delete, else merge

It never preserves, so it always meets the budget, and it loses facts on the way. The paper does not say which side
goes; here it is the one with fewer content words, then the older one, then the one with the larger id. Where the
paper merges with a language model, the texts are put together without their repeated sentences.
"""

from __future__ import annotations

from collections.abc import Sequence

from memfold.refine.merging import concatenate, instant
from memfold.refine.text import content_words
from memfold.types import Decision, Entry, Pair, Target

DELETE_COSINE = 0.80


class SimilarityJudge:
    """Deletes the less specific side from `delete_cosine` on, and merges below it.

    :param delete_cosine: in [-1, 1]; a pair of exactly this cosine is deleted from.
    """

    floor = -1.0
    costly = False

    def __init__(self, delete_cosine: float = DELETE_COSINE) -> None:
        if not -1.0 <= delete_cosine <= 1.0:
            raise ValueError(f"a cosine lies between -1 and 1, found {delete_cosine:g}")
        self.delete_cosine = delete_cosine
        self.name = f"similarity:{delete_cosine:g}"

    def decide(self, pairs: Sequence[Pair]) -> list[Decision]:
        """One decision a pair, in order; never `preserve`."""
        return [self._one(pair) for pair in pairs]

    def _one(self, pair: Pair) -> Decision:
        if pair.cosine >= self.delete_cosine:
            target = less_specific(pair.a, pair.b)
            reason = f"cosine {pair.cosine:.3f} is at least {self.delete_cosine:g}; the less specific side goes"
            return Decision("delete", target=target, reason=reason, judge=self.name)
        reason = f"cosine {pair.cosine:.3f} is below {self.delete_cosine:g}"
        return Decision("merge", merged=concatenate(pair.a, pair.b), reason=reason, judge=self.name)


def less_specific(a: Entry, b: Entry) -> Target:
    """The side with fewer content words; on a tie the older, then the larger id, then the larger text."""
    return "a" if _specificity(a) < _specificity(b) else "b" if _specificity(b) < _specificity(a) else _tie(a, b)


def _specificity(entry: Entry) -> int:
    return len(content_words(entry.text))


def _tie(a: Entry, b: Entry) -> Target:
    first, second = instant(a), instant(b)
    if first is not None and second is not None and first != second:
        return "a" if first < second else "b"
    return "a" if (a.id, a.text) > (b.id, b.text) else "b"
