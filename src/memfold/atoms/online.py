"""The write rule of RSM-full: an entry joins the atom whose centroid, or one of whose members, is similar enough.

    a = arg max_m cos(x, mu_m);            cos(x, mu_a) >= join_cosine              -> x joins a
    b = arg max_m max_{i in m} cos(x, x_i); cos(x, x_i) >= member_cosine or join's  -> x joins b
    else x is a new atom                                                     (ties: the lowest atom id)

That order is our reading [I]: the paper speaks of a cosine-gated max-member rule (abstract) and of an ablation "cent-merge" that
lacks the max-member fallback (Table 22). Atoms that an entry links are not fused [I].

With other gates the same loop is every streaming baseline of the paper, see `memfold.atoms.CLUSTERERS`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import inf

import numpy as np

from memfold.atoms.exact import Halves, member_cosines, slack, sum_cosine, unit_rows
from memfold.atoms.partition import Partition
from memfold.atoms.sketch import Sketch
from memfold.config import Int8
from memfold.protocols import Vectors

BLOCK = 64
"""Entries whose cosines with all centroids and members are computed together."""
SKETCHED = 1024
"""Rows from which on a sketch says with which of them a single entry is compared."""
FLOAT = 4


@dataclass(frozen=True, slots=True)
class Gates:
    """What lets an entry in. None leaves a comparison out; `inf` makes it fail always.

    :param at_most: when there are so many atoms, an entry joins the one with the nearest centroid. :param max_bytes: the same, 4d an atom.
    """

    centroid: float | None = None
    member: float | None = None
    at_most: int | None = None
    max_bytes: int | None = None
    max_members: int | None = None

    def most(self, dim: int) -> float:
        """How many atoms there may be; at least one."""
        by_bytes = inf if self.max_bytes is None else self.max_bytes // (FLOAT * dim)
        return max(1, min(inf if self.at_most is None else self.at_most, by_bytes))


class OnlineAtoms(Partition):
    """Atoms that grow as entries come. Implements `protocols.Clusterer` and `protocols.Restorable`.

    One entry costs a float32 product with all centroids and one with all members of atoms of two or more, at most; a quarter of
    that where a sketch rules most of them out; entries that come together share theirs. A gate, and the choice between atoms,
    is decided by exact cosines (`memfold.atoms.exact`).
    """

    def __init__(self, name: str, gates: Gates, *, rank: int, int8: Int8 = "") -> None:
        super().__init__(rank, int8, gates.max_members)
        self.name = name
        self._gates = gates

    def add(self, ids: Sequence[str], vectors: Vectors) -> list[int]:
        exact = self._take(ids, vectors)
        joined: list[int] = []
        for low in range(0, len(ids), BLOCK):
            joined += self._add_block(ids[low : low + BLOCK], exact[low : low + BLOCK])
        return joined

    def restore(self, ids: Sequence[str], vectors: Vectors, atoms: Sequence[int], next_id: int = 0) -> None:
        self.put(ids, vectors, atoms, next_id)

    def _add_block(self, ids: Sequence[str], exact: Halves) -> list[int]:
        rough = unit_rows(exact)
        if len(ids) == 1 and len(self._numbers) + len(self._crowd) >= SKETCHED and self._gates.most(self._dim) == inf:
            return [self._add_one(ids[0], exact[0], rough[0])]
        atoms = _Cosines(rough, self._toward.all, len(ids))
        crowd = _Cosines(rough, self._crowd.all if self._gates.member is not None else self._crowd.all[:0], 2 * len(ids))
        joined: list[int] = []
        for place, id in enumerate(ids):
            x, before = exact[place], len(self._crowd)
            slot = self._chosen(x, atoms.row(place), crowd.row(place))
            if slot is None:
                slot = self._begin(id, x, rough[place])
            else:
                self._join(slot, id, x)
            joined.append(self._numbers[slot])
            atoms.put(place + 1, slot, self._toward.all[slot][None])
            if self._gates.member is not None:
                crowd.put(place + 1, before, self._crowd.all[before:])
        return joined

    def _add_one(self, id: str, x: Halves, rough: Vectors) -> int:
        """As `_add_block` does, with cosines of those alone that a sketch does not rule out."""
        gate = min(gate for gate in (self._gates.centroid, self._gates.member) if gate is not None)
        near = self._atom_sketch.near(self._toward.all, self._moved, rough, gate)
        crowd = np.zeros(0, np.float32)
        if self._gates.member is not None:
            crowd = self._crowd_sketch.near(self._crowd.all, set(), rough, self._gates.member)
        slot = self._chosen(x, near, crowd)
        if slot is None:
            slot = self._begin(id, x, rough)
        else:
            self._join(slot, id, x)
        return self._numbers[slot]

    def _touch(self, slots: Iterable[int]) -> None:
        touched = list(slots)
        super()._touch(touched)
        self._moved.update(touched)

    def _clear(self, dim: int) -> None:
        super()._clear(dim)
        self._moved: set[int] = set()
        self._atom_sketch, self._crowd_sketch = Sketch(dim), Sketch(dim)

    def _chosen(self, x: Halves, near: Vectors, crowd: Vectors) -> int | None:
        """The slot that an entry joins, given its rough cosines with all centroids and with the crowd; None for a new atom."""
        slot = None
        if self._gates.centroid is not None and self._gates.centroid < inf:
            slot = self._by_centroid(x, near, self._gates.centroid)
        if slot is None and self._gates.member is not None:
            slot = self._by_member(x, near, crowd, self._gates.member)
        if slot is None and len(self._slot_of) >= self._gates.most(len(x)):
            slot = self._by_centroid(x, near, -inf)
            slot = self._by_centroid(x, near, -inf, full=True) if slot is None else slot
        return slot

    def _by_centroid(self, x: Halves, near: Vectors, gate: float, *, full: bool = False) -> int | None:
        """The atom of the nearest centroid, if it passes the gate; also one that is full, if `full`."""
        if not len(near):
            return None
        near = near + (self._emptied() if full else self._closed.all)
        top, error = float(near.max()), slack(len(x))
        if top < gate - error or top < -2:
            return None
        close: list[int] = np.flatnonzero(near >= top - 2 * error).tolist()
        if len(close) == 1 and top >= gate + error:
            return close[0]
        cosine, minus = max((sum_cosine(self._total(slot), x), -slot) for slot in close)
        return -minus if cosine >= gate else None

    def _by_member(self, x: Halves, near: Vectors, crowd: Vectors, gate: float) -> int | None:
        """The atom of the most similar member: one of the crowd, or an atom of one, which is its centroid."""
        crowd, error = crowd + self._crowd_closed.all, slack(len(x))
        single = near + self._closed.all + self._crowded.all
        top = max(float(crowd.max(initial=-4)), float(single.max(initial=-4)))
        if top < gate - error:
            return None
        rows: list[int] = self._crowd_rows.all[crowd >= top - 2 * error].tolist()
        rows += [self._rows[slot][0] for slot in np.flatnonzero(single >= top - 2 * error).tolist()]
        cosines = member_cosines(self._exact.all[rows], x)
        best = float(cosines.max())
        return min(self._slots[rows[i]] for i in np.flatnonzero(cosines == best).tolist()) if best >= gate else None


class _Cosines:
    """Rough cosines of the entries of a block with rows that grow meanwhile.

    :param more: rows that may come while the block is taken in.
    """

    def __init__(self, block: Vectors, rows: Vectors, more: int) -> None:
        self._block = block
        self._size = len(rows)
        self._all = np.empty((len(block), len(rows) + more), np.float32)
        if len(block) == 1:
            self._all[0, : len(rows)] = rows @ block[0]
        else:
            np.matmul(block, rows.T, out=self._all[:, : len(rows)])

    def row(self, place: int) -> Vectors:
        """Those of one entry, shape (rows so far,)."""
        return self._all[place, : self._size]

    def put(self, place: int, low: int, rows: Vectors) -> None:
        """These rows stand at `low` and behind from now on, for the entries from `place` on."""
        self._size = max(self._size, low + len(rows))
        if place < len(self._block):
            self._all[place:, low : low + len(rows)] = self._block[place:] @ rows.T
