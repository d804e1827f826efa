"""Safest first against its definition: every candidate judged, the edit of least loss made, and again."""

import itertools
from dataclasses import replace
from datetime import UTC, datetime
from functools import cache
from hashlib import blake2b
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memfold import refine as loop
from memfold.config import RefineSettings
from memfold.embed.hashing import HashingEmbedder
from memfold.errors import BadParameter, UnknownName
from memfold.refine import Measures, Refinement, docket, order_of
from memfold.refine.judges.pagerank import PageRankJudge
from memfold.refine.judges.scripted import ScriptedJudge
from memfold.refine.merging import merge_entries, merged_id
from memfold.refine.propose import exact_cosines, quantise
from memfold.refine.report import Report
from memfold.refine.safest import LOSSES, SafestFirst, expected_loss
from memfold.store.size import entry_bytes
from memfold.types import Decision, Entry, Link, Pair

NOW = datetime(2026, 3, 1, tzinfo=UTC)
WORDS = "tea kettle garden bicycle Oslo doctor Monday blue seven lamp river violin".split()
EMBEDDER = HashingEmbedder(dim=32)
BYTES = Measures(entry_bytes, entry_bytes)
NOTES = [Entry(f"n{i:02d}", f"tea {word} {other}") for i, (word, other) in enumerate(itertools.combinations(WORDS[:6], 2))]


class MemoryLedger:
    """A ledger that keeps everything in lists."""

    def __init__(self, keys=(), recorded=(), set_aside=()):
        self.edits, self.preserved, self.recorded = [], [], dict(recorded)
        self._keys = np.array(sorted(keys), np.int64)
        self._set_aside = set_aside

    def keys(self):
        return self._keys

    def begin(self, key, alone=True):
        return key not in self._set_aside

    def recall(self, key):
        return self.recorded.get(key)

    def record(self, key, decision):
        self.recorded[key] = decision

    def preserve(self, key):
        self.preserved.append(key)

    def commit(self, edit, vectors, unchanged):
        self.edits.append(edit)

    def current(self, id):
        return None

    def revisions(self):
        return None

    def flush(self):
        pass


def refine(entries, judge, limit=0, *, ledger=None, guards=False, on_step=None, review=None, resumed="", **wanted):
    report = Report("default", judge.name, "bytes", f"{limit} bytes", limit, 0, 0, 0, 0, resumed=resumed)
    refinement = Refinement(
        judge=judge,
        embedder=EMBEDDER,
        ledger=ledger or MemoryLedger(),
        report=report,
        measures=BYTES,
        clock=lambda: NOW,
        settings=RefineSettings(guards=guards, min_saving=0.0, order="safest", **wanted),
        on_step=on_step,
        review=review,
    )
    refinement.run(entries, EMBEDDER.embed([entry.embedding_text for entry in entries]))
    return refinement


def sure(confidence, rule):
    """A rule whose confidence is drawn from the pair's ids, out of a few values so that there are ties."""

    def decide(pair):
        drawn = blake2b(f"{pair.a.id} {pair.b.id}".encode(), digest_size=1).digest()[0]
        return replace(rule(pair), confidence=confidence[drawn % len(confidence)])

    return decide


def drawn(seed, delete, **more):
    """Deletes, merges into a few of the words of both, or preserves, by the pair's ids."""
    mix = ScriptedJudge.mix(delete=delete, merge=(1 - delete) * 0.7, seed=seed)

    def rule(pair):
        decision = mix.decide([pair])[0]
        words = sorted({*pair.a.text.split(), *pair.b.text.split()})
        return replace(decision, merged=" ".join(words[::2][:3])) if decision.action == "merge" else decision

    return ScriptedJudge(sure((0.5, 0.8, 0.95, 1.0), rule), name="drawn", **more)


def contents(a, b):
    return tuple(sorted((a.digest(), b.digest())))


@cache
def row(text):
    return quantise(EMBEDDER.embed([text]))[0]


@cache
def cosine_of(text, other):
    return float(exact_cosines(row(text)[None], row(other))[0])


def candidates(store, count, floor):
    """Id pairs to cosines: every entry with its nearest of the same home."""
    found = {}
    for id, entry in store.items():
        others = [other for other in store if other != id and store[other].home == entry.home]
        near = sorted((-cosine_of(store[other].embedding_text, entry.embedding_text), other < id, other) for other in others)
        found |= {(min(id, other), max(id, other)): -minus for minus, _, other in near[:count] if -minus >= floor}
    return found


def loss_of(form, pair, decision):
    chance = 1 - decision.confidence
    gone = [pair.a if decision.target == "a" else pair.b] if decision.action == "delete" else [pair.a, pair.b]
    stake = sum(map(entry_bytes, gone))
    saved = stake if decision.action == "delete" else max(1, stake - entry_bytes(replace(pair.a, text=decision.merged, keywords=())))
    return {"chance": chance, "per byte": chance / saved, "value": chance * stake, "value per byte": chance * stake / saved}[form]


def edited(store, pair, decision):
    """The store after an edit."""
    store, a, b = dict(store), store[pair.a.id], store[pair.b.id]
    if decision.action == "delete":
        gone, new = [a.id if decision.target == "a" else b.id], None
    else:
        gone, new = [a.id, b.id], merge_entries(a, b, decision, new_id=merged_id(a, b, decision.merged), now=NOW)
    for id in gone:
        del store[id]
    for id, entry in store.items():
        moved = (Link(new.id, x.relation) if new and x.target in gone else x for x in entry.links)
        store[id] = replace(entry, links=tuple(dict.fromkeys(x for x in moved if x.target not in gone)))
    return store | ({new.id: new} if new else {})


def size(store):
    return sum(map(entry_bytes, store.values()))


def naive(entries, judge, limit, count, form):
    """Returns the pairs asked, the pairs edited, and the final entries by id."""
    store = {entry.id: entry for entry in entries}
    asked, edits, waiting, apart = [], [], {}, set()
    while size(store) > limit:
        found = candidates(store, count, judge.floor)
        for (a, b), cosine in sorted(found.items(), key=lambda item: (-item[1], item[0])):
            if (a, b) not in waiting and contents(store[a], store[b]) not in apart:
                pair = Pair(store[a], store[b], cosine)
                decision = judge.decide([pair])[0]
                asked.append((a, b))
                if decision.action == "preserve":
                    apart.add(contents(store[a], store[b]))
                else:
                    waiting[a, b] = ((loss_of(form, pair, decision), -cosine, a, b), pair, decision)
        turns = [waiting[ids] for ids in found if ids in waiting and contents(store[ids[0]], store[ids[1]]) not in apart]
        if not turns:
            break
        (_, _, a, b), pair, decision = min(turns, key=lambda turn: turn[0])
        del waiting[a, b]
        after = edited(store, pair, decision)
        if size(after) < size(store):
            edits.append((a, b))
            store = after
        else:
            apart.add(contents(store[a], store[b]))
    return asked, edits, store


@st.composite
def stores(draw):
    n = draw(st.integers(0, 14))
    ids = [f"e{i:02d}" for i in draw(st.permutations(range(n)))]
    homes = draw(st.sampled_from([("",), ("hall", "attic")]))
    entries = []
    for id in ids:
        text = " ".join(draw(st.lists(st.sampled_from(WORDS), min_size=1, max_size=6))) * draw(st.sampled_from([1, 40]))
        targets = draw(st.lists(st.sampled_from(ids), max_size=2, unique=True))
        entries.append(Entry(id, text, home=draw(st.sampled_from(homes)), links=tuple(Link(t) for t in targets if t != id)))
    return entries


@settings(max_examples=120, deadline=None)
@given(
    entries=stores(),
    seed=st.integers(0, 1000),
    share=st.sampled_from([0.0, 0.3, 0.6]),
    delete=st.sampled_from([0.0, 0.45, 1.0]),
    count=st.sampled_from([1, 2, 4, 32]),
    floor=st.sampled_from([-1.0, 0.2]),
    form=st.sampled_from(list(LOSSES)),
    batch=st.sampled_from([1, 1, 3, 64]),
)
def test_same_edits_in_the_same_order_and_the_same_store(entries, seed, share, delete, count, floor, form, batch):
    judge, other = (drawn(seed, delete, floor=floor) for _ in range(2))
    limit = int(share * sum(map(entry_bytes, entries)))
    ledger = MemoryLedger()
    with patch.object(docket, "BATCH", batch):
        refinement = refine(entries, judge, limit, ledger=ledger, neighbours=count, loss=form)
    asked, edits, store = naive(entries, other, limit, count, form)
    made = [tuple(sorted([*(e.id for e in edit.before), *([edit.kept] if edit.action == "delete" else [])])) for edit in ledger.edits]
    assert made == edits
    assert refinement.working.entries == store
    assert refinement.report.judgements == len(judge.asked)
    if batch == 1:
        assert judge.asked == asked
    elif len({entry.text for entry in entries}) == len(entries):
        assert len(judge.asked) == len(set(judge.asked))  # nothing is asked twice


@settings(max_examples=40, deadline=None)
@given(entries=stores(), seed=st.integers(0, 1000), order=st.randoms(use_true_random=False))
def test_the_order_of_the_entries_changes_nothing(entries, seed, order):
    shuffled = order.sample(entries, len(entries))
    first, other = (refine(given, drawn(seed, 0.5), neighbours=3) for given in (entries, shuffled))
    assert first.working.entries == other.working.entries
    assert [edit.as_dict() for edit in first.report.plan] == [edit.as_dict() for edit in other.report.plan]


@settings(max_examples=40, deadline=None)
@given(entries=stores(), seed=st.integers(0, 1000), cut=st.integers(1, 5))
def test_a_run_that_was_cut_off_goes_on_as_it_would_have(entries, seed, cut):
    whole, first = MemoryLedger(), MemoryLedger()
    expected = refine(entries, drawn(seed, 0.5), ledger=whole, neighbours=2).working.entries
    left = refine(entries, drawn(seed, 0.5), ledger=first, neighbours=2, max_edits=cut).working.entries
    second = MemoryLedger(first.preserved)
    assert refine(list(left.values()), drawn(seed, 0.5), ledger=second, neighbours=2, resumed="r1").working.entries == expected
    assert [e.decision for e in first.edits + second.edits] == [e.decision for e in whole.edits]


def test_the_safest_goes_before_the_most_similar():
    entries = [Entry("a", "tea kettle blue"), Entry("b", "tea kettle blue!"), Entry("c", "violin river"), Entry("d", "violin river lamp")]
    chances = {("a", "b"): 0.6, ("c", "d"): 0.9}
    judge = ScriptedJudge(
        lambda pair: (
            Decision("delete", "b", confidence=chances[pair.a.id, pair.b.id]) if (pair.a.id, pair.b.id) in chances else Decision("preserve")
        )
    )
    report = refine(entries, judge, max_edits=1).report
    assert [edit.before[0].id for edit in report.plan] == ["d"]
    assert report.judgements == 6


def test_what_is_vetoed_is_no_candidate():
    entries = [Entry("a", "The locker has the code 4417."), Entry("b", "The locker has the code 4471.")]
    report = refine(entries, ScriptedJudge(lambda pair: Decision("delete", "a")), guards=True).report
    assert (report.edits, report.preserved, sum(report.vetoes.values())) == (0, 1, 1)


def test_a_second_run_asks_nothing_and_a_grown_store_pays_for_what_is_new():
    ledger = MemoryLedger()
    assert refine(NOTES, ScriptedJudge(lambda pair: Decision("preserve")), ledger=ledger, neighbours=4).report.preserved > 0
    again = ScriptedJudge(lambda pair: Decision("preserve"))
    assert refine(NOTES, again, ledger=MemoryLedger(ledger.preserved), neighbours=4).report.stopped == "exhausted"
    assert again.asked == []
    refine([*NOTES, Entry("new", "tea tray")], again, ledger=MemoryLedger(ledger.preserved), neighbours=4)
    assert again.asked
    assert all("new" in pair for pair in again.asked)


def test_after_edits_too_a_second_run_asks_nothing():
    ledger, judge = MemoryLedger(), drawn(4, 0.3)
    left = refine(NOTES, judge, ledger=ledger, neighbours=3).working.entries
    assert ledger.edits
    again = drawn(4, 0.3)
    refine(list(left.values()), again, ledger=MemoryLedger(ledger.preserved), neighbours=3)
    assert again.asked == []


def test_a_failing_judge_is_asked_once_a_run():
    ledger = MemoryLedger()
    judge = ScriptedJudge(lambda pair: Decision("preserve", failed=True) if "n00" in (pair.a.id, pair.b.id) else Decision("delete", "b"))
    report = refine(NOTES, judge, ledger=ledger, neighbours=2).report
    assert len(judge.asked) == len(set(judge.asked)) == report.judgements
    assert report.failures == report.preserved > 0
    assert ledger.preserved == []


def test_the_limit_of_judgements_ends_the_judging_and_what_is_judged_is_carried_out():
    judge = ScriptedJudge(lambda pair: Decision("delete", "b", confidence=0.9))
    report = refine(NOTES, judge, max_judgements=5).report
    assert (report.judgements, report.stopped) == (5, "max_judgements")
    assert 0 < report.edits <= 5
    worst = min(_cosine(ids) for ids in judge.asked)
    assert sum(_cosine((a.id, b.id)) > worst for a, b in itertools.combinations(NOTES, 2)) < 5  # the most similar were judged


def _cosine(ids):
    return cosine_of(*(next(entry.text for entry in NOTES if entry.id == id) for id in ids))


@pytest.mark.parametrize(("bounds", "stopped"), [({"max_edits": 2}, "max_edits"), ({"max_seconds": 0.0}, "max_seconds")])
def test_bounds_stop_a_run(bounds, stopped):
    report = refine(NOTES, ScriptedJudge(lambda pair: Decision("delete", "a")), **bounds).report
    assert report.stopped == stopped
    assert report.edits == bounds.get("max_edits", 0)
    assert (report.judgements == 0) == (stopped == "max_seconds")


def test_the_time_limit_holds_while_all_is_still_being_judged():
    now = itertools.count()
    judge = ScriptedJudge(lambda pair: Decision("preserve"))
    with patch.object(docket, "BATCH", 2), patch.object(loop.time, "monotonic", lambda: next(now)):
        report = refine(NOTES, judge, max_seconds=4).report
    assert report.stopped == "max_seconds"
    assert 0 < report.judgements <= 8


def test_progress_is_told_while_all_is_still_being_judged_and_ctrl_c_keeps_what_is_known():
    steps, ledger = [], MemoryLedger()

    def step(report):
        steps.append((report.judgements, report.edits))
        if len(steps) == 3:
            raise KeyboardInterrupt

    with patch.object(docket, "BATCH", 4):
        report = refine(NOTES, ScriptedJudge(lambda pair: Decision("preserve")), ledger=ledger, on_step=step).report
    assert steps == [(4, 0), (8, 0), (12, 0)]
    assert (report.stopped, report.judgements, len(ledger.preserved)) == ("interrupted", 12, 12)


def test_a_costly_judge_is_asked_pair_by_pair_and_never_twice():
    sizes = []

    class Counting(ScriptedJudge):
        def decide(self, pairs):
            sizes.append(len(pairs))
            return super().decide(pairs)

    ledger, again = MemoryLedger(), MemoryLedger()
    first = refine(NOTES, Counting(lambda pair: Decision("delete", "b"), costly=True), ledger=ledger, max_edits=3).report
    assert set(sizes) == {1}
    assert len(ledger.recorded) == first.judgements
    again.recorded = ledger.recorded
    report = refine(NOTES, Counting(lambda pair: Decision("delete", "b"), costly=True), ledger=again, max_edits=3).report
    assert (report.judgements, report.edits) == (0, 3)
    assert [edit.before for edit in again.edits] == [edit.before for edit in ledger.edits]


def test_after_a_run_that_died_pairs_are_judged_one_by_one():
    sizes = []

    class Counting(ScriptedJudge):
        def decide(self, pairs):
            sizes.append(len(pairs))
            return super().decide(pairs)

    refine(NOTES, Counting(lambda pair: Decision("preserve")), resumed="r1")
    assert set(sizes) == {1}
    sizes.clear()
    refine(NOTES, Counting(lambda pair: Decision("preserve")))
    assert max(sizes) == docket.BATCH


def test_a_pair_that_is_set_aside_is_not_judged():
    ledger = MemoryLedger()
    refine(NOTES[:2], ScriptedJudge(lambda pair: Decision("preserve")), ledger=ledger)
    judge = ScriptedJudge(lambda pair: Decision("delete", "a"))
    report = refine(NOTES[:2], judge, ledger=MemoryLedger(set_aside=ledger.preserved)).report
    assert (report.set_aside, report.edits, judge.asked) == (1, 0, [])


def test_a_reviewer_is_asked_in_the_order_and_may_refuse_or_quit():
    shown, losses = [], []

    def review(pair, decision, edit):
        shown.append((pair.a.id, pair.b.id))
        losses.append(1 - decision.confidence)
        return replace(decision, action="preserve") if len(shown) == 1 else None if len(shown) == 4 else decision

    judge = ScriptedJudge(sure((0.6, 0.7, 0.8, 0.9), lambda pair: Decision("delete", "b")))
    refinement = refine(NOTES, judge, review=review)
    assert refinement.report.stopped == "quit"
    assert (refinement.report.edits, refinement.report.preserved) == (2, 1)
    assert losses == sorted(losses)
    assert len(set(shown)) == 4  # the refused pair is not shown again


def test_the_pairs_of_a_merge_enter():
    entries = [Entry("a", "tea kettle blue " * 9), Entry("b", "tea kettle blue lamp " * 9), Entry("c", "violin river Oslo")]
    judge = ScriptedJudge(
        lambda pair: Decision("merge", merged="tea kettle blue, lamp") if {pair.a.id, pair.b.id} == {"a", "b"} else Decision("preserve")
    )
    refinement = refine(entries, judge)
    (merged,) = refinement.working.entries.keys() - {"c"}
    assert [set(ids) for ids in judge.asked[3:]] == [{merged, "c"}]


@pytest.mark.parametrize("name", LOSSES)
def test_an_edit_that_is_certain_loses_nothing(name):
    pair = Pair(Entry("a", "tea kettle"), Entry("b", "tea kettle blue"), 0.9)
    for decision in (Decision("delete", "a"), Decision("merge", merged="tea kettle blue")):
        assert expected_loss(pair, decision, LOSSES[name], entry_bytes) == 0
        doubtful = replace(decision, confidence=0.5)
        assert expected_loss(pair, doubtful, LOSSES[name], entry_bytes) > 0


def test_the_forms_weigh_what_they_say():
    pair = Pair(Entry("a", "x" * 10), Entry("b", "x" * 1000), 0.9)
    short, long = (Decision("delete", target, confidence=0.75) for target in ("a", "b"))
    merge = Decision("merge", merged="x" * 1000, confidence=0.75)

    def losses(name):
        return [expected_loss(pair, decision, LOSSES[name], lambda entry: len(entry.text)) for decision in (short, long, merge)]

    assert losses("chance") == [0.25, 0.25, 0.25]
    assert losses("per byte") == [0.025, 0.00025, 0.025]
    assert losses("value") == [2.5, 250, 252.5]
    assert losses("value per byte") == [0.25, 0.25, 25.25]


def test_the_judge_may_name_the_order():
    plain, choosy = ScriptedJudge.mix(), ScriptedJudge.mix()
    choosy.order = "safest"
    assert order_of(plain, RefineSettings()) == "cosine"
    assert order_of(plain, RefineSettings(order="safest")) == "safest"
    assert order_of(choosy, RefineSettings()) == "safest"
    assert order_of(choosy, RefineSettings(order="cosine")) == "cosine"


def test_an_order_that_cannot_be_is_refused():
    with pytest.raises(UnknownName, match="known: cosine, window, safest"):
        order_of(ScriptedJudge.mix(), RefineSettings(order="random"))
    with pytest.raises(UnknownName, match="known: chance, per byte"):
        order_of(ScriptedJudge.mix(), RefineSettings(loss="fear"))
    with pytest.raises(BadParameter, match="order of its own"):
        order_of(PageRankJudge(), RefineSettings(order="safest"))


def at(*degrees):
    return np.array([[np.cos(np.radians(degree)), np.sin(np.radians(degree))] for degree in degrees], np.float32)


def ids(pair):
    return pair and (pair.a.id, pair.b.id)


def test_a_pair_that_others_came_between_waits_until_they_are_gone():
    entries = [Entry(id, "x") for id in "abcd"]
    chances = {("a", "b"): 0.3, ("c", "d"): 0.5}
    order = SafestFirst(entries, at(0, 20, 90, 110), loss=lambda pair, decision: chances.get(ids(pair), 0.9), neighbours=1)
    asked = order.unjudged(9)
    assert [ids(pair) for pair in asked] == [("a", "b"), ("c", "d")]
    for pair in asked:
        order.judged(pair, Decision("delete", "b"))
    order.add([Entry("m", "x")], at(10))
    assert [ids(pair) for pair in order.unjudged(9)] == [("a", "m"), ("b", "m")]
    assert ids(order.next()) == ("c", "d")
    order.remove(["m"])
    assert order.unjudged(9) == []  # the decision is still known
    assert ids(order.next()) == ("a", "b")


def test_pairs_judged_before_are_passed_over():
    entries = [Entry(id, "x") for id in "cabd"]
    apart = {("a", "b"), ("c", "d")}
    order = SafestFirst(
        entries,
        at(0, 10, 20, 30),
        loss=lambda pair, decision: 0.5,
        known=lambda id, others: [tuple(sorted((id, other))) in apart for other in others],
    )
    assert {ids(pair) for pair in order.unjudged(9)} == set(itertools.combinations("abcd", 2)) - apart


def test_a_pair_that_an_edit_brings_and_takes_is_not_judged():
    entries = [Entry(id, "x") for id in "abc"]
    order = SafestFirst(entries, at(0, 10, 30), loss=lambda pair, decision: 0.5, neighbours=1)
    assert [ids(pair) for pair in order.unjudged(9)] == [("a", "b"), ("b", "c")]
    order.remove(["b"])
    order.add([Entry("m", "x")], at(14))
    assert [ids(pair) for pair in order.unjudged(9)] == [("a", "m"), ("c", "m")]


def test_memory_grows_with_the_entries():
    n, count = 400, 4
    entries = [Entry(f"{i:03d}", "x") for i in range(n)]
    order = SafestFirst(entries, np.tile(np.float32([[1.0, 0.0]]), (n, 1)), loss=lambda pair, decision: 0.0, neighbours=count)
    asked = 0
    while pairs := order.unjudged(64):
        asked += len(pairs)
        for pair in pairs:
            order.judged(pair, Decision("delete", "b"))
    assert asked == n * count
    for _ in range(n - 1):
        pair = order.next()
        assert pair is not None
        assert order.decision(pair).target == "b"
        order.remove([pair.b.id])
        while pairs := order.unjudged(64):
            asked += len(pairs)
            for new in pairs:
                order.judged(new, Decision("delete", "b"))
    assert order.next() is None
    assert asked <= 2 * n * count
    assert len(order._waiting) + len(order._heap) + len(order._later) == 0
