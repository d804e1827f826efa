"""Texts of memories as parts of a context: data, whatever they say. Nothing here changes a word; it only keeps texts in their place."""

from __future__ import annotations

import re

_SURROGATE = re.compile("[\ud800-\udfff]")
_CONTROL = re.compile("[\x00-\x08\x0e-\x1b\x1f\x7f\x80-\x84\x86-\x9f]")
_NOT_XML = re.compile("[\ufffe\uffff]")
_XML = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "\r": "&#13;"})
_BLOCK = re.compile(r"[#>=+*~`|<\[\]_:-]")
_NUMBERED = re.compile(r"(\d{1,9})([.)])")


def mended(text: str) -> str:
    """The text with pairs of surrogates joined and lone ones replaced by U+FFFD, so that it can be written anywhere."""
    if text.isascii() or not _SURROGATE.search(text):
        return text
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def same_words(text: str) -> str:
    """What two texts have in common when they differ in white space alone."""
    return " ".join(text.split())


def lines_of(text: str) -> list[str]:
    """The lines of a text, by everything that any reader takes for a line end; control characters become U+FFFD. At least one."""
    if text.isprintable():
        return [text]
    return _CONTROL.sub("\ufffd", text).splitlines() or [""]


def xml_text(text: str) -> str:
    """The text between two tags, or in an attribute between double quotes. What XML cannot hold becomes U+FFFD."""
    text = _CONTROL.sub("\ufffd", text).replace("\x0b", "\n").replace("\x0c", "\n")
    text = re.sub("[\x1c-\x1e]", "\n", text)
    return _NOT_XML.sub("\ufffd", text).translate(_XML)


def markdown_line(line: str, column: int) -> str:
    """The line, so that it begins no heading, list, quote, table, code or HTML of Markdown.

    :param column: where it will begin, for tabs.
    """
    rest = line.lstrip(" \t")
    blanks = line[: len(line) - len(rest)]
    if not rest or _width(blanks, column) >= 4:
        return line
    if _BLOCK.match(rest):
        return f"{blanks}\\{rest}"
    numbered = _NUMBERED.match(rest)
    return f"{blanks}{numbered[1]}\\{rest[numbered.end(1) :]}" if numbered else line


def _width(blanks: str, column: int) -> int:
    return len((" " * column + blanks).expandtabs(4)) - column
