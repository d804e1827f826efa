"""Vectors to atoms (RSM-full)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from memfold.protocols.vectors import Vector, Vectors


@dataclass(frozen=True)
class Atom:
    """A cluster of entries as RSM-full keeps it: members, their centroid, an orthonormal basis of their span.

    :param members: entry ids in the order in which they came; n = len(members) >= 1.
    :param centroid: mean of the members' vectors (unit, rounded to float16), not normalised, shape (d,), float32.
    :param basis: V, orthonormal columns, shape (d, r) with r = min(rank, n, numerical rank), float32; the first column points to the
        centroid's side (v1 . centroid >= 0). Shape (d, 0) for a clusterer that keeps none.
    """

    id: int
    members: tuple[str, ...]
    centroid: Vector
    basis: Vectors

    @property
    def summary(self) -> Vector:
        """The coefficients c = V^T centroid, shape (r,) (RSM-full, Table 14)."""
        return self.basis.T @ self.centroid


class Clusterer(Protocol):
    """Vectors to atoms, as they arrive (RSM-full, 1.3). Deterministic: ties go to the lowest atom id; ids are never given twice.

    Vectors are taken as a store holds them, rounded to float16: atoms of loaded vectors are those of the vectors when they came.
    """

    @property
    def name(self) -> str:
        """The variant with the settings that decide who is with whom: state of different names is never mixed."""
        ...

    def add(self, ids: Sequence[str], vectors: Vectors) -> list[int]:
        """Take in entries in this order, unit rows of shape (len(ids), d); returns the atom of each.

        :raises DuplicateId: an entry is here already; nothing was taken in.
        """
        ...

    def remove(self, ids: Sequence[str]) -> None:
        """These entries are gone: their atoms are as if built from the members left; an empty atom goes. Gates are not run again.

        Ids that have no atom are passed over.
        """
        ...

    def atom_of(self, id: str) -> int | None:
        """The atom of an entry; None when it has none."""
        ...

    def members(self, atom: int) -> tuple[str, ...]:
        """The entries of an atom, in the order in which they came; computes no basis.

        :raises KeyError: there is no such atom.
        """
        ...

    def numbers(self) -> Sequence[int]:
        """The ids of all atoms, ascending: the order of `atoms`, and of the rows of `leading` and `centroids`."""
        ...

    def atoms(self) -> Sequence[Atom]:
        """All atoms by ascending id. Only what changed since the last call is computed."""
        ...

    def leading(self) -> Vectors:
        """v1 of every atom as rows, shape (A, d), so that |leading() @ q| scores all atoms (RSM-full, Eq. 2).

        Where a clusterer keeps no basis, the unit centroids. Kept up to date and not to be written to.
        """
        ...

    def centroids(self) -> Vectors:
        """The unit centroid of every atom as rows, shape (A, d). Not to be written to."""
        ...


@runtime_checkable
class Restorable(Protocol):
    """A clusterer whose whole state is who is with whom, so that a store keeps one row an entry and `restore` gives the same state."""

    @property
    def next_id(self) -> int:
        """The id of the next new atom."""
        ...

    def restore(self, ids: Sequence[str], vectors: Vectors, atoms: Sequence[int], next_id: int = 0) -> None:
        """Put entries into the atoms that they were in, in this order, without running any gate.

        :raises DuplicateId: an entry is here already; nothing was taken in.
        """
        ...
