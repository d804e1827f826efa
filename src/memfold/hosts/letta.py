"""Letta agent files (`.af`): the lines of the memory blocks are the entries; the rest of the file survives byte for byte.

Blocks stand in `blocks`, in older files in `core_memory`, `memory_blocks` or `memory.blocks`, at the top or in each of
`agents`. The file may be JSON inside a JSON string, up to twice. An entry's home is its block's label, its id a hash
of label and line with `-2`, `-3` for repeats; entries of a read-only block are pinned. `Entry.metadata` holds the
line's `mark` (bullet) and `section` (the heading or label above it), by which a lost line finds its place again.
A change rewrites the lines that change, in the source of the block's string. Messages are the agent's own history
and are never touched.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import blake2b
from typing import cast

from memfold.errors import BadEntry, NotAStore, StoreChanged
from memfold.hosts.blocks import as_line, block_lines, is_section, one_line
from memfold.hosts.filehost import FileHost
from memfold.hosts.files import json_bytes
from memfold.hosts.forget import holds, total
from memfold.hosts.jsonl import excerpt
from memfold.hosts.jsonstring import Splice, literal_lines, quoted, splice, splice_inside, unquoted
from memfold.hosts.jsontext import Series, Style, load, value_span
from memfold.hosts.places import Piece, Wanted, arrange, last_filled
from memfold.types import JSON, Entry

_NESTED = 2
_BLOCK_LISTS = (("blocks",), ("core_memory",), ("memory_blocks",), ("memory", "blocks"))
AGENT_KEYS = ("agents", "blocks", "core_memory", "memory_blocks", "agent_type", "messages")
"""Keys by which a JSON document is known as an agent file: at least two."""


def is_agent(value: JSON) -> bool:
    """Whether a JSON document looks like an agent file."""
    return isinstance(value, dict) and (any(_lists(value)) or sum(key in value for key in AGENT_KEYS) > 1)


class LettaHost(FileHost):
    """An agent file."""

    @property
    def name(self) -> str:
        return "letta"

    def combine(self, a: Entry, b: Entry, merged: Entry) -> Entry:
        """The block, and the bullet and heading of the first side; the text on one line."""
        return replace(merged, text=one_line(merged.text), namespace=a.namespace, home=a.home, metadata=a.metadata)

    def size(self, entry: Entry) -> int:
        """The line in its block's value, line end included."""
        return json_bytes(f"{entry.metadata.get('mark', '')}{entry.text}\n") - 2

    def _parse(self, text: str) -> LettaDocument:
        outer: list[str] = []
        value = self._load(text, text)
        source = text
        while isinstance(value, str) and len(outer) < _NESTED:
            outer.append(source)
            source = value
            value = self._load(source, text)
        if not isinstance(value, dict) or not is_agent(value):
            raise NotAStore(f"{self.location} is no Letta agent file: {_what(value)}; an agent file has agents and blocks")
        blocks = list(_blocks(source, value))
        repeats: dict[str, int] = {}
        entries: list[Entry] = []
        slots: list[list[int | None]] = []
        for block in blocks:
            here: list[int | None] = []
            for entry in block.entries(repeats):
                here.append(None if entry is None else len(entries))
                entries += [entry] if entry is not None else []
            slots.append(here)
        return LettaDocument(tuple(outer), source, value, blocks, slots, entries)

    def _load(self, source: str, text: str) -> JSON:
        try:
            return load(source)
        except ValueError as error:
            cure = "an agent file is one JSON document; if it was cut off, export the agent again"
            raise NotAStore(f"{self.location} is not JSON ({error}): it starts with {excerpt(text)}; {cure}") from error


@dataclass(frozen=True, slots=True)
class Block:
    """A memory block: its name in the file, the span of its value's literal in the source, the literal's lines."""

    home: str
    span: tuple[int, int]
    series: Series
    read_only: bool

    def entries(self, repeats: dict[str, int]) -> Iterator[Entry | None]:
        """Per line its entry, None for scaffold. `repeats` counts how often an id was given in this file."""
        for line in block_lines([unquoted(item) for item in self.series.items]):
            if not line.text:
                yield None
                continue
            id = blake2b(f"{self.home}\0{line.text}".encode("utf-8", "surrogatepass"), digest_size=6).hexdigest()
            count = repeats[id] = repeats.get(id, 0) + 1
            stated = {"mark": line.mark, "section": line.section}
            metadata = cast("dict[str, JSON]", {key: value for key, value in stated.items() if value})
            yield Entry(id if count == 1 else f"{id}-{count}", line.text, home=self.home, pinned=self.read_only, metadata=metadata)


@dataclass(frozen=True, slots=True)
class LettaDocument:
    """The blocks of an agent file. `outer` are the texts whose string literal holds the next one, `source` the last."""

    outer: tuple[str, ...]
    source: str
    value: Mapping[str, JSON]
    blocks: Sequence[Block]
    slots: Sequence[Sequence[int | None]]
    entries: Sequence[Entry]

    @property
    def computed_ids(self) -> bool:
        return True

    def render(self, wanted: Sequence[Wanted], base: Sequence[Entry]) -> tuple[str, list[Entry]]:
        block_of = {place: n for n, slots in enumerate(self.slots) for place in slots if place is not None}
        by_block: dict[int, list[Wanted]] = {}
        for entry, place in wanted:
            n = self._block(entry) if place is None else block_of[place]
            by_block.setdefault(n, []).append((entry, place))
        style = Style.of(self.source)
        changes: list[Splice] = []
        entries: list[Entry] = []
        for n, (block, slots) in enumerate(zip(self.blocks, self.slots, strict=True)):
            pieces = _arranged(block, slots, by_block.get(n, ()))
            entries += [entry for _, entry in pieces if entry is not None]
            lines = [(slot, _line(block, slot, entry, None if slot is None else slots[slot], base, style)) for slot, entry in pieces]
            literal = block.series.join(lines)
            if literal != self.source[slice(*block.span)]:
                changes.append((*block.span, literal))
        return self._spliced(changes), entries

    def erase(self, text: str, base: Sequence[Entry]) -> tuple[str, list[Entry], int]:
        changes: list[Splice] = []
        for block, slots in zip(self.blocks, self.slots, strict=True):
            kept = [
                (slot, item)
                for slot, (item, place) in enumerate(zip(block.series.items, slots, strict=True))
                if place is not None or not holds(unquoted(item), text)
            ]
            if len(kept) < len(slots):
                changes.append((*block.span, block.series.join(kept)))
        remaining = total(load(splice(self.source, changes)), text)
        return self._spliced(changes), list(base), remaining

    def _block(self, entry: Entry) -> int:
        for n, block in enumerate(self.blocks):
            if block.home == entry.home:
                return n
        if not entry.home:
            raise BadEntry(f"entry {entry.id!r} names no block as its home, so it has no place in an agent file; give it a home")
        raise StoreChanged(f"the agent file has no block {entry.home!r} any more, so entry {entry.id!r} has no place; bring the block back")

    def _spliced(self, changes: Sequence[Splice]) -> str:
        """The file's text with changes of `source`, made through the strings around it."""
        if not changes:
            return self.outer[0] if self.outer else self.source
        text = self.source
        for text in reversed(self.outer):
            start = len(text) - len(text.lstrip())
            literal = text.strip()
            changes = [(start, start + len(literal), splice_inside(literal, changes))]
        return splice(text, changes)


def _line(block: Block, slot: int | None, entry: Entry | None, place: int | None, base: Sequence[Entry], style: Style) -> str:
    """The source of a line: the old one where its text stays, else the entry's under the same mark."""
    item = block.series.items[slot] if slot is not None else ""
    if entry is None or (place is not None and entry.text == base[place].text):
        return item
    mark = str((base[place] if place is not None else entry).metadata.get("mark", ""))
    line = as_line(mark, one_line(entry.text))
    if line is None:
        raise BadEntry(f"entry {entry.id!r} cannot stand as a line of a memory block: {excerpt(entry.text)}; give it a text with words")
    return quoted(line, Style.of(item, style))


def _arranged(block: Block, slots: Sequence[int | None], wanted: Sequence[Wanted]) -> list[Piece]:
    """The next state of a block, section by section: a new line goes to the section that its metadata names."""
    if all(place is not None for _, place in wanted):
        return arrange(slots, wanted, 0)
    sections = _sections(block)
    by_section = _distributed(sections, slots, wanted)
    out: list[Piece] = []
    for (_, span), here in zip(sections, by_section, strict=True):
        items = block.series.items[span.start : span.stop]
        for slot, entry in arrange(slots[span.start : span.stop], here, last_filled(items)):
            out.append((None if slot is None else span.start + slot, entry))
    return out


def _distributed(sections: Sequence[tuple[str, range]], slots: Sequence[int | None], wanted: Sequence[Wanted]) -> list[list[Wanted]]:
    """The living entries of each section. Of several sections with a new entry's name, the next one after its neighbour."""
    section_of = {slots[slot]: n for n, (_, span) in enumerate(sections) for slot in span}
    out: list[list[Wanted]] = [[] for _ in sections]
    at = 0
    for entry, place in wanted:
        if place is not None:
            at = section_of[place]
        else:
            name = entry.metadata.get("section", "")
            named = [n for n, (each, _) in enumerate(sections) if each == name] or [len(sections) - 1]
            at = next((n for n in named if n >= at), named[0])
        out[at].append((entry, place))
    return out


def _sections(block: Block) -> list[tuple[str, range]]:
    """The sections of a block: name and lines; the first has no name."""
    lines = [unquoted(item) for item in block.series.items]
    sections = [line.section for line in block_lines(lines)]
    starts = [0, *(n for n, line in enumerate(lines) if n and sections[n] != sections[n - 1] and is_section(line))]
    return [(sections[start] if lines else "", range(start, end)) for start, end in zip(starts, [*starts[1:], len(lines)], strict=True)]


def _blocks(source: str, value: Mapping[str, JSON]) -> Iterator[Block]:
    """Every block with a text, in the order of the file."""
    found: list[tuple[tuple[int, int], Mapping[str, JSON]]] = []
    for path, block in _with_paths(value):
        span = value_span(source, (*path, "value"))
        found.append((span, block))
    labels = Counter(_label(block) for _, block in found)
    for n, (span, block) in enumerate(sorted(found, key=lambda each: each[0])):
        label = _label(block)
        home = label if label and labels[label] == 1 else str(block.get("id") or f"{label or 'block'} {n + 1}")
        yield Block(home, span, literal_lines(source[slice(*span)]), block.get("read_only") is True)


def _label(block: Mapping[str, JSON]) -> str:
    label = block.get("label")
    return label if isinstance(label, str) else ""


def _with_paths(value: Mapping[str, JSON]) -> Iterator[tuple[tuple[str | int, ...], Mapping[str, JSON]]]:
    """The blocks that hold a text, with their paths in the document."""
    for path, blocks in _lists(value):
        for n, block in enumerate(blocks):
            if isinstance(block, dict) and isinstance(block.get("value"), str):
                yield (*path, n), block


def _lists(value: Mapping[str, JSON]) -> Iterator[tuple[tuple[str | int, ...], list[JSON]]]:
    """The lists of blocks in a document, with their paths."""
    agents = value.get("agents")
    owners: list[tuple[tuple[str | int, ...], JSON]] = [((), cast(JSON, dict(value)))]
    owners += [(("agents", n), agent) for n, agent in enumerate(agents)] if isinstance(agents, list) else []
    for path, owner in owners:
        for names in _BLOCK_LISTS:
            inner: JSON = owner
            for name in names:
                inner = inner.get(name) if isinstance(inner, dict) else None
            if isinstance(inner, list) and any(isinstance(block, dict) and "value" in block for block in inner):
                yield (*path, *names), inner


def _what(value: JSON) -> str:
    if isinstance(value, dict):
        return "it is a JSON document with " + (", ".join(repr(key[:40]) for key in list(value)[:8]) or "nothing in it")
    return f"it holds {excerpt(str(value))}"
