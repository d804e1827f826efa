"""The arithmetic that a refinement cannot avoid, in bare numpy: what its time is divided by."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from memfold.protocols import Vectors

BLOCK = 256
"""Rows of a block: large enough for the full speed of a matrix product, small enough for the cache."""
MERGES = 500
"""At most so many matrix-vector products are timed; more are counted in proportion."""


def unavoidable(vectors: Vectors, merges: int, clock: Callable[[], float]) -> float:
    """Seconds of one blocked n x n x d product, each row's largest cosine kept, and one n x d product with a vector a merge.

    :param vectors: shape (n, d), float32.
    """
    product, best = clock(), np.empty(len(vectors), np.float32)
    for low in range(0, len(vectors), BLOCK):
        best[low : low + BLOCK] = (vectors[low : low + BLOCK] @ vectors.T).max(axis=1)
    timed = min(merges, MERGES)
    single = clock()
    for row in range(timed):
        (vectors @ vectors[row]).max()
    end = clock()
    return single - product + (end - single) * (merges / timed if timed else 0.0)
