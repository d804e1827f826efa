from dataclasses import replace
from datetime import UTC, datetime
from functools import partial

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memfold.refine.merging import JOINT, concatenate, merge_entries, merge_texts, merged_id
from memfold.types import Decision, Entry, Link, Source

EARLY, LATE, NOW = (datetime(2026, month, 5, tzinfo=UTC) for month in (1, 3, 6))


@pytest.mark.parametrize(
    ("a", "b", "kept"),
    [
        ("Rosa keeps 12 hens in the yard.", "Rosa keeps 12 hens and sells the eggs on Fridays.", ["12 hens", "yard", "eggs", "Fridays"]),
        ("Ana: I moved to Oslo in May.", "Ana: I moved to Oslo, and I work at the harbour.", ["Ana:", "Oslo", "May", "harbour"]),
        ("小林住在东京，养了一只猫。", "小林住在东京，在图书馆工作。", ["东京", "猫", "图书馆"]),
        ("Pump 4: Fixed: 2026-01-14 by Karl", "Pump 4: Discovered: 2026-01-14 by Karl", ["Fixed", "Discovered", "2026-01-14"]),
    ],
)
def test_a_merge_keeps_both_sides_and_is_smaller(a, b, kept):
    merged = merge_texts(Entry("a", a), Entry("b", b))
    assert merged is not None
    assert len(merged.encode()) < len(a.encode()) + len(b.encode())
    for word in kept:
        assert word in merged
    assert merged == merge_texts(Entry("b", b), Entry("a", a))  # in either order
    assert ".." not in merged


@settings(max_examples=150, deadline=None)
@given(st.text(max_size=80), st.text(max_size=80))
def test_any_texts_merge_to_no_more_than_both_or_not_at_all(a, b):
    merged = merge_texts(Entry("a", a), Entry("b", b))
    assert merged is None or len(merged.encode("utf-8", "replace")) <= len((a + b).encode("utf-8", "replace")) + JOINT
    concatenate(Entry("a", a), Entry("b", b))


@pytest.mark.parametrize(
    ("first", "second", "merged"),
    [
        (
            "Otto swims in the lido before work, three times a week, even in winter.",
            "Otto swims at the lido with his colleague Bea.",
            "Otto swims in the lido before work, three times a week, even in winter; swims at the lido with his colleague Bea.",
        ),
        (
            "Mira values her garden as a place of rest, which is why she sold the noisy mower.",
            "Mira values her garden as a place of rest and spends her Sundays in it.",
            "Mira values her garden as a place of rest, which is why she sold the noisy mower; spends her Sundays in it.",
        ),
        (
            "Jo wants to sell the boat because the mooring is dear.",
            "Jo wants to keep the trailer for the kayaks.",
            "Jo wants to sell the boat because the mooring is dear; wants to keep the trailer for the kayaks.",
        ),
    ],
)
def test_the_subject_of_both_is_said_once(first, second, merged):
    assert merge_texts(Entry("a", first), Entry("b", second)) == merged


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("Vera prefers small towns and turned down a post in Graz.", "Vera prefers small towns because strangers greet one another there."),
        ("Ana and Ben marry in June in Galway.", "Ana and Ben's wedding has a vegetarian menu."),
        ("Ana owes Ben 20 euros since May.", "Ben owes Ana a bicycle since June."),
    ],
)
def test_a_reason_or_an_owner_stays_with_its_own_sentence(first, second):
    merged = merge_texts(Entry("a", first), Entry("b", second))
    assert merged is None or second.rstrip(".") in merged or first.rstrip(".") in merged
    assert merged is None or "; because" not in merged


def test_an_abbreviation_ends_no_clause():
    merged = merge_texts(
        Entry("a", "old piano (parlour) = 320 kg acc. to the mover"), Entry("b", "The old piano in the parlour weighs 230 kg.")
    )
    assert merged is None or "acc. to the mover" in merged


def test_a_later_yesterday_becomes_its_date():
    first = Entry("a", "Mona booked the boat trip for the whole family.", created_at=EARLY)
    second = Entry("b", "Mona booked the boat trip for the whole family and paid for it yesterday.", created_at=LATE)
    merged = merge_texts(first, second)
    assert merged is None or "yesterday" not in merged


def test_concatenation_drops_repeated_sentences():
    a, b = Entry("a", "Rosa keeps hens. Snow fell."), Entry("b", "Snow fell. Oslo is cold.")
    assert concatenate(a, b) == "Rosa keeps hens. Snow fell. Oslo is cold."


def test_the_fields_of_a_merged_entry():
    a = Entry(
        "a", "x", links=(Link("b"), Link("c")), keywords=("tea",), created_at=LATE, importance=0.2,
        sources=(Source("t1"),), metadata={"room": 1, "who": "ada"}, revision=4,
    )  # fmt: skip
    b = Entry(
        "b", "y", links=(Link("a"), Link("c"), Link("d")), keywords=("tea", "cup"), created_at=EARLY, importance=0.9, metadata={"room": 2}
    )
    merged = merge_entries(a, b, Decision("merge", merged="xy"), new_id="m", now=NOW)
    assert (merged.id, merged.text, merged.revision, merged.importance) == ("m", "xy", 0, 0.9)
    assert set(merged.links) == {Link("c"), Link("d")}
    assert set(merged.keywords) == {"tea", "cup"}
    assert (merged.created_at, merged.updated_at) == (EARLY, None)
    assert merged.sources == (Source("t1"),)
    assert merged.metadata["room"] == 1  # the later side's
    assert merged.metadata["who"] == "ada"
    assert merged.metadata["times"] == [LATE.isoformat(timespec="minutes")]
    assert merge_entries(a, replace(b, updated_at=EARLY), Decision("merge", merged="xy"), new_id="m", now=NOW).updated_at == NOW


def test_merges_of_merges_carry_every_later_time_once():
    days = [datetime(2026, 3, day) for day in (1, 4, 9, 4)]
    one, two, three, four = (Entry(str(n), "x", created_at=day) for n, day in enumerate(days))
    merge = partial(merge_entries, decision=Decision("merge", merged="x"), new_id="m", now=NOW)
    whole = merge(merge(two, one), merge(three, four))
    assert (whole.created_at, whole.metadata["times"]) == (datetime(2026, 3, 1), ["2026-03-04", "2026-03-09"])


def test_a_merge_needs_its_text_and_one_home():
    with pytest.raises(ValueError, match="no merged text"):
        merge_entries(Entry("a", "x"), Entry("b", "y"), Decision("merge"), new_id="m", now=NOW)
    with pytest.raises(ValueError, match="home"):
        merge_entries(Entry("a", "x", home="k"), Entry("b", "y"), Decision("merge", merged="z"), new_id="m", now=NOW)


def test_the_id_of_a_merge_follows_from_its_sides_and_text():
    a, b = Entry("a", "x"), Entry("b", "y")
    assert merged_id(a, b, "t") == merged_id(b, a, "t") != merged_id(a, b, "u")
    assert merged_id(Entry("ab", ""), Entry("c", ""), "t") != merged_id(Entry("a", ""), Entry("bc", ""), "t")
