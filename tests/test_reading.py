"""What extraction asks of a text: values that are lacking, dates, spans, and whether one entry revises another."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from memfold.reading import TextReader
from memfold.types import Entry, Turn

WHEN = datetime(2031, 5, 14, 10, tzinfo=UTC)
READER = TextReader()


def turn(text, speaker="Ada", time=WHEN):
    return Turn("t", speaker, text, time=time)


@pytest.mark.parametrize(
    ("claim", "text", "lacking"),
    [
        ("Ada's locker code is 4417.", "My locker code is 4417.", []),
        ("Ada's locker code is 4417.", "My locker code is 4471.", ["4417"]),
        ("Ada is allergic to walnuts.", "I'm not allergic to walnuts.", ["allergic is denied"]),
        ("Ada is not allergic to walnuts.", "I'm not allergic to walnuts.", []),
        ("Ada is not allergic to walnuts.", "I'm allergic to walnuts.", ["not allergic"]),
        ("Ada met Ben on 9 May 2031.", "I met Ben last Friday.", []),
        ("Ada ran a race on 14 May 2031.", "I just ran a race.", []),
        ("Ada ran a race on 12 May 2031.", "I just ran a race.", ["12 May 2031"]),
        ("Ada takes 150 mg.", "I take 0.15 g.", []),
    ],
)
def test_values_and_denials_that_no_turn_says(claim, text, lacking):
    assert READER.lacks(claim, WHEN, [turn(text)]) == lacking


def test_a_value_may_stand_in_any_of_the_turns():
    assert READER.lacks("Ada works at Globex with 12 people.", WHEN, [turn("At Globex."), turn("We are 12 people.")]) == []


@pytest.mark.parametrize(
    ("text", "dated"),
    [
        ("Ada met Ben last Friday.", "Ada met Ben on 9 May 2031."),
        ("Yesterday Ada ran 5 km.", "On 13 May 2031 Ada ran 5 km."),
        ("Ada works there since last Monday.", "Ada works there since 12 May 2031."),
        ("Ada moved two years ago.", "Ada moved in 2029."),
        ("Last month Ada quit.", "In April 2031 Ada quit."),
        ("Ada leaves next week.", "Ada leaves in the week of 19 May 2031."),
        ("我昨天去了上海", "我2031-05-13去了上海"),
        ("Ada keeps bees.", "Ada keeps bees."),
        ("Ada met Ben on 3 May 2031.", "Ada met Ben on 3 May 2031."),
    ],
)
def test_relative_dates_are_told_by_the_calendar(text, dated):
    assert READER.dated(text, WHEN) == dated
    assert READER.dated(dated, WHEN) == dated
    assert READER.dated(text, None) == text


@pytest.mark.parametrize(
    ("phrase", "moment", "told"),
    [
        ("last Friday", datetime(2031, 5, 9, tzinfo=UTC), "2031-05-09"),
        ("yesterday at 3 pm", datetime(2031, 5, 13, 15, tzinfo=UTC), "2031-05-13T15:00"),
        ("last month", None, "2031-04"),
        ("next week", None, "2031-W21"),
        ("in 1999", None, "1999"),
        ("some day", None, ""),
        ("on Friday", None, ""),
        ("between 3 May 2031 and 5 May 2031", None, ""),
        ("", None, ""),
    ],
)
def test_the_moment_that_a_phrase_names(phrase, moment, told):
    assert READER.date(phrase, WHEN) == (moment, told)


@pytest.mark.parametrize(
    ("new", "old", "revises"),
    [
        ("Ada works at Globex.", "Ada works at Initech.", True),
        ("Ada's income is 18000 euros.", "Ada's income is 15700 euros.", True),
        ("Ada lives in Oslo now.", "Ada lives in Bergen.", True),
        ("Ada no longer likes tea.", "Ada likes tea.", True),
        ("The deadline is 10 May.", "The deadline is 3 May.", True),
        ("Ana's locker code is 4417.", "Ben's locker code is 4471.", False),
        ("The blue van holds 9 crates.", "The red van holds 6 crates.", False),
        ("Ada likes tea.", "Ada likes coffee.", False),
        ("Ada's monthly income was raised from 2000 to 2300 euros.", "Ada's monthly income is 2000 euros.", True),
        ("Ada's bicycle changed colour from blue to red.", "Ada keeps 12 bees on the hill.", False),
        ("Ada visited Rome.", "Ada visited Paris.", False),
        ("Ada has a dog named Rex.", "Ada has a cat named Tom.", False),
        ("Ada works at Globex.", "Ada works at Globex.", False),
    ],
)
def test_the_same_subject_with_a_new_value_is_a_revision(new, old, revises):
    earlier, later = datetime(2030, 1, 1), datetime(2031, 1, 1)
    assert READER.revises(Entry("n", new, created_at=later), Entry("o", old, created_at=earlier)) is revises
    assert READER.revises(Entry("n", new, created_at=earlier), Entry("o", old, created_at=later)) is False


def test_a_span_is_a_piece_of_the_turn_to_the_letter():
    text = "Hello there! It rained. My dog Rex is old, and he barks at cats. Bye."
    span = READER.span("Ada's dog Rex is old.", text)
    assert span in text
    assert "Rex" in span
    assert READER.span("Ben sails.", text) == ""
    assert READER.span("Ben sails.", "") == ""


@pytest.mark.parametrize("text", ["Thanks!", "Hi Ben, how are you?", "You're the best, I love it!", "…"])
def test_what_says_nothing(text):
    assert READER.says_nothing(text)


@pytest.mark.parametrize("text", ["I quit!", "I'm pregnant!", "He died.", "Rex is 9.", "我怀孕了！"])
def test_what_says_something(text):
    assert not READER.says_nothing(text)
