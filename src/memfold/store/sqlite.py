"""Entries at rest: one SQLite file (WAL), entries as JSON, vectors as float16 blobs, words in FTS5.

Growth: an entry takes its JSON, 2 bytes a vector component, and its words; nothing is loaded that is not asked for.
Several processes may work on one file: readers never wait, writers wait for each other.
"""

from __future__ import annotations

import json
import math
import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from pathlib import Path

import numpy as np

from memfold.errors import DuplicateId, EmbedderMismatch, UnknownEntry
from memfold.protocols import Vectors
from memfold.store.connection import Connection, Stamp
from memfold.store.copies import remove_copies
from memfold.store.size import entry_bytes, entry_json
from memfold.store.words import indexed, terms
from memfold.types import Entry

Row = tuple[int, str]


class SqliteStore:
    """A memory store in one file.

    :param path: the file, or ":memory:".
    :param create: make the file if it is not there; else a missing file is an error.
    :raises NotAStore: the file is something else, or is missing and `create` is off.
    """

    def __init__(self, path: str | Path, *, create: bool = True) -> None:
        self.connection = Connection(path, create=create)
        self._embedded: dict[str | None, Stamp] = {}

    @property
    def path(self) -> str:
        return self.connection.path

    def close(self) -> None:
        self.connection.close()

    # Entries

    def add(self, entries: Iterable[Entry], vectors: Vectors | None = None) -> int:
        """Store new entries in one transaction; returns how many. `vectors` has shape (n, dim).

        :raises DuplicateId: an id is taken already; nothing was stored.
        """
        count = 0
        with self.connection.writing() as db:
            for count, entry in enumerate(entries, 1):  # noqa: B007
                n = self._insert(db, entry)
                if vectors is not None:
                    _put_vector(db, n, vectors[count - 1])
        return count

    def get(self, namespace: str, id: str) -> Entry:
        """The entry with this id.

        :raises UnknownEntry: there is none in this namespace.
        """
        return self.placed(namespace, id)[1]

    def placed(self, namespace: str, id: str) -> tuple[int, Entry]:
        """The entry with this id and its place in the store.

        :raises UnknownEntry: there is none in this namespace.
        """
        with self.connection.reading() as db:
            row = db.execute("SELECT n, data FROM entries WHERE namespace = ? AND id = ?", (namespace, id)).fetchone()
        if row is None:
            raise UnknownEntry(f"no entry {id!r} in namespace {namespace!r} of {self.path}")
        return row[0], _entry(row[1])

    def entries(self, namespace: str | None = None) -> Iterator[Entry]:
        """All entries of a namespace (or of all), in the order in which they were stored; read in pages."""
        for _, data in self._rows(namespace):
            yield _entry(data)

    def update(self, entry: Entry, vector: np.ndarray | None = None, *, now: datetime | None = None) -> Entry:
        """Store a new state of an existing entry: its revision goes up, its creation time and its place stay.

        :raises UnknownEntry: there is no such entry.
        """
        with self.connection.writing() as db:
            n, old = self.placed(entry.namespace, entry.id)
            new = replace(entry, revision=old.revision + 1, created_at=old.created_at, updated_at=now or entry.updated_at)
            self.rewrite(db, n, old, new)
            if vector is not None:
                _put_vector(db, n, vector)
        return new

    def remove(self, namespace: str, ids: Sequence[str]) -> None:
        """Remove entries, links to them included, without a journal.

        :raises UnknownEntry: one is not there; nothing was removed.
        """
        with self.connection.writing() as db:
            for id in ids:
                n, old = self.placed(namespace, id)
                self.erase(db, n, old)

    def namespaces(self) -> list[str]:
        """The namespaces that hold entries, sorted."""
        with self.connection.reading() as db:
            return [row[0] for row in db.execute("SELECT DISTINCT namespace FROM entries ORDER BY namespace")]

    def totals(self, namespace: str | None = None) -> tuple[int, int]:
        """Number of entries, and their bytes (`entry_bytes`)."""
        where, values = _where(namespace)
        with self.connection.reading() as db:
            count, size = db.execute(f"SELECT count(*), coalesce(sum(bytes), 0) FROM entries{where}", values).fetchone()
        return count, size

    def revisions(self, namespace: str) -> dict[str, int]:
        """Id -> revision of every entry: what tells a run that somebody else wrote."""
        with self.connection.reading() as db:
            return dict(db.execute("SELECT id, revision FROM entries WHERE namespace = ?", (namespace,)))

    def search(self, text: str, namespace: str, *, limit: int = 10) -> list[tuple[Entry, float]]:
        """Entries with words of `text`, best first, each with the sum of log(1 + N / df) over the words that it has.

        N and df are counted in this namespace alone, so nothing of another shows, not even in a score.
        """
        scores: dict[int, float] = {}
        total, _ = self.totals(namespace)
        with self.connection.reading() as db:
            for term in terms(text):
                rows = db.execute(
                    "SELECT e.n FROM words JOIN entries e ON e.n = words.rowid WHERE words MATCH ? AND e.namespace = ?", (term, namespace)
                ).fetchall()
                for (n,) in rows:
                    scores[n] = scores.get(n, 0.0) + math.log1p(total / len(rows))
            best = sorted(scores.items(), key=lambda item: (-item[1], item[0]))[:limit]
            found = [db.execute("SELECT data FROM entries WHERE n = ?", (n,)).fetchone()[0] for n, _ in best]
        return [(_entry(data), score) for data, (_, score) in zip(found, best, strict=True)]

    # Vectors

    def embedder(self) -> tuple[str, int] | None:
        """Name and dimension of the embedder whose vectors are stored; None before the first."""
        with self.connection.reading() as db:
            row = db.execute("SELECT value FROM meta WHERE key = 'embedder'").fetchone()
        if row is None:
            return None
        name, dim = json.loads(row[0])
        return name, dim

    def set_embedder(self, name: str, dim: int, *, drop: bool = False) -> None:
        """Say whose vectors this store holds.

        :param drop: forget the vectors of another embedder, to be embedded anew.
        :raises EmbedderMismatch: the store holds vectors of another embedder, and `drop` is off.
        """
        if self.embedder() == (name, dim):
            return
        with self.connection.writing() as db:
            stored = self.embedder()
            if stored is not None and db.execute("SELECT 1 FROM vectors LIMIT 1").fetchone():
                if not drop:
                    raise EmbedderMismatch(
                        f"the vectors in {self.path} come from {stored[0]} ({stored[1]} dimensions), not from {name} ({dim}); "
                        f"open it with that embedder, or embed everything anew with --reembed"
                    )
                db.execute("DELETE FROM vectors")
            db.execute("INSERT OR REPLACE INTO meta VALUES ('embedder', ?)", (json.dumps([name, dim]),))

    def without_vector(self, namespace: str | None = None) -> Iterator[tuple[int, Entry]]:
        """Places and entries that have no vector yet; costs a pragma where there were none and nothing was written since."""
        stamp = self.connection.stamp()
        if self._embedded.get(namespace) == stamp:
            return
        complete = True
        for n, data in self._rows(namespace, " AND n NOT IN (SELECT n FROM vectors)"):
            complete = False
            yield n, _entry(data)
        if complete:
            self._embedded[namespace] = stamp

    def put_vectors(self, places: Sequence[int], vectors: Vectors) -> None:
        """Store vectors, shape (len(places), dim), of the entries at these places; those gone meanwhile are passed over."""
        with self.connection.writing() as db:
            for n, vector in zip(places, vectors, strict=True):
                if db.execute("SELECT 1 FROM entries WHERE n = ?", (n,)).fetchone():
                    _put_vector(db, n, vector)

    def load(self, namespace: str) -> tuple[list[Entry], Vectors]:
        """All entries that have a vector, in order, and the vectors: shape (n, dim), float32 holding float16 values."""
        with self.connection.reading() as db:
            rows = db.execute(
                "SELECT e.data, v.vector FROM entries e JOIN vectors v ON v.n = e.n WHERE e.namespace = ? ORDER BY e.n", (namespace,)
            ).fetchall()
        stored = self.embedder()
        vectors = np.zeros((len(rows), stored[1] if stored else 0), np.float32)
        for i, (_, blob) in enumerate(rows):
            vectors[i] = np.frombuffer(blob, np.float16)
        return [_entry(data) for data, _ in rows], vectors

    def scrub(self) -> None:
        """Rewrite the file so that nothing of what was removed is left in it, nor in its write-ahead log, nor in copies of its vectors."""
        with self.connection.writing() as db:
            db.execute("INSERT INTO words (words) VALUES ('optimize')")
        with self.connection.reading() as db:
            db.execute("VACUUM")
            db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        remove_copies(self.path)

    # Rows; each inside the caller's transaction

    def insert(self, db: sqlite3.Connection, entry: Entry, n: int | None = None, vector: np.ndarray | None = None) -> int:
        """Store an entry, at a place of its own if given (an undo)."""
        n = self._insert(db, entry, n)
        if vector is not None:
            _put_vector(db, n, vector)
        return n

    def _insert(self, db: sqlite3.Connection, entry: Entry, n: int | None = None) -> int:
        try:
            cursor = db.execute(
                "INSERT INTO entries (n, namespace, id, data, bytes, revision) VALUES (?, ?, ?, ?, ?, ?)",
                (n, entry.namespace, entry.id, _data(entry), entry_bytes(entry), entry.revision),
            )
        except sqlite3.IntegrityError as error:
            raise DuplicateId(f"the id {entry.id!r} is taken in namespace {entry.namespace!r} of {self.path}") from error
        place = cursor.lastrowid
        assert place is not None
        db.execute("INSERT INTO words (rowid, text) VALUES (?, ?)", (place, indexed(entry.text)))
        return place

    def rewrite(self, db: sqlite3.Connection, n: int, old: Entry, new: Entry) -> None:
        """Replace the entry at a place; its vector goes when the text changed."""
        values = (_data(new), entry_bytes(new), new.revision, n)
        db.execute("UPDATE entries SET data = ?, bytes = ?, revision = ? WHERE n = ?", values)
        if old.text != new.text:
            db.execute("INSERT INTO words (words, rowid, text) VALUES ('delete', ?, ?)", (n, indexed(old.text)))
            db.execute("INSERT INTO words (rowid, text) VALUES (?, ?)", (n, indexed(new.text)))
            db.execute("DELETE FROM vectors WHERE n = ?", (n,))

    def erase(self, db: sqlite3.Connection, n: int, old: Entry) -> None:
        """Remove the entry at a place."""
        db.execute("INSERT INTO words (words, rowid, text) VALUES ('delete', ?, ?)", (n, indexed(old.text)))
        db.execute("DELETE FROM entries WHERE n = ?", (n,))

    def _rows(self, namespace: str | None, condition: str = "", page: int = 1000) -> Iterator[Row]:
        where, values = _where(namespace)
        where = where or " WHERE 1"
        last = 0
        while True:
            with self.connection.reading() as db:
                rows = db.execute(
                    f"SELECT n, data FROM entries{where}{condition} AND n > ? ORDER BY n LIMIT ?", (*values, last, page)
                ).fetchall()
            yield from rows
            if len(rows) < page:
                return
            last = rows[-1][0]


def _where(namespace: str | None) -> tuple[str, tuple[str, ...]]:
    return ("", ()) if namespace is None else (" WHERE namespace = ?", (namespace,))


def _put_vector(db: sqlite3.Connection, n: int, vector: np.ndarray) -> None:
    db.execute("INSERT OR REPLACE INTO vectors VALUES (?, ?)", (n, np.asarray(vector, np.float16).tobytes()))


def _data(entry: Entry) -> str:
    """The entry's JSON; lone surrogates, which SQLite cannot hold, as escapes."""
    line = entry_json(entry)
    try:
        line.encode("utf-8")
    except UnicodeEncodeError:
        return json.dumps(entry.as_dict())
    return line


def _entry(data: str) -> Entry:
    loaded: Mapping[str, object] = json.loads(data)
    return Entry.from_dict(loaded)
