"""Times as people's files write them. Whatever cannot be read for certain is no time: `None`, never a guess."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta

_NAMES = "january february march april may june july august september october november december".split()
_MONTHS = {name[:3]: n for n, name in enumerate(_NAMES, start=1)}
_MONTH = r"(?P<month>sept|" + "|".join(f"{name[:3]}(?:{name[3:]})?" for name in _NAMES) + r")\.?"
_DAY = r"(?P<day>\d{1,2})(?:st|nd|rd|th)?"
_YEAR = r"(?P<year>\d{4})"
_DATES = tuple(
    re.compile(form)
    for form in (
        rf"{_DAY}(?:\s+of)?[\s-]+{_MONTH},?[\s-]+{_YEAR}",  # 8 May, 2023
        rf"{_MONTH}\s+{_DAY},?\s+{_YEAR}",  # Dec 15, 2025
        rf"{_YEAR}[-/.](?P<month>\d{{1,2}})[-/.]{_DAY}(?=\D|$)",  # 2023/05/08
    )
)
_CLOCK = re.compile(r"(?P<hour>\d{1,2})(?::(?P<minute>\d{2}))?(?::(?P<second>\d{2}))?\s*(?P<half>[ap]\.?m\.?)?(?P<zone>\s*(?:utc|gmt|z))?")
_WEEKDAY = re.compile(r"\(?\b(?:mon|tues?|wed(?:nes)?|thu(?:rs)?|fri|sat(?:ur)?|sun)(?:day)?\b\.?\)?")
_EPOCH_UNITS = ((1e8, 1e11, 1), (1e11, 1e14, 1_000), (1e14, 1e17, 1_000_000), (1e17, 1e20, 1_000_000_000))
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def parse_time(value: object) -> datetime | None:
    """The moment that a JSON value states, or None.

    Read are ISO 8601, seconds, milli-, micro- and nanoseconds since 1970 (from 1973 on; as UTC), and written forms
    with a month's name ("1:56 pm on 8 May, 2023") or the year first ("2023/05/08 (Mon) 02:21"). Day and month both
    as numbers with the year last are ambiguous and not read.
    """
    if isinstance(value, bool):
        return None
    if isinstance(value, (int, float)):
        return _from_epoch(value)
    if not isinstance(value, str) or not 4 < len(value) < 80:
        return None
    text = value.strip()
    if re.fullmatch(r"\d{9,20}(?:\.\d+)?", text, re.ASCII):
        return _from_epoch(float(text) if "." in text else int(text))
    try:
        return datetime.fromisoformat(text)
    except ValueError:
        return _from_words(text.lower())


def like_time(moment: datetime, like: object) -> int | float | str:
    """The moment written as the file writes its times: `like` is another value of the same field."""
    if isinstance(like, (int, float)) and not isinstance(like, bool):
        aware = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
        for low, high, scale in _EPOCH_UNITS:
            if low <= like < high:
                units = (aware - _EPOCH) / timedelta(seconds=1) * scale
                return round(units) if isinstance(like, int) else units
    return moment.isoformat()


def _from_epoch(number: float) -> datetime | None:
    for low, high, scale in _EPOCH_UNITS:
        if low <= number < high:
            whole, part = divmod(number, scale)
            return _EPOCH + timedelta(seconds=int(whole), microseconds=round(part * 1_000_000 / scale))
    return None


def _from_words(text: str) -> datetime | None:
    for form in _DATES:
        found = form.search(text)
        if found:
            rest = _WEEKDAY.sub(" ", text[: found.start()] + " " + text[found.end() :])
            rest = re.sub(r"\b(?:on|at)\b|,|(?<=\s)t(?=\d)", " ", rest).strip()
            return _with_clock(found, rest)
    return None


def _with_clock(date: re.Match[str], rest: str) -> datetime | None:
    month = date["month"]
    values = [int(date["year"]), int(month) if month.isdecimal() else _MONTHS[month[:3]], int(date["day"])]
    zone = None
    if rest:
        clock = _CLOCK.fullmatch(rest)
        if clock is None or (clock["minute"] is None and clock["half"] is None):
            return None
        hour = int(clock["hour"])
        if clock["half"]:
            if not 1 <= hour <= 12:
                return None
            hour = hour % 12 + (12 if clock["half"].startswith("p") else 0)
        values += [hour, int(clock["minute"] or 0), int(clock["second"] or 0)]
        zone = UTC if clock["zone"] else None
    try:
        return datetime(*values, tzinfo=zone)  # pyright: ignore[reportArgumentType]
    except ValueError:
        return None
