"""The database's form, as numbered steps; each is applied in one transaction and never edited afterwards."""

from __future__ import annotations

import json
import sqlite3

from memfold.errors import NotAStore
from memfold.store.words import indexed

APPLICATION_ID = 0x4D464C44
"""Marks a SQLite file as Memfold's ("MFLD")."""

MIGRATIONS: tuple[tuple[str, ...], ...] = (
    (
        "CREATE TABLE meta (key TEXT PRIMARY KEY, value) WITHOUT ROWID",
        # An entry is its JSON, exactly as exported and measured. `n` is its place in the store, never given twice.
        """CREATE TABLE entries (
            n INTEGER PRIMARY KEY AUTOINCREMENT, namespace TEXT NOT NULL, id TEXT NOT NULL, data TEXT NOT NULL,
            bytes INTEGER NOT NULL, revision INTEGER NOT NULL, UNIQUE (namespace, id))""",
        "CREATE TABLE vectors (n INTEGER PRIMARY KEY REFERENCES entries (n) ON DELETE CASCADE, vector BLOB NOT NULL)",
        "CREATE VIRTUAL TABLE words USING fts5(text, content='', tokenize='unicode61 remove_diacritics 2')",
        """CREATE TABLE runs (
            id TEXT PRIMARY KEY, number INTEGER NOT NULL UNIQUE, namespace TEXT NOT NULL, kind TEXT NOT NULL, state TEXT NOT NULL,
            started_at TEXT NOT NULL, finished_at TEXT, settings TEXT NOT NULL, report TEXT, current INTEGER)""",
        """CREATE TABLE edits (
            run TEXT NOT NULL REFERENCES runs (id), seq INTEGER NOT NULL, state TEXT NOT NULL, action TEXT NOT NULL,
            saved INTEGER NOT NULL, entries_saved INTEGER NOT NULL, places TEXT NOT NULL, data BLOB,
            PRIMARY KEY (run, seq)) WITHOUT ROWID""",
        # What was judged `preserve`: 64-bit keys of two contents, per judge and namespace.
        "CREATE TABLE scopes (id INTEGER PRIMARY KEY, namespace TEXT NOT NULL, judge TEXT NOT NULL, UNIQUE (namespace, judge))",
        "CREATE TABLE judged (scope INTEGER NOT NULL, pair INTEGER NOT NULL, PRIMARY KEY (scope, pair)) WITHOUT ROWID",
        "CREATE TABLE verdicts (scope INTEGER NOT NULL, pair INTEGER NOT NULL, decision TEXT NOT NULL, PRIMARY KEY (scope, pair))",
        "CREATE TABLE crashes (pair INTEGER PRIMARY KEY, times INTEGER NOT NULL)",
        """CREATE TABLE leases (
            namespace TEXT PRIMARY KEY, host TEXT NOT NULL, pid INTEGER NOT NULL, born TEXT NOT NULL, until REAL NOT NULL)""",
        "CREATE TABLE mirror (key TEXT PRIMARY KEY, value BLOB) WITHOUT ROWID",
    ),
    (
        # Pairs of the order "window" whose judgements are outstanding, per judge, namespace and width; `place` is their order.
        """CREATE TABLE issued (
            place INTEGER PRIMARY KEY AUTOINCREMENT, scope INTEGER NOT NULL, width INTEGER NOT NULL, a TEXT NOT NULL, b TEXT NOT NULL,
            cosine REAL NOT NULL, pair INTEGER NOT NULL)""",
        "CREATE INDEX issued_by_scope ON issued (scope, width)",
    ),
    # Replies of language models, by a hash of what was asked. Blobs: a model may send what is no sound UTF-8.
    ("CREATE TABLE replies (key TEXT PRIMARY KEY, reply BLOB NOT NULL)",),
    (
        # Conversations that were taken in, by a hash of their content; nothing of what was said stands here.
        """CREATE TABLE sessions (
            namespace TEXT NOT NULL, key TEXT NOT NULL, state TEXT NOT NULL, entries INTEGER NOT NULL, how TEXT NOT NULL, at TEXT NOT NULL,
            PRIMARY KEY (namespace, key)) WITHOUT ROWID""",
    ),
    (
        # Who is with whom: one row a vector, which goes with it. `place` is the order in which they joined and is never given twice.
        """CREATE TABLE clusterings (
            id INTEGER PRIMARY KEY, namespace TEXT NOT NULL, clusterer TEXT NOT NULL, embedder TEXT NOT NULL,
            next_atom INTEGER NOT NULL, next_place INTEGER NOT NULL, UNIQUE (namespace, clusterer, embedder))""",
        """CREATE TABLE atom_members (
            clustering INTEGER NOT NULL REFERENCES clusterings (id) ON DELETE CASCADE, place INTEGER NOT NULL,
            n INTEGER NOT NULL REFERENCES vectors (n) ON DELETE CASCADE, atom INTEGER NOT NULL,
            PRIMARY KEY (clustering, place)) WITHOUT ROWID""",
        "CREATE UNIQUE INDEX atom_members_by_vector ON atom_members (n, clustering)",
    ),
    (
        # What changed last, by place: whoever holds a copy of the vectors brings it up to date from here. `token` tells two histories
        # of one file apart, as after a rollback or a restored backup. Only the newest rows are kept.
        "CREATE TABLE changes (seq INTEGER PRIMARY KEY AUTOINCREMENT, n INTEGER NOT NULL, token INTEGER NOT NULL)",
        "INSERT INTO changes (n, token) VALUES (0, random())",
        *(
            f"""CREATE TRIGGER {table}_{event.lower()} AFTER {event} ON {table} BEGIN
                INSERT INTO changes (n, token) VALUES ({row}.n, random());
                DELETE FROM changes WHERE seq <= (SELECT max(seq) FROM changes) - 65536; END"""
            for table, event, row in (
                ("entries", "INSERT", "new"),
                ("entries", "UPDATE", "new"),
                ("entries", "DELETE", "old"),
                ("vectors", "INSERT", "new"),
                ("vectors", "DELETE", "old"),
            )
        ),
        # Words by their stems: "planned" finds "plans".
        "DROP TABLE words",
        "CREATE VIRTUAL TABLE words USING fts5(text, content='', tokenize='porter unicode61 remove_diacritics 2')",
        "INSERT INTO words (rowid, text) SELECT n, indexed_text(data) FROM entries",
    ),
)


def migrate(db: sqlite3.Connection, where: str) -> None:
    """Bring a database to the newest form.

    :raises NotAStore: a SQLite file of something else, or of a newer Memfold.
    """
    version = int(db.execute("PRAGMA user_version").fetchone()[0])
    if _fresh(db):
        db.execute(f"PRAGMA application_id = {APPLICATION_ID}")
    elif int(db.execute("PRAGMA application_id").fetchone()[0]) != APPLICATION_ID:
        raise NotAStore(f"{where} is a SQLite database, but not Memfold's; give another path, or export its memories as JSONL")
    if version > len(MIGRATIONS):
        raise NotAStore(f"{where} was written by a newer Memfold (form {version}, this one knows {len(MIGRATIONS)}); upgrade memfold")
    db.create_function("indexed_text", 1, _indexed_text, deterministic=True)
    for number, steps in enumerate(MIGRATIONS[version:], version + 1):
        db.execute("BEGIN IMMEDIATE")
        try:
            if int(db.execute("PRAGMA user_version").fetchone()[0]) < number:  # another process may have been first
                for step in steps:
                    db.execute(step)
                db.execute(f"PRAGMA user_version = {number}")
            db.execute("COMMIT")
        except BaseException:
            db.execute("ROLLBACK")
            raise


def _indexed_text(data: str) -> str:
    """The words of an entry's JSON, as the full-text index takes them."""
    return indexed(json.loads(data)["text"])


def _fresh(db: sqlite3.Connection) -> bool:
    return db.execute("SELECT count(*) FROM sqlite_master").fetchone()[0] == 0
