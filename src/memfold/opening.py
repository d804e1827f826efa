"""What a STORE is: a Memfold database, or a file that somebody else owns with a mirror beside it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from memfold.errors import NotAStore
from memfold.hosts import JsonlFields, open_host
from memfold.mirror import Mirror
from memfold.store.sqlite import SqliteStore

DATABASES = (".db", ".sqlite", ".sqlite3", ".memfold")
"""Names of new databases end so."""
_MAGIC = b"SQLite format 3\x00"


@dataclass(slots=True)
class Opened:
    """An open STORE: its database, and the mirror where it belongs to a host."""

    own: SqliteStore | None
    mirror: Mirror | None

    @property
    def store(self) -> SqliteStore:
        if self.mirror is not None:
            return self.mirror.store
        assert self.own is not None
        return self.own

    def files(self) -> list[Path]:
        """The files that hold the store, as far as they are there."""
        if self.mirror is not None:
            return self.mirror.files
        paths = [Path(f"{self.store.path}{suffix}") for suffix in ("", "-wal")]
        return [path for path in paths if path.exists()]


def open_store(store: str | Path, *, create: bool = True, fields: JsonlFields | None = None) -> Opened:
    """Open a STORE by path or URL.

    :param create: make a Memfold database that is not there yet.
    :param fields: which fields of a JSONL file hold text, id, time, namespace.
    :raises NotAStore: there is no such file, or nothing that Memfold can read is in it.
    """
    address = str(store)
    if address.startswith("sqlite:"):
        return Opened(SqliteStore(address.removeprefix("sqlite:"), create=create), None)
    path = Path(address)
    if address == ":memory:" or (path.suffix in DATABASES and not path.exists()) or _is_database(path):
        return Opened(SqliteStore(address, create=create), None)
    host = open_host(address, fields=fields)
    if not Path(host.location).exists():
        raise NotAStore(f"there is no file {host.location}; check the path (a new Memfold database ends in {', '.join(DATABASES)})")
    return Opened(None, Mirror(host))


def _is_database(path: Path) -> bool:
    try:
        with path.open("rb") as file:
            return file.read(len(_MAGIC)) == _MAGIC
    except OSError:
        return False
