"""Inside a JSON string literal: its lines as they are written, and a splice through a JSON text in a JSON string."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import cast

from memfold.hosts.jsontext import Series, Style, dump, load

Splice = tuple[int, int, str]
"""Replace `text[start:end]` by this."""

_UNIT = re.compile(r"\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|\\u[0-9a-fA-F]{4}|\\.", re.DOTALL)
_LINE_END = re.compile(r"\\(?:r\\n|n|u000[aA])|\r?\n")
_TOKEN = re.compile(r"\\r\\n|\\u[0-9a-fA-F]{4}|\\.|\r?\n", re.DOTALL)


def splice(text: str, changes: Sequence[Splice]) -> str:
    """The text with its changes, which do not overlap, in any order."""
    out: list[str] = []
    at = 0
    for start, end, new in sorted(changes):
        out += (text[at:start], new)
        at = end
    return "".join((*out, text[at:]))


def literal_lines(literal: str) -> Series:
    """The lines of a string literal as a series of source pieces, its quotes in head and tail."""
    body = literal[1:-1]
    items: list[str] = []
    seps: list[str] = []
    at = 0
    for found in _TOKEN.finditer(body):
        if _LINE_END.fullmatch(found[0]):
            items.append(body[at : found.start()])
            seps.append(found[0])
            at = found.end()
    items.append(body[at:])
    return Series('"', tuple(items), tuple(seps), '"', '""', seps[0] if seps else "\\n")


def unquoted(piece: str) -> str:
    """The text that a piece of a string literal stands for."""
    return cast(str, load(f'"{piece}"'))


def quoted(text: str, style: Style) -> str:
    """A text as a piece of a string literal."""
    return dump(text, style)[1:-1]


def splice_inside(literal: str, changes: Sequence[Splice]) -> str:
    """Changes of the text that a string literal stands for, made in the literal: all other bytes of it stay.

    :param changes: positions in the text; they may not cut a character in two.
    """
    style = Style.of(literal, Style(ascii=True))
    positions = sorted({position for start, end, _ in changes for position in (start, end)})
    outer = dict(zip(positions, _positions(literal, positions), strict=True))
    return splice(literal, [(outer[start], outer[end], quoted(new, style)) for start, end, new in changes])


def _positions(literal: str, wanted: Sequence[int]) -> list[int]:
    """Where the characters at these positions (ascending) of the text are written in the literal."""
    out: list[int] = []
    inner, at = 0, 1
    remaining = iter(wanted)
    target = next(remaining, None)
    for found in (*_UNIT.finditer(literal, 1, len(literal) - 1), None):
        plain_end = found.start() if found else len(literal) - 1
        while target is not None and target <= inner + plain_end - at:
            out.append(at + target - inner)
            target = next(remaining, None)
        if found is None or target is None:
            break
        inner += plain_end - at + 1
        at = found.end()
    return out
