"""Which conversations a namespace has taken in, by a hash of their content, so that none is taken in twice."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

import numpy as np

from memfold.store.sqlite import SqliteStore
from memfold.types import Entry


@dataclass(frozen=True, slots=True)
class Taken:
    """A session that is done: `stored`, or `empty`; how many entries came of it, by which model or "", and when."""

    state: str
    entries: int
    how: str
    at: datetime


class SessionLog:
    """The sessions of one namespace. The caller holds its lease."""

    def __init__(self, store: SqliteStore, namespace: str) -> None:
        self.store = store
        self.namespace = namespace

    def taken(self, key: str) -> Taken | None:
        """What became of the session with this hash; None where it was never done."""
        with self.store.connection.reading() as db:
            row = db.execute(
                "SELECT state, entries, how, at FROM sessions WHERE namespace = ? AND key = ?", (self.namespace, key)
            ).fetchone()
        return Taken(row[0], row[1], row[2], datetime.fromisoformat(row[3])) if row else None

    def take(self, key: str, entries: Sequence[Entry], vectors: np.ndarray, *, state: str, how: str, at: datetime) -> list[Entry]:
        """Store a session's entries and that it is done, in one transaction: all of it, or nothing.

        Entries whose ids are there already are passed over: a run that was cut off, or a conversation that went on, brings them again.

        :param vectors: of the entries, shape (n, dim).
        :returns: the entries that were new.
        """
        new: list[Entry] = []
        with self.store.connection.writing() as db:
            for entry, vector in zip(entries, vectors, strict=True):
                if db.execute("SELECT 1 FROM entries WHERE namespace = ? AND id = ?", (self.namespace, entry.id)).fetchone() is None:
                    self.store.insert(db, entry, vector=vector)
                    new.append(entry)
            values = (self.namespace, key, state, len(new), how, at.isoformat())
            db.execute("INSERT OR REPLACE INTO sessions VALUES (?, ?, ?, ?, ?, ?)", values)
        return new
