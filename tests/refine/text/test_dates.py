"""Phrases that look like a day told from today, and are none: what recurs, and titles."""

from datetime import datetime

import pytest

from memfold.refine import guards
from memfold.refine.anchoring import anchored
from memfold.refine.text import values
from memfold.types import Decision, Entry, Pair

WHEN = datetime(2025, 7, 23, 19, 14)


@pytest.mark.parametrize(
    "text",
    [
        "Book club: last Wednesday of the month, at Henrike's.",
        "The last Sunday of every month is for hiking.",
        "The choir meets on the last Friday in each quarter.",
        "Tomás reads The Day After Tomorrow again.",
        "Xiaowen reads Yesterday by Juan Emar.",
        "I will swim today and every day.",
    ],
)
def test_what_recurs_or_is_a_title_stays_as_it_is(text):
    assert anchored(text, WHEN) == text
    assert not any(value.kind == "date" and value.canonical[:1].isdigit() for value in values(text, WHEN))


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("Yesterday I sold it.", "2025-07-22"),
        ("We came home. Tomorrow we leave.", "2025-07-24"),
        ("She left last Wednesday of her own will.", "2025-07-16"),
        ('He said: "Tomorrow!"', "2025-07-24"),
    ],
)
def test_days_are_still_told_from_today(text, day):
    assert day in {value.canonical for value in values(text, WHEN)}


def test_a_merge_may_say_what_recurs_and_may_not_lose_it():
    first = Entry("a", "The book club meets at Henrike's house in the evening.", created_at=datetime(2025, 4, 30))
    pair = Pair(first, Entry("b", "Book club: last Wednesday of the month, at Henrike's.", created_at=WHEN), 0.7)
    whole = "The book club meets at Henrike's house in the evening, last Wednesday of the month."
    assert guards.check(pair, Decision("merge", merged=whole, reason="both")).action == "merge"
    assert guards.check(pair, Decision("merge", merged="The book club meets at Henrike's house in the evening.", reason="both")).veto
    invented = "The book club meets at Henrike's house in the evening, on 16 July 2025 of the month."
    assert guards.check(pair, Decision("merge", merged=invented, reason="both")).veto
