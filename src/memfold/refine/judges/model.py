"""A score of the embedded judge: a sum of small decision trees and a weighted sum, averaged, as a calibrated probability.

    margin = (bias + sum of the leaves that the row falls into + intercept + w . x) / 2
    probability = 1 / (1 + exp(-(slope * margin + shift)))

All are plain arrays in one file, `embedded.npz`, which `scripts/fit_embedded_judge.py` writes. No library is needed to apply them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

FILE = Path(__file__).parent / "embedded.npz"
Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Trees:
    """Binary trees as arrays over their nodes; the children of a leaf are the leaf itself.

    :param roots: the node at which each tree begins.
    :param depth: steps that lead from any root to a leaf.
    """

    roots: NDArray[np.int32]
    feature: NDArray[np.int32]
    threshold: Floats
    left: NDArray[np.int32]
    right: NDArray[np.int32]
    value: Floats
    depth: int

    def sum(self, rows: Floats) -> Floats:
        """Sum of the leaves' values, shape (n,), for rows of shape (n, features)."""
        at = np.broadcast_to(self.roots, (len(rows), len(self.roots)))
        row = np.arange(len(rows))[:, None]
        for _ in range(self.depth):
            at = np.where(rows[row, self.feature[at]] <= self.threshold[at], self.left[at], self.right[at])
        return self.value[at].sum(axis=1)


@dataclass(frozen=True, slots=True)
class Score:
    """A fitted score. `calibration` is (slope, shift)."""

    trees: Trees
    bias: float
    weights: Floats
    intercept: float
    calibration: tuple[float, float]

    def margin(self, rows: Floats) -> Floats:
        """Before calibration, shape (n,)."""
        return (self.bias + self.trees.sum(rows) + self.intercept + (rows * self.weights).sum(axis=1)) / 2

    def probability(self, margin: Floats, less: Floats | float = 0.0) -> Floats:
        """Calibrated, in (0, 1).

        :param less: what is taken off the log odds.
        """
        slope, shift = self.calibration
        return 1 / (1 + np.exp(-np.clip(slope * margin + shift - less, -30, 30)))

    def as_arrays(self, name: str) -> dict[str, NDArray[np.generic]]:
        """What the file holds of it."""
        trees = self.trees
        return {
            f"{name}.roots": trees.roots,
            f"{name}.feature": trees.feature,
            f"{name}.threshold": trees.threshold,
            f"{name}.left": trees.left,
            f"{name}.right": trees.right,
            f"{name}.value": trees.value,
            f"{name}.weights": self.weights,
            f"{name}.numbers": np.array([trees.depth, self.bias, self.intercept, *self.calibration]),
        }

    @classmethod
    def of_arrays(cls, name: str, held: Mapping[str, NDArray[np.generic]]) -> Score:
        """The score that `as_arrays` wrote."""
        index = (np.asarray(held[f"{name}.{part}"], np.int32) for part in ("roots", "feature", "left", "right"))
        roots, feature, left, right = index
        threshold, value, weights, numbers = (
            np.asarray(held[f"{name}.{part}"], np.float64) for part in ("threshold", "value", "weights", "numbers")
        )
        depth, bias, intercept, slope, shift = (float(number) for number in numbers)
        return cls(Trees(roots, feature, threshold, left, right, value, int(depth)), bias, weights, intercept, (slope, shift))


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
