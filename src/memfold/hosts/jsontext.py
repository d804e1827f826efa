"""JSON as source text: change one value and leave every other byte as its writer wrote it.

A container is seen as a `Series`: opening, items, the separators between them, closing. Lines of a file, elements of
an array and members of an object are all series, so one rule for cutting and inserting serves them all.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import cast

from memfold.types import JSON

DEEPEST = 100
"""Nesting beyond this many levels is refused: no memory file has it, and recursion has its bounds."""

_DECODER = json.JSONDecoder(strict=False)
_BLANK = re.compile(r"[ \t\r\n]*")
_FIRST_KEY = re.compile(r'[\s\[{]*"(?:[^"\\]|\\.)*"(\s*:\s*)', re.DOTALL)
_ESCAPED = re.compile(r"\\u(?:00[89a-fA-F]|0[1-9a-fA-F]|[1-9a-fA-F])")
_SURROGATE = re.compile("[\ud800-\udfff]")
_NEWLINE = re.compile(r"\r?\n")


def load(text: str) -> JSON:
    """The value of a JSON text; control characters inside strings are let pass.

    :raises ValueError: not JSON, or nested too deeply.
    """
    try:
        value = cast(JSON, _DECODER.decode(text))
    except RecursionError as error:
        raise ValueError(f"nested deeper than {DEEPEST} levels") from error
    except json.JSONDecodeError:
        raise
    except ValueError as error:
        raise ValueError("a number with thousands of digits") from error
    if text.count("[") + text.count("{") > DEEPEST and not _shallow(value):
        raise ValueError(f"nested deeper than {DEEPEST} levels")
    return value


def _shallow(value: JSON) -> bool:
    level: list[JSON] = [value]
    for _ in range(DEEPEST):
        below: list[JSON] = []
        for each in level:
            if isinstance(each, dict):
                below.extend(v for v in each.values() if isinstance(v, (dict, list)))
            elif isinstance(each, list):
                below.extend(v for v in each if isinstance(v, (dict, list)))
        if not below:
            return True
        level = below
    return False


@dataclass(frozen=True, slots=True)
class Style:
    r"""How a writer writes JSON: `\u` escapes for what is not ASCII, `\/` for slashes, and the two separators."""

    ascii: bool = False
    slash: bool = False
    item: str = ", "
    key: str = ": "

    @classmethod
    def of(cls, text: str, default: Style | None = None) -> Style:
        """The style of a JSON text, as far as it shows; the rest from `default`, else by what usually goes together."""
        first = _FIRST_KEY.match(text)
        if first:
            key = first[1] if "\n" not in first[1] else ": "
            item = ", " if key.endswith(" ") else ","
        else:
            key, item = (default.key, default.item) if default else (": ", ", ")
        ascii = default.ascii if default else item == ", "  # Python's default writes both, JavaScript's neither
        if not text.isascii():
            ascii = False
        elif _ESCAPED.search(text):
            ascii = True
        slash = "\\/" in text or ("/" not in text and default is not None and default.slash)
        return cls(ascii, slash, item, key)


def dump(value: JSON, style: Style) -> str:
    """JSON text in a style. Lone surrogates are escaped in any style: UTF-8 has no bytes for them."""
    text = json.dumps(value, ensure_ascii=style.ascii, separators=(style.item, style.key))
    if not style.ascii:
        text = _SURROGATE.sub(lambda found: f"\\u{ord(found[0]):04x}", text)
    return text.replace("/", "\\/") if style.slash else text


def same(a: JSON, b: JSON) -> bool:
    """Equal as JSON: `1`, `1.0` and `true` differ, the order of keys counts."""
    return a is b or json.dumps(a) == json.dumps(b)


@dataclass(frozen=True, slots=True)
class Series:
    """Source text as `head item sep item … tail`; `empty` is the text of the same container without items."""

    head: str
    items: tuple[str, ...]
    seps: tuple[str, ...]
    tail: str
    empty: str
    sep: str
    values: tuple[JSON, ...] = field(default=())
    keys: tuple[str, ...] = field(default=())

    def join(self, pieces: Sequence[tuple[int | None, str]]) -> str:
        """The text with other items: each piece is the index of the item whose place it keeps, or None, and its text.

        `join([(i, item) for i, item in enumerate(items)])` gives the source text back exactly.
        """
        if not pieces:
            return self.empty
        out = [self.head]
        before: int | None = None
        for n, (place, text) in enumerate(pieces):
            if n:
                out.append(self._sep(before, place))
            out.append(text)
            before = place
        return "".join((*out, self.tail))

    def _sep(self, left: int | None, right: int | None) -> str:
        if left is not None and left < len(self.seps):
            return self.seps[left]
        if right:
            return self.seps[right - 1]
        return self.seps[0] if self.seps else self.sep


def lines_of(text: str) -> Series:
    """The lines of a text. A last line without an end stays without one; carriage returns belong to the line ends."""
    ends = _NEWLINE.findall(text)
    items = _NEWLINE.split(text)
    tail = ""
    if items[-1] == "":
        items.pop()
        tail = ends.pop() if ends else "\n"
    return Series("", tuple(items), tuple(ends), tail, "", ends[0] if ends else tail or "\n")


def array_of(text: str, style: Style) -> Series:
    """The elements of a JSON array, whose source is `text` (blanks around it allowed)."""
    start = _skip(text, 0)
    spans: list[tuple[int, int]] = []
    values: list[JSON] = []
    pos = _skip(text, start + 1)
    while text[pos] != "]":
        value, end = _value_at(text, pos)
        spans.append((pos, end))
        values.append(value)
        pos = _after_comma(text, end)
    return _series(text, start, pos + 1, spans, values, (), style)


def object_of(text: str, style: Style) -> Series:
    """The members of a JSON object: items are `"key": value` texts, `keys` and `values` what they say."""
    start = _skip(text, 0)
    spans: list[tuple[int, int]] = []
    values: list[JSON] = []
    keys: list[str] = []
    pos = _skip(text, start + 1)
    while text[pos] != "}":
        key, after = _value_at(text, pos)
        value, end = _value_at(text, _skip(text, _skip(text, after) + 1))
        spans.append((pos, end))
        keys.append(cast(str, key))
        values.append(value)
        pos = _after_comma(text, end)
    return _series(text, start, pos + 1, spans, values, keys, style)


def member_split(item: str) -> int:
    """Where the value starts in the source of a member."""
    _, after = _value_at(item, 0)
    return _skip(item, _skip(item, after) + 1)


def value_span(text: str, path: Sequence[str | int]) -> tuple[int, int]:
    """Start and end of the value at a path of keys and indexes, which exists. Of a repeated key the last one counts."""
    pos = _skip(text, 0)
    for step in path:
        pos = _step(text, pos, step)
    return pos, _value_at(text, pos)[1]


def _step(text: str, pos: int, step: str | int) -> int:
    """Where the member or element of the container at `pos` starts."""
    found = -1
    count = 0
    pos = _skip(text, pos + 1)
    while text[pos] not in "]}":
        key: JSON = count
        if isinstance(step, str):
            key, pos = _value_at(text, pos)
            pos = _skip(text, _skip(text, pos) + 1)
        if key == step:
            found = pos
            if isinstance(step, int):
                break
        pos = _after_comma(text, _value_at(text, pos)[1])
        count += 1
    return found


def _series(text: str, start: int, end: int, spans: list[tuple[int, int]], values: list[JSON], keys: Sequence[str], style: Style) -> Series:
    before, after = text[:start], text[end:]
    empty = f"{before}{text[start]}{text[end - 1]}{after}"
    if not spans:
        head, tail = text[: start + 1], text[end - 1 :]
        return Series(head, (), (), tail, text, style.item)
    items = tuple(text[a:b] for a, b in spans)
    seps = tuple(text[left:right] for (_, left), (right, _) in zip(spans, spans[1:], strict=False))
    return Series(text[: spans[0][0]], items, seps, text[spans[-1][1] :], empty, style.item, tuple(values), tuple(keys))


def _value_at(text: str, pos: int) -> tuple[JSON, int]:
    return cast("tuple[JSON, int]", _DECODER.raw_decode(text, pos))


def _skip(text: str, pos: int) -> int:
    found = _BLANK.match(text, pos)
    return found.end() if found else pos


def _after_comma(text: str, pos: int) -> int:
    pos = _skip(text, pos)
    return _skip(text, pos + 1) if text[pos] == "," else pos


def patch(source: str, old: JSON, new: JSON, style: Style) -> str:
    """The source of `old` changed to say `new`: every part that is equal keeps its text.

    :param source: the JSON text of `old`, valid.
    """
    if same(old, new):
        return source
    if isinstance(old, dict) and isinstance(new, dict):
        return _patch_object(source, new, style)
    if isinstance(old, list) and isinstance(new, list):
        return _patch_array(source, new, style)
    blank = _skip(source, 0)
    return source[:blank] + dump(new, style)


def _patch_object(source: str, new: dict[str, JSON], style: Style) -> str:
    series = object_of(source, style)
    pieces: list[tuple[int | None, str]] = []
    for n, (item, key, value) in enumerate(zip(series.items, series.keys, series.values, strict=True)):
        if key in new:
            cut = member_split(item)
            pieces.append((n, item[:cut] + patch(item[cut:], value, new[key], style)))
    known = set(series.keys)
    pieces += [(None, dump(key, style) + style.key + dump(value, style)) for key, value in new.items() if key not in known]
    return series.join(pieces)


def _patch_array(source: str, new: list[JSON], style: Style) -> str:
    series = array_of(source, style)
    if len(series.items) == len(new):
        changed = zip(series.items, series.values, new, strict=True)
        return series.join([(n, patch(item, value, wanted, style)) for n, (item, value, wanted) in enumerate(changed)])
    pieces: list[tuple[int | None, str]] = []
    at = 0
    sources = [json.dumps(value) for value in series.values]
    for value in new:
        wanted = json.dumps(value)
        if wanted in sources[at:]:
            at = sources.index(wanted, at)
            pieces.append((at, series.items[at]))
            at += 1
        else:
            pieces.append((None, dump(value, style)))
    return series.join(pieces)
