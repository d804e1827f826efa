"""Which kind of memory file a file is, from its content and its name."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from pathlib import Path

from memfold.errors import NotAStore
from memfold.hosts.export import is_header
from memfold.hosts.files import decode, read_bytes, reading, refuse_binary
from memfold.hosts.jsonl import excerpt
from memfold.hosts.jsontext import load
from memfold.hosts.letta import is_agent
from memfold.hosts.mcp import is_entity, is_relation
from memfold.types import JSON

_HEAD = 256 * 1024
_LINES = 200


def kind_of(path: Path) -> str:
    """The name of the host for a file: `jsonl`, `mcp`, `letta` or `export`.

    The first lines decide, and the extension where they cannot; only a file that is one JSON document over several
    lines is read as a whole.

    :raises NotAStore: none of them; the message says what it looks like and the cure.
    """
    with reading(path), path.open("rb") as file:
        head = file.read(_HEAD)
    refuse_binary(head, str(path))
    lines = _lines(head)
    if path.suffix.lower() == ".af":
        return "letta"
    if not lines:
        return "jsonl"
    if lines[0].startswith("{"):
        first = _value(lines[0])
        if is_header(first):
            return "export"
        if isinstance(first, dict) and not is_agent(first):
            return _by_lines(lines)
    elif any(is_entity(value) or is_relation(value) for value in map(_value, lines)):
        return "mcp"
    return _by_document(path, lines[0])


def _lines(head: bytes) -> list[str]:
    """The whole, filled lines at the start of a file; a line longer than the head as far as it goes."""
    cut = head.rfind(b"\n") + 1 if len(head) == _HEAD and b"\n" in head else len(head)
    text = head[:cut].removeprefix(b"\xef\xbb\xbf").decode("utf-8", "replace")
    return [line for line in (each.strip() for each in text.split("\n")) if line][:_LINES]


def _value(line: str) -> JSON:
    if not line.startswith("{"):
        return None
    try:
        return load(line)
    except ValueError:
        return None


def _by_lines(lines: list[str]) -> str:
    kinds = Counter(is_entity(value) or is_relation(value) for value in map(_value, lines) if value is not None)
    return "mcp" if kinds[True] > kinds[False] else "jsonl"


def _by_document(path: Path, first: str) -> str:
    """For a file whose first line is no whole object."""
    if first[0] not in '{["':
        cure = "Memfold reads JSONL (one JSON object a line), MCP memory graphs, Letta agent files and its own export"
        raise NotAStore(f"{path} looks like {_prose(path, first)}: it starts with {excerpt(first)}; {cure}")
    text = decode(read_bytes(path), str(path))[1]
    try:
        value = load(text)
        while isinstance(value, str) and value.lstrip()[:1] in ("{", '"'):
            value = load(value)
    except ValueError:
        return "jsonl"  # which says which line is broken, and how
    if is_agent(value):
        return "letta"
    if isinstance(value, list) or (isinstance(value, dict) and "\n" not in text.strip() and "entities" not in value):
        return "jsonl"  # of one long line, it may be
    raise NotAStore(_one_document(path, value))


def _one_document(path: Path, value: JSON) -> str:
    if not isinstance(value, Mapping):
        return f"{path} holds one JSON string or number, no memories; give a file with one JSON object a line"
    lists = [key for key, each in value.items() if isinstance(each, list) and any(isinstance(item, dict) for item in each)]
    if "entities" in lists:
        cure = "make it one object a line: jq -c '.entities[], (.relations // [])[]' FILE > FILE.jsonl"
        return f"{path} is one JSON document with entities; {cure}"
    keys = ", ".join(repr(key[:40]) for key in list(value)[:8])
    cure = f"jq -c '.[\"{lists[0]}\"][]' FILE > FILE.jsonl" if lists else "jq -c . FILE > FILE.jsonl"
    return f"{path} is one JSON document with the fields {keys}; Memfold reads one object a line: {cure}"


def _prose(path: Path, first: str) -> str:
    if path.suffix.lower() in (".csv", ".tsv") or first.count(",") > 3:
        return "a table (CSV)"
    return "Markdown" if path.suffix.lower() in (".md", ".markdown") or first.startswith("#") else "plain text"
