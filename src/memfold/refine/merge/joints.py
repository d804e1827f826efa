"""How pieces of text are put together: closing marks, semicolons, in scripts with and without spaces."""

from __future__ import annotations

import re
import unicodedata

from memfold.refine.text import fold

_END = re.compile(r"[.!?…。！？؟।]+[\"')\]”’」』）]*\s*$")
_LOUD = re.compile(r"[!?！？؟][\"')\]”’」』）]*\s*$")
TRAILING = " \t\r\n.,;:。；，、…"
_SEPARATORS = " \t\r\n,;:；，、："
SPACELESS = re.compile(r"[぀-ヿ㐀-鿿豈-﫿฀-໿]")
_WIDE = re.compile(r"[぀-ヿ㐀-鿿豈-﫿]")
_LABEL_END = re.compile(r"(?:(?:^|\s)(?:[^\W\d_]\.){2,}|(?:^|\s)[A-Z]\.|^\W*\d{1,3}\.)\s*$")
_TAIL = 60
"""Characters at the end of a text in which its closing mark is looked for."""
_LAST = 20
"""Characters at the end of a text that tell which marks it uses."""


def ending(text: str) -> re.Match[str] | None:
    """The closing mark of a text, with what follows it."""
    return _END.search(text, max(0, len(text) - _TAIL))


def is_loud(text: str) -> bool:
    """Whether the text ends in a question or exclamation mark."""
    return _LOUD.search(text, max(0, len(text) - _TAIL)) is not None


def closes(part: str) -> bool:
    """Whether a sentence or line ends with this clause: not with a bare number or with initials (`2.`, `J.K.`)."""
    return "\n" in part or (bool(ending(part)) and not _LABEL_END.search(part, max(0, len(part) - _TAIL)))


def sentences_of(parts: list[str]) -> list[list[str]]:
    """The clauses of each sentence or line."""
    out: list[list[str]] = []
    is_open = False
    for part in parts:
        if is_open:
            out[-1].append(part)
        else:
            out.append([part])
        is_open = not closes(part)
    return out


def added(text: str, rest: str, *, end_of: str) -> str:
    """The text with a rest behind it that goes on with its last sentence; the marks at the end are those of `end_of`."""
    closing = ending(text)
    body = text[: closing.start()] if closing else text
    mark = closing[0].strip() if closing and not ending(end_of) else ""
    joint = "；" if _WIDE.search(body[-_LAST:]) else "; "
    return f"{body.rstrip(TRAILING)}{joint}{rest.strip().lstrip(TRAILING)}{mark}"


def chained(parts: list[str]) -> str:
    """Pieces one after the other: as sentences, or with a semicolon before one that begins with a small letter."""
    out = parts[0].strip()
    for part in parts[1:]:
        part = part.strip()
        if ending(out):
            joint = gap(out)
        elif _WIDE.search(out[-_LAST:]):
            out, joint = out.rstrip(TRAILING), "。"
        elif SPACELESS.search(out[-_LAST:]) or out[-1] == "]" or unicodedata.category(out[-1]) == "So":
            joint = " "  # no full stop in such a script, nor behind a picture
        else:
            out, joint = out.rstrip(TRAILING), "; " if part[:1].islower() and not ending(part) else ". "
        out = f"{out}{joint}{part}"
    return out


def gap(text: str) -> str:
    """What stands between a sentence and the next: nothing behind wide marks, a line end in a text of lines, else a space."""
    return "" if text.rstrip()[-1:] in "。！？」』）" and text.strip() else "\n" if "\n" in text.strip() else " "


def first_word(text: str) -> str:
    """The first word, without marks behind it; empty where there is none."""
    return text.split(None, 1)[0].rstrip(TRAILING) if text.strip() else ""


def without_separator(text: str) -> str:
    """The text without a comma, colon or semicolon at its end, unless it is nothing else."""
    return text.rstrip(_SEPARATORS) or text


def normal_form(text: str) -> str:
    """The text without regard to case, blanks and marks at its ends."""
    return " ".join(fold(text).casefold().split()).strip(TRAILING + "!?！？")
