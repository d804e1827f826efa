"""The lines of a memory block: which are entries, and which are the scaffold that they hang on.

Blocks are Markdown more often than not. Headings, labels ("Interests:"), blank lines, rules, code fences with what is
in them, the head and rule of a table are scaffold; every other line with a letter or digit in it is an entry. Its
`mark` (indent and bullet, number or quote sign) is not part of its text.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

_MARK = re.compile(r"\s*(?:(?:[-*+•‣–]|\d{1,3}[.)]|>)\s+(?:\[[ xX]\]\s+)?)?")
_FENCE = re.compile(r"\s*(`{3,}|~{3,})")
_HEADING = re.compile(r"\s*#{1,6}(?:\s|$)")
_TABLE_RULE = re.compile(r"\s*\|?\s*:?-{2,}:?\s*(?:\|\s*:?-{2,}:?\s*)*\|?\s*")
_LABEL_END = re.compile(r":[\s*_]*$")
_SPACES = re.compile(r"\s*[\r\n\v\f\x1c-\x1e\x85\u2028\u2029]\s*")

PLAIN_MARK = "- "


@dataclass(frozen=True, slots=True)
class BlockLine:
    """A line of a block. `text` is "" for scaffold; `section` is the last heading or label above it."""

    mark: str
    text: str
    section: str


def block_lines(lines: Sequence[str]) -> list[BlockLine]:
    """What each line of a block is."""
    out: list[BlockLine] = []
    fence = ""
    section = ""
    for n, line in enumerate(lines):
        found = _FENCE.match(line)
        if fence:
            out.append(BlockLine("", "", section))
            fence = "" if found and found[1].startswith(fence) else fence
            continue
        if found:
            fence = found[1]
        head = n + 1 < len(lines) and "|" in line and "|" in lines[n + 1] and bool(_TABLE_RULE.fullmatch(lines[n + 1]))
        mark, text = ("", "") if found or head else split_mark(line)
        if not found and is_section(line):
            section = line.strip()
        out.append(BlockLine(mark, text, section))
    return out


def split_mark(line: str) -> tuple[str, str]:
    """A line's mark and text; both "" if the line by itself is scaffold."""
    if _HEADING.match(line) or _LABEL_END.search(line) or _TABLE_RULE.fullmatch(line) or not any(c.isalnum() for c in line):
        return "", ""
    found = _MARK.match(line)
    mark = found[0] if found else ""
    text = line[len(mark) :].rstrip()
    return (mark, text) if any(c.isalnum() for c in text) else (line[: len(line) - len(line.lstrip())], line.strip())


def is_section(line: str) -> bool:
    """Whether a line names what follows: a heading, or a label that ends in a colon."""
    return bool(_HEADING.match(line) or (_LABEL_END.search(line) and any(c.isalnum() for c in line)))


def one_line(text: str) -> str:
    """A text that can stand on one line of a block and be read back: no line ends, no colon at the end."""
    text = _SPACES.sub(" ", text).strip()
    while _LABEL_END.search(text):
        text = _LABEL_END.sub("", text).strip()
    return text


def as_line(mark: str, text: str) -> str | None:
    """The line for a text, under this mark or a plain bullet; None if no line of a block would read back as it."""
    for each in (mark, PLAIN_MARK):
        line = each + text
        if text and not _FENCE.match(line) and split_mark(line) == (each, text):
            return line
    return None
