"""Algorithm E: the gate looks at how much of an entry lies in an atom's subspace (RSM-full, Table 11).

    g_m(x) = |V_m^T x|,   x a unit vector;   the largest g_m >= join_cosine joins, else x is a new atom

That reading of "subspace-projected" is ours [I]. While an atom has no more members than columns all of them lie in its subspace, so
g_m(x) >= max_i |cos(x, x_i)|: it lets in all that the comparison with members does.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from memfold.atoms.exact import slack, unit_rows
from memfold.atoms.online import Gates
from memfold.atoms.partition import Partition
from memfold.atoms.rows import Rows
from memfold.config import Int8
from memfold.protocols import Vectors


class ProjectedAtoms(Partition):
    """Implements `protocols.Clusterer` and `protocols.Restorable`.

    The bases come from LAPACK in float32, so here a gate is decided to within `slack` only: in favour of joining, and between
    atoms that are closer than that, for the lower id. One entry costs a product with all columns of all bases, and the basis of
    the atom that it joins.
    """

    def __init__(self, name: str, gates: Gates, *, rank: int, int8: Int8 = "") -> None:
        super().__init__(max(rank, 1), int8, gates.max_members)
        self.name = name
        self._gates = gates
        self._stack = Rows((max(rank, 1), 0), np.float32)
        self._changed: set[int] = set()

    def add(self, ids: Sequence[str], vectors: Vectors) -> list[int]:
        exact = self._take(ids, vectors)
        rough = unit_rows(exact)
        joined: list[int] = []
        for id, x, unit in zip(ids, exact, rough, strict=True):
            slot = self._chosen(unit)
            if slot is None:
                slot = self._begin(id, x, unit)
            else:
                self._join(slot, id, x)
            joined.append(self._numbers[slot])
        return joined

    def restore(self, ids: Sequence[str], vectors: Vectors, atoms: Sequence[int], next_id: int = 0) -> None:
        self.put(ids, vectors, atoms, next_id)

    def _chosen(self, unit: Vectors) -> int | None:
        stack, count = self._bases_of_all(), len(self._numbers)
        if not count:
            return None
        inside = (stack.reshape(count * self._rank, -1) @ unit).reshape(count, self._rank)
        lengths, error = np.sqrt(np.einsum("ij,ij->i", inside, inside)), slack(len(unit))
        shares, gate = lengths + self._closed.all, self._gates.centroid or 0.0
        if float(shares.max()) < gate - error:
            if len(self._slot_of) < self._gates.most(len(unit)):
                return None
            shares = shares if float(shares.max()) > -1 else lengths + self._emptied()
        return int(np.flatnonzero(shares >= float(shares.max()) - error)[0])

    def _bases_of_all(self) -> Vectors:
        """The columns of all bases as rows, shape (slots, rank, d), zero where an atom has fewer; kept up to date."""
        dim = self._toward.all.shape[1]
        if self._stack.all.shape[2] != dim or len(self._stack) > len(self._numbers):
            self._stack = Rows((self._rank, dim), np.float32)
            self._changed = set(range(len(self._numbers)))
        self._stack.append(np.zeros((len(self._numbers) - len(self._stack), self._rank, dim), np.float32))
        for slot in self._changed:
            basis = self._basis(slot) if self._rows[slot] else np.zeros((dim, 0), np.float32)
            self._stack.all[slot] = 0
            self._stack.all[slot, : basis.shape[1]] = basis.T
        self._changed.clear()
        return self._stack.all

    def _touch(self, slots: Iterable[int]) -> None:
        touched = list(slots)
        super()._touch(touched)
        self._changed.update(touched)

    def _vanish(self, slot: int) -> None:
        super()._vanish(slot)
        self._changed.add(slot)

    def _clear(self, dim: int) -> None:
        super()._clear(dim)
        self._stack = Rows((self._rank, dim), np.float32)
        self._changed = set()
