"""One run at a time on a namespace: a lease in the store's file, freed when its holder is gone."""

from __future__ import annotations

import os
import socket
import time
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

from memfold.errors import LeaseHeld
from memfold.store.connection import Connection

SECONDS = 120.0
"""How long a lease lasts without renewal. A dead holder on this machine is recognised at once."""


@contextmanager
def lease(connection: Connection, namespace: str) -> Generator[None]:
    """Hold the namespace for the length of a `with` block.

    :raises LeaseHeld: a living process holds it.
    """
    holder = (socket.gethostname(), os.getpid(), _born(os.getpid()))
    with connection.writing() as db:
        row = db.execute("SELECT host, pid, born, until FROM leases WHERE namespace = ?", (namespace,)).fetchone()
        if row is not None and _alive(*row):
            raise LeaseHeld(
                f"another run (process {row[1]} on {row[0]}) works on namespace {namespace!r} of {connection.path}; "
                f"wait until it ends, or stop it: what it committed stays"
            )
        db.execute("INSERT OR REPLACE INTO leases VALUES (?, ?, ?, ?, ?)", (namespace, *holder, time.time() + SECONDS))
    try:
        yield
    finally:
        with connection.writing() as db:
            db.execute("DELETE FROM leases WHERE namespace = ? AND (host, pid, born) = (?, ?, ?)", (namespace, *holder))


def renew(connection: Connection, namespace: str) -> None:
    """Prolong a lease that this process holds."""
    with connection.writing() as db:
        db.execute("UPDATE leases SET until = ? WHERE namespace = ? AND pid = ?", (time.time() + SECONDS, namespace, os.getpid()))


def _alive(host: str, pid: int, born: str, until: float) -> bool:
    if host != socket.gethostname():
        return time.time() < until
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        pass
    return not born or _born(pid) == born


def _born(pid: int) -> str:
    """When a process started, so that a number given to a new process is not taken for the old one; "" where unknown."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[19]
    except (OSError, IndexError):
        return ""
