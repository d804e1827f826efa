from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memfold.hosts.times import like_time, parse_time


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("2026-04-20", datetime(2026, 4, 20)),
        ("2026-04-20T10:11:12Z", datetime(2026, 4, 20, 10, 11, 12, tzinfo=UTC)),
        ("2026-04-20 10:11:12.5+02:00", datetime(2026, 4, 20, 10, 11, 12, 500000, tzinfo=timezone(timedelta(hours=2)))),
        ("1:56 pm on 8 May, 2023", datetime(2023, 5, 8, 13, 56)),
        ("12:05 am on 1 January, 2024", datetime(2024, 1, 1, 0, 5)),
        ("Dec 15, 2025, 06:11:23", datetime(2025, 12, 15, 6, 11, 23)),
        ("December 3rd, 2025 at 7 p.m.", datetime(2025, 12, 3, 19)),
        ("8 Sept 2023", datetime(2023, 9, 8)),
        ("2023/05/08 (Mon) 02:21", datetime(2023, 5, 8, 2, 21)),
        ("Mon, 15 Dec 2025 06:11:23 GMT", datetime(2025, 12, 15, 6, 11, 23, tzinfo=UTC)),
        (1_700_000_000, datetime(2023, 11, 14, 22, 13, 20, tzinfo=UTC)),
        (1_700_000_000.25, datetime(2023, 11, 14, 22, 13, 20, 250000, tzinfo=UTC)),
        (1_700_000_000_123, datetime(2023, 11, 14, 22, 13, 20, 123000, tzinfo=UTC)),
        ("1700000000", datetime(2023, 11, 14, 22, 13, 20, tzinfo=UTC)),
        (1_700_000_000_123_456, datetime(2023, 11, 14, 22, 13, 20, 123456, tzinfo=UTC)),
    ],
)
def test_read(written, expected):
    found = parse_time(written)
    assert found == expected
    assert found is not None
    assert (found.tzinfo is None) == (expected.tzinfo is None)


@pytest.mark.parametrize(
    "written",
    [
        None, True, "", "yesterday", "04/05/2023", "8 May", "31 Feb 2023", "13:75 on 8 May, 2023", "8 May 2023 or so",
        "13 pm on 8 May, 2023",
        5, -1, 0, float("nan"), float("inf"), 10**30, [1], "5 on 8 May, 2023", "2024", "9" * 22, "May 2023", "x" * 200, "2023-13-01 (Mon)",
    ],
)  # fmt: skip
def test_not_read(written):
    assert parse_time(written) is None


@given(st.text(max_size=40) | st.floats() | st.integers())
def test_never_raises(value):
    assert parse_time(value) is None or isinstance(parse_time(value), datetime)


@pytest.mark.parametrize("like", [1_600_000_000, 1_600_000_000_000, 1_600_000_000.5, "2020-01-01", None, 7])
def test_written_as_the_file_does(like):
    moment = datetime(2026, 4, 20, 10, 11, 12, tzinfo=UTC)
    written = like_time(moment, like)
    assert parse_time(written) == moment
    assert isinstance(written, type(like) if isinstance(like, (int, float)) and like > 7 else str)
