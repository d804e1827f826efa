"""What counts as the same value, and what does not."""

from datetime import datetime

import pytest

from memfold.refine.text import Value, values
from memfold.refine.text.value import stands_for

WHEN = datetime(2024, 5, 5, 18, 30)  # a Sunday

EQUAL = [
    ("Take 150 mg", "Take 0.15 g"),
    ("Take 150mg", "Take 150 mg"),
    ("at 3 pm", "at 15:00"),
    ("at 3:30 p.m.", "at 15:30"),
    ("at half past six in the morning", "at 06:30"),
    ("at noon", "at 12:00"),
    ("1,200 guests", "1200 guests"),
    ("2,50,000 paid", "250000 paid"),
    ("born 4 March 2024", "born 2024-03-04"),
    ("born on March 4th, 2024", "born 2024-03-04"),
    ("born 4.3.2024", "born 2024-03-04"),
    ("on 22/06/2024", "on June 22, 2024"),
    ("two crates", "2 crates"),
    ("twenty-five crates", "25 crates"),
    ("three hundred and twenty crates", "320 crates"),
    ("half a dozen eggs", "6 eggs"),
    ("a dozen eggs", "12 eggs"),
    ("her eighth birthday", "her 8th birthday"),
    ("€24 each", "24 euros each"),
    ("$1,150", "1150 dollars"),
    ("NGN 200,000", "200000 naira"),
    ("£50", "fifty quid"),
    ("40%", "40 percent"),
    ("12.5 %", "12.50%"),
    ("90 minutes", "1.5 hours"),
    ("an hour and a half", "90 min"),
    ("1 h 30 min", "5400 seconds"),
    ("2 weeks", "14 days"),
    ("two years", "24 months"),
    ("14,208 kWh", "14.208 MWh"),
    ("512Mi", "512 MiB"),
    ("20k tokens", "20,000 tokens"),
    ("1.5 million people", "1500000 people"),
    ("3e-4", "0.0003"),
    ("¾ l", "750 ml"),
    ("woke twice", "woke 2 times"),
    ("५ किताबें", "5 किताबें"),
    ("１５００円", "1500円"),
    ("三百二十元", "320元"),
    ("下午3点", "15:00"),
    ("午後3時半", "15:30"),
    ("2024年3月4日", "2024-03-04"),
    ("2024년 3월 4일", "2024-03-04"),
    ("am 4. März 2024 war es", "2024-03-04"),
    ("el 4 de marzo de 2024", "2024-03-04"),
    ("le 4 mars 2024", "2024-03-04"),
    ("4 марта 2024", "2024-03-04"),
    ("das kostet nicht 1.200 Euro und der Rest auch nicht", "1200 euros"),
    ("yesterday", "4 May 2024"),
    ("tomorrow", "6 May 2024"),
    ("next Friday", "10 May 2024"),
    ("last Friday", "3 May 2024"),
    ("3 days ago", "2 May 2024"),
    ("three years ago", "in 2021"),
    ("two months ago", "in March 2024"),
    ("14-17 June 2024", "until 17 June 2024, from 14 June"),
    ("write to Ana@Site.org", "write to ana@site.org"),
    ("Joaquín's", "with Joaquin"),
]
UNEQUAL = [
    ("code 4417", "code 4471"),
    ("150 mg", "15 mg"),
    ("150 mg", "150 g"),
    ("150 mg", "150 ml"),
    ("3 pm", "3 am"),
    ("at 15:00", "at 3:00"),
    ("4 March 2024", "3 April 2024"),
    ("4 March 2024", "4 March 2023"),
    ("$50", "€50"),
    ("40 %", "0.4 %"),
    ("Python 3.10", "Python 3.1"),
    ("v1.2.3", "v1.2.4"),
    ("src/app/main.py", "src/api/main.py"),
    ("ana@site.org", "ana@site.net"),
    ("https://a.org/x?id=1", "https://a.org/x?id=2"),
    ("TXN-008", "TXN-007"),
    ("max_retries", "max_retry"),
    ("room K3", "room K2"),
    ("二十三", "三十二"),
    ("10²", "102"),
    ("-5 °C", "5 °C"),
    ("two crates", "three crates"),
    ("we met in Lyon", "we met in Nice"),
    ("the 8th", "the 9th"),
    ("next week", "last week"),
    ("Monday", "Tuesday"),
    ("44:31", "44:13"),
]


def stands(held: str, lost: str) -> bool:
    """Whether every value of `lost` is said by one of `held`."""
    there = values(held, WHEN)
    return all(any(stands_for(one, value) for one in there) for value in values(lost, WHEN))


@pytest.mark.parametrize(("one", "other"), EQUAL)
def test_forms_of_one_value_are_equal(one, other):
    assert values(one, WHEN)
    assert values(other, WHEN)
    assert stands(one, other)
    assert stands(other, one)


@pytest.mark.parametrize(("one", "other"), UNEQUAL)
def test_different_values_are_not(one, other):
    assert not stands(one, other) or not stands(other, one)
    assert values(one, WHEN) != values(other, WHEN)


PRECISE = [
    ("born on 14 March 2019", "born in 2019"),
    ("born on 14 March 2019", "born in March"),
    ("born on 14 March 2019", "born on March 14"),
    ("at 15:30", "at 3:30"),
    ("on Friday 10 May 2024", "on Friday"),
    ("10 May 2024", "on a Friday"),
    ("on 16 May 2024", "in May"),
    ("on 1 May 2024", "this week"),
]


@pytest.mark.parametrize(("precise", "vague"), PRECISE)
def test_a_more_precise_value_stands_for_a_vaguer_one_and_not_the_other_way_round(precise, vague):
    assert stands(precise, vague)
    assert not stands(vague, precise)


def test_a_price_without_its_currency_is_still_said():
    assert stands("it costs 150", "it costs 150 euros")
    assert not stands("it holds 150 boxes", "it costs 150 euros")


KINDS = {
    "Take 150 mg of it": {("quantity", "0.15 g")},
    "3 apples": {("number", "3")},
    "at 15:00": {("time", "15:00")},
    "he met Ana": {("name", "ana")},
    "Ana works here": {("name", "ana")},
    "run `make all` now": {("code", "make all")},
    "see docs/how-to.md": {("code", "docs/how-to.md")},
    "set DB_HOST": {("code", "db_host")},
    "call os.path.join": {("code", "os.path.join")},
    "Ana: I am here": {("speaker", "ana")},
    "Speaker June says : we are here": {("speaker", "june")},
    "[user] we are here": {("speaker", "user")},
    "Note: we are here": set(),
    "Meeting went well.": set(),
    "The cat sleeps on the sofa": set(),
    "1) first 2) second": set(),
    "I love it <3": set(),
}


@pytest.mark.parametrize(("text", "expected"), KINDS.items())
def test_kinds(text, expected):
    assert {(value.kind, value.canonical) for value in values(text)} == expected


def test_a_relative_date_without_an_entry_time_is_a_phrase():
    assert values("yesterday") == {Value("date", "yesterday")}
    assert values("yesterday", WHEN) == {Value("date", "2024-05-04")}


def test_the_hour_of_the_entry_does_not_matter():
    assert values("yesterday", datetime(2024, 5, 5, 0, 1)) == values("yesterday", datetime(2024, 5, 5, 23, 59))


def test_a_name_that_is_only_spoken_to_is_marked():
    marked = {value.canonical: value.near for value in values("Thanks, Ana! I went with Ben. See you, Cleo!")}
    assert marked == {"ana": "called", "ben": "", "cleo": "called"}


def test_a_list_is_not_spoken_to():
    assert all(value.near != "called" for value in values("Ana, Ben and Cleo went to the lake."))


def test_today_is_weak():
    assert [value.near for value in values("we sail today", WHEN)] == ["weak"]


def test_a_number_knows_what_it_counts():
    assert {value.canonical: value.of for value in values("9 crates and 4 vans")} == {"9": "crat", "4": "van"}


def test_values_at_the_edge_of_the_calendar():
    for text in ("in 9999 years", "9999 years ago", "in 9999 days", "31 February 2024", "2024-02-31", "45 March", "29 February"):
        values(text, datetime(9999, 12, 31))
        values(text, datetime(1, 1, 1))
