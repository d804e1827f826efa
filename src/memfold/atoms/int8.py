"""Vectors in 8 bits: columns of integers and one scale a column (RSM-full-int8, Table 9).

    s_j = max_i |V_ij| / 127,   Q_ij = round(V_ij / s_j),   V'_ij = s_j Q_ij

An entry errs by at most s_j / 2, so for a unit vector q: |v'_j . q - v_j . q| <= sqrt(d) s_j / 2. Scaling v'_j back to length
one at most doubles that.

The sizes of Table 16 fit 8-bit bases with float32 centroids, where Table 9 writes "(k+1)d int8"; both are offered [I]. The paper
does not speak of scales [I].
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from memfold.protocols import Vectors

LEVELS = 127


@dataclass(frozen=True)
class Int8Columns:
    """Columns of shape (d, r) in 8 bits: `codes` int8 (d, r) in [-127, 127], `scales` float32 (r,)."""

    codes: NDArray[np.int8]
    scales: NDArray[np.float32]

    @classmethod
    def of(cls, columns: Vectors) -> Int8Columns:
        """Quantise columns, each by its largest entry; a zero column stays zero."""
        largest = np.abs(columns).max(axis=0, initial=0.0)
        scales = (largest / LEVELS).astype(np.float32)
        codes = np.rint(columns / np.where(scales > 0, scales, 1.0))
        return cls(np.clip(codes, -LEVELS, LEVELS).astype(np.int8), scales)

    def floats(self) -> Vectors:
        """The columns that the codes stand for, float32, shape (d, r)."""
        return self.codes.astype(np.float32) * self.scales

    def unit_floats(self) -> Vectors:
        """The same, each column scaled to length one: what scoring uses."""
        wide = self.floats().astype(np.float64)
        norms = np.sqrt(np.einsum("ij,ij->j", wide, wide))
        return (wide / np.where(norms > 0, norms, 1.0)).astype(np.float32)

    def bound(self) -> NDArray[np.float64]:
        """Largest |v'_j . q - v_j . q| over unit q, for each column, shape (r,): sqrt(d) s_j / 2, and float32's rounding."""
        return np.sqrt(len(self.codes)) * self.scales.astype(np.float64) * (0.5 + LEVELS * 2.0**-22)
