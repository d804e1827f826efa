"""What was judged: pairs that stay apart, by the contents of their entries, so that no pair is paid for twice.

A pair of contents is a 64-bit key; 4 million keys give a chance of about one in a million that any two collide, and
a collision only preserves a pair that was not judged. Keys are kept per namespace and judge: 12 bytes a pair.
"""

from __future__ import annotations

import json
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from memfold.store.connection import Connection
from memfold.types import Decision, Pair

EVERY_JUDGE = "*"
"""The judge under which a user's own word stands: such pairs are preserved whatever judge comes."""


class JudgedPairs:
    """The pairs judged in one namespace by one judge.

    :param judge: the judge's name together with whatever else the outcome depends on (guards, settings).
    """

    def __init__(self, connection: Connection, namespace: str, judge: str) -> None:
        self.connection = connection
        self.namespace = namespace
        self.judge = judge
        self._scope_id: int | None = None

    def keys(self) -> NDArray[np.int64]:
        """Sorted keys of all pairs to be passed over: this judge's, and those that the user wants apart."""
        with self.connection.reading() as db:
            rows = db.execute(
                "SELECT DISTINCT pair FROM judged JOIN scopes ON scopes.id = judged.scope WHERE namespace = ? AND judge IN (?, ?) "
                "ORDER BY pair",
                (self.namespace, self.judge, EVERY_JUDGE),
            )
            return np.fromiter((row[0] for row in rows), np.int64)

    def add(self, keys: Sequence[int]) -> None:
        """Remember pairs as preserved."""
        if keys:
            with self.connection.writing() as db:
                scope = self._scope()
                db.executemany("INSERT OR IGNORE INTO judged VALUES (?, ?)", [(scope, key) for key in keys])
                db.executemany("DELETE FROM verdicts WHERE scope = ? AND pair = ?", [(scope, key) for key in keys])

    def verdict(self, key: int) -> Decision | None:
        """A decision that was reached but not carried out yet (a preview, or a run that was cut off)."""
        with self.connection.reading() as db:
            row = db.execute(
                "SELECT decision FROM verdicts JOIN scopes ON scopes.id = verdicts.scope WHERE namespace = ? AND judge = ? AND pair = ?",
                (self.namespace, self.judge, key),
            ).fetchone()
        return Decision.from_dict(json.loads(row[0])) if row else None

    def record(self, key: int, decision: Decision) -> None:
        """Keep a decision until it is carried out."""
        with self.connection.writing() as db:
            db.execute("INSERT OR REPLACE INTO verdicts VALUES (?, ?, ?)", (self._scope(), key, json.dumps(decision.as_dict())))

    def issued(self, width: int) -> list[tuple[str, str, float, int]]:
        """The outstanding pairs of a window of this width, oldest first: two ids, cosine, key."""
        with self.connection.reading() as db:
            return db.execute(
                "SELECT a, b, cosine, pair FROM issued JOIN scopes ON scopes.id = issued.scope "
                "WHERE namespace = ? AND judge = ? AND width = ? ORDER BY place",
                (self.namespace, self.judge, width),
            ).fetchall()

    def issue(self, width: int, pair: Pair, key: int) -> None:
        """A pair is outstanding, behind the others."""
        with self.connection.writing() as db:
            row = (self._scope(), width, pair.a.id, pair.b.id, pair.cosine, key)
            db.execute("INSERT INTO issued (scope, width, a, b, cosine, pair) VALUES (?, ?, ?, ?, ?, ?)", row)

    def retire(self, pairs: Sequence[tuple[int, str, str]]) -> None:
        """Pairs (width, two ids) are outstanding no more."""
        if pairs:
            with self.connection.writing() as db:
                scope = self._scope()
                rows = [(scope, *pair) for pair in pairs]
                db.executemany("DELETE FROM issued WHERE scope = ? AND width = ? AND a = ? AND b = ?", rows)

    def settle(self, ids: Sequence[str]) -> None:
        """Entries are gone by an edit, and so is what was outstanding with them, in a window of any width."""
        with self.connection.writing() as db:
            scope = self._scope()
            db.executemany("DELETE FROM issued WHERE scope = ? AND (a = ? OR b = ?)", [(scope, id, id) for id in ids])

    def crashed(self, times: int) -> frozenset[int]:
        """Pairs during whose judgement at least so many runs died."""
        with self.connection.reading() as db:
            return frozenset(row[0] for row in db.execute("SELECT pair FROM crashes WHERE times >= ?", (times,)))

    def _scope(self) -> int:
        if self._scope_id is None:
            self._scope_id = self._new_scope()
        return self._scope_id

    def _new_scope(self) -> int:
        with self.connection.writing() as db:
            db.execute("INSERT OR IGNORE INTO scopes (namespace, judge) VALUES (?, ?)", (self.namespace, self.judge))
            return db.execute("SELECT id FROM scopes WHERE namespace = ? AND judge = ?", (self.namespace, self.judge)).fetchone()[0]
