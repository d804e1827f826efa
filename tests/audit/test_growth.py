from __future__ import annotations

from datetime import UTC, date, datetime, timedelta, timezone

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from memfold.audit.growth import draw_growth
from memfold.types import Entry


def written(*days: datetime | None) -> list[Entry]:
    return [Entry(str(n), "x", created_at=day) for n, day in enumerate(days)]


@pytest.mark.parametrize(
    ("span", "bucket", "points"),
    [(0, "day", 1), (31, "day", 32), (32, "week", 5), (182, "week", 27), (183, "month", 7), (2000, "year", 6)],
)
def test_bucket_follows_the_span(span: int, bucket: str, points: int) -> None:
    first = datetime(2025, 1, 6, 9, 0)
    drawn = draw_growth(written(first, first + timedelta(days=span)), [10, 5])
    assert (drawn.bucket, len(drawn.points)) == (bucket, points)
    assert (drawn.points[0].bytes, drawn.points[-1].bytes, drawn.points[-1].entries) == (10 if span else 15, 15, 2)


def test_empty_buckets_stay_and_undated_entries_are_apart() -> None:
    drawn = draw_growth(written(datetime(2025, 3, 1), None, datetime(2025, 3, 4)), [1, 7, 2])
    assert [(p.start.day, p.bytes) for p in drawn.points] == [(1, 1), (2, 1), (3, 1), (4, 3)]
    assert (drawn.undated, drawn.undated_bytes) == (1, 7)


def test_written_down_counts_before_what_it_tells_and_zones_may_mix() -> None:
    told = Entry("a", "x", occurred_at=datetime(1999, 1, 1), created_at=datetime(2025, 3, 1, 23, tzinfo=timezone(timedelta(hours=-8))))
    only = Entry("b", "x", occurred_at=datetime(2025, 3, 2, tzinfo=UTC))
    assert [p.start for p in draw_growth([told, only], [1, 1]).points] == [date(2025, 3, 1), date(2025, 3, 2)]


@settings(max_examples=50, deadline=None)
@given(st.lists(st.datetimes(datetime(1950, 1, 1), datetime(2099, 12, 31)), min_size=1, max_size=6))
@example([datetime.min, datetime.max])
@example([datetime.max, datetime.max])
def test_any_times_give_rising_points_that_end_with_all(times: list[datetime]) -> None:
    drawn = draw_growth(written(*times), [3] * len(times))
    assert drawn.points[-1].bytes == 3 * len(times)
    assert [p.bytes for p in drawn.points] == sorted(p.bytes for p in drawn.points)
    assert all(a.start < b.start for a, b in zip(drawn.points, drawn.points[1:], strict=False))
