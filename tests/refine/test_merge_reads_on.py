"""What merged texts look like, and what holds for all of them."""

import re
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memfold.refine.anchoring import anchored
from memfold.refine.dated import by_day
from memfold.refine.guards import check
from memfold.refine.merge.lines import common_head
from memfold.refine.merging import DATES, JOINT, merge_texts
from memfold.refine.text import values
from memfold.types import Decision, Entry, Pair

DAY = datetime(2026, 5, 7, 9, tzinfo=UTC)


def merged(first: str, second: str, days: int | None = None, *, earlier: bool = False) -> str | None:
    times = (None, None) if days is None else (DAY, DAY + timedelta(days=days))
    return merge_texts(Entry("a", first, created_at=times[0]), Entry("b", second, created_at=times[1]), earlier=earlier)


def in_a_row(*texts: str, earlier: bool = False, backwards: bool = False) -> str | None:
    """Each text a month after the one before it; merged one after the other."""
    entries = [Entry(f"e{n}", text, created_at=DAY + timedelta(days=30 * n)) for n, text in enumerate(texts)]
    if backwards:
        entries.reverse()
    kept = entries[0]
    for n, entry in enumerate(entries[1:]):
        text = merge_texts(kept, entry, earlier=earlier)
        if text is None:
            return None
        kept = Entry(f"m{n}", text, created_at=min(kept.created_at or DAY, entry.created_at or DAY))
    return kept.text


@pytest.mark.parametrize(
    ("first", "second", "text"),
    [
        ("Tilda plays the oboe.", "Tilda coaches a rowing club.", "Tilda plays the oboe; coaches a rowing club."),
        ("I play the oboe.", "I coach a rowing club in Vejle.", "I play the oboe; coach a rowing club in Vejle."),
        ("Tilda's oboe has a crack.", "Tilda's boat is green.", "Tilda's oboe has a crack. Tilda's boat is green."),
        (
            "Tilda failed the theory test, and she takes it again in April.",
            "Tilda passed the practical test.",
            "Tilda failed the theory test, and she takes it again in April. Tilda passed the practical test.",
        ),
        (
            "Tilda failed the theory test of the harbour office in 2024.",
            "Tilda failed the practical test by a hair.",
            "Tilda failed the theory test of the harbour office in 2024; failed the practical test by a hair.",
        ),
        ("Tilda bought a boat. It leaks.", "Tilda sold the oboe.", "Tilda bought a boat. It leaks. Tilda sold the oboe."),
        ("The Vejle quay has cranes.", "The Vejle cranes rust.", "The Vejle quay has cranes. The Vejle cranes rust."),
        ("Step 3: sand the hull", "Step 4: paint the keel", "Step 3: sand the hull\nStep 4: paint the keel"),
        ("【Boat】 Step 3: sand the hull", "【Boat】 Step 4: paint the keel", "【Boat】 Step 3: sand the hull. Step 4: paint the keel"),
        ("sand the hull first", "paint the keel twice", "sand the hull first; paint the keel twice"),
        ("The tide was low 🌊", "We found amber.", "The tide was low 🌊 We found amber."),
        ("Tilda reads J.K. Rowling.", "J.K. Rowling lives in Leith.", "Tilda reads J.K. Rowling. J.K. Rowling lives in Leith."),
        ("1. Sand the hull. 2. Rest.", "Paint 3 boats.", "1. Sand the hull. 2. Rest.\nPaint 3 boats."),
        ("Boat: crane on Friday,", "Boat: mast stays down", "Boat: crane on Friday; mast stays down"),
        ("- sand the hull", "- paint the keel", "- sand the hull\n- paint the keel"),
        ("小林住在东京，养了一只猫。", "我在图书馆工作", "小林住在东京，养了一只猫。我在图书馆工作"),
        ("Ông nội lái tàu ở Huế.", "Ông nội thích trà sen.", "Ông nội lái tàu ở Huế. Ông nội thích trà sen."),
    ],
)
def test_a_merge_reads_on(first, second, text):
    assert merge_texts(Entry("a", first, created_at=DAY), Entry("b", second, created_at=DAY + timedelta(minutes=1))) == text


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("Ona: I swim at dawn.", "Per: I swim at dawn."),
        ("Ona: I swim at dawn.", "The lake opens in May."),
        ("[user] the keys are in the blue jar", "[assistant] Then take the jar along."),
        ("【Lake】 It opens in May.", "【Sauna】 It opens in June."),
    ],
)
def test_different_speakers_and_headings_have_lines_of_their_own(first, second):
    assert merged(first, second, 0) == f"{first}\n{second}"
    assert merged(first, second, 1) == f"{first}\n8 May 2026: {second}"


def test_each_day_has_a_line_of_its_own():
    """A merged entry has the time of its earlier side: what was told later may not seem to be of that day."""
    assert in_a_row("Ona: The lake is cold.", "Per: The sauna is warm.", "Per: Bring two towels.") == (
        "Ona: The lake is cold.\n6 June 2026: Per: The sauna is warm.\n6 July 2026: Per: Bring two towels."
    )
    assert merged("Ona scored 55% on a mock exam.", "Ona completed the final mock exam.", 89) == (
        "Ona scored 55% on a mock exam.\n4 Aug 2026: Ona completed the final mock exam."
    )
    lines = "【Exam】 Ona scored 88%.\n【Boat】 The hull leaks."
    assert merged("【Exam】 Ona scored 55%.", lines, 89) == (
        "【Exam】 Ona scored 55%.\n4 Aug 2026: 【Exam】 Ona scored 88%.\n4 Aug 2026: 【Boat】 The hull leaks."
    )
    # what the other side tells is not told again, and one that tells it all stands alone, by its day
    both = merged("Ona keeps bees. She paints.", "Ona keeps bees. The boat leaks.", 1)
    assert both == "Ona keeps bees. She paints.\n8 May 2026: The boat leaks."
    assert merged("Ona keeps bees in Vejle.", "Ona keeps bees.", 1) == "Ona keeps bees in Vejle."
    assert merged("Ona keeps bees.", "Ona keeps bees in Vejle.", 1) == "8 May 2026: Ona keeps bees in Vejle."
    both = merged("【Lake】 It opens in May.", "【Lake】 It closes at nine.", 1)
    assert both == "【Lake】 It opens in May.\n8 May 2026: It closes at nine."


@pytest.mark.parametrize(
    ("second", "text"),
    [
        ("Ona sold the canoe yesterday.", "Ona sold the canoe on 26 May 2026."),
        ("Ona sold the canoe last month.", "Ona sold the canoe in Apr 2026."),
        ("Ona sold the canoe to the neighbours last week.", "27 May 2026: Ona sold the canoe to the neighbours last week."),
        ("Ona wants to sell the canoe on Sunday.", "27 May 2026: Ona wants to sell the canoe on Sunday."),
        ("The race is on the 12th, then we sell the canoe.", "27 May 2026: The race is on the 12th, then we sell the canoe."),
        ("Ona: the canoe will be sold in three months.", "27 May 2026: Ona: the canoe will be sold in three months."),
        ("Ona rows on Sunday mornings, with the canoe club.", "Ona rows on Sunday mornings, with the canoe club."),
        ("The office on the 4th floor sells the canoe.", "The office on the 4th floor sells the canoe."),
    ],
)
def test_the_later_side_tells_its_day_where_its_words_count_from_it(second, text):
    assert anchored(second, DAY + timedelta(days=20)) == text
    both = merged("The tent has a hole since last week.", second, 20)
    assert both is not None
    assert "The tent has a hole since last week." in both  # the earlier side's words count from the merged entry's time
    assert text in both


def test_guards_read_a_line_by_the_day_at_its_beginning():
    a = Entry("a", "Ona found the tent in the loft.", created_at=DAY)
    b = Entry("b", "Ona sold the canoe last week.", created_at=DAY + timedelta(days=60))
    text = merge_texts(a, b)
    assert text is not None
    assert check(Pair(a, b, 0.6), Decision("merge", merged=text)).veto == ""
    without = f"{a.text} {b.text}"
    assert check(Pair(a, b, 0.6), Decision("merge", merged=without)).veto == "values"


def test_lines_are_read_by_their_day():
    text = "The tent is new.\nIt leaks.\n26 May 2026: Ona sold it yesterday.\n2026-06-01: fini\nDone."
    assert [(part, when and when.day) for part, when in by_day(text, DAY)] == [
        ("The tent is new.\nIt leaks.", 7),
        ("26 May 2026: Ona sold it yesterday.", 26),
        ("2026-06-01: fini", 1),
        ("Done.", 7),
    ]
    assert by_day("31 Feb 2026: no such day", DAY) == [("31 Feb 2026: no such day", DAY)]


@pytest.mark.parametrize("backwards", [False, True])
def test_three_merges_in_a_row(backwards):
    homes = ("Ona lives in Vejle.", "Ona lives in Umeå.", "Ona lives in Turku.", "Ona lives in Bergen.")
    assert in_a_row(*homes, earlier=True, backwards=backwards) == "Ona lives in Bergen (earlier: Turku; Umeå; Vejle)."
    told = ("Ona sold a canoe last week.", "Ona found a kayak last week.", "Ona lost a paddle yesterday.", "Ona rowed to Umeå last week.")
    text = in_a_row(*told, backwards=backwards)
    assert text is not None
    assert len(re.findall(r"^\d+ \w+ 2026: ", text, re.MULTILINE)) == 3  # each day once, the first one none
    assert text.splitlines()[0] == told[0]
    tasks = ("Ona likes tea.", "Ona keeps bees.", "Ona keeps bees in Vejle.", "Ona paints.")
    text = in_a_row(*tasks, backwards=backwards)
    assert text == "Ona likes tea.\n6 June 2026: Ona keeps bees.\n6 July 2026: Ona keeps bees in Vejle.\n5 Aug 2026: Ona paints."
    assert in_a_row(*tasks, "Ona keeps bees.") == text  # nothing new, no line


@pytest.mark.parametrize(
    ("old", "new", "text"),
    [
        ("Ona meets Per at nine in Vejle.", "Ona meets Per at ten in Vejle.", "Ona meets Per at ten (earlier: nine) in Vejle."),
        ("Ona rows on Friday.", "Ona rows on Sunday.", "16 June 2026: Ona rows on Sunday (earlier: Friday)."),
        (
            "Ona got 55 in a test.",
            "Ona got 72 in the test.",
            "Ona got 72 in the test (earlier: got 55 in a test).",
        ),
        (
            'Ona\'s rank went from "scout" to "mate".',
            'Ona\'s rank went from "mate" to "skipper".',
            'Ona\'s rank went from "mate" to "skipper" (earlier: from "scout" to "mate").',
        ),
    ],
)
def test_an_earlier_state_stands_in_brackets_where_that_reads_on(old, new, text):
    assert merged(old, new, 40, earlier=True) == text


def test_a_plan_does_not_cover_what_is_done():
    text = merged("Ona will paint the boat and the shed in June.", "Ona painted the boat.", 40)
    assert text is not None
    assert "painted the boat" in text


def test_lists_are_united_under_one_heading_only():
    assert merged("Lake:\n- towel\n- tent", "Lake:\n- tent\n- stove", 1) == "Lake:\n- towel\n- tent\n- stove"
    assert merged("Lake:\n- towel\n- tent", "Hut:\n- tent\n- stove", 1) == "Lake:\n- towel\n- tent\nHut:\n- tent\n- stove"


_SUBJECTS = ("Ona", "Per Holm", "The user", "I", "The blue canoe", "Ona's kayak", "Ona: We", "Per: I")
_DOINGS = ("sold the old tent", "keeps 12 hens", "was repaired in March", "met Ben on 4 May 2025", "owes 30 euros", "drinks no coffee")
_PLACES = ("", " in Vejle", " with the choir", ", which nobody knew", " and paints at night", " because the roof leaks")
_TIMES = ("", "", "", " yesterday", " last week", " on Sunday")


@st.composite
def _texts(draw: st.DrawFn) -> str:
    pieces = st.tuples(*map(st.sampled_from, (_SUBJECTS, _DOINGS, _PLACES, _TIMES)))
    sentences = [" ".join(piece[:2]) + "".join(piece[2:]) for piece in draw(st.lists(pieces, min_size=1, max_size=3))]
    return ". ".join(sentences) + draw(st.sampled_from((".", "", "!")))


_entries = st.builds(
    lambda name, text, days: Entry(name, text, created_at=DAY + timedelta(days=days)),
    st.sampled_from("abc"),
    _texts(),
    st.sampled_from((0, 1, 40)),
)


@settings(max_examples=200, deadline=None)
@given(_entries, _entries, st.booleans())
def test_a_merge_keeps_every_word_and_invents_none(a, b, earlier):
    text = merge_texts(a, b, earlier=earlier)
    assert text is not None
    assert text == merge_texts(b, a, earlier=earlier)
    days = 0 if a.time == b.time else DATES
    assert len(text.encode()) <= len(a.text.encode()) + len(b.text.encode()) + JOINT + days
    held, given_words = set(re.findall(r"\w+", text.lower())), set(re.findall(r"\w+", f"{a.text} {b.text}".lower()))
    assert given_words - held <= {"yesterday", "and", "on", "i", "we"}
    assert held - given_words <= {"earlier", "on", *"apr may june 2026 2025".split(), *map(str, range(1, 32))}
    told = {(value.kind, value.canonical) for value in values(text)}
    for entry in (a, b):
        assert {(value.kind, value.canonical) for value in values(entry.text) if value.kind not in ("date", "speaker")} <= told


@settings(max_examples=50, deadline=None)
@given(_texts())
def test_a_text_merged_with_itself_is_itself(text):
    assert merge_texts(Entry("a", text), Entry("b", text)) == text


@settings(max_examples=60, deadline=None)
@given(st.lists(_entries, min_size=3, max_size=4))
def test_merging_on_and_on_tells_each_day_once_a_line(entries):
    kept = entries[0]
    for n, entry in enumerate(entries[1:]):
        text = merge_texts(kept, entry)
        if text is None:  # several lines would each need their day
            break
        kept = Entry(f"m{n}", text, created_at=min(kept.created_at, entry.created_at))
    assert kept.text.count("2026: ") <= 3 * len(entries)
    assert not re.search(r"2026: \d{1,2} [A-Z]", kept.text)  # no day before a day


def test_a_head_does_not_end_within_a_quotation():
    first = "User has confirmed 'Plan B: Zero-Cost Skills'. A library card is needed."
    second = "User has confirmed 'Plan B: Zero-Cost Skills'. Spreadsheets come first."
    assert merged(first, second) == "User has confirmed 'Plan B: Zero-Cost Skills'. A library card is needed. Spreadsheets come first."
    assert common_head("Boat (mast: steel, hull: oak)", "Boat (mast: steel, hull: teak)")[0] == ""
    assert common_head("Ana's boat: the mast leans", "Ana's boat: the hull leaks")[0] == "Ana's boat: "
