"""A score of the embedded judge: small decision trees, a weighted sum and the worth of lost words, as a calibrated probability.

    margin = (bias + sum of the leaves that the row falls into + intercept + w . x) / 2 + sum of worth[word] over lost words
    probability = 1 / (1 + exp(-(slope * margin + shift)))

All are plain arrays in one file, `embedded.npz`, which `scripts/fit_embedded_judge.py` writes. No library is needed to apply them.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

FILE = Path(__file__).parent / "embedded.npz"
Floats = NDArray[np.float64]
_TOGETHER = 64
"""Rows that go through the trees together: more do not fit the processor's cache, fewer pay for the calls."""


@dataclass(frozen=True, slots=True)
class Trees:
    """Binary trees as arrays over their nodes. A row goes to the left child where its feature is at most the threshold, else to the
    one after it; a leaf is its own left child, with a threshold that no number passes.

    :param roots: the node at which each tree begins.
    :param depth: steps that lead from any root to a leaf.
    """

    roots: NDArray[np.int32]
    feature: NDArray[np.int32]
    threshold: Floats
    left: NDArray[np.int32]
    value: Floats
    depth: int

    def sum(self, rows: Floats) -> Floats:
        """Sum of the leaves' values, shape (n,), for rows of shape (n, features)."""
        parts = [self._sum(rows[start : start + _TOGETHER]) for start in range(0, len(rows), _TOGETHER)]
        return np.concatenate(parts) if parts else np.zeros(0)

    def _sum(self, rows: Floats) -> Floats:
        flat: Floats = np.ascontiguousarray(rows).ravel()
        start: NDArray[np.intp] = np.arange(0, flat.size, rows.shape[1], dtype=np.intp)[:, None]
        at: NDArray[np.integer[Any]] = np.broadcast_to(self.roots, (len(rows), len(self.roots)))
        for _ in range(self.depth):
            at = self.left[at] + (flat[start + self.feature[at]] > self.threshold[at])
        return self.value[at].sum(axis=1)


@dataclass(frozen=True, slots=True)
class Score:
    """A fitted score.

    :param worth: what the loss of a word, by its stem, adds to the margin; most are negative. Empty where words do not count.
    :param calibration: slope and shift.
    """

    trees: Trees
    bias: float
    weights: Floats
    intercept: float
    worth: Mapping[str, float]
    calibration: tuple[float, float]

    def margin(self, rows: Floats, lost: Sequence[Collection[str]] = ()) -> Floats:
        """Before calibration, shape (n,).

        :param rows: features, shape (n, features).
        :param lost: for each row the stems of words that only the victim has; needed where words have a worth.
        """
        plain = (self.bias + self.trees.sum(rows) + self.intercept + (rows * self.weights).sum(axis=1)) / 2
        if not self.worth:
            return plain
        # fsum, as the order of a set's words differs from process to process
        return plain + np.array([math.fsum(self.worth.get(word, 0.0) for word in words) for words in lost])

    def probability(self, margin: Floats) -> Floats:
        """Calibrated, in (0, 1)."""
        slope, shift = self.calibration
        return 1 / (1 + np.exp(-np.clip(slope * margin + shift, -30, 30)))

    def as_arrays(self, name: str) -> dict[str, NDArray[np.generic]]:
        """What the file holds of it."""
        trees = self.trees
        return {
            f"{name}.roots": trees.roots,
            f"{name}.feature": trees.feature,
            f"{name}.threshold": trees.threshold,
            f"{name}.left": trees.left,
            f"{name}.value": trees.value,
            f"{name}.weights": self.weights,
            f"{name}.words": np.array(list(self.worth), dtype=str),
            f"{name}.worth": np.array(list(self.worth.values()), dtype=np.float64),
            f"{name}.numbers": np.array([trees.depth, self.bias, self.intercept, *self.calibration]),
        }

    @classmethod
    def of_arrays(cls, name: str, held: Mapping[str, NDArray[np.generic]]) -> Score:
        """The score that `as_arrays` wrote."""
        roots, feature, left = (np.asarray(held[f"{name}.{part}"], np.int32) for part in ("roots", "feature", "left"))
        threshold, value, weights, worth, numbers = (
            np.asarray(held[f"{name}.{part}"], np.float64) for part in ("threshold", "value", "weights", "worth", "numbers")
        )
        words = (str(word) for word in held[f"{name}.words"])
        depth, bias, intercept, slope, shift = (float(number) for number in numbers)
        trees = Trees(roots, feature, threshold, left, value, int(depth))
        return cls(trees, bias, weights, intercept, dict(zip(words, worth.tolist(), strict=True)), (slope, shift))


@dataclass(frozen=True, slots=True)
class Model:
    """Both scores of the judge, and the names of the features in the order of a row."""

    names: tuple[str, ...]
    cover: Score
    merge: Score


@cache
def bundled() -> Model:
    """The model that comes with the package, read once a process."""
    return read(FILE)


def read(path: Path) -> Model:
    """A model from its file."""
    with np.load(path, allow_pickle=False) as held:
        arrays = {name: held[name] for name in held.files}
    names = tuple(str(name) for name in arrays["names"])
    return Model(names, Score.of_arrays("cover", arrays), Score.of_arrays("merge", arrays))


def write(model: Model, path: Path) -> None:
    """Write a model; the same model gives the same bytes."""
    arrays: dict[str, Any] = {"names": np.array(model.names), **model.cover.as_arrays("cover"), **model.merge.as_arrays("merge")}
    np.savez_compressed(path, **arrays)
