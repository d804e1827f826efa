"""Every edit of a store, with its before-image, its reason and its state; and the way back.

An edit and its journal row are one transaction, so after a kill at any point an edit is either wholly there or not
at all. Before-images are compressed; `compact` frees them.
"""

from __future__ import annotations

import json
import sqlite3
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

import numpy as np

from memfold.errors import CannotUndo, StaleDecision, UnknownEntry, UnknownRun
from memfold.store.sqlite import SqliteStore
from memfold.types import JSON, Edit, EditState, Entry, Link, Relink

_COMMON = (
    b'{"action": "preserve", "action": "delete", "target": "relation": "a_covers_b", "b_covers_a", "overlap", "update", "same", '
    b'"low_value", "namespace": "default", "kind": "turn", "home": "", "keywords": [], "links": [], "occurred_at": "202", '
    b'"created_at": "202", "updated_at": "202", "metadata": {}, "revision": 1, "sources": [], "judge": "embedded", "reason": "", '
    b'"confidence": 0.9, "merged": "", "cosine": 0.9, "saved": 1, "at": "202", "state": "applied", "kept": "", "relinks": [], '
    b'"after": [], "before": [{"id": "", "text": "'
)
"""What every edit has in common: a dictionary for its compression."""


@dataclass(frozen=True, slots=True)
class Run:
    """One run over a namespace, as journaled. `state` is running, finished, undone, or why it ended early:
    interrupted, waiting, spent, unreachable.
    """

    id: str
    namespace: str
    kind: str
    state: str
    started_at: datetime
    finished_at: datetime | None
    settings: Mapping[str, JSON]
    report: Mapping[str, JSON]
    edits: int
    saved: int

    def as_dict(self) -> dict[str, JSON]:
        """The run as JSON."""
        return {
            "run": self.id,
            "namespace": self.namespace,
            "kind": self.kind,
            "state": self.state,
            "started_at": self.started_at.isoformat(),
            "finished_at": self.finished_at.isoformat() if self.finished_at else None,
            "edits": self.edits,
            "saved": self.saved,
            "settings": dict(self.settings),
            "report": dict(self.report),
        }


class Journal:
    """The journal of a store, in the store's own file."""

    def __init__(self, store: SqliteStore) -> None:
        self.store = store
        self.connection = store.connection

    # Runs

    def begin(self, namespace: str, kind: str, settings: Mapping[str, JSON], now: datetime) -> str:
        """Open a run and return its id; runs of this namespace that died are closed as interrupted (the caller holds the lease)."""
        with self.connection.writing() as db:
            self._bury(db, namespace, now)
            number = db.execute("SELECT coalesce(max(number), 0) + 1 FROM runs").fetchone()[0]
            db.execute(
                "INSERT INTO runs (id, number, namespace, kind, state, started_at, settings) VALUES (?, ?, ?, ?, 'running', ?, ?)",
                (f"r{number}", number, namespace, kind, now.isoformat(), json.dumps(dict(settings), ensure_ascii=False)),
            )
        return f"r{number}"

    def finish(self, run: str, report: Mapping[str, JSON], now: datetime, state: str = "finished") -> None:
        """Close a run with its report."""
        with self.connection.writing() as db:
            db.execute(
                "UPDATE runs SET state = ?, finished_at = ?, report = ?, current = NULL WHERE id = ?",
                (state, now.isoformat(), json.dumps(dict(report), ensure_ascii=False), run),
            )

    def runs(self, namespace: str | None = None) -> list[Run]:
        """All runs, oldest first."""
        with self.connection.reading() as db:
            where = " WHERE ? IS NULL OR r.namespace = ? GROUP BY r.id ORDER BY r.number"
            rows = db.execute(_RUNS + where, (namespace, namespace)).fetchall()
        return [_run(row) for row in rows]

    def run(self, id: str) -> Run:
        """One run.

        :raises UnknownRun: there is none of this id.
        """
        with self.connection.reading() as db:
            row = db.execute(_RUNS + " WHERE r.id = ? GROUP BY r.id", (id,)).fetchone()
        if row is None:
            known = ", ".join(run.id for run in self.runs()[-5:]) or "there are none yet"
            raise UnknownRun(f"no run {id!r} in the journal of {self.store.path}; the latest: {known}")
        return _run(row)

    def _bury(self, db: sqlite3.Connection, namespace: str, now: datetime) -> None:
        """Close runs that never finished, and count the pair that each was judging when it died."""
        for id, current in db.execute("SELECT id, current FROM runs WHERE namespace = ? AND state = 'running'", (namespace,)).fetchall():
            if current is not None:
                db.execute("INSERT INTO crashes VALUES (?, 1) ON CONFLICT (pair) DO UPDATE SET times = times + 1", (current,))
            values = (now.isoformat(), id)
            db.execute("UPDATE runs SET state = 'interrupted', finished_at = ?, current = NULL WHERE id = ?", values)

    # Edits

    def commit(self, edit: Edit, vectors: Mapping[str, np.ndarray], unchanged: Sequence[Entry] = ()) -> None:
        """Carry out one edit and journal it, in one transaction.

        :param vectors: id -> vector of the entries after.
        :param unchanged: the entries as they were judged.
        :raises StaleDecision: one of `unchanged` or `edit.before` is no longer so; nothing was written.
        """
        with self.connection.writing() as db:
            places = [self._check(entry) for entry in edit.before]
            for entry in unchanged:
                if not any(entry is checked for checked in edit.before):
                    self._check(entry)
            for n, entry in zip(places, edit.before, strict=True):
                self.store.erase(db, n, entry)
            for entry in edit.after:
                self.store.insert(db, entry, vector=vectors.get(entry.id))
            for relink in edit.relinks:
                self._relink(db, edit.namespace, relink)
            self._write(db, replace(edit, state="applied"), places)

    def edits(self, run: str) -> Iterator[Edit]:
        """The edits of a run in their order; those whose images were freed are passed over.

        :raises UnknownRun: there is no such run.
        """
        namespace = self.run(run).namespace
        with self.connection.reading() as db:
            rows = db.execute("SELECT seq, state, saved, data FROM edits WHERE run = ? AND data NOT NULL ORDER BY seq", (run,)).fetchall()
        for seq, state, saved, data in rows:
            yield _unpack(run, seq, namespace, state, saved, data)

    def edit(self, run: str, seq: int) -> Edit:
        """One edit.

        :raises UnknownRun: no such run or edit. :raises CannotUndo: its images were freed.
        """
        return self._read(run, seq)[0]

    def saved(self, namespace: str) -> tuple[int, int]:
        """Bytes and entries that the edits in force have saved: what the store took in beyond what lives."""
        with self.connection.reading() as db:
            return db.execute(
                "SELECT coalesce(sum(e.saved), 0), coalesce(sum(e.entries_saved), 0) FROM edits e JOIN runs r ON r.id = e.run "
                "WHERE r.namespace = ? AND e.state = 'applied'",
                (namespace,),
            ).fetchone()

    def next_seq(self, run: str) -> int:
        """The number of a run's next edit, from 1."""
        with self.connection.reading() as db:
            return db.execute("SELECT coalesce(max(seq), 0) + 1 FROM edits WHERE run = ?", (run,)).fetchone()[0]

    # The way back

    def undo(self, run: str, seq: int | None = None) -> list[Edit]:
        """Take back a run, or one edit of it: the entries return byte for byte, to their places. All or nothing.

        :returns: the edits taken back, last first.
        :raises UnknownRun: no such run or edit.
        :raises CannotUndo: an entry changed since, was erased, or the images were freed; the message says which.
        """
        self.run(run)
        with self.connection.writing() as db:
            if seq is None:
                seqs = [row[0] for row in db.execute("SELECT seq FROM edits WHERE run = ? AND state = 'applied' ORDER BY seq DESC", (run,))]
                if not seqs:
                    raise CannotUndo(f"run {run} has no edit in force: it made none, or they were taken back already")
            else:
                seqs = [seq]
            undone = [self._undo(db, run, number) for number in seqs]
            if seq is None:
                db.execute("UPDATE runs SET state = 'undone' WHERE id = ?", (run,))
        return undone

    def mark(self, edits: Sequence[Edit], state: EditState) -> None:
        """Set the state of edits, after what they changed was set right by other means."""
        with self.connection.writing() as db:
            for edit in edits:
                db.execute("UPDATE edits SET state = ? WHERE run = ? AND seq = ?", (state, edit.run, edit.seq))

    def purge(self, traced: Callable[[str], bool]) -> int:
        """Erase the content of every edit and report whose JSON is `traced`, and all decisions not carried out yet.

        The rows of the edits stay, as `purged`, and can never be taken back. Returns how many there are.
        """
        with self.connection.writing() as db:
            rows = db.execute("SELECT run, seq, data FROM edits WHERE data NOT NULL").fetchall()
            purged = [(run, seq) for run, seq, data in rows if traced(json.dumps(_load(data), ensure_ascii=False))]
            db.executemany("UPDATE edits SET state = 'purged', data = NULL WHERE run = ? AND seq = ?", purged)
            db.execute("DELETE FROM verdicts")
            db.execute("DELETE FROM issued")
            for id, report in db.execute("SELECT id, report FROM runs WHERE report NOT NULL").fetchall():
                if traced(report):
                    db.execute("UPDATE runs SET report = NULL WHERE id = ?", (id,))
        return len(purged)

    def free(self, before: datetime | None = None) -> int:
        """Free the before-images of runs that ended before a time (of all, without one); returns how many edits lost theirs.

        What they saved stays counted; they can no longer be taken back.
        """
        with self.connection.writing() as db:
            ended = [
                run.id
                for run in self.runs()
                if run.state != "running" and (before is None or (run.finished_at or run.started_at) < before)
            ]
            freed = 0
            for id in ended:
                freed += db.execute("UPDATE edits SET data = NULL WHERE run = ? AND data NOT NULL", (id,)).rowcount
        return freed

    def _undo(self, db: sqlite3.Connection, run: str, seq: int) -> Edit:
        edit, places = self._read(run, seq)
        if edit.state != "applied":
            why = "was taken back already" if edit.state == "undone" else "was erased by forget, and stays so"
            raise CannotUndo(f"edit {seq} of run {run} {why}")
        for entry in edit.after:
            try:
                n = self._check(entry)
            except StaleDecision as error:
                raise CannotUndo(f"edit {seq} of run {run}: {self._since(run, seq, entry.id) or error}") from error
            self.store.erase(db, n, entry)
        for n, entry in zip(places, edit.before, strict=True):
            if db.execute("SELECT 1 FROM entries WHERE namespace = ? AND id = ?", (edit.namespace, entry.id)).fetchone():
                raise CannotUndo(f"edit {seq} of run {run}: the id {entry.id!r} has been given to a new entry; rename that one first")
            self.store.insert(db, entry, n)
        for relink in edit.relinks:
            self._relink(db, edit.namespace, Relink(relink.id, relink.after, relink.before))
        db.execute("UPDATE edits SET state = 'undone' WHERE run = ? AND seq = ?", (run, seq))
        return replace(edit, state="undone")

    def _since(self, run: str, seq: int, id: str) -> str:
        """Which later edit took an entry, in words; "" when none did."""
        later = False
        for other in self.runs(self.run(run).namespace):
            for edit in self.edits(other.id) if later or other.id == run else ():
                if (later or edit.seq > seq) and edit.state == "applied" and id in (entry.id for entry in edit.before):
                    return f"its result {id!r} was edited again by edit {edit.seq} of run {other.id}; take that back first"
            later = later or other.id == run
        return ""

    def _check(self, entry: Entry) -> int:
        """The place of an entry that must be as given."""
        try:
            n, current = self.store.placed(entry.namespace, entry.id)
        except UnknownEntry as error:
            raise StaleDecision(f"entry {entry.id!r} is gone") from error
        if current != entry:
            raise StaleDecision(f"entry {entry.id!r} has been changed")
        return n

    def _relink(self, db: sqlite3.Connection, namespace: str, relink: Relink) -> None:
        """Change a neighbour's links; where others changed them meanwhile, only what differs between before and after."""
        try:
            n, old = self.store.placed(namespace, relink.id)
        except UnknownEntry:
            return
        links = relink.after if old.links == relink.before else _patched(old.links, relink)
        self.store.rewrite(db, n, old, replace(old, links=links))

    def _read(self, run: str, seq: int) -> tuple[Edit, list[int]]:
        with self.connection.reading() as db:
            row = db.execute("SELECT state, saved, places, data FROM edits WHERE run = ? AND seq = ?", (run, seq)).fetchone()
        if row is None:
            raise UnknownRun(f"run {run} has no edit {seq}; it has {self.run(run).edits}")
        state, saved, places, data = row
        if data is None:
            raise CannotUndo(f"the before-image of edit {seq} of run {run} was freed by compact or forget")
        return _unpack(run, seq, self.run(run).namespace, state, saved, data), json.loads(places)

    def _write(self, db: sqlite3.Connection, edit: Edit, places: Sequence[int]) -> None:
        entries_saved = len(edit.before) - len(edit.after)
        db.execute(
            "INSERT INTO edits VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
            (edit.run, edit.seq, edit.state, edit.action, edit.saved, entries_saved, json.dumps(places), pack(edit)),
        )


def pack(edit: Edit) -> bytes:
    """An edit as a compressed blob."""
    squeezer = zlib.compressobj(9, zdict=_COMMON)
    return squeezer.compress(json.dumps(edit.as_dict()).encode()) + squeezer.flush()


def _unpack(run: str, seq: int, namespace: str, state: EditState, saved: int, blob: bytes) -> Edit:
    data = _load(blob)
    return Edit.from_dict(data | {"run": run, "seq": seq, "namespace": namespace, "state": state, "saved": saved})


def _load(blob: bytes) -> dict[str, Any]:
    return json.loads(zlib.decompressobj(zdict=_COMMON).decompress(blob))


_RUNS = (
    "SELECT r.id, r.namespace, r.kind, r.state, r.started_at, r.finished_at, r.settings, r.report, "
    "count(e.seq), coalesce(sum(CASE WHEN e.state = 'applied' THEN e.saved END), 0) FROM runs r LEFT JOIN edits e ON e.run = r.id"
)


def _run(row: Sequence[Any]) -> Run:
    id, namespace, kind, state, started, finished, settings, report, edits, saved = row
    end = datetime.fromisoformat(finished) if finished else None
    start = datetime.fromisoformat(started)
    return Run(id, namespace, kind, state, start, end, json.loads(settings), json.loads(report or "{}"), edits, saved)


def _patched(links: Sequence[Link], relink: Relink) -> tuple[Link, ...]:
    gone = [link for link in relink.before if link not in relink.after]
    new = [link for link in relink.after if link not in relink.before and link not in links]
    return tuple(link for link in links if link not in gone) + tuple(new)
