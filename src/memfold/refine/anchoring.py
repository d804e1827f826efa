"""Relative dates made absolute: a merged entry has one time, and `yesterday` of the later side would mean another day there."""

from __future__ import annotations

import re
from datetime import date, datetime

from memfold.refine.dated import MONTHS, by_day, without_day, written_day
from memfold.refine.merge.lines import LIST_MARK
from memfold.refine.text import values
from memfold.refine.text.language import language

_LED = re.compile(r"\b(?:on|for|since|until|till|from|of|by|before|after|the|at|in|to|and)\s*$", re.IGNORECASE)
_STARTS = re.compile(r"(?:^|[.!?:]\s*)$")
_NIGHTS = frozenset({"last night", "tonight"})


_VAGUE = re.compile(
    r"\b(?:on|this|by|until|till|since|next|last) (?:mon|tues|wednes|thurs|fri|satur|sun)day\b"
    r"(?! (?:morning|afternoon|evening|night)s)(?!,? (?:the )?\d|,? (?:(?-i:[A-Z])|of\b|in (?:each|every)\b))"
    r"|\b(?:on|by|until|till|since) the \d{1,2}(?:st|nd|rd|th)\b"
    r"(?! (?:of|(?-i:[A-Z])\w+|floor|day|page|place|row|line|street|avenue|century)\b)"
    r"|\bin (?:[a-z]+|\d+) (?:days|weeks|months|years)\b"
    r"|\bthis (?:morning|afternoon|evening|week|weekend|month)\b|\btonight\b|\bthe other (?:day|week|night)\b",
    re.IGNORECASE,
)
"""What counts from the day on which it is said, and has no date of its own here."""


def anchored(text: str, when: datetime) -> str:
    """The text with every `yesterday`, `next Friday` or `last month` as the date that it means at `when`.

    In English `on 14 Feb 2024`, `in Jan 2024`; elsewhere the date as `2024-02-14`. Where a phrase has no such form, as `last week`
    has none, the day itself stands before the line: `14 Feb 2024: …`. Lines that begin with their day stay.
    """
    return "\n".join(part if time is not when else _lines_anchored(part, when) for part, time in by_day(text, when))


def _lines_anchored(text: str, when: datetime) -> str:
    lines = text.split("\n")
    is_prose = len(lines) == 1
    found = [_phrases_replaced(line, when) for line in lines]
    if all(line is not None for line in found):
        return "\n".join(line for line in found if line is not None)
    if is_prose:
        return _with_day(text, when)
    return "\n".join(_with_day(line, when) if new is None else new for line, new in zip(lines, found, strict=True))


def dated(text: str, when: datetime) -> str:
    """The text with its day before every line that has none yet; a text that holds a list stays as it is."""
    lines = text.split("\n")
    if any(LIST_MARK.match(line) for line in lines):
        return text
    return "\n".join(line if not line.strip() or without_day(line)[0] else _with_day(line, when) for line in lines)


def _with_day(line: str, when: datetime) -> str:
    return f"{written_day(when.date()) if language(line) == 'en' else when.date().isoformat()}: {line}"


def _phrases_replaced(text: str, when: datetime) -> str | None:
    """The line with its relative dates written out; None where one of them has no form."""
    english = language(text) == "en"
    if english and _VAGUE.search(text):
        return None
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
    if re.match(r"\s*[\d#]|['’]s\b", text[match.end() :]):
        return None  # the date would run into a number, or own something
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
        return "on the night of " if surface.lower() in _NIGHTS else "on ", written_day(date.fromisoformat(canonical))
    if match := re.fullmatch(r"(\d{4})-(\d\d)", canonical):
        return "in ", f"{MONTHS[int(match[2]) - 1]} {match[1]}"
    if re.fullmatch(r"\d{4}", canonical):
        return "in ", canonical
    return None
