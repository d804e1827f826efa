"""Which rows may be as near as a gate asks, for a quarter of the product with all of them.

    x . y <= (R^T x) . (R^T y) + |x - R R^T x| |y - R R^T y|        (Cauchy-Schwarz; R has orthonormal columns, x and y length one)

R holds the leading directions of a sample of the rows, so for real embeddings the last term is small: of MiniLM's vectors one
in 200 has a bound of 0.7 or more. The bound is never below the cosine, so nothing is missed, whatever R is.
"""

from __future__ import annotations

import numpy as np

from memfold.atoms.rows import Rows
from memfold.protocols import Vectors

WIDTH = 96
"""Columns of R."""
SAMPLE = 2048
GROWTH = 8
"""R is made anew when there are so many times the rows that it was made from."""
REST = 64
"""Where it rules out too little, the next so many calls do without it."""
MARGIN = 1e-4
"""Far more than what float32 errs in the bound."""
TAIL = 1e-5
"""The same in the square of what R leaves over."""


class Sketch:
    """Bounds for rows of length one (or zero) that are only ever appended to, or changed at places that are told."""

    def __init__(self, dim: int) -> None:
        self._directions = np.zeros((dim, 0), np.float32)
        self._heads = Rows((WIDTH + 1,), np.float32)
        self._made_of = 0
        self._rest = 0

    def near(self, rows: Vectors, changed: set[int], x: Vectors, gate: float) -> Vectors:
        """Cosines of the rows (n, d) with x (d,), shape (n,); -4 where it is surely below the gate.

        :param changed: rows that are others since the last call; emptied.
        """
        if self._rest:
            self._rest -= 1
            return rows @ x
        if len(rows) > GROWTH * self._made_of:
            self._fit(rows)
        self._heads.append(self._sketched(rows[len(self._heads) :]))
        if changed:
            places = list(changed)
            self._heads.all[places] = self._sketched(rows[places])
            changed.clear()
        found = np.flatnonzero(self._heads.all @ self._sketched(x[None])[0] >= gate - MARGIN)
        cosines = np.full(len(rows), -4.0, np.float32)
        if 4 * len(found) > len(rows):
            self._rest = REST
            np.matmul(rows, x, out=cosines)
        else:
            cosines[found] = rows[found] @ x
        return cosines

    def _fit(self, rows: Vectors) -> None:
        sample = rows[:: max(1, len(rows) // SAMPLE)].astype(np.float64)
        self._directions = np.ascontiguousarray(np.linalg.eigh(sample.T @ sample)[1][:, -WIDTH:], np.float32)
        self._heads, self._made_of = Rows((WIDTH + 1,), np.float32), len(rows)

    def _sketched(self, rows: Vectors) -> Vectors:
        """Per row its components along R and the length of what is left, shape (n, WIDTH + 1)."""
        heads = np.zeros((len(rows), WIDTH + 1), np.float32)
        inside = rows @ self._directions
        heads[:, : inside.shape[1]] = inside
        heads[:, -1] = np.sqrt(np.maximum(1.0 + TAIL - np.einsum("ij,ij->i", inside, inside), 0.0))
        return heads
