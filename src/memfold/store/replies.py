"""Replies of language models, remembered in the store's own file, so that nothing is paid for twice and `forget` reaches them.

A reply stands under a hash of the model's name and of what was asked: what was asked is not kept.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from memfold.store.connection import Connection

_ESCAPED = re.compile(r"\\u([0-9a-fA-F]{4})")


class StoredReplies:
    """A `protocols.ReplyCache` in the table `replies`. Each `put` is committed at once."""

    def __init__(self, connection: Connection) -> None:
        self.connection = connection

    def __len__(self) -> int:
        with self.connection.reading() as db:
            return int(db.execute("SELECT count(*) FROM replies").fetchone()[0])

    def get(self, key: str) -> str | None:
        with self.connection.reading() as db:
            row = db.execute("SELECT reply FROM replies WHERE key = ?", (key,)).fetchone()
        return None if row is None else bytes(row[0]).decode("utf-8", "surrogatepass")

    def put(self, key: str, reply: str) -> None:
        """Remember a reply.

        :raises StoreFull: the disk took no more.
        """
        with self.connection.writing() as db:
            db.execute("INSERT OR REPLACE INTO replies VALUES (?, ?)", (key, reply.encode("utf-8", "surrogatepass")))

    def purge(self, holds: Callable[[str], bool]) -> int:
        """Forget every reply that `holds` is true of, however JSON escaped it; returns how many. `SqliteStore.scrub` clears the file."""
        with self.connection.writing() as db:
            rows = db.execute("SELECT key, reply FROM replies").fetchall()
            told = ((key, bytes(reply).decode("utf-8", "surrogatepass")) for key, reply in rows)
            gone = [key for key, reply in told if holds(reply) or holds(_unescaped(reply))]
            db.executemany("DELETE FROM replies WHERE key = ?", [(key,) for key in gone])
        return len(gone)

    def drop(self) -> int:
        """Forget all replies; returns how many. What was judged stays judged, but what is asked again is paid for again."""
        with self.connection.writing() as db:
            return db.execute("DELETE FROM replies").rowcount


def _unescaped(reply: str) -> str:
    """The reply with JSON's escapes undone, well enough to find words in it."""
    joined = _ESCAPED.sub(lambda match: chr(int(match[1], 16)), reply)
    joined = joined.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return re.sub(r"\\(.)", r"\1", joined)
