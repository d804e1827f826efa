"""The entries of one namespace as a search sees them: places, vectors, words, and what changed since one looked last."""

from __future__ import annotations

import json
import re
from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from memfold.protocols import Mark, ShelfRows
from memfold.store.copies import copy_path
from memfold.store.sqlite import SqliteStore
from memfold.store.words import asked, phrase
from memfold.types import Entry

PAGE = 4096
"""Entries read at once."""
ASKED = 500
"""Places or ids asked for in one statement."""

_PLAIN = re.compile(r"[A-Za-z0-9_]+")
"""Names of fields that stand in a JSON path as they are."""
_ROWS = (
    "SELECT e.n, v.vector, d.sz FROM entries e LEFT JOIN vectors v ON v.n = e.n LEFT JOIN words_docsize d ON d.id = e.n "
    "WHERE (?1 IS NULL OR e.namespace = ?1)"
)


class StoredShelf:
    """A `Shelf` over a store in SQLite.

    :param namespace: whose entries; None is all.
    """

    def __init__(self, store: SqliteStore, namespace: str | None) -> None:
        self._store = store
        self._namespace = namespace

    @property
    def name(self) -> str:
        return json.dumps([self._namespace, self._store.embedder()])

    @property
    def file(self) -> Path | None:
        return copy_path(self._store.path, self.name)

    @property
    def dim(self) -> int:
        stored = self._store.embedder()
        return stored[1] if stored else 0

    @property
    def lock(self) -> AbstractContextManager[object]:
        return self._store.connection.lock

    @contextmanager
    def snapshot(self) -> Generator[None]:
        with self._store.connection.reading() as db:
            if db.in_transaction:
                yield
                return
            db.execute("BEGIN")
            try:
                yield
            finally:
                db.execute("ROLLBACK")

    def exclusive(self) -> AbstractContextManager[object]:
        return self._store.connection.writing()

    # What changed

    def mark(self) -> Mark:
        with self._store.connection.reading() as db:
            seq, token = db.execute("SELECT seq, token FROM changes ORDER BY seq DESC LIMIT 1").fetchone()
        return seq, token

    def changed(self, since: Mark) -> list[int] | None:
        with self._store.connection.reading() as db:
            if db.execute("SELECT 1 FROM changes WHERE seq = ? AND token = ?", since).fetchone() is None:
                return None
            return [n for (n,) in db.execute("SELECT DISTINCT n FROM changes WHERE seq > ? ORDER BY n", since[:1])]

    # Rows

    def count(self) -> int:
        return self._store.totals(self._namespace)[0]

    def pages(self) -> Iterator[ShelfRows]:
        last, ids = 0, "SELECT n FROM entries WHERE (?1 IS NULL OR namespace = ?1) AND n > ?2 ORDER BY n LIMIT ?3"
        while True:
            with self._store.connection.reading() as db:
                found = db.execute(f"{_ROWS} AND e.n IN ({ids}) ORDER BY e.n", (self._namespace, last, PAGE)).fetchall()
            if found:
                yield self._read(found)
            if len(found) < PAGE:
                return
            last = found[-1][0]

    def rows(self, places: Sequence[int]) -> ShelfRows:
        found: list[tuple[int, bytes | None, bytes | None]] = []
        with self._store.connection.reading() as db:
            for part in _parts(sorted(places)):
                found += db.execute(f"{_ROWS} AND e.n IN ({_marks(part)}) ORDER BY e.n", (self._namespace, *part)).fetchall()
        return self._read(found)

    def entries(self, places: Sequence[int]) -> list[Entry | None]:
        found: dict[int, Entry] = {}
        with self._store.connection.reading() as db:
            for part in _parts(places):
                for n, data in db.execute(f"SELECT n, data FROM entries WHERE n IN ({_marks(part)})", tuple(part)):
                    found[n] = Entry.from_dict(json.loads(data))
        return [found.get(place) for place in places]

    def places(self, ids: Sequence[str]) -> list[int]:
        found: list[int] = []
        where = "" if self._namespace is None else " AND namespace = ?"
        values = () if self._namespace is None else (self._namespace,)
        with self._store.connection.reading() as db:
            for part in _parts(ids):
                rows = db.execute(f"SELECT n FROM entries WHERE id IN ({_marks(part)}){where}", (*part, *values))
                found += [n for (n,) in rows]
        return sorted(found)

    def possible(self, kinds: Sequence[str], days: tuple[str, str], fields: Mapping[str, str]) -> NDArray[np.int64]:
        where, values = ["(? IS NULL OR namespace = ?)"], [self._namespace, self._namespace]
        if kinds:
            where.append(f"coalesce(json_extract(data, '$.kind'), 'fact') IN ({_marks(kinds)})")
            values += kinds
        day = "substr(coalesce(json_extract(data, '$.occurred_at'), json_extract(data, '$.created_at')), 1, 10)"
        for bound, comparison in zip(days, (">=", "<="), strict=True):
            if bound:
                where.append(f"{day} {comparison} ?")
                values.append(bound)
        for key, value in fields.items():
            if _PLAIN.fullmatch(key) and value.isascii():
                where.append(f"json_extract(data, '$.metadata.\"{key}\"') = ?")
                values.append(value)
        with self._store.connection.reading() as db:
            rows = db.execute(f"SELECT group_concat(n) FROM (SELECT n FROM entries WHERE {' AND '.join(where)} ORDER BY n)", values)
            (joined,) = rows.fetchone()
        return np.fromstring(joined or "", np.int64, sep=",")

    # Words

    def terms(self, text: str) -> list[str]:
        return asked(text)

    def postings(self, term: str) -> NDArray[np.int64]:
        with self._store.connection.reading() as db:
            (joined,) = db.execute("SELECT group_concat(rowid) FROM words WHERE words MATCH ?", (phrase(term),)).fetchone()
        return np.fromstring(joined or "", np.int64, sep=",")

    def _read(self, found: Sequence[tuple[int, bytes | None, bytes | None]]) -> ShelfRows:
        blank = bytes(2 * self.dim)
        joined = b"".join(vector or blank for _, vector, _ in found)
        return ShelfRows(
            np.array([n for n, _, _ in found], np.int64),
            np.frombuffer(joined, np.float16).reshape(len(found), self.dim).astype(np.float32),
            np.array([_number(size) for _, _, size in found], np.int32),
            np.array([vector is not None for _, vector, _ in found], np.bool_),
        )


def _number(size: bytes | None) -> int:
    """A varint, as FTS5 writes the number of words of a text."""
    value = 0
    for byte in size or b"":
        value = value << 7 | byte & 127
    return value


def _marks(part: Sequence[object]) -> str:
    return ", ".join("?" * len(part))


def _parts(items: Iterable[int] | Iterable[str]) -> Iterator[list[int] | list[str]]:
    held = list(items)
    for low in range(0, len(held), ASKED):
        yield held[low : low + ASKED]  # type: ignore[misc]
