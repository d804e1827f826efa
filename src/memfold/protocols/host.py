"""A store that somebody else owns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from memfold.types import JSON, Entry


@dataclass(frozen=True, slots=True)
class Snapshot:
    """What a host held at one moment.

    `raw` is the host's bytes where it is a file. `fingerprint` changes with any change of the host.
    """

    entries: tuple[Entry, ...]
    fingerprint: str
    raw: bytes = b""


class Host(Protocol):
    """A store that somebody else owns: read it, bring it to a new state.

    A host never keeps a journal: the caller does, in a Memfold database beside it, and calls `render` with the
    entries that shall live.
    """

    @property
    def name(self) -> str:
        """The kind of host, as in a STORE url: `jsonl`, `mcp`, `letta` …"""
        ...

    @property
    def location(self) -> str:
        """Path or address, for messages."""
        ...

    @property
    def form(self) -> Mapping[str, JSON]:
        """How the host was read, where that is a choice (which field of a JSONL file is what); {} where it is none."""
        ...

    def use(self, form: Mapping[str, JSON]) -> None:
        """Read the host as `form` says from now on, so that what was done to it can be taken back.

        :raises StoreError: the user asked for another way.
        """
        ...

    def read(self) -> Snapshot:
        """All entries in the host's order.

        :raises NotAStore: this is not such a host, and what it looks like instead.
        :raises BadEntry: one part cannot be read; the message gives its line and the cure.
        """
        ...

    def parse(self, raw: bytes) -> Snapshot:
        """The snapshot that `read` gives when the host holds these bytes (files only). Pure.

        Raises as `read` does.
        """
        ...

    def render(self, live: Sequence[Entry], base: Snapshot) -> Snapshot:
        """The host's next state: `base` with exactly `live` in it. Pure: writes nothing.

        An entry equal to one of `base.entries` keeps its bytes and place; one with the id of a base entry and other
        content replaces it in place; one that `base` lacks (a merge, or an undo after the host moved on) is put where
        it belongs, see `Entry.metadata` of the host; an entry of `base` that `live` lacks goes, and what pointed
        to it with it. `render(base.entries, base).raw == base.raw`.
        """
        ...

    def check_writable(self) -> None:
        """Say before a long run that its result could not be written.

        :raises ReadOnlyStore: the host cannot be written.
        """
        ...

    def replace(self, old: Snapshot, new: Snapshot) -> None:
        """Write `new` atomically if the host still is `old`.

        :raises StoreChanged: somebody else changed the host since `old` was read; nothing was written.
        :raises ReadOnlyStore: it cannot be written. :raises StoreFull: the disk is full; the host is as before.
        """
        ...

    def erase(self, text: str, base: Snapshot) -> tuple[Snapshot, int]:
        """`base` without any trace of `text` (case-folded substring) outside the entries, as far as the host's form allows.

        Returns the new state and how many occurrences remain that the host cannot remove. Used by `forget`, after the
        entries themselves were rewritten.
        """
        ...

    def size(self, entry: Entry) -> int:
        """Bytes that an entry takes in the host: UTF-8 length of its JSON there, without ASCII escapes, and its separator.

        This is what a budget means for the host's entries; what else stands in it is not counted.
        """
        ...

    def combine(self, a: Entry, b: Entry, merged: Entry) -> Entry:
        """Complete a merged entry with what only the host knows (its home, its metadata), so that `render` can place it."""
        ...
