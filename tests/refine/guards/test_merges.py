"""What a merged text must hold, and may not."""

import pytest

from memfold.refine.guards import GuardSettings
from memfold.types import Source

A = "Ana rents a flat in Lyon for 640 euros."
B = "Ana rents a flat with a balcony near the station."
GOOD = "Ana rents a flat in Lyon for 640 euros, with a balcony, near the station."


def test_a_good_merge_passes(merge_veto):
    assert merge_veto(A, B, GOOD) == ""
    assert merge_veto(B, A, GOOD) == ""


@pytest.mark.parametrize(
    ("merged", "guard"),
    [
        ("", "incomplete"),
        (f"{A} {B} And so on, and so on.", "size"),
        ("Ana rents a flat in Lyon, with a balcony.", "values"),
        ("Ana rents a flat in Lyon for 460 euros, with a balcony.", "values"),
        ("Ana rents a flat in Lyon for 640 euros since 2019, with a balcony.", "invented"),
        ("Ana rents a flat in Lyon for 640 euros, Ben says, with a balcony.", "invented"),
    ],
)
def test_bad_merges(merge_veto, merged, guard):
    assert merge_veto(A, B, merged) == guard


def test_a_merge_may_not_turn_a_statement_round(merge_veto):
    one, other = "Iris is not allergic to peanuts.", "Iris is tall and swims."
    assert merge_veto(one, other, "Iris is allergic to peanuts, tall, and swims.") == "negation"
    assert merge_veto(one, other, "Iris is not allergic to peanuts, tall, and swims.") == ""


def test_a_merge_may_not_drop_one_side(merge_veto):
    one, other = "we painted the old boat shed with leftover tar", "we sold every chicken because foxes kept coming"
    assert merge_veto(one, other, one) == "content"


def test_a_merge_keeps_who_says_it(merge_veto):
    one, other = "Ana: I love skiing in winter.", "Ben: I love skiing, and I hike in summer."
    assert merge_veto(one, other, "Ben: I love skiing in winter, and I hike in summer.") == "speaker"
    assert merge_veto(one, other, "Ana loves skiing in winter, Ben too; he hikes in summer.") == ""


def test_an_over_long_merge_is_refused(merge_veto):
    one, other = "fern moss reed " * 80, "fern moss reed " * 80
    merged = "fern moss reed " * 120
    assert merge_veto(one, other, merged, settings=GuardSettings(max_merge_chars=1000)) == "length"
    assert merge_veto(one, other, merged, settings=GuardSettings(max_merge_chars=0)) == ""


def test_too_many_sources(merge_veto):
    sources = {"a": {"sources": (Source("1"), Source("2"))}, "b": {"sources": (Source("2"), Source("3"))}}
    assert merge_veto(A, B, GOOD, settings=GuardSettings(max_merge_sources=2), **sources) == "length"
    assert merge_veto(A, B, GOOD, settings=GuardSettings(max_merge_sources=3), **sources) == ""


def test_homes_and_pins(merge_veto):
    assert merge_veto(A, B, GOOD, a={"home": "Ana"}, b={"home": "Ben"}) == "home"
    assert merge_veto(A, B, GOOD, a={"home": "Ana"}, b={"home": "Ana"}) == ""
    assert merge_veto(A, B, GOOD, b={"pinned": True}) == "pinned"


def test_a_date_that_an_entrys_own_time_gives_is_not_invented(merge_veto, day):
    one, other = "Ana has planted all of the leeks and the beans.", "Ana has sowed the carrots on Saturday."
    times = (day(4, 28), day(5, 6))
    assert merge_veto(one, other, "Ana planted leeks and beans (April 2025), sowed carrots on Saturday.", at=times) == ""
    assert merge_veto(one, other, "Ana planted leeks and beans, sowed carrots on Saturday 3 May.", at=times) == ""
    assert merge_veto(one, other, "Ana planted leeks and beans in June, sowed carrots on Saturday.", at=times) == "invented"


def test_a_relative_date_may_not_move_with_the_merge(merge_veto, day):
    one, other = "Ana planted the leeks and the beans.", "Ana sowed carrots yesterday."
    times = (day(4, 28), day(5, 6))
    assert merge_veto(one, other, "Ana planted leeks and beans, sowed carrots yesterday.", at=times) == "values"
    assert merge_veto(one, other, "Ana planted leeks and beans, sowed carrots on 5 May.", at=times) == ""


def test_a_merge_in_a_script_without_spaces(merge_veto):
    one, other = "小李住在巴黎,养了两只猫。", "小李住在巴黎,每天骑车上班。"
    assert merge_veto(one, other, "小李住在巴黎,养了两只猫,每天骑车上班。") == ""
    assert merge_veto(one, other, "小李住在巴黎,养了五只猫,每天骑车上班。") == "values"
