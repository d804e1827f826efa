"""Files to text and JSON, with errors that say the line."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from memfold.errors import BadConversation


def read_text(path: Path) -> str:
    """The file's text, without a byte-order mark; UTF-8, or UTF-16 where a mark says so.

    :raises BadConversation: it is no text.
    """
    data = path.read_bytes()
    return decoded(data, str(path))


def decoded(data: bytes, where: str) -> str:
    """Bytes as text.

    :raises BadConversation: they are no text.
    """
    coding = "utf-16" if data[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8-sig"
    try:
        return data.decode(coding)
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise BadConversation(f"{where}, line {line}: not text in {coding.removesuffix('-sig').upper()}; save it as UTF-8") from error


def parse(text: str, where: str, line: int = 0) -> Any:
    """JSON.

    :param line: the line that the text is, where it is one; else the error says the line inside it.
    :raises BadConversation: it is none.
    """
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        raise BadConversation(f"{where}, line {line or error.lineno}: not JSON: {error.msg} (column {error.colno})") from error
    except (ValueError, RecursionError) as error:
        raise BadConversation(f"{where}, line {line or 1}: JSON that cannot be read: {error}") from error


def json_lines(path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    """The objects of a JSONL file with the numbers of their lines, as they stream in; empty lines are passed over.

    :raises BadConversation: a line is no JSON object.
    """
    with path.open("rb") as file:
        for n, data in enumerate(file, start=1):
            text = decoded(data, str(path)) if n == 1 else _line(data, path, n)
            if not text.strip():
                continue
            value = parse(text, str(path), n)
            if not isinstance(value, dict):
                raise BadConversation(f"{path}, line {n}: a JSON object is expected, found {type(value).__name__}")
            yield n, value


def _line(data: bytes, path: Path, n: int) -> str:
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise BadConversation(f"{path}, line {n}: not text in UTF-8") from error
