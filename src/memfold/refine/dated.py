"""Lines that begin with the day on which they were said: `26 Jan 2025: the doctor wants a test in three months`.

A merged entry has the time of its earlier side. What the later side tells by its own day, and cannot be told otherwise, stands on
such a line.
"""

from __future__ import annotations

import re
from datetime import date, datetime

MONTHS: list[str] = [*"Jan Feb Mar Apr May June July Aug Sept Oct Nov Dec".split()]
_DATED = re.compile(rf"^(?:(\d{{1,2}}) ({'|'.join(MONTHS)}) (\d{{4}})|(\d{{4}})-(\d\d)-(\d\d)): ", re.MULTILINE)


def written_day(day: date) -> str:
    """The day as English writes it here: `14 Feb 2024`."""
    return f"{day.day} {MONTHS[day.month - 1]} {day.year}"


def by_day(text: str, when: datetime | None) -> list[tuple[str, datetime | None]]:
    """The lines of the text with the time from which each counts: the day at its beginning, else `when`.

    Neighbouring lines without a day stay together; joined by line ends, the pieces are the text again.
    """
    if not _DATED.search(text):
        return [(text, when)]
    out: list[tuple[str, datetime | None]] = []
    is_open = False
    for line in text.split("\n"):
        day = _day_of(line)
        if day is None and is_open:
            out[-1] = (f"{out[-1][0]}\n{line}", when)
        else:
            out.append((line, day or when))
        is_open = day is None
    return out


def without_day(line: str) -> tuple[str, str]:
    """The day at the beginning of a line as it is written, with its colon, and the rest; an empty day where there is none."""
    match = _DATED.match(line)
    return (line[: match.end()], line[match.end() :]) if match else ("", line)


def _day_of(line: str) -> datetime | None:
    match = _DATED.match(line)
    if match is None:
        return None
    try:
        if match[1]:
            return datetime(int(match[3]), MONTHS.index(match[2]) + 1, int(match[1]))
        return datetime(int(match[4]), int(match[5]), int(match[6]))
    except ValueError:
        return None
