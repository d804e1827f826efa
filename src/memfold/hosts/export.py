"""Memfold's own export: a first line that says so, then one entry a line, as `Entry.as_dict` gives it."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Protocol, cast

from memfold.errors import BadEntry, DuplicateId, NotAStore
from memfold.hosts.filehost import FileHost
from memfold.hosts.files import json_bytes
from memfold.hosts.forget import holds, total, without
from memfold.hosts.jsonl import excerpt
from memfold.hosts.jsontext import Series, Style, dump, lines_of, load
from memfold.hosts.places import Wanted, arrange, last_filled, moment
from memfold.types import JSON, Entry

VERSION = 1
HEADER = json.dumps({"memfold": "export", "version": VERSION})
_STYLE = Style()
_TYPES: dict[str, type] = {"namespace": str, "kind": str, "home": str, "pinned": bool, "revision": int, "metadata": dict}


class TextSink(Protocol):
    """Something that takes text: an open file, standard output."""

    def write(self, text: str, /) -> object: ...


def write_export(entries: Iterable[Entry], stream: TextSink) -> int:
    """Write the header and one line an entry; returns the number of entries. Takes them one by one."""
    stream.write(HEADER + "\n")
    count = 0
    for entry in entries:
        stream.write(_line(entry) + "\n")
        count += 1
    return count


def is_header(value: JSON) -> bool:
    """Whether an object is the first line of an export."""
    return isinstance(value, dict) and value.get("memfold") == "export"


class ExportHost(FileHost):
    """A file that `memfold export` wrote. An empty file is an export of nothing."""

    @property
    def name(self) -> str:
        return "export"

    def combine(self, a: Entry, b: Entry, merged: Entry) -> Entry:
        """Namespace and home of the two, and the metadata of both; where they differ, that of the newer one."""
        older, newer = sorted((a, b), key=moment)
        metadata = {**older.metadata, **newer.metadata, **merged.metadata}
        return replace(merged, namespace=a.namespace, home=a.home, metadata=metadata)

    def size(self, entry: Entry) -> int:
        """The entry's line."""
        return json_bytes(entry.as_dict()) + 1

    def _parse(self, text: str) -> ExportDocument:
        series = lines_of(text)
        slots: list[int | None] = []
        entries: list[Entry] = []
        lines: dict[tuple[str, str], int] = {}
        if series.items:
            self._check_header(series.items[0])
        for number, item in enumerate(series.items, start=1):
            entry = self._entry(item, number) if number > 1 else None
            slots.append(None if entry is None else len(entries))
            if entry is not None:
                first = lines.setdefault((entry.namespace, entry.id), number)
                if first != number:
                    where = f"{self.location}, lines {first} and {number}"
                    raise DuplicateId(f"{where} are both entry {entry.id!r} of namespace {entry.namespace!r}; take one out")
                entries.append(entry)
        return ExportDocument(series, slots, entries)

    def _check_header(self, line: str) -> None:
        try:
            value = load(line)
        except ValueError:
            value = None
        if not isinstance(value, dict) or not is_header(value):
            what = f"{self.location} is no Memfold export: its first line is {excerpt(line)}, not {HEADER}"
            raise NotAStore(f"{what}; if its lines are memories, give it as jsonl:{self.location}")
        version = value.get("version")
        if version != VERSION:
            raise NotAStore(f"{self.location} is an export of version {version!r}, this Memfold reads {VERSION}; upgrade memfold")

    def _entry(self, line: str, number: int) -> Entry | None:
        if not line.strip():
            return None
        where = f"{self.location}, line {number}"
        try:
            value = load(line)
        except ValueError as error:
            raise BadEntry(f"{where} is not JSON ({error}): {excerpt(line)}; was the export interrupted? export again") from error
        if not isinstance(value, dict):
            raise BadEntry(f"{where} holds no object: {excerpt(line)}; take the line out")
        for field, type in _TYPES.items():
            if not isinstance(value.get(field, type()), type):
                raise BadEntry(f"{where}: {field!r} is {value[field]!r}, of the wrong type; repair the line or take it out")
        try:
            return Entry.from_dict(value)
        except (BadEntry, TypeError) as error:
            raise BadEntry(f"{where}: {error}; repair the line or take it out") from error


@dataclass(frozen=True, slots=True)
class ExportDocument:
    """The lines of an export."""

    series: Series
    slots: Sequence[int | None]
    entries: Sequence[Entry]

    @property
    def computed_ids(self) -> bool:
        return False

    def render(self, wanted: Sequence[Wanted], base: Sequence[Entry]) -> tuple[str, list[Entry]]:
        alive = {(entry.namespace, entry.id) for entry, _ in wanted}
        gone = {(entry.namespace, entry.id) for entry in base} - alive
        pieces: list[tuple[int | None, str]] = []
        entries: list[Entry] = []
        for slot, entry in arrange(self.slots, wanted, last_filled(self.series.items)):
            if entry is None:
                pieces.append((slot, self.series.items[cast(int, slot)]))
                continue
            entry = _unlinked(entry, gone)
            entries.append(entry)
            place = self.slots[slot] if slot is not None else None
            kept = slot is not None and place is not None and entry == base[place]
            pieces.append((slot, self.series.items[cast(int, slot)] if kept else _line(entry)))
        if not self.series.items and pieces:
            pieces.insert(0, (None, HEADER))
        return self.series.join(pieces), entries

    def erase(self, text: str, base: Sequence[Entry]) -> tuple[str, list[Entry], int]:
        items = list(self.series.items)
        entries: list[Entry] = []
        for slot, place in enumerate(self.slots):
            if place is not None:
                entries.append(_erased(base[place], text))
                if entries[-1] != base[place]:
                    items[slot] = _line(entries[-1])
        remaining = sum(total(load(item), text) for item in items if item.strip())
        return self.series.join(list(enumerate(items))), entries, remaining


def _line(entry: Entry) -> str:
    return dump(entry.as_dict(), _STYLE)


def _unlinked(entry: Entry, gone: set[tuple[str, str]]) -> Entry:
    """The entry without links to entries that went."""
    links = tuple(link for link in entry.links if (entry.namespace, link.target) not in gone)
    return entry if links == entry.links else replace(entry, links=links)


def _erased(entry: Entry, text: str) -> Entry:
    return replace(
        entry,
        keywords=tuple(word for word in entry.keywords if not holds(word, text)),
        links=tuple(link for link in entry.links if not holds(f"{link.target} {link.relation}", text)),
        sources=tuple(source for source in entry.sources if not holds(f"{source.turn} {source.span}", text)),
        metadata=cast("dict[str, JSON]", without(dict(entry.metadata), text)),
    )
