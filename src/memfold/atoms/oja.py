"""Oja's rule: one subspace that follows the stream, no atoms (RSM-full, Table 2).

    V <- qr(V + eta_t x (x^T V)),   eta_t = min(1, RATE / t)

Entries are then scored in the subspace, (x^T V)(V^T q). One subspace, the rate and the start are our reading [I].
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from memfold.atoms.exact import unit_rows
from memfold.atoms.partition import Partition
from memfold.protocols import Atom, Vectors

RATE = 10.0


class OjaSubspace:
    """Implements `protocols.Clusterer` with one atom, 0, that holds everything and whose basis is the subspace.

    What was learnt cannot be taken back piecemeal: after `remove` the subspace is learnt anew from what is left, in its order.
    """

    def __init__(self, name: str, *, rank: int, seed: int = 0) -> None:
        self.name = name
        self._rank, self._seed = rank, seed
        self._held = Partition(0)
        self._subspace: NDArray[np.float64] | None = None
        self._seen = 0

    def add(self, ids: Sequence[str], vectors: Vectors) -> list[int]:
        start = len(self._held)
        self._held.put(ids, vectors, [0] * len(ids))
        if self._subspace is not None or not start:
            self._learn(self._held.rows_of(ids))
        return [0] * len(ids)

    def remove(self, ids: Sequence[str]) -> None:
        self._held.remove(ids)
        self._subspace, self._seen = None, 0

    def atom_of(self, id: str) -> int | None:
        return self._held.atom_of(id)

    def members(self, atom: int) -> tuple[str, ...]:
        return self._held.members(atom)

    def numbers(self) -> Sequence[int]:
        return self._held.numbers()

    def atoms(self) -> Sequence[Atom]:
        return [Atom(atom.id, atom.members, atom.centroid, self._basis(atom)) for atom in self._held.atoms()]

    def leading(self) -> Vectors:
        return np.array([atom.basis[:, 0] for atom in self.atoms()], np.float32) if self.numbers() else self.centroids()

    def centroids(self) -> Vectors:
        return self._held.centroids()

    def _basis(self, atom: Atom) -> Vectors:
        if self._subspace is None:
            self._learn(self._held.rows_of(atom.members))
        assert self._subspace is not None
        toward = np.where(self._subspace.T @ atom.centroid < 0, -1.0, 1.0)
        return (self._subspace * toward).astype(np.float32)

    def _learn(self, exact: NDArray[np.float16]) -> None:
        for x in unit_rows(exact).astype(np.float64):
            if self._subspace is None:
                start = np.random.default_rng(self._seed).standard_normal((len(x), min(self._rank, len(x))))
                self._subspace = np.linalg.qr(start)[0]
            self._seen += 1
            step = min(1.0, RATE / self._seen)
            self._subspace = np.linalg.qr(self._subspace + step * np.outer(x, x @ self._subspace))[0]
