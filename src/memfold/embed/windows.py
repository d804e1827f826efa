"""Texts that are longer than a model reads at once: where their windows lie, and one vector out of the windows' vectors."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from memfold.protocols import Vectors


def window_starts(length: int, capacity: int, overlap: int, most: int) -> list[int]:
    """Where the windows of a text begin, given its length and the windows' `capacity` in one unit (pieces, characters).

    The first window begins at 0 and the last one ends at the text's end; all are full, at even distances, and as few as
    give an overlap of at least `overlap` (less than `capacity`). A text that would need more than `most` windows gets
    `most` (at least 2), spread over all of it with gaps between, rather than its beginning alone.
    """
    if length <= capacity:
        return [0]
    needed = -(-(length - overlap) // (capacity - overlap))
    return [int(start) for start in np.linspace(0, length - capacity, min(needed, most))]


def mean_of_windows(vectors: Vectors, counts: Sequence[int], weights: Sequence[int] | NDArray[Any]) -> Vectors:
    """One unit vector a text: the weighted mean of its windows' unit vectors, scaled to length 1.

    `vectors` has shape (windows, dim), the windows of a text one after the other; `counts` says how many each text has
    (at least 1), `weights` (its length) how much each window counts. A text with one window keeps that window's vector exactly.
    """
    if len(counts) == len(vectors):
        return vectors
    first = np.cumsum([0, *counts[:-1]])
    positive = np.maximum(np.asarray(weights, np.float32), 1)
    means = np.add.reduceat(vectors * positive[:, None], first, axis=0)
    means /= np.linalg.norm(means, axis=1, keepdims=True)
    single = np.asarray(counts) == 1
    means[single] = vectors[first[single]]
    return means
