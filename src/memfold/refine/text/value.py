"""A value, and when one value stands for another."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from datetime import date, timedelta
from typing import Literal, TypeAlias

from memfold.refine.text.pattern import Pattern

ValueKind: TypeAlias = Literal["number", "quantity", "ordinal", "date", "time", "name", "code", "speaker"]


@dataclass(frozen=True, slots=True)
class Value:
    """One value of a text. Two values are equal when kind and canonical form are.

    | kind | canonical |
    |---|---|
    | number | digits as written, thousands joined: `1200`, `3.10` |
    | quantity | amount in the dimension's base unit: `0.15 g`, `14 day`, `24 EUR`, `40 %` |
    | ordinal | the number: `8` |
    | date | `2024-03-04`, `2024-03`, `2024`, `--03-04`, `--03`, `2024-W18` (a week), `w5` (Friday), or a phrase without an entry time |
    | time | `15:00` |
    | name, speaker | the word, case and accents folded; an initial beside a name as `j.` |
    | code | identifiers, paths, versions, addresses: lower case, else as written |

    `surface` is how it was written. `of` is what a number counts (a stem), or the name that stands right before this one. `near` is
    the full date that a partial one most probably means, given the entry's time; the digits of a quantity as written; `loose` for a
    clock time that nothing marks as morning or afternoon; `weak` where the entry's own day is meant (`today`) or a rate (`a month`);
    `called` for a name that is only spoken to.
    """

    kind: ValueKind
    canonical: str
    surface: str = field(compare=False, default="")
    of: str = field(compare=False, default="")
    near: str = field(compare=False, default="")


def stands_for(held: Value, lost: Value) -> bool:
    """Whether `held` says what `lost` says: the same value, or a more precise one (`14 March 2019` for `2019`)."""
    if held == lost or ({held.kind, lost.kind} == {"date", "quantity"} and (held.near == lost.canonical or lost.near == held.canonical)):
        return True
    if lost.kind == "date":
        if held.kind == "ordinal":
            return bool(held.near) and _date_stands(Value("date", held.near), lost)
        return (held.kind == "date" and _date_stands(held, lost)) or held.canonical == lost.canonical
    if lost.kind == "time":
        return (held.kind == "time" and _time_stands(held, lost)) or (held.kind == "number" and _full_hour(lost) == held.canonical)
    if lost.kind == "ordinal":
        day = _DAY.fullmatch(held.canonical)
        return (day is not None and int(day[3]) == int(lost.canonical)) or (held.kind == "number" and held.canonical == lost.canonical)
    if lost.kind == "number":
        return _bare_number_stands(held, lost)
    if lost.kind == "name":
        return held.kind == "name" and lost.canonical[1:] == "." and held.canonical[:1] == lost.canonical[0]
    if lost.kind == "code":
        return held.kind in ("code", "number") and (held.canonical == lost.canonical or _same_telephone(held.canonical, lost.canonical))
    return lost.kind == "quantity" and _amount_alone_stands(held, lost)


_DAY = Pattern(r"(\d{4}|-)-(\d\d)-(\d\d)")
_MONTH = Pattern(r"(\d{4}|-)-(\d\d)")
_WEEK = Pattern(r"(\d{4})-W(\d\d)")


def _date_stands(held: Value, lost: Value) -> bool:
    known = _as_date(held.canonical) or _as_date(held.near)
    if lost.canonical.startswith("w"):
        return known is not None and f"w{known.isoweekday()}" == lost.canonical
    if "/" in held.canonical or "/" in lost.canonical:
        return any(
            _date_stands(Value("date", mine, near=held.near), Value("date", theirs))
            for mine in _readings(held.canonical)
            for theirs in _readings(lost.canonical)
        )
    week = _WEEK.fullmatch(lost.canonical)
    if week:
        return known is not None and known.isocalendar()[:2] == (int(week[1]), int(week[2]))
    mine, theirs = _parts(held.canonical), _parts(lost.canonical)
    if theirs is None:
        return False
    if mine is None or (theirs[0] and not mine[0]):
        mine = _parts(held.near)
    return mine is not None and all(b in ("", a) for a, b in zip(mine, theirs, strict=True))


def _readings(canonical: str) -> tuple[str, ...]:
    """Both readings of a date that is written in numbers alone: `2024-03/04` is 4 March or 3 April."""
    head, slash, last = canonical.partition("/")
    return (f"{head}-{last}", f"{head[:-2]}{last}-{head[-2:]}") if slash else (canonical,)


def _parts(canonical: str) -> tuple[str, str, str] | None:
    """Year, month and day, each empty where it is not said; None for weeks, weekdays and phrases."""
    if match := _DAY.fullmatch(canonical):
        return match[1].strip("-"), match[2], match[3]
    if match := _MONTH.fullmatch(canonical):
        return match[1].strip("-"), match[2], ""
    return (canonical, "", "") if re.fullmatch(r"\d{4}", canonical) else None


def _as_date(canonical: str) -> date | None:
    try:
        return date.fromisoformat(canonical) if len(canonical) == 10 else None
    except ValueError:
        return None


def week_of(day: date) -> str:
    """The ISO week of a day: `2024-W18`."""
    year, week, _ = day.isocalendar()
    return f"{year}-W{week:02d}"


def nearest(month: int, day: int, to: date) -> str:
    """The date of this month and day that lies nearest to `to`; "" where there is none."""
    found: list[date] = []
    for year in (to.year - 1, to.year, to.year + 1):
        try:
            found.append(date(year, month, day))
        except ValueError:
            continue
    return min(found, key=lambda one: abs(one - to)).isoformat() if found else ""


def nearest_day(day: int, to: date) -> str:
    """The date with this day of the month that lies nearest to `to`; "" where there is none."""
    found: list[date] = []
    for months in (-1, 0, 1):
        year, month = divmod(to.year * 12 + to.month - 1 + months, 12)
        try:
            found.append(date(year, month + 1, day))
        except ValueError:
            continue
    return min(found, key=lambda one: abs(one - to)).isoformat() if found else ""


def _time_stands(held: Value, lost: Value) -> bool:
    if lost.near != "loose":
        return False
    hour, minute = lost.canonical.split(":")
    other_hour, other_minute = held.canonical.split(":")
    return minute == other_minute and int(hour) % 12 == int(other_hour) % 12


def _full_hour(time: Value) -> str:
    hour, minute = time.canonical.split(":")
    return str(int(hour)) if minute == "00" else ""


def _bare_number_stands(held: Value, lost: Value) -> bool:
    if held.kind == "quantity":
        return held.near == lost.canonical
    if held.kind == "ordinal":
        return held.canonical == lost.canonical
    if held.kind == "code":
        return _same_telephone(held.canonical, lost.canonical)
    if lost.of:
        return False
    if held.kind == "time":
        hour = _full_hour(held)
        return bool(hour) and int(lost.canonical) in (int(hour), int(hour) - 12) if lost.canonical.isdigit() else False
    if held.kind == "date":
        day = _DAY.fullmatch(held.canonical)
        return lost.canonical in (held.canonical, held.canonical[:4], str(int(day[3])) if day else "")
    return False


def _same_telephone(held: str, lost: str) -> bool:
    """Two long rows of digits that part only in how they begin: `07700…` and `+44 7700…`."""
    return (
        held.isdigit() and lost.isdigit() and min(len(held), len(lost)) >= 10 and held[-9:] == lost[-9:] and max(len(held), len(lost)) <= 14
    )


_NAMED_ELSEWHERE = frozenset({"month", "USD", "EUR", "GBP", "JPY", "NGN", "INR", "KRW", "CNY", "RUB", "BRL"})


def _amount_alone_stands(held: Value, lost: Value) -> bool:
    """A price, an age or a number of three digits still says the amount without its unit, where it counts nothing else."""
    telling = len(lost.near) > 2 or lost.canonical.rpartition(" ")[2] in _NAMED_ELSEWHERE
    return held.kind == "number" and not held.of and lost.near == held.canonical and telling


def days_after(day: date, count: int) -> date | None:
    """`day` moved by `count` days; None beyond the calendar."""
    try:
        return day + timedelta(days=count)
    except OverflowError:
        return None
