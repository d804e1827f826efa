"""Where copies of a store's vectors lie beside it: `agent.db.index/`, one file a namespace. Nothing is lost when they are removed."""

from __future__ import annotations

from hashlib import blake2b
from pathlib import Path

SUFFIX = ".vectors"


def copy_path(store: str, name: str) -> Path | None:
    """The file for what is called `name`; the name itself does not show. None for a store in memory."""
    if store == ":memory:":
        return None
    return _folder(store) / (blake2b(name.encode("utf-8", "surrogatepass"), digest_size=12).hexdigest() + SUFFIX)


def remove_copies(store: str) -> None:
    """Remove all of them, half-written ones too."""
    folder = _folder(store)
    if store == ":memory:" or not folder.is_dir():
        return
    for path in folder.glob(f"*{SUFFIX}*"):
        path.unlink(missing_ok=True)
    if not any(folder.iterdir()):
        folder.rmdir()


def _folder(store: str) -> Path:
    return Path(f"{store}.index")
