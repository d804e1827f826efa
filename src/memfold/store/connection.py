"""One SQLite connection, its settings, its transactions, and its errors as ours."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import TypeAlias

from memfold.errors import NotAStore, ReadOnlyStore, StoreError, StoreFull
from memfold.store.migrations import migrate

BUSY_SECONDS = 30.0
"""How long a write waits for another process's transaction."""


Stamp: TypeAlias = tuple[int, int]
"""Of a database: its changes by other connections, and by this one."""


class Connection:
    """A connection that several threads may share; every statement runs under one lock."""

    def __init__(self, path: str | Path, *, create: bool = True) -> None:
        self.path = str(path)
        self.lock = threading.RLock()
        if self.path != ":memory:" and not create and not Path(self.path).exists():
            raise NotAStore(f"there is no store at {self.path}; check the path, or create one with: memfold import {self.path} FILE")
        with self.errors():
            self.db = sqlite3.connect(self.path, timeout=BUSY_SECONDS, isolation_level=None, check_same_thread=False)
            try:
                self.db.execute("PRAGMA foreign_keys = ON")
                self.db.execute("PRAGMA secure_delete = ON")
                migrate(self.db, self.path)
                self.db.execute("PRAGMA journal_mode = WAL")
                self._synchronous("FULL")
            except BaseException:
                self.db.close()
                raise

    def close(self) -> None:
        with self.lock:
            self.db.close()

    @contextmanager
    def reading(self) -> Generator[sqlite3.Connection]:
        """Statements that see the last committed state."""
        with self.lock, self.errors():
            yield self.db

    @contextmanager
    def writing(self) -> Generator[sqlite3.Connection]:
        """One transaction: all of it is committed, or nothing. Nested use joins the outer transaction."""
        with self.lock, self.errors():
            if self.db.in_transaction:
                yield self.db
                return
            self.db.execute("BEGIN IMMEDIATE")
            try:
                yield self.db
                self.db.execute("COMMIT")
            except BaseException:
                if self.db.in_transaction:
                    self.db.execute("ROLLBACK")
                raise

    def stamp(self) -> Stamp:
        """Equal to an earlier one only if nothing was committed by others, and nothing written here, in between."""
        with self.lock, self.errors():
            return int(self.db.execute("PRAGMA data_version").fetchone()[0]), self.db.total_changes

    @contextmanager
    def unsynced(self) -> Generator[None]:
        """Inside, a commit is not awaited on the disk: thousands of small ones take milliseconds, not minutes.

        A killed process loses nothing of what it committed. A power cut may lose the last commits, each wholly and the
        later ones first, so that an edit and its journal row come or go together. The first commit after the block
        brings everything to the disk.
        """
        self._synchronous("NORMAL")
        try:
            yield
        finally:
            self._synchronous("FULL")

    def _synchronous(self, level: str) -> None:
        with self.lock, self.errors():
            self.db.execute(f"PRAGMA synchronous = {level}")

    @contextmanager
    def errors(self) -> Generator[None]:
        """SQLite's errors, told as ours with a cure."""
        try:
            yield
        except sqlite3.DatabaseError as error:
            told = str(error)
            if "readonly" in told or "unable to open" in told:
                raise ReadOnlyStore(f"{self.path} cannot be opened for writing ({told}); check its folder and permissions") from error
            if "full" in told:
                raise StoreFull(f"the disk is full; {self.path} stands as it was last committed. Free some space and run again") from error
            if "not a database" in told or "malformed" in told:
                raise NotAStore(f"{self.path} is not a readable SQLite database ({told})") from error
            if "locked" in told or "busy" in told:
                raise StoreError(f"{self.path} is kept locked by another process for over {BUSY_SECONDS:g} s; try again") from error
            raise StoreError(f"{self.path}: {told}") from error
