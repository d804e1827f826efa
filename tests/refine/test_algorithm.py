"""The loop against Algorithm 1 written down naively: same pairs in the same order, same final store."""

import itertools
from dataclasses import replace
from datetime import UTC, datetime

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memfold.config import RefineSettings
from memfold.embed.hashing import HashingEmbedder
from memfold.refine import Measures, Refinement
from memfold.refine.judges.scripted import ScriptedJudge
from memfold.refine.merging import merge_entries, merged_id
from memfold.refine.propose import exact_cosines, quantise
from memfold.refine.report import Report
from memfold.store.size import entry_bytes
from memfold.types import Decision, Entry, Link, Pair

NOW = datetime(2026, 3, 1, tzinfo=UTC)
WORDS = "tea kettle garden bicycle Oslo doctor Monday blue seven lamp river violin".split()
EMBEDDER = HashingEmbedder(dim=32)
BYTES = Measures(entry_bytes, entry_bytes)


class MemoryLedger:
    """A ledger that keeps the edits in a list."""

    def __init__(self, keys=()):
        self.edits = []
        self.preserved = []
        self._keys = np.array(sorted(keys), np.int64)

    def keys(self):
        return self._keys

    def begin(self, key, alone=True):
        return True

    def recall(self, key):
        return None

    def record(self, key, decision):
        raise AssertionError("only costly judges record")

    def preserve(self, key):
        self.preserved.append(key)

    def commit(self, edit, vectors, unchanged):
        assert [entry.id for entry in edit.after] == list(vectors)
        self.edits.append(edit)

    def current(self, id):
        return None

    def revisions(self):
        return None

    def flush(self):
        pass


def refine(entries, judge, limit, *, ledger=None, guards=False, **bounds):
    report = Report("default", judge.name, "bytes", f"{limit} bytes", limit, 0, 0, 0, 0)
    refinement = Refinement(
        judge=judge,
        embedder=EMBEDDER,
        ledger=ledger or MemoryLedger(),
        report=report,
        measures=BYTES,
        clock=lambda: NOW,
        settings=RefineSettings(guards=guards, min_saving=0.0, **bounds),
    )
    refinement.run(entries, EMBEDDER.embed([entry.embedding_text for entry in entries]))
    return refinement


def contents(a, b):
    """A pair to a judge: what the two say, under whatever ids."""
    return tuple(sorted((a.digest(), b.digest())))


def naive(entries, judge, limit):
    """Algorithm 1, every pair compared at every step. Returns the pairs asked, and the final entries by id."""
    store = {entry.id: entry for entry in entries}
    asked, apart = [], set()
    while sum(map(entry_bytes, store.values())) > limit:
        vectors = {id: quantise(EMBEDDER.embed([entry.embedding_text]))[0] for id, entry in store.items()}
        keyed = [
            (-float(exact_cosines(vectors[a][None], vectors[b])[0]), a, b)
            for a, b in itertools.combinations(sorted(store), 2)
            if contents(store[a], store[b]) not in apart
        ]
        if not keyed:
            break
        minus_cosine, a, b = min(keyed)
        asked.append((a, b))
        decision = judge.decide([Pair(store[a], store[b], -minus_cosine)])[0]
        before = dict(store)
        if decision.action == "delete":
            gone = [a if decision.target == "a" else b]
            del store[gone[0]]
            store = {id: replace(e, links=tuple(x for x in e.links if x.target not in gone)) for id, e in store.items()}
        elif decision.action == "merge":
            merged = merge_entries(store[a], store[b], decision, new_id=merged_id(store[a], store[b], decision.merged), now=NOW)
            del store[a], store[b]
            for id, entry in store.items():
                moved = (Link(merged.id, x.relation) if x.target in (a, b) else x for x in entry.links)
                store[id] = replace(entry, links=tuple(dict.fromkeys(moved)))
            store[merged.id] = merged
        if sum(map(entry_bytes, store.values())) >= sum(map(entry_bytes, before.values())):
            store = before
            apart.add(contents(store[a], store[b]))
    return asked, store


@st.composite
def stores(draw):
    n = draw(st.integers(0, 12))
    ids = [f"e{i:02d}" for i in draw(st.permutations(range(n)))]
    entries = []
    for id in ids:
        text = " ".join(draw(st.lists(st.sampled_from(WORDS), min_size=1, max_size=6)))
        targets = draw(st.lists(st.sampled_from(ids), max_size=3, unique=True))
        entries.append(Entry(id, text, links=tuple(Link(t) for t in targets if t != id)))
    return entries


@settings(max_examples=120, deadline=None)
@given(entries=stores(), seed=st.integers(0, 1000), share=st.sampled_from([0.0, 0.3, 0.6, 1.0]), delete=st.sampled_from([0.0, 0.45, 1.0]))
def test_same_pairs_same_order_same_store(entries, seed, share, delete):
    judge, other = (ScriptedJudge.mix(delete=delete, merge=(1 - delete) * 0.6, seed=seed) for _ in range(2))
    limit = int(share * sum(map(entry_bytes, entries)))
    refinement = refine(entries, judge, limit)
    asked, store = naive(entries, other, limit)
    assert judge.asked == asked
    assert refinement.working.entries == store
    assert refinement.report.after == sum(map(entry_bytes, store.values()))
    assert refinement.report.judgements == len(asked)
    n = len(entries)
    assert len(asked) <= max(0, n - 1) + (2 * n - 1) * (2 * n - 2) // 2  # NOTES 3.3: termination
    for entry in store.values():
        assert all(link.target != entry.id for link in entry.links)
        assert all(link.target in store for link in entry.links)  # no node points to a missing one


def test_an_edit_that_saves_nothing_preserves():
    entries = [Entry("a", "tea"), Entry("b", "tea kettle")]
    swollen = ScriptedJudge(lambda pair: Decision("merge", merged="x" * 500))
    refinement = refine(entries, swollen, 0)
    assert refinement.working.entries.keys() == {"a", "b"}
    assert refinement.report.vetoes == {"no saving": 1}
    assert refinement.report.held[0].why == "no saving"


def test_a_failing_judge_preserves_and_is_asked_again_next_time():
    ledger = MemoryLedger()
    failing = ScriptedJudge(lambda pair: Decision("preserve", failed=True, reason="no answer"))
    report = refine([Entry("a", "tea"), Entry("b", "tea kettle")], failing, 0, ledger=ledger).report
    assert (report.failures, report.preserved, report.edits) == (1, 1, 0)
    assert ledger.preserved == []


def test_preserved_pairs_are_not_asked_again():
    ledger = MemoryLedger()
    judge = ScriptedJudge(lambda pair: Decision("preserve"))
    entries = [Entry(str(i), f"tea {word}") for i, word in enumerate(WORDS)]
    refine(entries, judge, 0, ledger=ledger)
    assert len(judge.asked) == len(WORDS) * (len(WORDS) - 1) // 2
    again = ScriptedJudge(lambda pair: Decision("preserve"))
    refine(entries, again, 0, ledger=MemoryLedger(ledger.preserved))
    assert again.asked == []
    grown = [*entries, Entry("new", "tea tray")]
    refine(grown, again, 0, ledger=MemoryLedger(ledger.preserved))
    assert {id for pair in again.asked for id in pair} >= {"new"}
    assert all("new" in pair for pair in again.asked)  # cost follows what is new
    assert len(again.asked) == len(entries)


@pytest.mark.parametrize(
    ("bounds", "stopped"),
    [({"max_judgements": 3}, "max_judgements"), ({"max_edits": 2}, "max_edits"), ({"max_seconds": 0.0}, "max_seconds")],
)
def test_bounds_stop_a_run(bounds, stopped):
    judge = ScriptedJudge(lambda pair: Decision("delete", target="a"))
    report = refine([Entry(str(i), f"tea {i}") for i in range(20)], judge, 0, **bounds).report
    assert report.stopped == stopped
    assert not report.met
    assert report.judgements <= bounds.get("max_judgements", 99)
    assert report.edits <= bounds.get("max_edits", 99)


def test_ctrl_c_ends_the_run_between_two_edits():
    calls = []

    def rule(pair):
        calls.append(pair)
        if len(calls) == 3:
            raise KeyboardInterrupt
        return Decision("delete", target="b")

    ledger = MemoryLedger()
    report = refine([Entry(str(i), f"tea {i}") for i in range(9)], ScriptedJudge(rule), 0, ledger=ledger).report
    assert report.stopped == "interrupted"
    assert report.edits == len(ledger.edits) == 2
    assert report.entries_after == 7


def test_links_follow_a_merge_and_do_not_dangle_after_a_delete():
    entries = [
        Entry("a", "tea kettle", links=(Link("c", "near"),)),
        Entry("b", "tea kettle blue", links=(Link("a"), Link("c", "near"))),
        Entry("c", "violin lamp river", links=(Link("a", "near"), Link("b", "near"), Link("d"))),
        Entry("d", "garden Oslo doctor"),
    ]
    merging = ScriptedJudge(lambda pair: Decision("merge", merged="tea kettle, blue") if pair.b.id == "b" else Decision("preserve"))
    working = refine(entries, merging, 0).working
    (merged,) = [entry for entry in working.entries.values() if entry.text == "tea kettle, blue"]
    assert merged.links == (Link("c", "near"),)
    assert working.entries["c"].links == (Link(merged.id, "near"), Link("d"))
    deleting = ScriptedJudge(lambda pair: Decision("delete", target="a") if pair.b.id == "b" else Decision("preserve"))
    working = refine(entries, deleting, 0).working
    assert working.entries["c"].links == (Link("b", "near"), Link("d"))
    assert working.entries["b"].links == (Link("c", "near"),)


def test_pinned_entries_and_homes_hold_even_without_guards():
    entries = [Entry("a", "tea", pinned=True), Entry("b", "tea"), Entry("c", "tea", home="kitchen")]
    deleting = ScriptedJudge(lambda pair: Decision("delete", target="a"))
    assert "a" in refine(entries, deleting, 0).working.entries
    merging = ScriptedJudge(lambda pair: Decision("merge", merged="tea"))
    assert refine(entries[1:], merging, 0).working.entries.keys() == {"b", "c"}
