"""Who is with whom, and each atom's centroid and basis: the state that all clusterers share, without any gate.

Of every entry the vector is kept in float16 (2d bytes, the paper's uncharged write-side buffer), of every atom its unit centroid in
float32; members of atoms with two or more also stand as float32 rows, the "crowd", since an atom of one is its centroid. What
`leading` and `atoms` give is computed when it is asked for, and only for atoms that changed. All of it grows linearly.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from memfold.atoms.basis import thin_basis
from memfold.atoms.exact import CHUNK, Halves, Sum, quantise, unit_rows
from memfold.atoms.int8 import Int8Columns
from memfold.atoms.rows import Rows
from memfold.config import Int8
from memfold.errors import DuplicateId
from memfold.protocols import Atom, Vectors

GONE = np.float32(-4.0)
"""Added to the cosine of what takes no member: brings it below any gate."""


class Partition:
    """Entries in atoms. An atom has a slot, entries have rows; both in the order in which they came.

    :param rank: columns of a basis at most; 0 for none. :param int8: what is stored in 8 bits.
    :param max_members: an atom with so many is closed. None: never.
    """

    def __init__(self, rank: int, int8: Int8 = "", max_members: int | None = None) -> None:
        self._rank = rank
        self._int8: Int8 = int8
        self._max_members = max_members
        self._next = 0
        self._bases: dict[int, Vectors] = {}
        self._dim = 0
        self._clear(0)

    def _clear(self, dim: int) -> None:
        self._ids: list[str] = []
        self._row_of: dict[str, int] = {}
        self._slots: list[int] = []  # of each row; -1 for a row that is gone
        self._exact = Rows((dim,), np.float16)
        self._numbers: list[int] = []  # of each slot: the atom's id
        self._slot_of: dict[int, int] = {}
        self._rows: list[list[int]] = []
        self._sums: dict[int, Sum] = {}  # of slots with two members or more
        self._toward = Rows((dim,), np.float32)
        self._closed = Rows((), np.float32)
        self._crowded = Rows((), np.float32)
        self._crowd = Rows((dim,), np.float32)
        self._crowd_rows = Rows((), np.intp)
        self._crowd_closed = Rows((), np.float32)
        self._crowd_place: dict[int, int] = {}
        self._leading = Rows((dim,), np.float32)
        self._stale: set[int] = set()
        self._scored: Vectors | None = None  # what `leading` gave last
        self._empty = 0

    # What is asked

    @property
    def next_id(self) -> int:
        return self._next

    def __len__(self) -> int:
        """How many entries are in atoms."""
        return len(self._row_of)

    def atom_of(self, id: str) -> int | None:
        row = self._row_of.get(id)
        return None if row is None else self._numbers[self._slots[row]]

    def members(self, atom: int) -> tuple[str, ...]:
        return tuple(self._ids[row] for row in self._rows[self._slot_of[atom]])

    def numbers(self) -> Sequence[int]:
        self._close_gaps()
        return tuple(self._numbers)

    def atoms(self) -> Sequence[Atom]:
        self._close_gaps()
        return [Atom(number, self.members(number), self._centroid(slot), self._basis(slot)) for slot, number in enumerate(self._numbers)]

    def leading(self) -> Vectors:
        if self._rank == 0:
            return self.centroids()
        if self._scored is not None and not self._stale and not self._empty:
            return self._scored
        self._close_gaps()
        self._leading.append(self._toward.all[len(self._leading) :])
        for slot in self._stale:
            basis = self._basis(slot)
            self._leading.all[slot] = basis[:, 0] if basis.shape[1] else 0.0
        self._stale.clear()
        self._scored = _locked(self._leading.all)
        return self._scored

    def centroids(self) -> Vectors:
        self._close_gaps()
        if self._int8 != "all":
            return _locked(self._toward.all)
        return np.ascontiguousarray(Int8Columns.of(self._toward.all.T).unit_floats().T)

    def _centroid(self, slot: int) -> Vectors:
        mean = (self._total(slot) / len(self._rows[slot])).astype(np.float32)
        return Int8Columns.of(mean[:, None]).floats()[:, 0] if self._int8 == "all" else mean

    def _basis(self, slot: int) -> Vectors:
        number, dim = self._numbers[slot], self._toward.all.shape[1]
        if self._rank == 0:
            return np.zeros((dim, 0), np.float32)
        if number not in self._bases:
            rows = self._rows[slot]
            if len(rows) == 1:
                basis = self._toward.all[slot][:, None] if self._toward.all[slot].any() else np.zeros((dim, 0), np.float32)
            else:
                basis = thin_basis(self._exact.all[rows], self._rank)
            basis = Int8Columns.of(basis).unit_floats() if self._int8 else basis
            if len(rows) == 1:
                return basis  # as cheap to make as to keep
            self._bases[number] = basis
        return self._bases[number]

    def _total(self, slot: int) -> Sum:
        rows = self._rows[slot]
        return self._sums[slot] if len(rows) > 1 else self._exact.all[rows[0]].astype(np.float64)

    # What comes

    def _take(self, ids: Sequence[str], vectors: Vectors) -> Halves:
        """Check what is to come, and quantise it.

        :raises DuplicateId: an id is here already, or comes twice. :raises ValueError: not one row of the right length for each id.
        """
        if len(ids) != len(vectors):
            raise ValueError(f"{len(ids)} ids but {len(vectors)} vectors")
        repeated = [id for id, times in Counter(ids).items() if times > 1 or id in self._row_of]
        if repeated:
            raise DuplicateId(f"{', '.join(map(repr, islice(repeated, 5)))}: in an atom already")
        exact = quantise(vectors)
        if len(ids):
            if not self._row_of and self._dim != exact.shape[1]:
                self._dim = int(exact.shape[1])
                self._clear(self._dim)
            if exact.shape[1] != self._dim:
                raise ValueError(f"vectors of length {exact.shape[1]} among such of length {self._dim}")
            if not np.isfinite(exact).all():
                raise ValueError("a vector has a component that is no number")
        if 8 * len(self._row_of) < 7 * len(self._ids):
            self._compact()
        return exact

    def _append(self, ids: Sequence[str], exact: Halves, slots: Sequence[int]) -> None:
        for row, id in enumerate(ids, len(self._ids)):
            self._row_of[id] = row
        self._ids.extend(ids)
        self._slots.extend(slots)
        self._exact.append(exact)

    def _begin(self, id: str, x: Halves, toward: Vectors) -> int:
        """An entry is an atom of its own; returns the slot."""
        slot = self._open(self._next, toward)
        self._next += 1
        self._rows[slot].append(len(self._ids))
        self._append([id], x[None], [slot])
        self._update_closed(slot)
        return slot

    def _open(self, number: int, toward: Vectors) -> int:
        slot = len(self._numbers)
        self._numbers.append(number)
        self._slot_of[number] = slot
        self._rows.append([])
        self._toward.append(toward[None])
        self._closed.append(np.zeros(1, np.float32))
        self._crowded.append(np.zeros(1, np.float32))
        self._touch([slot])
        return slot

    def _join(self, slot: int, id: str, x: Halves) -> None:
        """An entry is the newest member of an atom."""
        rows, row = self._rows[slot], len(self._ids)
        self._sums[slot] = self._total(slot) + x.astype(np.float64)
        self._append([id], x[None], [slot])
        rows.append(row)
        self._settle(slot)
        self._enter_crowd(rows if len(rows) == 2 else [row])
        self._update_closed(slot)

    def _enter_crowd(self, rows: Sequence[int]) -> None:
        new = [row for row in rows if row not in self._crowd_place]
        for place, row in enumerate(new, len(self._crowd)):
            self._crowd_place[row] = place
        self._crowd.append(unit_rows(self._exact.all[new]))
        self._crowd_rows.append(np.array(new, np.intp))
        self._crowd_closed.append(np.zeros(len(new), np.float32))

    def _settle(self, slot: int) -> None:
        """The members of an atom changed, and so its centroid and its basis."""
        self._toward.all[slot] = unit_rows(self._total(slot)[None])[0]
        self._crowded.all[slot] = GONE if len(self._rows[slot]) > 1 else 0.0
        self._bases.pop(self._numbers[slot], None)
        self._touch([slot])

    def _touch(self, slots: Iterable[int]) -> None:
        """The bases at these slots are to be computed anew when they are asked for."""
        self._stale.update(slots)

    def _update_closed(self, slot: int) -> None:
        """An atom that is empty or full takes no more."""
        rows = self._rows[slot]
        full = self._max_members is not None and len(rows) >= self._max_members
        state = GONE if full or not rows else np.float32(0.0)
        if full or self._closed.all[slot] != state:
            self._closed.all[slot] = state
            self._crowd_closed.all[[self._crowd_place[row] for row in rows if row in self._crowd_place]] = state

    def put(self, ids: Sequence[str], vectors: Vectors, atoms: Sequence[int] | None = None, next_id: int = 0) -> None:
        """Put entries into given atoms in this order, without a gate; each into one of its own, if none are given.

        :raises DuplicateId: an entry is here already; nothing was taken in.
        """
        exact = self._take(ids, vectors)
        atoms = range(self._next, self._next + len(ids)) if atoms is None else atoms
        if len(atoms) != len(ids):
            raise ValueError(f"{len(ids)} ids but {len(atoms)} atoms")
        if ids:
            self._put(ids, exact, atoms)
        self._next = max(self._next, next_id, *(number + 1 for number in self._numbers[-1:]))

    def _emptied(self) -> Vectors:
        """GONE for every slot that lost its atom, else 0; shape (slots,)."""
        return np.where([bool(rows) for rows in self._rows], np.float32(0), GONE)

    def _put(self, ids: Sequence[str], exact: Halves, atoms: Sequence[int]) -> None:
        new = sorted(set(atoms) - self._slot_of.keys())
        if new and self._numbers and new[0] < self._numbers[-1]:  # slots stand in the order of the atoms' ids
            self._rebuild(ids, exact, atoms)
        else:
            for number in new:
                self._open(number, np.zeros(self._dim, np.float32))
            self._place(ids, exact, [self._slot_of[atom] for atom in atoms])

    def _place(self, ids: Sequence[str], exact: Halves, slots: Sequence[int]) -> None:
        touched = dict.fromkeys(slots)
        for row, slot in enumerate(slots, len(self._ids)):
            self._rows[slot].append(row)
        self._append(ids, exact, slots)
        shared = [slot for slot in touched if len(self._rows[slot]) > 1]
        for slot in shared:
            self._sums[slot] = self._exact.all[self._rows[slot]].sum(axis=0, dtype=np.float64)
            self._bases.pop(self._numbers[slot], None)
        self._enter_crowd(sorted(row for slot in shared for row in self._rows[slot]))
        self._crowded.all[shared] = GONE
        for low in range(0, len(shared), CHUNK):
            part = shared[low : low + CHUNK]
            self._toward.all[part] = unit_rows(np.array([self._sums[slot] for slot in part]))
        alone = [slot for slot in touched if len(self._rows[slot]) == 1]
        self._toward.all[alone] = unit_rows(self._exact.all[[self._rows[slot][0] for slot in alone]])
        self._touch(touched)
        if self._max_members is not None:
            for slot in touched:
                self._update_closed(slot)

    # What goes

    def remove(self, ids: Sequence[str]) -> None:
        for id in ids:
            row = self._row_of.pop(id, None)
            if row is None:
                continue
            slot, self._slots[row] = self._slots[row], -1
            rows = self._rows[slot]
            rows.remove(row)
            if row in self._crowd_place:
                self._crowd_closed.all[self._crowd_place.pop(row)] = GONE
            if len(rows) > 1:
                self._sums[slot] = self._sums[slot] - self._exact.all[row]
            else:
                self._sums.pop(slot, None)
            self._exact.all[row] = 0  # of what is forgotten nothing stays in memory either
            if rows:
                self._settle(slot)
            else:
                self._vanish(slot)
            self._update_closed(slot)

    def _vanish(self, slot: int) -> None:
        del self._slot_of[self._numbers[slot]]
        self._bases.pop(self._numbers[slot], None)
        self._toward.all[slot] = 0
        self._stale.discard(slot)
        self._empty += 1

    def _close_gaps(self) -> None:
        """Give up the slots of atoms that are gone, so that rows of matrices and ids of atoms match."""
        if self._empty:
            self._compact()

    def _compact(self) -> None:
        self._rebuild([], self._exact.all[:0], [])

    def _rebuild(self, ids: Sequence[str], exact: Halves, atoms: Sequence[int]) -> None:
        """Write everything anew without gaps, with further entries at the end."""
        living = [row for row, slot in enumerate(self._slots) if slot >= 0]
        all_ids = [*(self._ids[row] for row in living), *ids]
        numbers = [*(self._numbers[self._slots[row]] for row in living), *atoms]
        halves: Halves = np.concatenate([self._exact.all[living], exact])
        untouched = {number: basis for number, basis in self._bases.items() if number not in set(atoms)}
        self._clear(self._dim)
        for number in sorted(set(numbers)):
            self._open(number, np.zeros(self._dim, np.float32))
        self._place(all_ids, halves, [self._slot_of[number] for number in numbers])
        self._bases = untouched

    def rows_of(self, ids: Iterable[str]) -> NDArray[np.float16]:
        """The vectors of entries as they are held, shape (n, d).

        :raises KeyError: one has no atom.
        """
        return self._exact.all[[self._row_of[id] for id in ids]]


def _locked(array: Vectors) -> Vectors:
    view = array.view()
    view.flags.writeable = False
    return view
