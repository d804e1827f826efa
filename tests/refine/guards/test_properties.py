"""What holds for any text."""

import time
from datetime import datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memfold.refine.guards import check
from memfold.refine.text import clauses, content_words, is_filler, is_question, values
from memfold.refine.text.polarity import denied, doubted, negations
from memfold.types import Decision, Entry, Pair

WORDS = st.sampled_from(
    """Ana Ben sails not never 150 mg 0.15 g two crates crate 3 pm 15:00 yesterday on 4 May 2024 allergic to peanuts
    walnuts thanks ! , . ? 我 住 在 巴黎 柏林 不 猫 カレー Москве не user: K3 foo_bar plans might moved the a is was""".split()
)
TEXTS = st.one_of(st.lists(WORDS, min_size=1, max_size=14).map(" ".join), st.text(max_size=80))
TIMES = st.one_of(st.none(), st.datetimes())


def pair_of(one, other, one_at=None, other_at=None):
    return Pair(Entry("a", one, occurred_at=one_at), Entry("b", other, occurred_at=other_at), 0.9)


@given(TEXTS, TEXTS, TIMES, TIMES, st.sampled_from("ab"), st.text(max_size=20), st.floats(0, 1), st.text(max_size=10))
def test_a_veto_does_not_depend_on_the_judge(one, other, one_at, other_at, target, reason, confidence, judge):
    pair = pair_of(one, other, one_at, other_at)
    plain = check(pair, Decision("delete", target))
    talked = check(
        pair, Decision("delete", target, reason=reason, confidence=confidence, judge=judge, keywords=(reason,), instruction=reason)
    )
    assert (plain.action, plain.target, plain.veto) == (talked.action, talked.target, talked.veto)


@given(TEXTS, TEXTS, TIMES, TIMES)
def test_swapping_the_sides_swaps_the_target_and_nothing_else(one, other, one_at, other_at):
    here = check(pair_of(one, other, one_at, other_at), Decision("delete", "a"))
    there = check(Pair(Entry("b", other, occurred_at=other_at), Entry("a", one, occurred_at=one_at), 0.9), Decision("delete", "b"))
    assert (here.action, here.veto) == (there.action, there.veto)
    assert here.target == there.swapped().target


@given(TEXTS, TIMES, TIMES)
def test_an_exact_copy_may_always_go(text, one_at, other_at):
    if one_at is None or other_at is None or one_at.date() == other_at.date():
        assert check(pair_of(text, text, one_at, one_at), Decision("delete", "a")).action == "delete"


@given(st.text(max_size=60), st.integers(0, 9), st.integers(0, 9), st.text(max_size=60))
def test_one_digit_is_enough(before, one, other, after):
    if one != other:
        pair = pair_of(f"{before}{one}{after}", f"{before}{other}{after}")
        for target in "ab":
            assert check(pair, Decision("delete", target)).action == "preserve"


@given(TEXTS, st.integers(10, 10**6), st.integers(10, 10**6))
def test_another_number_is_enough(text, one, other):
    if one != other:
        assert check(pair_of(f"{text} costs {one} euros.", f"{text} costs {other} euros."), Decision("delete", "a")).action == "preserve"


@given(st.integers(1, 5000), st.sampled_from([("mg", "g", 1000), ("ml", "l", 1000), ("cm", "m", 100), ("minutes", "hours", 60)]))
def test_units_of_one_amount_are_equal(amount, units):
    small, large, factor = units
    pair = pair_of(f"It is {amount * factor} {small}.", f"It is {amount} {large}.")
    for target in "ab":
        assert check(pair, Decision("delete", target)).action == "delete"


@given(st.dates(min_value=datetime(1950, 1, 1).date(), max_value=datetime(2049, 12, 31).date()))
def test_forms_of_one_date_are_equal(day):
    forms = [
        f"{day:%Y-%m-%d}",
        f"{day.day} {day:%B} {day.year}",
        f"{day:%B} {day.day}, {day.year}",
        f"{day.year}年{day.month}月{day.day}日",
    ]
    assert len({next(value.canonical for value in values(f"on {form} it was") if value.kind == "date") for form in forms}) == 1


@given(st.text(max_size=400), st.text(max_size=400), TIMES)
@settings(max_examples=200)
def test_no_text_raises(one, other, at):
    pair = pair_of(one, other, at, at)
    for decision in (Decision("delete", "a"), Decision("delete", "b", "update"), Decision("merge", merged=f"{one} {other}")):
        assert check(pair, decision).action in ("delete", "merge", "preserve")
    for text in (one, other):
        assert is_filler(text) in (True, False)
        assert is_question(text) in (True, False)
        assert content_words(text).total() >= 0


SHAPES = [
    "a", "1", ".", "a.", "a@", "a/", "/@", "a_", "a-", "`", ", ", "?", " ", "\n", "1,", "1.", "1 ",
    "a1-", "Ana ", "A", "half ", "two ", "two-", "in 2 ", "last ", "'", "a'", "[", "[a", "【", "(", "$",
    "+1 ", "v1.", "http://", "--a", "-a=", "我", "ア", "あ", "가", "ก", "ا", "Ана ", "1:", "1/", "1e",
    "not ", "n't", "Hi Ana, ", "!?", "é", "\0", "😀", "e\u0301", "a: ", "1st ", "1%", "二", "三百", "2年",
    "-5 ", ", and ", "a->", "::", "1 h 2 min ", "ﷺ", "Dr.", "1) ", "5-", "5 to ", "May 1 ", "#a-", "<3",
    "\ud800",
]  # fmt: skip


def cost(text: str) -> float:
    best = float("inf")
    for number in range(2):
        began = time.process_time()
        pair = pair_of(f"{text} {number}x", f"{text} y{number}", datetime(2024, 5, 5), datetime(2024, 5, 5))
        check(pair, Decision("delete", "a"))
        check(pair, Decision("merge", merged=text[: len(text) // 2]))
        for ask in (is_filler, is_question, clauses, negations, denied, doubted):
            ask(text)
        best = min(best, time.process_time() - began)
    return best


@pytest.mark.parametrize("shape", SHAPES)
def test_time_grows_no_faster_than_the_text(shape):
    short, long = (cost((shape * size)[:size]) for size in (1500, 6000))
    assert long <= 8 * short + 0.05


def test_a_hundred_thousand_characters():
    text = "Ana said on 3 May 2024 at 3 pm that 150 mg of foo_bar costs $5, but Ben didn't. 他不吃肉。" * 1200
    check(pair_of(text, text + " x1"), Decision("delete", "a"))
