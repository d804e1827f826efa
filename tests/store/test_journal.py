from dataclasses import replace

import numpy as np
import pytest

from memfold.errors import CannotUndo, StaleDecision, UnknownRun
from memfold.types import Entry, Link


@pytest.fixture
def run(journal, edits):
    return journal.begin("default", "refine", {"budget": "50%"}, edits.now)


def test_an_edit_and_its_way_back(store, journal, run, kitchen, edits):
    journal.commit(edits.delete(kitchen), {}, kitchen[:2])
    assert [entry.id for entry in store.entries()] == ["b", "c", "d"]
    assert store.get("default", "b").links == ()
    assert store.get("default", "c").links == (Link("b", "near"),)
    assert journal.saved("default") == (50, 1)
    (edit,) = journal.edits(run)
    assert edit == replace(edits.delete(kitchen), state="applied")
    (undone,) = journal.undo(run)
    assert undone.state == "undone"
    assert list(store.entries()) == kitchen  # content, order, links, revisions
    assert journal.saved("default") == (0, 0)
    assert journal.run(run).state == "undone"


def test_a_chain_of_merges_is_taken_back_in_reverse(store, journal, run, kitchen, edits):
    a, b, c, d = kitchen
    one, two = Entry("m1", "The kettle is blue, old."), Entry("m2", "All of the kitchen.")
    journal.commit(edits.merge(a, b, one, seq=1), {"m1": np.ones(4)})
    journal.commit(edits.merge(one, c, two, seq=2), {"m2": np.ones(4)})
    assert [entry.id for entry in store.entries()] == ["d", "m2"]
    with pytest.raises(CannotUndo, match="'m1' was edited again by edit 2 of run r1; take that back first"):
        journal.undo(run, 1)
    assert [entry.id for entry in store.entries()] == ["d", "m2"]
    journal.undo(run, 2)
    journal.undo(run, 1)
    assert list(store.entries()) == kitchen
    assert d in kitchen


def test_undoing_twice_or_the_unknown_says_so(journal, run, kitchen, edits):
    journal.commit(edits.delete(kitchen), {})
    journal.undo(run, 1)
    with pytest.raises(CannotUndo, match="taken back already"):
        journal.undo(run, 1)
    with pytest.raises(CannotUndo, match="no edit in force"):
        journal.undo(run)
    with pytest.raises(UnknownRun, match="no edit 7; it has 1"):
        journal.undo(run, 7)
    with pytest.raises(UnknownRun, match="no run 'r9'.*r1"):
        journal.undo("r9")


def test_a_result_that_changed_since_is_not_taken_back(store, journal, run, kitchen, edits):
    journal.commit(edits.merge(kitchen[0], kitchen[1], Entry("m", "kettle")), {})
    store.update(Entry("m", "a new kettle"))
    with pytest.raises(CannotUndo, match="'m' has been changed"):
        journal.undo(run)
    assert store.get("default", "m").text == "a new kettle"


def test_an_id_given_anew_is_not_overwritten(store, journal, run, kitchen, edits):
    journal.commit(edits.delete(kitchen), {})
    store.add([Entry("a", "somebody else")])
    with pytest.raises(CannotUndo, match="id 'a' has been given to a new entry"):
        journal.undo(run)
    assert store.get("default", "a").text == "somebody else"


def test_links_that_others_changed_meanwhile_are_kept(store, journal, run, kitchen, edits):
    journal.commit(edits.delete(kitchen), {})
    c = store.get("default", "c")
    store.update(replace(c, links=(*c.links, Link("d"))))
    journal.undo(run)
    assert set(store.get("default", "c").links) == {Link("a", "near"), Link("b", "near"), Link("d")}


@pytest.mark.parametrize("change", ["text", "gone", "pinned"])
def test_an_entry_changed_while_it_was_judged_makes_the_edit_stale(store, journal, run, kitchen, edits, change):
    if change == "gone":
        store.remove("default", ["b"])
    else:
        store.update(replace(kitchen[1], **({"text": "other"} if change == "text" else {"pinned": True})))
    before = list(store.entries())
    with pytest.raises(StaleDecision, match="'b'"):
        journal.commit(edits.delete(kitchen), {}, kitchen[:2])
    assert list(store.entries()) == before
    assert list(journal.edits(run)) == []


def test_runs_are_numbered_and_the_dead_are_buried(journal, run, edits):
    second = journal.begin("default", "refine", {}, edits.now)
    journal.finish(second, {"after": 3}, edits.now)
    third = journal.begin("other", "refine", {}, edits.now)
    assert [(r.id, r.state) for r in journal.runs()] == [("r1", "interrupted"), ("r2", "finished"), ("r3", "running")]
    assert journal.run(second).report == {"after": 3}
    assert [r.id for r in journal.runs("other")] == [third]


def test_freed_images_cannot_be_taken_back_but_stay_counted(store, journal, run, kitchen, edits):
    journal.commit(edits.delete(kitchen), {})
    journal.finish(run, {}, edits.now)
    assert journal.free(edits.now) == 0  # not before this time
    assert journal.free() == 1
    with pytest.raises(CannotUndo, match="freed by compact"):
        journal.undo(run)
    assert journal.saved("default") == (50, 1)
    assert list(journal.edits(run)) == []


def test_images_are_compressed(journal, run, edits, store):
    text = "Ada keeps the spare key under the third flower pot, left of the door. " * 5
    entries = [Entry(f"e{i}", f"{text} {i}") for i in range(50)]
    store.add(entries)
    for seq, entry in enumerate(entries[1:], 1):
        journal.commit(replace(edits.delete(entries), seq=seq, before=(entry,), relinks=(), kept="e0"), {})
    (held,) = store.connection.db.execute("SELECT sum(length(data)) FROM edits").fetchone()
    assert held < 0.6 * sum(len(e.text) for e in entries)
