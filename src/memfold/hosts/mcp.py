"""The MCP memory server's knowledge graph: one entity or relation a line of JSONL. Its observations are the entries.

An entry's text is "Entity: observation", its home the entity's name, its id a hash of both with `-2`, `-3` for
repeats. Files in the wild lack `type`, carry extra keys, nest relations inside entities, hold blank lines and prose:
all of that is kept as it stands. Only lines whose observations change are touched, and of those only what changes.
An entity without observations stays, since relations may point to it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import blake2b
from typing import cast

from memfold.errors import BadEntry, NotAStore
from memfold.hosts.filehost import FileHost
from memfold.hosts.files import json_bytes
from memfold.hosts.forget import holds, occurrences, plain, total, without
from memfold.hosts.jsonl import excerpt
from memfold.hosts.jsontext import Series, Style, array_of, dump, lines_of, load, member_split, object_of, patch
from memfold.hosts.places import Piece, Wanted, arrange
from memfold.hosts.times import like_time, parse_time
from memfold.types import JSON, Entry

_TYPE_KEYS = ("entityType", "entity_type")
_CREATED_KEYS = ("createdAt", "created_at")
_INNER_TEXTS = ("content", "text")
_RAW = "observation"
"""Metadata key for an observation that is no string: its raw value."""


def is_entity(value: JSON) -> bool:
    """Whether an object looks like an entity of the graph."""
    if not isinstance(value, dict) or not isinstance(value.get("name"), str):
        return False
    return isinstance(value.get("observations"), list) or any(key in value for key in _TYPE_KEYS) or value.get("type") == "entity"


def is_relation(value: JSON) -> bool:
    """Whether an object looks like a relation of the graph."""
    if not isinstance(value, dict) or "from" not in value or "to" not in value:
        return False
    return "relationType" in value or "relation_type" in value or value.get("type") == "relation"


class McpHost(FileHost):
    """A memory file of the MCP memory server."""

    @property
    def name(self) -> str:
        return "mcp"

    def combine(self, a: Entry, b: Entry, merged: Entry) -> Entry:
        """The entity and its type; the text as the entity's observation, "Entity: …"."""
        text = f"{a.home}: {_observation(merged.text, a.home)}"
        metadata = {key: value for key, value in a.metadata.items() if key != _RAW}
        return replace(merged, text=text, namespace=a.namespace, home=a.home, metadata=metadata)

    def size(self, entry: Entry) -> int:
        """The observation in its entity's list; name and type of the entity stand in the file once."""
        return json_bytes(_raw(entry)) + 2

    def _parse(self, text: str) -> McpDocument:
        series = lines_of(text)
        entries: list[Entry] = []
        lines: list[Line] = []
        repeats: dict[str, int] = {}
        last = len(series.items) if not series.tail else 0
        for number, item in enumerate(series.items, start=1):
            value = self._value(item, number, text, last=number == last)
            start = len(entries)
            if value is not None and is_entity(value):
                entries += _entries(value, repeats)
            lines.append(Line(item, value, range(start, len(entries))))
        objects = [line.value for line in lines if line.value is not None]
        if text.strip() and not any(is_entity(value) or is_relation(value) for value in objects):
            raise self._other(text, objects)
        return McpDocument(series, lines, entries)

    def _value(self, line: str, number: int, text: str, *, last: bool) -> dict[str, JSON] | None:
        """The object in a line; None where it is blank or prose."""
        if not line.lstrip().startswith("{"):
            return None
        try:
            return cast("dict[str, JSON]", load(line))
        except ValueError as error:
            if number == 1:  # perhaps one document over several lines
                raise self._other(text, []) from error
            if last:
                where = f"{self.location} ends in the middle of line {number}, probably a writer was interrupted"
                raise BadEntry(f"{where}: {excerpt(line)}; bring the line back, or cut it off: head -n {number - 1} FILE") from error
            raise BadEntry(f"{self.location}, line {number} is not JSON ({error}): {excerpt(line)}; repair it or take it out") from error

    def _other(self, text: str, objects: Sequence[Mapping[str, JSON]]) -> NotAStore:
        """What a file is that holds no graph: a file of this name may hold another schema."""
        document = _document(text)
        if document and isinstance(document.get("entities"), list):
            cure = "the server's form is one object a line: jq -c '.entities[], .relations[]' FILE > FILE.jsonl"
            return NotAStore(f"{self.location} is one JSON document with entities and relations; {cure}")
        if objects:
            keys = ", ".join(repr(key[:40]) for key in list(objects[0])[:8])
            cure = f"if its lines are memories, give it as jsonl:{self.location}"
            return NotAStore(f"{self.location} holds no entities or relations, but objects with the fields {keys}: another schema; {cure}")
        return NotAStore(f"{self.location} is no MCP memory graph: it starts with {excerpt(text)}; a graph has one JSON object a line")


@dataclass(frozen=True, slots=True)
class Line:
    """A line, its object (None: blank or prose), and which entries of the file are its observations."""

    text: str
    value: dict[str, JSON] | None
    entries: range

    @property
    def entity(self) -> str | None:
        """The entity's name, None for other lines."""
        return cast(str, self.value["name"]) if self.value is not None and is_entity(self.value) else None


@dataclass(frozen=True, slots=True)
class McpDocument:
    """The lines of a graph."""

    series: Series
    lines: Sequence[Line]
    entries: Sequence[Entry]

    @property
    def computed_ids(self) -> bool:
        return True

    def render(self, wanted: Sequence[Wanted], base: Sequence[Entry]) -> tuple[str, list[Entry]]:
        style = Style.of("\n".join(self.series.items))
        by_line, created = self._distribute(wanted)
        pieces: list[tuple[int | None, str]] = []
        entries: list[Entry] = []

        def create(after: int) -> None:
            for home, members in created.pop(after, {}).items():
                pieces.append((None, dump(self._entity(home, members), style)))
                entries.extend(members)

        create(-1)
        for n, line in enumerate(self.lines):
            here = arrange(list(line.entries), by_line.get(n, ()), len(line.entries)) if line.entity is not None else []
            entries += [entry for _, entry in here if entry is not None]
            pieces.append((n, self._observed(line, here, base, style)))
            create(n)
        return self.series.join(pieces), entries

    def erase(self, text: str, base: Sequence[Entry]) -> tuple[str, list[Entry], int]:
        style = Style.of("\n".join(self.series.items))
        pieces: list[tuple[int | None, str]] = []
        entries: list[Entry] = []
        remaining = 0
        for n, line in enumerate(self.lines):
            if _goes(line, text):
                continue
            rest = _erased(line, text)
            pieces.append((n, line.text if rest is None else patch(line.text, line.value, rest, Style.of(line.text, style))))
            remaining += total(rest, text) if rest is not None else occurrences(line.text, text)
            fresh = _entries(rest, {}) if rest is not None and line.entity is not None else []
            entries += [replace(base[place], metadata=each.metadata) for place, each in zip(line.entries, fresh, strict=True)]
        return self.series.join(pieces), entries, remaining

    def _distribute(self, wanted: Sequence[Wanted]) -> tuple[dict[int, list[Wanted]], dict[int, dict[str, list[Entry]]]]:
        """The entries of each line; and the entities to create, after which line."""
        line_of = {place: n for n, line in enumerate(self.lines) for place in line.entries}
        named = {line.entity: n for n, line in enumerate(self.lines) if line.entity is not None}
        by_line: dict[int, list[Wanted]] = defaultdict(list)
        created: dict[int, dict[str, list[Entry]]] = defaultdict(dict)
        homes: dict[str, int] = {}
        at = max((n for n, line in enumerate(self.lines) if line.value is not None), default=-1)
        for entry, place in wanted:
            if place is not None:
                homes[self.entries[place].home] = line_of[place]
                by_line[line_of[place]].append((entry, place))
                continue
            home = _home(entry, named)
            entry = entry if entry.home else replace(entry, home=home)
            if home in named:
                by_line[homes.get(home, named[home])].append((entry, None))
            else:
                created[at].setdefault(home, []).append(entry)
        return by_line, created

    def _observed(self, line: Line, here: Sequence[Piece], base: Sequence[Entry], style: Style) -> str:
        """The line with these observations."""
        if line.value is None or line.entity is None:
            return line.text
        if [slot for slot, _ in here] == list(range(len(line.entries))) and all(
            entry == base[place] for (_, entry), place in zip(here, line.entries, strict=True)
        ):
            return line.text
        style = Style.of(line.text, style)
        observations = line.value.get("observations")
        if not isinstance(observations, list):
            new: list[JSON] = [] if observations is None else [observations]
            new += [_raw(entry) for _, entry in here if entry is not None]
            return patch(line.text, line.value, {**line.value, "observations": new}, style)
        whole = object_of(line.text, style)
        at = len(whole.keys) - 1 - whole.keys[::-1].index("observations")
        cut = member_split(whole.items[at])
        array = array_of(whole.items[at][cut:], style)
        items = [(slot, self._element(line, array, slot, cast(Entry, entry), base, style)) for slot, entry in here]
        items_text = whole.items[at][:cut] + array.join(items)
        return whole.join([(n, items_text if n == at else item) for n, item in enumerate(whole.items)])

    def _element(self, line: Line, array: Series, slot: int | None, entry: Entry, base: Sequence[Entry], style: Style) -> str:
        if slot is None:
            return dump(_raw(entry), style)
        if entry.text == base[line.entries[slot]].text:
            return array.items[slot]
        text = _observation(entry.text, cast(str, line.entity))
        value = array.values[slot]
        inner = _inner(value)
        new: JSON = {**cast("dict[str, JSON]", value), inner: text} if inner else text
        return patch(array.items[slot], value, new, Style.of(array.items[slot], style))

    def _entity(self, home: str, members: Sequence[Entry]) -> dict[str, JSON]:
        """A new entity, with the keys of the file's others in their order."""
        nothing: dict[str, JSON] = {}
        model = next((line.value for line in self.lines if line.entity is not None and line.value), nothing)
        observations: list[JSON] = [_raw(entry) for entry in members]
        kind = next((entry.metadata[key] for entry in members for key in _TYPE_KEYS if key in entry.metadata), "")
        created = min((entry.created_at for entry in members if entry.created_at), default=None, key=lambda time: time.isoformat())
        known: dict[str, JSON] = {"type": "entity", "name": home, "observations": observations}
        known |= dict.fromkeys(_TYPE_KEYS, kind)
        if created:
            known |= {key: like_time(created, model[key]) for key in _CREATED_KEYS if key in model}
        keys = [key for key in model if key in known] or ["type", "name", "entityType", "observations"]
        keys += [key for key in ("name", "observations") if key not in keys]
        return {key: known[key] for key in keys}


def _entries(value: Mapping[str, JSON], repeats: dict[str, int]) -> list[Entry]:
    """The entries of an entity. `repeats` counts how often an id was given in this file."""
    home = cast(str, value["name"])
    created = next((time for key in _CREATED_KEYS if (time := parse_time(value.get(key)))), None)
    kinds = {key: value[key] for key in _TYPE_KEYS if key in value}
    observations = value.get("observations")
    out: list[Entry] = []
    for raw in observations if isinstance(observations, list) else ():
        text = _plain(raw)
        id = blake2b(f"{home}\0{text}".encode("utf-8", "surrogatepass"), digest_size=6).hexdigest()
        count = repeats[id] = repeats.get(id, 0) + 1
        metadata = kinds if isinstance(raw, str) else {**kinds, _RAW: raw}
        out.append(Entry(id if count == 1 else f"{id}-{count}", f"{home}: {text}", home=home, created_at=created, metadata=metadata))
    return out


def _inner(raw: JSON) -> str:
    """The key under which an observation that is an object holds its text, "" if none."""
    return next((key for key in _INNER_TEXTS if isinstance(raw, dict) and isinstance(raw.get(key), str)), "")


def _plain(raw: JSON) -> str:
    inner = _inner(raw)
    return cast(str, cast("dict[str, JSON]", raw)[inner]) if inner else plain(raw)


def _observation(text: str, home: str) -> str:
    return text.removeprefix(f"{home}: ")


def _raw(entry: Entry) -> JSON:
    """What to write for an entry that the file lacks."""
    text = _observation(entry.text, entry.home)
    raw = entry.metadata.get(_RAW)
    return raw if raw is not None and _plain(raw) == text else text


def _home(entry: Entry, named: Mapping[str, int]) -> str:
    home = entry.home or next((name for name in named if name and entry.text.startswith(f"{name}: ")), "")
    if not home and "" not in named:
        raise BadEntry(f"entry {entry.id!r} names no entity as its home, so it has no place in an MCP memory file; give it a home")
    return home


def _goes(line: Line, text: str) -> bool:
    """Whether a line goes as a whole: prose or a relation with the text, an entity named by it, an unknown object."""
    if line.value is None:
        return holds(line.text, text)
    if line.entity is not None:
        typed = any(holds(plain(line.value[key]), text) for key in _TYPE_KEYS if key in line.value)
        return holds(line.entity, text) or (typed and not line.entries)
    ends = [line.value.get(key) for key in ("from", "to", "relationType", "relation_type")]
    return is_relation(line.value) and any(holds(plain(end), text) for end in ends)


def _erased(line: Line, text: str) -> dict[str, JSON] | None:
    """The object without fields that hold the text. The texts of observations are the caller's; a type becomes empty."""
    if line.value is None:
        return None
    out: dict[str, JSON] = {}
    for key, value in line.value.items():
        if key == "observations" and isinstance(value, list):
            out[key] = [_without_beside(each, text) for each in value]
        elif key in _TYPE_KEYS:
            out[key] = "" if holds(plain(value), text) else value
        elif isinstance(value, list):  # relations that stand in their entity go as a whole
            rest = [each for each in value if not (isinstance(each, dict) and total(each, text))]
            out |= cast("dict[str, JSON]", without({key: rest}, text))
        else:
            out |= cast("dict[str, JSON]", without({key: value}, text))
    return out


def _without_beside(raw: JSON, text: str) -> JSON:
    """An observation without the fields that hold the text, its own text excepted."""
    inner = _inner(raw)
    if not inner or not isinstance(raw, dict):
        return raw
    rest = cast("dict[str, JSON]", without({key: value for key, value in raw.items() if key != inner}, text))
    return {key: raw[key] if key == inner else rest[key] for key in raw if key == inner or key in rest}


def _document(text: str) -> Mapping[str, JSON] | None:
    try:
        value = load(text)
    except ValueError:
        return None
    return value if isinstance(value, dict) else None
