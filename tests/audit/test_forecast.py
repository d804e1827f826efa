from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from memfold.audit.forecast import Step, make_forecast


def test_the_smaller_side_goes_until_the_budget_is_met() -> None:
    steps = [Step(0, 1, 0.95, "near"), Step(1, 2, 0.9, "judgement"), Step(2, 3, 0.8, "judgement"), Step(0, 3, 0.7, "judgement")]
    eighty, fifty = make_forecast(400, 40, [60, 100, 100, 100], steps, [0.8, 0.5])
    assert (eighty.limit, eighty.over, eighty.exact, eighty.near, eighty.judgement) == (320, 80, 40, 40, 0)
    assert (eighty.pairs, eighty.cosine, eighty.missing) == (1, 0.95, 0)
    assert (fifty.exact, fifty.near, fifty.judgement, fifty.pairs, fifty.cosine) == (40, 60, 100, 2, 0.9)


def test_pairs_with_other_values_stay_and_the_rest_is_missing() -> None:
    (half,) = make_forecast(200, 0, [100, 100], [Step(0, 1, 0.99, "kept")], [0.5])
    assert (half.kept, half.pairs, half.missing, half.cosine) == (1, 0, 100, None)


def test_a_budget_that_is_met_already_touches_nothing() -> None:
    (whole,) = make_forecast(200, 30, [85, 85], [Step(0, 1, 0.99, "near")], [1.0])
    assert (whole.over, whole.exact, whole.near, whole.missing, whole.pairs) == (0, 0, 0, 0, 0)


def test_nothing_at_all() -> None:
    (empty,) = make_forecast(0, 0, [], [], [0.5])
    assert (empty.limit, empty.over, empty.missing) == (0, 0, 0)


kinds = st.sampled_from(["near", "judgement", "kept"])
steps = st.lists(st.tuples(st.integers(0, 7), st.integers(0, 7), st.floats(0.6, 1), kinds), max_size=20)


@settings(max_examples=60, deadline=None)
@given(st.lists(st.integers(1, 500), min_size=8, max_size=8), st.integers(0, 300), steps)
def test_parts_add_up_and_smaller_budgets_take_more(sizes: list[int], spare: int, drawn: list[tuple[int, int, float, str]]) -> None:
    walk = sorted((Step(a, b, c, kind) for a, b, c, kind in drawn if a != b), key=lambda step: -step.cosine)  # type: ignore[arg-type]
    readings = make_forecast(sum(sizes) + spare, spare, sizes, walk, [0.9, 0.6, 0.3])
    for reading in readings:
        assert reading.exact + reading.near + reading.judgement + reading.missing == reading.over
        assert min(reading.exact, reading.near, reading.judgement, reading.missing) >= 0
    assert [r.pairs for r in readings] == sorted(r.pairs for r in readings)
    assert make_forecast(sum(sizes) + spare, spare, sizes, walk, [0.3, 0.9])[::-1] == (readings[0], readings[2])
