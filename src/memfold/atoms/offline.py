"""Offline k-means over everything that came so far (RAG-KMeans in RSM-full, Tables 16 to 18): what a second look could reach.

On unit vectors with normalised centroids, from seeds drawn as k-means++ does; K = max_bytes / 4d [I].
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from memfold.atoms.exact import Halves, unit_rows
from memfold.atoms.online import Gates
from memfold.atoms.partition import Partition
from memfold.config import Int8
from memfold.protocols import Atom, Vectors

ROUNDS = 50


class OfflineAtoms:
    """Implements `protocols.Clusterer`, but every `add` or `remove` is followed by clustering anew: atoms keep no id over it."""

    def __init__(self, name: str, gates: Gates, *, rank: int, int8: Int8 = "", seed: int = 0) -> None:
        self.name = name
        self._gates, self._rank, self._seed = gates, rank, seed
        self._int8: Int8 = int8
        self._held = Partition(0)
        self._made: Partition | None = None

    def add(self, ids: Sequence[str], vectors: Vectors) -> list[int]:
        self._held.put(ids, vectors)
        self._made = None
        made = self._clustered()
        return [atom for atom in map(made.atom_of, ids) if atom is not None]

    def remove(self, ids: Sequence[str]) -> None:
        self._held.remove(ids)
        self._made = None

    def atom_of(self, id: str) -> int | None:
        return self._clustered().atom_of(id)

    def members(self, atom: int) -> tuple[str, ...]:
        return self._clustered().members(atom)

    def numbers(self) -> Sequence[int]:
        return self._clustered().numbers()

    def atoms(self) -> Sequence[Atom]:
        return self._clustered().atoms()

    def leading(self) -> Vectors:
        return self._clustered().leading()

    def centroids(self) -> Vectors:
        return self._clustered().centroids()

    def _clustered(self) -> Partition:
        if self._made is None:
            self._made = Partition(self._rank, self._int8)
            ids = [id for number in self._held.numbers() for id in self._held.members(number)]
            if ids:
                exact: Halves = self._held.rows_of(ids)
                most = min(self._gates.most(exact.shape[1]), len(ids))
                found = k_means(unit_rows(exact), int(most), np.random.default_rng(self._seed))
                self._made.put(ids, exact.astype(np.float32), _numbered(found))
        return self._made


def k_means(rows: Vectors, count: int, random: np.random.Generator) -> NDArray[np.intp]:
    """The cluster of each unit row (n, d) -> (n,), at most `count` of them; a cluster that loses all its rows is given up."""
    centres = rows[_seeds(rows, count, random)]
    found = np.full(len(rows), -1, np.intp)
    for _ in range(ROUNDS):
        nearest = (rows @ centres.T).argmax(axis=1)
        if np.array_equal(nearest, found):
            break
        found = nearest
        sums = np.zeros_like(centres)
        np.add.at(sums, found, rows)
        centres = np.where(sums.any(axis=1, keepdims=True), unit_rows(sums), centres)
    return found


def _seeds(rows: Vectors, count: int, random: np.random.Generator) -> list[int]:
    """k-means++: each seed with a chance in proportion to its squared distance from those before."""
    seeds = [int(random.integers(len(rows)))]
    apart = np.maximum(1.0 - rows @ rows[seeds[0]], 0.0).astype(np.float64)
    while len(seeds) < count and apart.sum() > 0:
        seeds.append(int(random.choice(len(rows), p=apart / apart.sum())))
        apart = np.minimum(apart, np.maximum(1.0 - rows @ rows[seeds[-1]], 0.0))
    return seeds


def _numbered(found: NDArray[np.intp]) -> list[int]:
    """Clusters renamed 0, 1, … in the order in which they first appear."""
    names: dict[int, int] = {}
    return [names.setdefault(cluster, len(names)) for cluster in found.tolist()]
