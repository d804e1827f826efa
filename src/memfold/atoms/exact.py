"""Vectors as they are compared: float16 components, rough products in float32, and cosines near a gate exactly.

A float32 product only pre-selects: it errs by at most `slack`. What is closer to a gate, or to another candidate, than that
is compared by a cosine whose every operation is exact or correctly rounded, in whatever order the sums are taken. So who
joins whom is the same on every machine, for any block size and any BLAS.

Sums of float16 vectors in float64 are exact too (multiples of 2^-24 below 2^29: half a thousand million members), so a
centroid does not depend on the order of the members, and one that lost a member is the one that never had it.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from memfold.protocols import Vectors

Halves = NDArray[np.float16]
Sum = NDArray[np.float64]
CHUNK = 1024
"""Rows turned into float64 at once."""


def quantise(vectors: Vectors) -> Halves:
    """Vectors as they are stored and compared, shape (n, d)."""
    return np.asarray(vectors, np.float16)


def unit_rows(rows: NDArray[np.floating]) -> Vectors:
    """Rows scaled to length one, float32, shape (n, d); a zero row stays zero."""
    out = np.empty(rows.shape, np.float32)
    for low in range(0, len(rows), CHUNK):
        wide = rows[low : low + CHUNK].astype(np.float64)
        norms = np.sqrt(np.einsum("ij,ij->i", wide, wide))[:, None]
        out[low : low + CHUNK] = wide / np.where(norms > 0, norms, 1.0)
    return out


def slack(dim: int) -> float:
    """More than the error of a float32 dot product of two unit vectors, in whatever order it is summed."""
    return (dim + 8) * 2.0**-24


def member_cosines(rows: Halves, x: Halves) -> NDArray[np.float64]:
    """Cosines of members (n, d) with a vector (d,), shape (n,); 0 where one is zero.

    A product of two float16 numbers is a multiple of 2^-48, and sums of such below 2^5 fit into float64: exact in any order.
    """
    out = np.empty(len(rows))
    right = x.astype(np.float64)
    length = math.sqrt(float(right @ right))
    for low in range(0, len(rows), CHUNK):
        left = rows[low : low + CHUNK].astype(np.float64)
        norms = np.sqrt(np.einsum("ij,ij->i", left, left)) * length
        out[low : low + CHUNK] = np.where(norms > 0, (left @ right) / np.where(norms > 0, norms, 1.0), 0.0)
    return out


def sum_cosine(total: Sum, x: Halves) -> float:
    """Cosine of a vector (d,) with an atom's running sum (d,), and so with its centroid; 0 where one is zero.

    Products are rounded one by one and `math.fsum` rounds their sum once, so the value does not depend on an order.
    """
    wide = x.astype(np.float64)
    norms = math.sqrt(math.fsum((total * total).tolist())) * math.sqrt(float(wide @ wide))
    return math.fsum((total * wide).tolist()) / norms if norms > 0 else 0.0
