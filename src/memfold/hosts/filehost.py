"""What all hosts in files have in common. A host itself is its name, its parser and what it adds to a merged entry."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Protocol

from memfold.hosts.files import BOM, decode, encode, fingerprint, read_bytes, refuse_read_only, replace_file
from memfold.hosts.places import Wanted, match
from memfold.protocols import Snapshot
from memfold.types import JSON, Entry


class Document(Protocol):
    """A file, parsed: its entries in order, and how to write it with others."""

    @property
    def entries(self) -> Sequence[Entry]: ...

    @property
    def computed_ids(self) -> bool:
        """Whether the file stores no ids, so that those of `entries` are hashes of what stands there."""
        ...

    def render(self, wanted: Sequence[Wanted], base: Sequence[Entry]) -> tuple[str, list[Entry]]:
        """The text with exactly these entries, and them in its order. `base` are `entries` as the caller knows them."""
        ...

    def erase(self, text: str, base: Sequence[Entry]) -> tuple[str, list[Entry], int]:
        """The text without a trace of `text` outside the entries; the entries; how many occurrences remain in all."""
        ...


class FileHost(ABC):
    """A store in one file. Nothing is read before `read`, and nothing written but by `replace`."""

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)
        self._last: tuple[str, Document] | None = None

    @property
    @abstractmethod
    def name(self) -> str: ...

    @property
    def location(self) -> str:
        return str(self.path)

    @property
    def form(self) -> dict[str, JSON]:
        """Nothing: a file of this kind can be read in one way only."""
        return {}

    def use(self, form: Mapping[str, JSON]) -> None:  # noqa: B027  (a file of one form has nothing to do)
        """Read the file as it was read before; see `Host.use`."""

    @abstractmethod
    def _parse(self, text: str) -> Document:
        """The document in a text without byte-order mark."""

    @abstractmethod
    def combine(self, a: Entry, b: Entry, merged: Entry) -> Entry: ...

    @abstractmethod
    def size(self, entry: Entry) -> int: ...

    def read(self) -> Snapshot:
        """All entries in the file's order; see `Host.read`."""
        return self.parse(read_bytes(self.path))

    def parse(self, raw: bytes) -> Snapshot:
        """What `read` gives when the file holds these bytes; see `Host.parse`."""
        document = self._parse(decode(raw, self.location)[1])
        state = fingerprint(raw)
        self._last = (state, document)
        return Snapshot(tuple(document.entries), state, raw)

    def render(self, live: Sequence[Entry], base: Snapshot) -> Snapshot:
        """The file's next state; see `Host.render`.

        The entries of the result are `live` in the file's order. Reading its bytes gives as many entries with the
        same texts in the same order, under computed ids where the file stores none (`keep_ids` brings them together).

        :raises BadEntry: an entry that the base lacks cannot be placed in this kind of file.
        """
        bom, document, known = self._open(base)
        wanted = match(live, known, computed_ids=document.computed_ids)
        text, entries = document.render(wanted, known)
        return self._state(text, bom, entries)

    def erase(self, text: str, base: Snapshot) -> tuple[Snapshot, int]:
        """`base` without a trace of `text` outside the entries, and how often it still occurs; see `Host.erase`."""
        bom, document, known = self._open(base)
        rest, entries, remaining = document.erase(text, known)
        return self._state(rest, bom, entries), remaining

    def check_writable(self) -> None:
        """Say before a long run that its result could not be written; see `Host.check_writable`."""
        refuse_read_only(self.path)

    def replace(self, old: Snapshot, new: Snapshot) -> None:
        """Write `new` atomically if the file still is `old`; see `Host.replace`."""
        replace_file(self.path, old.fingerprint, new.raw)

    def _open(self, base: Snapshot) -> tuple[bool, Document, Sequence[Entry]]:
        """The document of a snapshot. The one that was parsed last is at hand, any other is parsed."""
        state = fingerprint(base.raw)
        bom = base.raw.startswith(BOM)
        if self._last is not None and self._last[0] == state:
            document = self._last[1]
        else:
            document = self._parse(decode(base.raw, self.location)[1])
        known = base.entries if len(base.entries) == len(document.entries) else document.entries
        return bom, document, known

    def _state(self, text: str, bom: bool, entries: Sequence[Entry]) -> Snapshot:
        raw = encode(text, bom)
        return Snapshot(tuple(entries), fingerprint(raw), raw)
