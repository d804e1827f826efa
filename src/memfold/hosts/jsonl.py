"""JSONL: one JSON object a line, under any field names. Also a file that is one JSON array of objects.

Entries are the lines (elements) in their order. Without an id field an entry's id is a hash of its line, with `-2`,
`-3` for repeats. Changing an entry changes only the values that differ: the rest of its line, the other lines, blank
lines and line ends keep their bytes. A new entry is written with the keys and in the style of the file's others.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from hashlib import blake2b
from itertools import chain, islice
from pathlib import Path
from typing import Any, BinaryIO, cast

from memfold.errors import BadEntry, DuplicateId, NotAStore, StoreError
from memfold.hosts.fields import ROLES, FieldMap, JsonlFields
from memfold.hosts.filehost import FileHost
from memfold.hosts.files import decode, json_bytes, reading
from memfold.hosts.forget import total, without
from memfold.hosts.jsontext import Series, Style, array_of, dump, lines_of, load, patch
from memfold.hosts.places import Wanted, arrange, last_filled, moment
from memfold.protocols import Snapshot
from memfold.types import JSON, Entry

SAMPLE = 500
"""So many objects at the start of a file decide what its fields mean."""

Row = tuple[int, str, "dict[str, JSON] | None"]
"""Number from 1, source text, object; None where the line is blank."""


class JsonlHost(FileHost):
    """A JSONL file, or a JSON array of objects.

    :param fields: which field is what; names left None are found from the file's first objects, once a host.
    """

    def __init__(self, path: str | Path, fields: JsonlFields | None = None) -> None:
        super().__init__(path)
        self._fields = fields or JsonlFields()
        self._found: FieldMap | None = None
        self._kept: FieldMap | None = None

    @property
    def name(self) -> str:
        return "jsonl"

    @property
    def form(self) -> dict[str, JSON]:
        """Which field is what, once the file was read."""
        return dict(asdict(self._found)) if self._found else {}

    def use(self, form: Mapping[str, JSON]) -> None:
        """Read the file as it was read before; see `Host.use`."""
        kept = FieldMap(**cast("dict[str, Any]", dict(form)))
        for role in ROLES:
            stated, known = getattr(self._fields, role), getattr(kept, role)
            if stated is not None and stated != known:
                raise StoreError(
                    f"{self.location} was read with {known!r} as its {role} so far, and its journal counts on that; "
                    f"leave --{role}-field out. To read it otherwise, move {self.location}.memfold.db away: "
                    "its runs can then no longer be undone"
                )
        self._kept = kept

    def parse(self, raw: bytes) -> Snapshot:
        """What `read` gives when the file holds these bytes; which field is what is found anew, unless `use` told."""
        self._found = self._kept
        return super().parse(raw)

    def iter_entries(self) -> Iterator[Entry]:
        """The entries one by one, without holding the file: a line and one short hash for each earlier line.

        A file that is one JSON array is held as a whole. Errors are those of `read`.
        """
        with reading(self.path), self.path.open("rb") as stream:
            yield from _entries(_stream(stream, self.location), self._fields, self.location)

    def combine(self, a: Entry, b: Entry, merged: Entry) -> Entry:
        """The other fields of both sides; where they differ, those of the newer one."""
        older, newer = sorted((a, b), key=moment)
        sides = (merged.metadata, newer.metadata, older.metadata)
        whole = replace(merged, namespace=a.namespace, home=a.home, metadata={**older.metadata, **newer.metadata, **merged.metadata})
        return replace(whole, metadata=self._found.agreeing(whole, sides)) if self._found else whole

    def size(self, entry: Entry) -> int:
        """The entry's line, under the names that its fields have in the file."""
        return json_bytes(self._found.to_object(entry, _NO_KEYS) if self._found else entry.as_dict()) + 1

    def _parse(self, text: str) -> JsonlDocument:
        series, rows = _table(text, self.location)
        objects = [value for _, _, value in rows if value is not None]
        fields = self._found or self._fields.resolve(objects[:SAMPLE], self.location)
        if objects:
            self._found = fields
        return JsonlDocument(series, rows, fields, list(_with_fields(rows, fields, self.location)), text)


_NO_KEYS: dict[str, JSON] = {}


@dataclass(frozen=True, slots=True)
class JsonlDocument:
    """The rows of a file: entries and, between them, blank lines."""

    series: Series
    rows: Sequence[Row]
    fields: FieldMap
    entries: Sequence[Entry]
    source: str

    @property
    def computed_ids(self) -> bool:
        return not self.fields.id

    def render(self, wanted: Sequence[Wanted], base: Sequence[Entry]) -> tuple[str, list[Entry]]:
        slots = self._slots()
        rows = self._objects()
        style = Style.of(self.source)
        pieces: list[tuple[int | None, str]] = []
        entries: list[Entry] = []
        models = _Models(self.fields, rows, self.entries)
        for slot, entry in arrange(slots, wanted, last_filled(self.series.items)):
            if entry is None:
                pieces.append((slot, self.series.items[cast(int, slot)]))
                continue
            entries.append(entry)
            place = slots[slot] if slot is not None else None
            if slot is None or place is None:
                pieces.append((None, dump(self.fields.to_object(entry, models.like(entry)), style)))
            else:
                pieces.append((slot, self._changed(self.series.items[slot], rows[place], base[place], entry, style)))
        return self.series.join(pieces), entries

    def erase(self, text: str, base: Sequence[Entry]) -> tuple[str, list[Entry], int]:
        style = Style.of(self.source)
        objects = self._objects()
        items = list(self.series.items)
        entries: list[Entry] = []
        remaining = 0
        for slot, place in enumerate(self._slots()):
            if place is not None:
                rest = cast("dict[str, JSON]", without(dict(base[place].metadata), text))
                entries.append(replace(base[place], metadata=rest))
                new = self.fields.to_object(entries[-1], objects[place], same_id=True)
                items[slot] = patch(items[slot], objects[place], new, Style.of(items[slot], style))
                remaining += total(new, text)
        return self.series.join(list(enumerate(items))), entries, remaining

    def _slots(self) -> list[int | None]:
        out: list[int | None] = []
        place = 0
        for _, _, value in self.rows:
            out.append(None if value is None else place)
            place += value is not None
        return out

    def _objects(self) -> list[dict[str, JSON]]:
        return [value for _, _, value in self.rows if value is not None]

    def _changed(self, item: str, old: dict[str, JSON], before: Entry, entry: Entry, style: Style) -> str:
        if entry == before:
            return item
        new = self.fields.to_object(entry, old, same_id=entry.id == before.id)
        return patch(item, old, new, Style.of(item, style))


class _Models:
    """For a new entry, an object of the file with the same other fields, whose order and writing it follows."""

    def __init__(self, fields: FieldMap, objects: Sequence[dict[str, JSON]], entries: Sequence[Entry]) -> None:
        self._by_keys: dict[frozenset[str], dict[str, JSON]] = {}
        for value, entry in zip(objects, entries, strict=True):
            self._by_keys.setdefault(frozenset(entry.metadata), value)

    def like(self, entry: Entry) -> Mapping[str, JSON]:
        known = self._by_keys
        nothing: dict[str, JSON] = {}
        return known.get(frozenset(entry.metadata)) or next(iter(known.values()), nothing)


def _table(text: str, where: str) -> tuple[Series, list[Row]]:
    """The lines of a text, or the elements of its one array, and what they hold."""
    if text.lstrip(" \t\r\n").startswith("["):
        series = _array(text, where)
        values = cast("tuple[dict[str, JSON], ...]", series.values)
        return series, [(n, item, value) for n, (item, value) in enumerate(zip(series.items, values, strict=True), start=1)]
    series = lines_of(text)
    last = len(series.items) if not series.tail else 0
    return series, [(n, item, _object(item, n, where, last=n == last)) for n, item in enumerate(series.items, start=1)]


def _array(text: str, where: str) -> Series:
    try:
        value = load(text)
    except ValueError as error:
        cure = "a JSONL file has one object a line, {…}; a JSON array must be complete"
        raise NotAStore(f"{where} starts like a JSON array but is none ({error}); {cure}") from error
    if not isinstance(value, list) or not all(isinstance(each, dict) for each in value):
        raise NotAStore(f"{where} is a JSON array of something else than objects; give objects with a text and other fields")
    return array_of(text, Style.of(text))


def _stream(stream: BinaryIO, where: str) -> Iterator[Row]:
    """The rows of a stream, one line at a time."""
    for number, raw in enumerate(stream, start=1):
        bom, line = decode(raw, where, number)
        if bom and number > 1:
            line = "\ufeff" + line
        if number == 1 and line.lstrip(" \t\r\n").startswith("["):
            rest = decode(stream.read(), where, 2)[1] if not line.startswith("\ufeff") else ""
            yield from _table(line + rest, where)[1]
            return
        ended = line.endswith("\n")
        text = line.removesuffix("\n").removesuffix("\r")
        yield number, text, _object(text, number, where, last=not ended)


def _object(text: str, number: int, where: str, *, last: bool) -> dict[str, JSON] | None:
    """The object in a line, None if the line is blank."""
    if not text.strip(" \t\r\n"):
        return None
    try:
        value = load(text)
    except ValueError as error:
        raise _broken(text, number, where, error, last=last) from error
    if not isinstance(value, dict):
        raise BadEntry(f"{where}, line {number} is no object: {excerpt(text)}; each line is one {{…}}, take this one out")
    return value


def _broken(text: str, number: int, where: str, error: ValueError, *, last: bool) -> BadEntry | NotAStore:
    start = text.lstrip()
    if last and number > 1 and start.startswith("{"):
        cure = f"bring the whole line back, or cut it off: head -n {number - 1} FILE > FILE.whole"
        return BadEntry(f"{where} ends in the middle of line {number}, probably a writer was interrupted: {excerpt(text)}; {cure}")
    if number == 1 and not start.startswith("{"):
        return NotAStore(f"{where} is not JSONL: line 1 is {excerpt(text)}; a JSONL file has one JSON object a line")
    if start.rstrip() == "{":
        return BadEntry(f"{where}, line {number}: an object over several lines; put each on one line: jq -c . FILE > FILE.jsonl")
    return BadEntry(f"{where}, line {number} is not JSON ({error}): {excerpt(text)}; repair the line or take it out")


def excerpt(text: str, width: int = 60) -> str:
    """The start of a text, quoted, for messages."""
    return repr(text[:width]) + ("…" if len(text) > width else "")


def _entries(rows: Iterator[Row], fields: JsonlFields, where: str) -> Iterator[Entry]:
    head = list(islice((row for row in rows), SAMPLE))
    found = fields.resolve([value for _, _, value in head if value is not None], where)
    yield from _with_fields(chain(head, rows), found, where)


def _with_fields(rows: Iterable[Row], fields: FieldMap, where: str) -> Iterator[Entry]:
    """Entries of rows. One hash a line is remembered, to number repeats and to refuse an id that was there before."""
    repeats: dict[bytes, int] = {}
    lines: dict[bytes, int] = {}
    for number, text, value in rows:
        if value is None:
            continue
        digest = blake2b(text.strip().encode("utf-8"), digest_size=6)
        count = repeats[digest.digest()] = repeats.get(digest.digest(), 0) + 1
        line_id = digest.hexdigest() if count == 1 else f"{digest.hexdigest()}-{count}"
        entry = fields.to_entry(value, line_id, f"{where}, line {number}")
        if fields.id:
            key = blake2b(f"{entry.namespace}\0{entry.id}".encode("utf-8", "surrogatepass"), digest_size=12).digest()
            first = lines.setdefault(key, number)
            if first != number:
                cure = "give one of them another id, take one out, or read without ids (--id-field '')"
                raise DuplicateId(f"{where}, lines {first} and {number} have the same id {entry.id!r} in {fields.id!r}; {cure}")
        yield entry
