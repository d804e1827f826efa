"""No value is lost: numbers, dates, names, codes of what goes must stand in what stays; a merge invents none."""

from __future__ import annotations

import re

from memfold.refine.guards.reading import Reading
from memfold.refine.text import Value, values
from memfold.refine.text.pattern import Pattern
from memfold.refine.text.value import days_after, stands_for
from memfold.refine.text.words import stem
from memfold.types import Entry

__all__ = ["Value", "lost", "shown", "values"]

_MANY = 60
"""Values above which each is looked up by equality and in the text alone, so that the work stays linear."""
_SEARCHED = 2_000_000
"""Values times characters up to which each value is looked up in the other text's words."""
_LETTERS_DIGITS = Pattern(r"([a-z]+)-?(\d+)")


def lost(victim: Reading, kept: Reading) -> list[Value]:
    """The values of `victim` that neither stand in `kept` nor are implied by a more precise one there."""
    held = frozenset(kept.values)
    near = kept.values if len(kept.values) <= _MANY else ()
    searched = len(victim.facts) * len(kept.text) <= _SEARCHED
    return [value for value in victim.facts if not _is_kept(value, held, near) and not (searched and _written(value, kept))]


def _is_kept(value: Value, held: frozenset[Value], near: tuple[Value, ...]) -> bool:
    if value.kind == "number" and value.of and _counts_otherwise(value, near):
        return False
    return value in held or any(stands_for(other, value) for other in near)


def _counts_otherwise(value: Value, held: tuple[Value, ...]) -> bool:
    """Whether the kept text counts the same thing, but differently: `6 crates` is not saved by `9 crates` and 6 of something else."""
    counts = {other.canonical for other in held if other.kind == "number" and other.of == value.of}
    return bool(counts) and value.canonical not in counts


def _written(value: Value, kept: Reading) -> bool:
    """Whether the value stands in the kept text's words, in whatever role."""
    if value.kind == "name":
        return _name_written(value, kept)
    if value.kind == "code":
        return _code_written(value.canonical, kept.lowered)
    if value.kind == "number":
        if value.canonical == "1":
            return value.of in kept.stems
        return len(value.canonical) > 2 and not value.of and _code_written(value.canonical, kept.lowered)
    return False


def implied_by_time(value: Value, reading: Reading, entry: Entry) -> bool:
    """Whether the date is the entry's own day, month or year, or the day of that week or the next which the entry calls by its weekday."""
    if value.kind != "date" or entry.time is None:
        return False
    own = entry.time.date()
    days = {own} | {
        day for shift in range(-7, 8) if (day := days_after(own, shift)) and Value("date", f"w{day.isoweekday()}") in reading.values
    }
    return any(stands_for(Value("date", day.isoformat()), value) for day in days)


def _name_written(name: Value, kept: Reading) -> bool:
    parts = [part for part in re.split(r"[ '-]+", name.canonical) if part]
    if all(part in kept.tokens or stem(part) in kept.stems for part in parts):
        return True
    if not name.canonical.isascii() and any(_inflected(name.canonical, token) for token in kept.tokens):
        return True
    if name.of and name.of in kept.tokens:
        # A family name goes with its given name, unless the kept text gives that person another.
        return not any(other.kind == "name" and other.of == name.of for other in kept.values)
    return name.surface.isupper() and len(name.canonical) > 2 and name.canonical in kept.initials


_ENDINGS = frozenset(
    (
        "",
        "а",
        "я",
        "ы",
        "и",
        "у",
        "ю",
        "е",
        "о",
        "ой",
        "ей",
        "ою",
        "ею",
        "ом",
        "ем",
        "ами",
        "ями",
        "ах",
        "ях",
        "ам",
        "ям",
        "ов",
        "ев",
        "ью",
        "ь",
        "й",
    )
)


def _inflected(name: str, token: str) -> bool:
    """Whether two words of Cyrillic part only in a case ending: `москва`, `москве`."""
    if not "\u0400" <= name[0] <= "\u04ff" or len(name) < 3:
        return False
    for cut in range(max(3, len(name) - 3), len(name) + 1):
        root = name[:cut]
        if token.startswith(root) and name[cut:] in _ENDINGS and token[cut:] in _ENDINGS:
            return True
    return False


def _code_written(code: str, lowered: str) -> bool:
    """Whether the identifier stands in the text by itself: no letter or digit touches it."""
    bare = code[1:] if code[:1] == "v" and code[1:2].isdigit() else code
    at = lowered.find(bare)
    while at >= 0:
        before, after = lowered[at - 1 : at], lowered[at + len(bare) : at + len(bare) + 2]
        if (
            not (before.isalnum() and before != "v")
            and not after[:1].isalnum()
            and not (after[:1] in ".," and after[1:].isdigit() and bare[-1:].isdigit())
        ):
            return before != "." or not bare[:1].isdigit()
        at = lowered.find(bare, at + 1)
    split = _LETTERS_DIGITS.fullmatch(code)
    return split is not None and re.search(rf"(?<!\w){split[1]}[ -]?{split[2]}(?!\w)", lowered) is not None


def shown(found: list[Value], most: int = 4) -> str:
    """The values as the texts write them, for a reason."""
    names = list(dict.fromkeys(value.surface or value.canonical for value in found))
    return ", ".join(names[:most]) + (f" and {len(names) - most} more" if len(names) > most else "")
