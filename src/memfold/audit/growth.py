"""How a store grew, in days, weeks, months or years, whichever gives a readable number of steps."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import date, timedelta

from memfold.audit.result import Bucket, Growth, GrowthPoint
from memfold.types import Entry

_LONGEST: tuple[tuple[Bucket, int], ...] = (("day", 31), ("week", 26 * 7), ("month", 5 * 366))


def draw_growth(entries: Sequence[Entry], sizes: Sequence[int]) -> Growth:
    """Entries and bytes so far, a point for each bucket from the first to the last that holds one.

    An entry counts from the day it was written down, else from the day of what it tells; the day is the one that the
    entry states, in its own time zone.
    """
    days: list[tuple[date, int]] = []
    undated = 0
    for entry, size in zip(entries, sizes, strict=True):
        time = entry.created_at or entry.occurred_at
        if time is None:
            undated += size
        else:
            days.append((time.date(), size))
    if not days:
        return Growth("day", (), len(entries), undated)
    first, last = min(days)[0], max(days)[0]
    bucket = _bucket((last - first).days)
    added: dict[date, list[int]] = {}
    for day, size in days:
        added.setdefault(_start(day, bucket), []).append(size)
    points: list[GrowthPoint] = []
    count = total = 0
    for start in _buckets(_start(first, bucket), _start(last, bucket), bucket):
        new = added.get(start, [])
        count, total = count + len(new), total + sum(new)
        points.append(GrowthPoint(start, count, total))
    return Growth(bucket, tuple(points), len(entries) - len(days), undated)


def _bucket(span: int) -> Bucket:
    for name, longest in _LONGEST:
        if span <= longest:
            return name
    return "year"


def _start(day: date, bucket: Bucket) -> date:
    """The first day of the bucket that holds `day`; weeks begin on Monday."""
    if bucket == "week":
        return day - timedelta(days=min(day.weekday(), day.toordinal() - 1))
    if bucket == "month":
        return day.replace(day=1)
    return day.replace(month=1, day=1) if bucket == "year" else day


def _buckets(start: date, last: date, bucket: Bucket) -> Iterator[date]:
    while start < last:
        yield start
        start = _next(start, bucket)
    yield last


def _next(start: date, bucket: Bucket) -> date:
    if bucket == "month":
        return date(start.year + start.month // 12, start.month % 12 + 1, 1)
    if bucket == "year":
        return date(start.year + 1, 1, 1)
    return start + timedelta(days=7 if bucket == "week" else 1)
