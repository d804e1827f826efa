"""Atoms at rest: one row an entry that says which atom it is in, beside the vectors, which hold all the rest.

A row belongs to a vector and goes with it: what is removed, edited or forgotten has left its atom in the same transaction,
whoever did it. Centroids and bases are never stored; they are computed from the vectors when they are asked for, to the
same bits.

State is kept by namespace, clusterer (with the settings that decide who joins whom) and embedder, and never mixed.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TypeVar

import numpy as np

from memfold.protocols import Clusterer, Restorable, Vectors
from memfold.store.connection import Stamp
from memfold.store.sqlite import SqliteStore
from memfold.types import Entry

PAGE = 4096
"""Entries whose vectors are read at once."""
ASKED = 500
"""Places asked for in one statement."""
Item = TypeVar("Item")


@dataclass(frozen=True, slots=True)
class _Member:
    """A row: where its entry stands in the store, the entry's id, and the atom."""

    n: int
    id: str
    atom: int


class StoredAtoms:
    """The atoms of one namespace, kept in step with its entries.

    :param make: gives an empty clusterer, for example `lambda: open_clusterer("rsm")`. One that is not `Restorable` leaves nothing in the
        store and is fed all entries anew after any change that did not come through `add`.
    """

    def __init__(self, store: SqliteStore, namespace: str, make: Callable[[], Clusterer]) -> None:
        self.store = store
        self.namespace = namespace
        self._make = make
        self._reset()

    def current(self) -> Clusterer:
        """The clusterer, in step with the store: what is gone or changed has left its atom, what is new has joined one.

        Costs two pragmas when nothing was written since the last call. Else it reads a few numbers of every member, and the
        vectors of those that are new to this object. Threads that share a store hold `connection.lock` while they use it.
        """
        with self.store.connection.lock:
            stamp = self.store.connection.stamp()
            if self._stamp != stamp:
                self._stamp = None
                self._refresh()
                self._stamp = stamp[0], self.store.connection.db.total_changes  # what others wrote meanwhile is still to be seen
            return self._clusterer

    def add(self, entries: Sequence[Entry], vectors: Vectors) -> list[int]:
        """Store new entries of this namespace with their vectors, shape (n, dim), and let them join atoms, in one transaction.

        :returns: the atom of each.
        :raises DuplicateId: an id is taken; nothing was stored.
        """
        connection = self.store.connection
        with connection.lock:
            nested = connection.db.in_transaction
            try:
                with connection.writing() as db:
                    clusterer = self.current()
                    places = [self.store.insert(db, entry, vector=vector) for entry, vector in zip(entries, vectors, strict=True)]
                    atoms = self._join(db, clusterer, places, [entry.id for entry in entries], vectors)
                    stamp = connection.stamp()
            except BaseException:
                self._reset()
                raise
            self._stamp = None if nested else stamp  # the outer transaction may yet be rolled back
            return atoms

    def drop(self) -> None:
        """Forget who is with whom: at the next `current` all entries join anew, in the order in which they were stored."""
        with self.store.connection.writing() as db:
            db.execute("DELETE FROM clusterings WHERE namespace = ? AND clusterer = ? AND embedder = ?", self._key())
        self._reset()

    # In step with the store

    def _reset(self) -> None:
        self._clusterer = self._make()
        self._members: dict[int, _Member] = {}
        self._stamp: Stamp | None = None

    def _refresh(self) -> None:
        if not isinstance(self._clusterer, Restorable):
            self._feed()
            return
        with self._snapshot() as db:
            self._follow(db)
            complete = next(self._without_atom(db), None) is None
        if not complete:
            with self.store.connection.writing() as db:
                self._follow(db)  # another process may have been first
                for page in _paged(self._without_atom(db)):
                    places, ids = [n for n, _ in page], [id for _, id in page]
                    self._join(db, self._clusterer, places, ids, self._vectors(db, places))

    def _follow(self, db: sqlite3.Connection) -> None:
        """Let leave what has no row any more, and put in place what others let join."""
        clusterer = self._clusterer
        assert isinstance(clusterer, Restorable)
        rows = db.execute(
            "SELECT m.place, m.n, e.id, m.atom FROM clusterings c JOIN atom_members m ON m.clustering = c.id JOIN entries e ON e.n = m.n "
            "WHERE c.namespace = ? AND c.clusterer = ? AND c.embedder = ? ORDER BY m.place",
            self._key(),
        )
        stored = {place: _Member(n, id, atom) for place, n, id, atom in rows}
        gone = [place for place, member in self._members.items() if stored.get(place) != member]
        clusterer.remove([self._members.pop(place).id for place in gone])
        new = [place for place in stored if place not in self._members]
        next_atom = self._counters(db)[1]
        for page in _paged(new):
            members = [stored[place] for place in page]
            vectors = self._vectors(db, [member.n for member in members])
            clusterer.restore([member.id for member in members], vectors, [member.atom for member in members], next_atom)
        self._members = stored

    def _feed(self) -> None:
        """A clusterer whose state is more than who is with whom sees all entries anew."""
        self._reset()
        with self._snapshot() as db:
            for page in _paged(self._without_atom(db)):
                places = [n for n, _ in page]
                self._clusterer.add([id for _, id in page], self._vectors(db, places))

    def _join(self, db: sqlite3.Connection, clusterer: Clusterer, places: Sequence[int], ids: Sequence[str], vectors: Vectors) -> list[int]:
        """Let entries join atoms, and write that down; inside the caller's transaction."""
        atoms = clusterer.add(ids, vectors)
        if isinstance(clusterer, Restorable) and ids:
            db.execute("INSERT OR IGNORE INTO clusterings VALUES (NULL, ?, ?, ?, 0, 0)", self._key())
            clustering, _, first = self._counters(db)
            rows = list(zip(range(first, first + len(ids)), places, atoms, strict=True))
            db.executemany("INSERT INTO atom_members VALUES (?, ?, ?, ?)", [(clustering, *row) for row in rows])
            values = (clusterer.next_id, first + len(ids), clustering)
            db.execute("UPDATE clusterings SET next_atom = ?, next_place = ? WHERE id = ?", values)
            self._members |= {place: _Member(n, id, atom) for (place, n, atom), id in zip(rows, ids, strict=True)}
        return atoms

    # Rows

    @contextmanager
    def _snapshot(self) -> Generator[sqlite3.Connection]:
        """Statements that see one state of the store, whatever others commit meanwhile."""
        with self.store.connection.reading() as db:
            if db.in_transaction:
                yield db
                return
            db.execute("BEGIN")
            try:
                yield db
            finally:
                db.execute("ROLLBACK")

    def _key(self) -> tuple[str, str, str]:
        return self.namespace, self._clusterer.name, json.dumps(self.store.embedder(), ensure_ascii=False)

    def _counters(self, db: sqlite3.Connection) -> tuple[int, int, int]:
        """Id of the clustering, next atom, next place; zeros where there is none yet."""
        asked = "SELECT id, next_atom, next_place FROM clusterings WHERE namespace = ? AND clusterer = ? AND embedder = ?"
        return db.execute(asked, self._key()).fetchone() or (0, 0, 0)

    def _without_atom(self, db: sqlite3.Connection) -> Iterator[tuple[int, str]]:
        """Places and ids of entries that have a vector and no row, in the order of the store."""
        rows = db.execute(
            "SELECT e.n, e.id FROM entries e WHERE e.namespace = ? AND EXISTS (SELECT 1 FROM vectors v WHERE v.n = e.n) "
            "AND NOT EXISTS (SELECT 1 FROM atom_members m WHERE m.n = e.n AND m.clustering = ?) ORDER BY e.n",
            (self.namespace, self._counters(db)[0]),
        )
        yield from rows.fetchall()

    def _vectors(self, db: sqlite3.Connection, places: Sequence[int]) -> Vectors:
        """The vectors at these places, shape (len(places), dim), float32 holding float16 values."""
        found: dict[int, bytes] = {}
        for low in range(0, len(places), ASKED):
            part = places[low : low + ASKED]
            found |= dict(db.execute(f"SELECT n, vector FROM vectors WHERE n IN ({', '.join('?' * len(part))})", part))
        joined = b"".join(found[n] for n in places)
        return np.frombuffer(joined, np.float16).reshape(len(places), -1).astype(np.float32)


def _paged(items: Iterable[Item]) -> Iterator[list[Item]]:
    held = list(items)
    for low in range(0, len(held), PAGE):
        yield held[low : low + PAGE]
