"""Times as a context shows them: the entries' own, never moved to another zone."""

from __future__ import annotations

from datetime import datetime, timedelta

from memfold.config import Times


def shown_time(when: datetime | None, times: Times) -> str:
    """`2024-05-08 13:56+02:00`, in the entry's own zone; the day alone at a midnight without zone; "" where nothing is shown."""
    if when is None or times == "none":
        return ""
    if times == "day" or (when.tzinfo is None and not (when.hour or when.minute)):
        return when.date().isoformat()
    return when.isoformat(sep=" ", timespec="minutes")


def shown_span(since: datetime | None, until: datetime | None, times: Times, to: str = " to ") -> str:
    """The days from the first to the last, one day where they are the same; "" where no time is known or shown."""
    if since is None or until is None or times == "none":
        return ""
    first, last = since.date().isoformat(), until.date().isoformat()
    return first if first == last else f"{first}{to}{last}"


def moment(when: datetime) -> int:
    """Microseconds that order times; one without zone is taken as UTC for this alone. Safe at both ends of the calendar."""
    seconds = when.toordinal() * 86400 + when.hour * 3600 + when.minute * 60 + when.second
    offset = when.utcoffset()
    return seconds * 1_000_000 + when.microsecond - (offset // timedelta(microseconds=1) if offset else 0)
