"""The close pairs of a store, each said to be a near copy, a suspect, or something that needs a judge."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from memfold.audit.frames import Form, difference, jaccard, same_values, same_words
from memfold.audit.neighbours import Neighbours
from memfold.audit.result import Difference

NEAR_JACCARD = 0.7
"""Near copies share at least this part of their words."""


@dataclass(frozen=True, slots=True)
class Close:
    """Two positions with a cosine at or above the floor; `difference` marks a suspect, `near` a near copy."""

    a: int
    b: int
    cosine: float
    difference: Difference | None
    near: bool


def close_pairs(found: Neighbours, taken_apart: Sequence[Form], near_cosine: float) -> list[Close]:
    """The pairs in the order of `found`: by falling cosine."""
    pairs: list[Close] = []
    for row in range(len(found.a)):
        a, b, cosine = int(found.a[row]), int(found.b[row]), float(found.cosine[row])
        x, y = taken_apart[a], taken_apart[b]
        how = difference(x, y)
        near = how is None and cosine >= near_cosine and _near(x, y)
        pairs.append(Close(a, b, cosine, how, near))
    return pairs


def _near(x: Form, y: Form) -> bool:
    return same_values(x, y) and same_words(x, y) and jaccard(x.words, y.words) >= NEAR_JACCARD
