"""Which format a file has, by its content."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, cast

from memfold.errors import BadConversation
from memfold.extract.formats.reading import decoded, parse, read_text

_HEAD = 1 << 16
_JSON = re.compile(r"\s*(?:\{\s*[\"}]|\[\s*[\[{\]\"])")
_SESSION = re.compile(r"session_\d{1,6}")


def sniff(path: Path) -> str:
    """The name of the file's format.

    :raises BadConversation: it is empty, no text, or JSON of another kind. :raises OSError: it cannot be opened.
    """
    with path.open("rb") as file:
        head = file.read(_HEAD)
    cut = head[: head.rfind(b"\n") + 1] if len(head) == _HEAD and b"\n" in head else head
    text = decoded(cut, str(path)) if len(head) < _HEAD or b"\n" in head else cut.decode("utf-8", "ignore").lstrip("\ufeff")
    if not text.strip():
        raise BadConversation(f"{path} is empty")
    if not _JSON.match(text):
        return "text"
    first, _, rest = text.strip().partition("\n")
    row = _object(first)
    if row is not None and (rest.strip() or path.suffix in (".jsonl", ".ndjson")):
        return "halumem" if isinstance(row.get("sessions"), list) else "jsonl"
    return _document(parse(read_text(path), str(path)), path)


def _object(line: str) -> Mapping[str, Any] | None:
    try:
        value = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return cast("Mapping[str, Any]", value) if isinstance(value, dict) else None


def _document(data: Any, path: Path) -> str:
    items = cast("list[Any]", data) if isinstance(data, list) else []
    first = items[0] if items else cast("Any", data)
    if isinstance(first, Mapping):
        keys = cast("Mapping[str, Any]", first)
        if isinstance(keys.get("sessions"), list) and not isinstance(data, list):
            return "halumem"
        if isinstance(keys.get("mapping"), Mapping):
            return "chatgpt"
        dialogue = isinstance(keys.get("conversation"), Mapping) or any(
            _SESSION.fullmatch(key) and isinstance(keys[key], list) for key in keys
        )
        return "locomo" if dialogue else "messages"
    if isinstance(first, list):
        return "messages"
    raise BadConversation(f"{path} is JSON, but no conversation: it holds {type(first).__name__}; name its format with --format")
