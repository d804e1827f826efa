"""A host's entries mirrored in a Memfold database beside it, so that a file has a journal, leases and undo as well.

The file is the truth about its entries; the database beside it (`NAME.memfold.db`) knows what was done. Edits are
committed in the mirror one by one; the file is brought to the mirror's state in one atomic step. In between a kill
leaves the file as it was, and the mirror ahead of it; `pull` sees that and `push` completes it.

What the mirror keeps of the file: `base`, its bytes before the first edit, from which every later state is rendered
(so that an undo gives the same bytes again), and the fingerprint of what it should be now.
"""

from __future__ import annotations

import json
import os
import zlib
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

from memfold.errors import StoreChanged
from memfold.protocols import Host, Snapshot
from memfold.store.journal import Journal
from memfold.store.sqlite import SqliteStore
from memfold.types import Entry


class Mirror:
    """A host and the database beside it. Until `persist`, the database is in memory only, so that looking writes nothing."""

    def __init__(self, host: Host) -> None:
        self.host = host
        self.path = Path(f"{host.location}.memfold.db")
        self.store = SqliteStore(self.path if self.path.exists() else ":memory:")
        form = self._get("form")
        if form is not None:
            host.use(json.loads(form))

    @property
    def files(self) -> list[Path]:
        """The host's file and the database beside it, as far as they are there."""
        beside = [Path(f"{self.path}{suffix}") for suffix in ("", "-wal")]
        return [path for path in (Path(self.host.location), *beside) if path.exists()]

    def persist(self) -> SqliteStore:
        """Put the database beside the host, if it is not there yet, since the host is to be changed.

        :raises ReadOnlyStore: the host cannot be written; nothing was done.
        """
        self.host.check_writable()
        if self.store.path == ":memory:":
            kept = SqliteStore(self.path)
            os.chmod(self.path, Path(self.host.location).stat().st_mode & 0o666)
            with kept.connection.errors():
                self.store.connection.db.backup(kept.connection.db)
            self.store.close()
            self.store = kept
        return self.store

    def pull(self) -> bool:
        """Bring the mirror to the host's state. Returns whether the mirror is ahead: it holds edits that the host lacks.

        Where somebody else changed the host, entries are matched by id, then by home and text; edits that had not
        reached it are taken off the journal.

        :raises NotAStore, BadEntry: the host cannot be read.
        """
        found = self.host.read()
        known, pending = self._get("fingerprint"), self._get("pending")
        if found.fingerprint.encode() in (known, pending) and known is not None:
            if found.fingerprint.encode() == pending:
                self._pushed(found.fingerprint)
            return self._live() != tuple(self._parts(found.entries))
        with self.store.connection.writing():
            self._set("form", json.dumps(dict(self.host.form)).encode() if self.host.form else None)
            self._drop_unpushed()
            ids = self._match(found.entries)
            self._set("base", zlib.compress(found.raw))
            self._set("base ids", zlib.compress(json.dumps(ids).encode()))
            self._pushed(found.fingerprint)
        return False

    def push(self) -> Snapshot:
        """Bring the host to the mirror's state.

        :raises StoreChanged: somebody else changed the host since `pull`; it was left as it is.
        """
        now = self.host.read()
        if now.fingerprint.encode() != self._get("fingerprint"):
            raise StoreChanged(f"{self.host.location} was changed by somebody else meanwhile; it was left as it is. Run the command again")
        new = self.render()
        if new.raw != now.raw:
            with self.store.connection.writing():
                self._set("pending", new.fingerprint.encode())
            self.host.replace(now, new)
        self._pushed(new.fingerprint)
        return new

    def render(self) -> Snapshot:
        """The host's state with the mirror's entries in it."""
        base = self._base()
        originals = {entry.id: entry for entry in base.entries}
        return self.host.render([_as_written(entry, originals.get(entry.id)) for entry in self._in_place(base)], base)

    def _in_place(self, base: Snapshot) -> list[Entry]:
        """The mirror's entries in the order of the base, a merged one where the first of those that it was made of stands: in a list of
        observations the order tells what came first. What is new otherwise comes last.
        """
        place = {(entry.namespace, entry.id): n for n, entry in enumerate(base.entries)}
        entries, last = list(self.store.entries()), len(place)
        if all((entry.namespace, entry.id) in place for entry in entries):  # nothing was merged: the journal need not be read
            return sorted(entries, key=lambda entry: place[entry.namespace, entry.id])
        journal = Journal(self.store)
        for edit in (edit for run in journal.runs() for edit in journal.edits(run.id) if edit.state == "applied"):
            first = min((place.get((entry.namespace, entry.id), last) for entry in edit.before), default=last)
            for entry in edit.after:
                place.setdefault((entry.namespace, entry.id), first)
        return sorted(entries, key=lambda entry: place.get((entry.namespace, entry.id), last))

    def erase(self, text: str) -> int:
        """Bring the host to the mirror's state without any trace of `text` elsewhere in it, and keep no earlier state.

        :returns: how many occurrences the host cannot give up.
        """
        rewritten = self.render()
        new, remaining = self.host.erase(text, rewritten) if text else (rewritten, 0)
        now = self.host.read()
        with self.store.connection.writing():
            self._set("pending", new.fingerprint.encode())
        self.host.replace(now, new)
        with self.store.connection.writing():
            self._set("base", zlib.compress(new.raw))
            self._set("base ids", zlib.compress(json.dumps([entry.id for entry in new.entries]).encode()))
            self._pushed(new.fingerprint)
        self.store.scrub()
        return remaining

    def _match(self, found: Iterable[Entry]) -> list[str]:
        """Make the mirror's entries those of the host, keeping what the mirror knows of each (id, pin, vector).

        :returns: the mirror's ids of the host's entries, in the host's order.
        """
        mine = {(entry.namespace, entry.id): entry for entry in self.store.entries()}
        by_text: dict[tuple[str, str, str], list[Entry]] = {}
        for entry in mine.values():
            by_text.setdefault((entry.namespace, entry.home, entry.text), []).append(entry)
        new: list[Entry] = []
        ids: list[str] = []
        for entry in found:
            ids.append(entry.id)
            same = mine.pop((entry.namespace, entry.id), None)
            if same is None:
                alike = [e for e in by_text.get((entry.namespace, entry.home, entry.text), []) if (e.namespace, e.id) in mine]
                same = mine.pop((alike[0].namespace, alike[0].id)) if alike else None
                if same is None:
                    new.append(entry)
                else:
                    ids[-1] = same.id
            elif same.text != entry.text or same.metadata != entry.metadata:
                self.store.update(replace(entry, pinned=entry.pinned or same.pinned))
        for namespace, id in mine:
            self.store.remove(namespace, [id])
        self.store.add(new)
        return ids

    def _drop_unpushed(self) -> None:
        """Take edits that never reached the host off the journal."""
        number, seq = json.loads(self._get("pushed") or b"[0, 0]")
        with self.store.connection.writing() as db:
            db.execute(
                "UPDATE edits SET state = 'undone' WHERE state = 'applied' AND EXISTS (SELECT 1 FROM runs r WHERE r.id = edits.run "
                "AND (r.number > ? OR (r.number = ? AND edits.seq > ?)))",
                (number, number, seq),
            )

    def _pushed(self, fingerprint: str) -> None:
        with self.store.connection.writing() as db:
            last = db.execute(
                "SELECT r.number, coalesce(max(e.seq), 0) FROM runs r LEFT JOIN edits e ON e.run = r.id GROUP BY r.id "
                "ORDER BY r.number DESC LIMIT 1"
            ).fetchone()
            self._set("pushed", json.dumps(last or (0, 0)).encode())
            self._set("fingerprint", fingerprint.encode())
            self._set("pending", None)

    def _base(self) -> Snapshot:
        raw, ids = self._get("base"), self._get("base ids")
        assert raw is not None, "push before pull"
        assert ids is not None, "push before pull"
        base = self.host.parse(zlib.decompress(raw))
        named = zip(base.entries, json.loads(zlib.decompress(ids)), strict=True)
        return replace(base, entries=tuple(replace(entry, id=id) for entry, id in named))

    def _live(self) -> tuple[tuple[str, str, str], ...]:
        return tuple(self._parts(self.store.entries()))

    @staticmethod
    def _parts(entries: Iterable[Entry]) -> list[tuple[str, str, str]]:
        return sorted((entry.namespace, entry.home, entry.text) for entry in entries)

    def _get(self, key: str) -> bytes | None:
        with self.store.connection.reading() as db:
            row = db.execute("SELECT value FROM mirror WHERE key = ?", (key,)).fetchone()
        return row[0] if row else None

    def _set(self, key: str, value: bytes | None) -> None:
        with self.store.connection.writing() as db:
            db.execute("INSERT OR REPLACE INTO mirror VALUES (?, ?)", (key, value))


def _as_written(entry: Entry, original: Entry | None) -> Entry:
    """The host's own form of an entry where its content is unchanged: pins and revisions live in the mirror."""
    if original is not None and (entry.text, entry.links, entry.keywords) == (original.text, original.links, original.keywords):
        return original
    return entry
