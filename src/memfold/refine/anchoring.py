"""Relative dates made absolute: a merged entry has one time, and `yesterday` of the later side would mean another day there."""

from __future__ import annotations

import re
from datetime import date, datetime

from memfold.refine.text import values
from memfold.refine.text.language import language

_MONTHS = "Jan Feb Mar Apr May June July Aug Sept Oct Nov Dec".split()
_LED = re.compile(r"\b(?:on|for|since|until|till|from|of|by|before|after|the|at|in|to|and)\s*$", re.IGNORECASE)
_STARTS = re.compile(r"(?:^|[.!?:]\s*)$")
_NIGHTS = frozenset({"last night", "tonight"})


def anchored(text: str, when: datetime) -> str | None:
    """The text with every `yesterday`, `next Friday` or `last month` as the date that it means at `when`.

    In English `on 14 Feb 2024`, `in Jan 2024`; elsewhere the date as `2024-02-14`. None where a phrase has no such form, as
    `last week` has none.
    """
    english = language(text) == "en"
    relative = {value.surface: value.canonical for value in values(text, when) if value.kind == "date"}
    for surface in sorted(relative, key=lambda surface: (-len(surface), surface)):
        if not relative[surface][:1].isdigit() or (any(char.isdigit() for char in surface) and surface in text):
            continue
        replaced = _replaced(text, surface, relative[surface], english)
        if replaced is None:
            return None
        text = replaced
    return text


def _replaced(text: str, surface: str, canonical: str, english: bool) -> str | None:
    bounds = (r"\b", r"\b") if surface[0].isascii() and surface[-1].isascii() else ("", "")
    match = re.search(f"{bounds[0]}{re.escape(surface)}{bounds[1]}", text)
    written = _english(canonical, surface)
    if match is None or written is None or not (english or re.fullmatch(r"\d{4}(?:-\d\d){0,2}", canonical)):
        return None
    before = text[: match.start()]
    lead, rest = written if english else ("", canonical)
    if _LED.search(before):
        lead = ""
    elif lead and _STARTS.search(before):
        lead = lead[0].upper() + lead[1:]
    return f"{before}{lead}{rest}{text[match.end() :]}"


def _english(canonical: str, surface: str) -> tuple[str, str] | None:
    """The preposition and the date, written out; None for a form that has none."""
    if re.fullmatch(r"\d{4}-\d\d-\d\d", canonical):
        return "on the night of " if surface.lower() in _NIGHTS else "on ", _day(date.fromisoformat(canonical))
    if match := re.fullmatch(r"(\d{4})-(\d\d)", canonical):
        return "in ", f"{_MONTHS[int(match[2]) - 1]} {match[1]}"
    if re.fullmatch(r"\d{4}", canonical):
        return "in ", canonical
    return None


def _day(day: date) -> str:
    return f"{day.day} {_MONTHS[day.month - 1]} {day.year}"
