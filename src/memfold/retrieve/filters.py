"""Which entries come into question at all."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from memfold.types import JSON, Entry, Kind

SPREAD = timedelta(days=2)
"""Two zones write one moment at most so far apart."""


@dataclass(frozen=True, slots=True)
class Filter:
    """What an entry must be to be found. The whole of it holds; what is empty asks for nothing.

    :param kinds: one of these kinds.
    :param since: its time is this or later. :param until: its time is before this. An entry without a time is in no range. Where one side
        states no zone, the clock as it is written counts.
    :param metadata: these fields of its metadata have these values.
    :param without: ids that are not wanted.
    :param accept: any further test, for example that the entry has not expired.
    """

    kinds: tuple[Kind, ...] = ()
    since: datetime | None = None
    until: datetime | None = None
    metadata: Mapping[str, JSON] = field(default_factory=dict[str, JSON])
    without: frozenset[str] = frozenset()
    accept: Callable[[Entry], bool] | None = None

    @property
    def reads_entries(self) -> bool:
        """Whether an entry must be read to be judged; ids are known without."""
        return bool(self.kinds or self.since or self.until or self.metadata or self.accept)

    @property
    def narrows(self) -> bool:
        """Whether a store can tell beforehand that some entries do not pass."""
        return bool(self.kinds or any(self.days) or self.fields)

    @property
    def days(self) -> tuple[str, str]:
        """The first and the last day, as written in any zone, on which an entry's time may lie; "" is open."""
        return _day(self.since, -SPREAD), _day(self.until, SPREAD)

    @property
    def fields(self) -> dict[str, str]:
        """The wanted metadata that is text."""
        return {key: value for key, value in self.metadata.items() if isinstance(value, str)}

    def passes(self, entry: Entry) -> bool:
        """Whether the entry comes into question."""
        if entry.id in self.without or (self.kinds and entry.kind not in self.kinds):
            return False
        if not self._in_time(entry.time):
            return False
        if any(key not in entry.metadata or entry.metadata[key] != value for key, value in self.metadata.items()):
            return False
        return self.accept is None or self.accept(entry)

    def _in_time(self, time: datetime | None) -> bool:
        if self.since is None and self.until is None:
            return True
        if time is None:
            return False
        return (self.since is None or not _before(time, self.since)) and (self.until is None or _before(time, self.until))


def _day(time: datetime | None, shift: timedelta) -> str:
    if time is None:
        return ""
    try:
        return (time.replace(tzinfo=None) + shift).date().isoformat()
    except OverflowError:  # at the ends of the calendar
        return ""


def _before(time: datetime, bound: datetime) -> bool:
    if (time.tzinfo is None) != (bound.tzinfo is None):
        time, bound = time.replace(tzinfo=None), bound.replace(tzinfo=None)
    return time < bound
