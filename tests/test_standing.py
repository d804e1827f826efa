"""A standing budget, entries that expire, and updates: case 4 (what was just written is never the victim)."""

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memfold import Entry, Memory
from memfold.errors import BudgetError, OverBudget, StoreError, UnknownEntry

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)
SAME = "The boiler in the cellar was serviced by Karl in May."
FACTS = [f"The {thing} stands in the {place}." for thing in ("ladder", "violin", "kettle") for place in ("attic", "shed", "hall")]


def opened(path=":memory:", now=NOW, **more):
    return Memory.open(path, embedder="hashing", clock=lambda: now, **more)


def texts(memory):
    return [entry.text for entry in memory.entries()]


def test_a_write_past_the_budget_sets_off_a_refinement_that_spares_what_was_written():
    with opened(max_bytes=400) as memory:
        for n in range(20):
            memory.add([Entry(f"e{n:02d}", SAME)])
            assert memory.get(f"e{n:02d}").text == SAME  # the id that the write returned resolves
            assert memory.totals()[1] <= 400
        assert memory.standing.last.deletes > 0
        assert memory.runs()


def test_what_was_just_written_is_not_merged_either_but_may_take_the_place_of_a_copy():
    with opened(max_bytes=150) as memory:
        memory.add([Entry("old", SAME)])
        memory.add([Entry("new", SAME), Entry("other", "Rosa keeps hens.")])
        assert {entry.id for entry in memory.entries()} == {"new", "other"}


def test_facts_outrank_the_budget_and_the_report_tells():
    with opened(max_bytes=440) as memory:
        memory.add([Entry(f"e{n}", text) for n, text in enumerate(FACTS)])
        assert texts(memory) == FACTS
        assert memory.standing.last.missed_by > 0
        runs = len(memory.runs())
        memory.add([Entry("one more", "Snow fell.")])
        assert len(memory.runs()) == runs  # not tried again before the namespace has grown by a tenth of the budget
        memory.add([Entry(f"f{n}", f"{text[:-1]} since {1990 + n}.") for n, text in enumerate(FACTS)])
        assert len(memory.runs()) == runs + 1


def test_a_write_that_is_refused_leaves_the_store_as_it_was():
    with opened(max_bytes=200, when_full="raise") as memory:
        memory.add([Entry("a", SAME)])
        with pytest.raises(OverBudget, match="max_bytes"):
            memory.add([Entry("b", SAME), Entry("c", SAME)])
        with pytest.raises(OverBudget):
            memory.update("a", text=SAME * 4)
        assert texts(memory) == [SAME]
        memory.add([Entry("d", SAME, namespace="another")])  # each namespace has its own


def test_observing_keeps_to_it_too(tmp_path):
    said = [{"role": "user", "content": f"{text} I saw it myself on day {n}."} for n, text in enumerate(FACTS)]
    with opened(tmp_path / "full.db", max_bytes=300, when_full="raise") as memory:
        with pytest.raises(OverBudget):
            memory.observe(said)
        assert texts(memory) == []
    with opened(tmp_path / "kept.db", max_bytes=300) as memory:
        memory.observe(said)
        assert memory.standing.last is not None


@pytest.mark.parametrize("written", ["50%", "300 entries", "many"])
def test_only_bytes_are_a_standing_budget(written):
    with pytest.raises(BudgetError):
        opened(max_bytes=written)


@settings(max_examples=40, deadline=None)
@given(st.lists(st.sampled_from([SAME, SAME[:-1] + " 2031.", *FACTS[:3]]), max_size=12), st.integers(120, 600))
def test_the_id_that_a_write_returned_resolves_whatever_is_written(written, most):
    with opened(max_bytes=most) as memory:
        for n, text in enumerate(written):
            memory.add([Entry(f"e{n}", text)])
            assert memory.get(f"e{n}").text == text


def test_a_pair_that_was_spared_once_is_judged_again_later():
    with opened(max_bytes=150) as memory:
        memory.add([Entry("a", SAME), Entry("b", SAME)])
        assert len(texts(memory)) == 2  # both were just written
        report = memory.refine(budget="60%", apply=True)
        assert (report.deletes, report.met) == (1, True)


def test_an_unpinned_entry_may_go_again():
    with opened() as memory:
        memory.add([Entry("a", SAME), Entry("b", SAME)])
        for id in "ab":
            memory.pin(id)
        assert memory.refine(budget="60%", apply=True).edits == 0
        memory.pin("a", pinned=False)
        assert memory.refine(budget="60%", apply=True).deletes == 1


# Expiry


def test_what_has_expired_goes_first_and_undo_brings_it_back():
    with opened() as memory:
        memory.add(
            [
                Entry("over", "The offer ends in February.", expires_at=NOW - timedelta(days=1)),
                Entry("naive", "The pass is valid in January.", expires_at=datetime(2026, 1, 31)),
                Entry("kept", "The pass of the year.", expires_at=NOW + timedelta(days=1)),
                Entry("pinned", "Pinned all the same.", expires_at=NOW - timedelta(days=1), pinned=True),
                Entry("plain", "Rosa keeps hens.", links=()),
            ]
        )
        preview = memory.refine(budget="100%")
        assert (preview.expired, preview.edits, len(texts(memory))) == (2, 2, 5)
        report = memory.refine(budget="100%", apply=True)
        assert (report.expired, report.deletes, report.judgements) == (2, 0, 0)
        assert {entry.id for entry in memory.entries()} == {"kept", "pinned", "plain"}
        before = memory.undo(report.run)
        assert {edit.before[0].id for edit in before} == {"over", "naive"}
        assert len(texts(memory)) == 5


def test_links_to_what_has_expired_go_with_it():
    from memfold.types import Link

    with opened() as memory:
        memory.add([Entry("over", "An offer.", expires_at=NOW), Entry("b", "See the offer.", links=(Link("over"),))])
        memory.refine(budget="100%", apply=True)
        assert memory.get("b").links == ()


def test_a_merged_entry_lives_as_long_as_the_longer_of_the_two():
    from memfold.refine.merging import merge_entries
    from memfold.types import Decision

    early, late = NOW, NOW + timedelta(days=9)
    merge = Decision("merge", merged="Both.")
    for a, b, ends in ((early, late, late), (None, late, None), (late, datetime(2026, 1, 1), late)):
        sides = Entry("a", "one", expires_at=a), Entry("b", "other", expires_at=b)
        assert merge_entries(*sides, merge, new_id="m", now=NOW).expires_at == ends
        assert merge_entries(*sides[::-1], merge, new_id="m", now=NOW).expires_at == ends


def test_an_expiry_survives_export_and_import(tmp_path):
    entry = Entry("a", "An offer.", expires_at=NOW)
    assert Entry.from_dict(entry.as_dict()) == entry


# Updates


def test_an_update_changes_what_is_named_and_counts():
    with opened() as memory:
        memory.add([Entry("a", "Rosa keeps hens.", created_at=NOW - timedelta(days=3), keywords=("hens",))])
        new = memory.update("a", text="Rosa keeps ducks.")
        assert (new.text, new.revision, new.updated_at, new.keywords) == ("Rosa keeps ducks.", 1, NOW, ("hens",))
        assert new.created_at == NOW - timedelta(days=3)
        assert memory.get("a") == new


def test_an_update_of_what_is_not_there_or_not_ours_is_refused(tmp_path):
    with opened() as memory, pytest.raises(UnknownEntry):
        memory.update("a", text="x")
    (tmp_path / "notes.jsonl").write_text('{"id": "a", "text": "Rosa keeps hens."}\n')
    with opened(tmp_path / "notes.jsonl") as memory, pytest.raises(StoreError, match="program that owns it"):
        memory.update("a", text="x")
