"""The basis of an atom: the leading right singular vectors of its members (RSM-full, Table 14).

    X = U S V^T,  V_m = the first r columns of V,  r = min(rank, n, numerical rank of X)

X holds the members as rows and is not centred [I]: the storage of Table 16 gives an atom of n members min(k, n) columns, and only so
is v1 a density-weighted centroid of the members. It is computed from all members whenever they changed, so it is exact
and, as a projector, independent of their order.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from memfold.protocols import Vectors

NUMERICAL_RANK = 1e-10
"""Eigenvalues of X X^T below this share of the largest count as zero: singular values below 1e-5 of the first."""


def thin_basis(members: NDArray[np.floating], rank: int) -> Vectors:
    """The basis of members (n, d): orthonormal columns, shape (d, r), float32; shape (d, 0) when all members are zero.

    By the n x n Gram matrix when n < d, else by the d x d one: n d min(n, d) multiply-adds. The first column points to the
    centroid's side, the others have their largest component positive.
    """
    x = members.astype(np.float64)
    n, dim = x.shape
    few = n < dim
    values, vectors = np.linalg.eigh(x @ x.T if few else x.T @ x)
    values, vectors = values[::-1], vectors[:, ::-1]
    largest = values[0] if len(values) else 0.0
    kept = min(rank, int(np.count_nonzero(values > NUMERICAL_RANK * largest))) if largest > 0 else 0
    if kept == 0:
        return np.zeros((dim, 0), np.float32)
    columns = vectors[:, :kept]
    if few:
        columns = x.T @ (columns / np.sqrt(values[:kept]))
        columns, triangle = np.linalg.qr(columns)
        columns = columns * np.where(np.diag(triangle) < 0, -1.0, 1.0)
    return np.ascontiguousarray(columns * _signs(columns, x.sum(axis=0)), np.float32)


def _signs(columns: NDArray[np.float64], total: NDArray[np.float64]) -> NDArray[np.float64]:
    """What each column is multiplied by so that files can be reproduced."""
    largest = columns[np.abs(columns).argmax(axis=0), np.arange(columns.shape[1])]
    toward = float(columns[:, 0] @ total)
    if toward != 0:
        largest[0] = toward
    return np.where(largest < 0, -1.0, 1.0)
