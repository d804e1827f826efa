"""The orders "cosine" with look-ahead and "window": timing changes nothing, and a run that was cut off goes on as it would have."""

import json
import random
import threading
from concurrent.futures import Future
from dataclasses import replace
from datetime import UTC, datetime
from unittest.mock import patch

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memfold import Entry, Memory, RefineSettings
from memfold.embed.hashing import HashingEmbedder
from memfold.refine import docket
from memfold.refine.judges.scripted import ScriptedJudge
from memfold.refine.window import useful
from memfold.types import Decision, Link

NOW = datetime(2026, 3, 1, tzinfo=UTC)
WORDS = "tea kettle garden bicycle Oslo doctor Monday blue seven lamp river violin".split()
EMBEDDER = HashingEmbedder(dim=32)


class Scrambled:
    """In place of the thread pool: answers come in a seeded order, some of them long before and some only when they are needed."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.waiting = []

    def __call__(self, threads, thread_name_prefix=""):
        self.threads = threads
        return self

    def submit(self, ask, *arguments):
        promised = Promised(self)
        self.waiting.append((promised, ask, arguments))
        if self.random.random() < 0.3:
            self.one()
        return promised

    def one(self):
        promised, ask, arguments = self.waiting.pop(self.random.randrange(len(self.waiting)))
        try:
            promised.set_result(ask(*arguments))
        except BaseException as error:
            promised.set_exception(error)

    def shutdown(self, *, wait, cancel_futures):
        while self.waiting:
            if cancel_futures and self.random.random() < 0.5:
                self.waiting.pop()[0].cancel()
            else:
                self.one()


class Promised(Future):
    def __init__(self, pool):
        super().__init__()
        self.pool = pool

    def result(self, timeout=None):
        while not self.done():
            self.pool.one()
        return super().result(0)


def by_content(seed, delete=0.4, merge=0.35):
    """A judge that draws by the two contents alone. A merged text has some of the words of both, or is the longer text."""
    mix = ScriptedJudge.mix(delete=delete, merge=merge, seed=seed)

    def rule(pair):
        named = replace(pair, a=replace(pair.a, id=pair.a.digest().hex()), b=replace(pair.b, id=pair.b.digest().hex()))
        decision = mix.decide([named])[0]
        words = sorted({*pair.a.text.split(), *pair.b.text.split()})
        short = " ".join(words[::2]) if seed % 2 else decision.merged
        return replace(decision, merged=short, calls=1, tokens=7, judge="") if decision.action == "merge" else replace(decision, judge="")

    return ScriptedJudge(rule, name="by content", costly=True)


@st.composite
def stores(draw):
    n = draw(st.integers(0, 12))
    ids = [f"e{i:02d}" for i in draw(st.permutations(range(n)))]
    entries = []
    for id in ids:
        text = " ".join(draw(st.lists(st.sampled_from(WORDS), min_size=1, max_size=6)))
        targets = draw(st.lists(st.sampled_from(ids), max_size=2, unique=True))
        entries.append(Entry(id, text, home=draw(st.sampled_from(["", "", "hall"])), links=tuple(Link(t) for t in targets if t != id)))
    return entries


def opened(entries):
    memory = Memory.open(":memory:", embedder=EMBEDDER, clock=lambda: NOW)
    memory.add(entries)
    return memory


def outcome(memory):
    """All that runs leave behind, byte for byte: entries, places and vectors; edits but for the run that made them; pairs kept apart."""
    with memory.opened.store.connection.reading() as db:
        entries = db.execute("SELECT e.n, e.data, v.vector FROM entries e JOIN vectors v ON v.n = e.n ORDER BY e.n").fetchall()
        places = db.execute("SELECT places FROM edits e JOIN runs r ON r.id = e.run ORDER BY number, seq").fetchall()
        apart = db.execute("SELECT pair FROM judged ORDER BY pair").fetchall()
    edits = [edit for made in memory.runs() for edit in memory.edits(made.id)]
    return entries, places, [json.dumps(replace(edit, run="", seq=0).as_dict()) for edit in edits], apart


def run(memory, judge, budget="40%", *, apply=True, pool=None, **wanted):
    with patch.object(docket, "ThreadPoolExecutor", pool or Scrambled(0)):
        return memory.refine(budget=budget, judge=judge, apply=apply, settings=RefineSettings(guards=False, min_saving=0.0, **wanted))


def single(entries, judge, budget="40%", **wanted):
    memory = opened(entries)
    report = run(memory, judge, budget, **wanted)
    return outcome(memory), report


CASES = {"entries": stores(), "seed": st.integers(0, 1000), "timing": st.integers(0, 1000), "budget": st.sampled_from(["0", "30%", "60%"])}


@settings(max_examples=30, deadline=None)
@given(**CASES, ahead=st.sampled_from([1, 2, 8, 40]))
def test_looking_ahead_changes_nothing(entries, seed, timing, budget, ahead):
    expected, alone = single(entries, by_content(seed), budget, order="cosine", ahead=0)
    result, report = single(entries, by_content(seed), budget, order="cosine", ahead=ahead, pool=Scrambled(timing))
    assert result == expected
    assert (report.edits, report.preserved, report.after) == (alone.edits, alone.preserved, alone.after)
    assert report.judgements + report.unused >= alone.judgements


@settings(max_examples=30, deadline=None)
@given(**CASES, width=st.sampled_from([0, 2, 3, 8]))
def test_a_window_depends_on_its_width_never_on_timing(entries, seed, timing, budget, width):
    expected, _ = single(entries, by_content(seed), budget, order="window", window=width)
    judge = by_content(seed)
    result, report = single(entries, judge, budget, order="window", window=width, pool=Scrambled(timing))
    assert result == expected
    assert len(judge.asked) == report.judgements + report.unused
    cheap = by_content(seed)
    cheap.costly = False
    result, report = single(entries, cheap, budget, order="window", window=width)
    assert result[0] == expected[0]
    assert report.unused == 0


@settings(max_examples=20, deadline=None)
@given(**CASES)
def test_a_window_of_one_is_the_order_of_the_cosine(entries, seed, timing, budget):
    expected, alone = single(entries, by_content(seed), budget, order="cosine", ahead=0)
    result, report = single(entries, by_content(seed), budget, order="window", window=1, pool=Scrambled(timing))
    assert result == expected
    assert replace(report, seconds=0, run="", files={}) == replace(alone, seconds=0, run="", files={})


class Halting:
    """A judge whose reply comes only after an earlier run has asked for it, as with files of requests."""

    costly, floor, name = True, -1.0, "by content"

    def __init__(self, judge, halt="waiting"):
        self.judge, self.halt, self.written = judge, halt, {}
        self.answered = set()

    def decide(self, pairs):
        return [self.one(pair) for pair in pairs]

    def one(self, pair):
        key = tuple(sorted((pair.a.digest(), pair.b.digest())))
        if key in self.answered:
            return self.judge.decide([pair])[0]
        self.written[key] = pair
        return Decision("preserve", failed=True, halt=self.halt, reason="the reply is still to come")

    def replies_come(self):
        self.answered |= self.written.keys()
        self.written.clear()


@settings(max_examples=15, deadline=None)
@given(**CASES, width=st.sampled_from([0, 2, 5]), ahead=st.sampled_from([2, 8]), order=st.sampled_from(["cosine", "window"]))
def test_waiting_for_replies_round_by_round_ends_as_one_run(entries, seed, timing, budget, width, ahead, order):
    wanted = {"order": order, "window": width, "ahead": ahead}
    expected, whole = single(entries, by_content(seed), budget, **wanted)
    memory, judge = opened(entries), Halting(by_content(seed))
    rounds = 0
    while True:
        preview = run(memory, judge, budget, apply=False, pool=Scrambled(timing + rounds), **wanted)
        report = run(memory, judge, budget, pool=Scrambled(timing + rounds), **wanted)
        assert preview.stopped == report.stopped
        assert [edit.before for edit in preview.plan] == [edit.before for edit in memory.edits(report.run)]
        if report.stopped != "waiting":
            break
        assert report.failures == 0
        assert {held.why for held in report.held} <= {"no saving"}
        assert report.waiting == len(judge.written) > 0
        judge.replies_come()
        rounds += 1
    assert report.stopped == whole.stopped
    assert outcome(memory) == expected
    assert len(judge.judge.asked) == len(set(judge.judge.asked))  # nothing is paid for twice
    assert rounds <= len(judge.judge.asked)


@pytest.mark.parametrize("halt", ["spent", "unreachable"])
@pytest.mark.parametrize("order", ["cosine", "window", "safest"])
def test_what_halts_ends_the_run_and_nothing_is_preserved(halt, order):
    entries = [Entry(f"e{i}", f"tea {word}") for i, word in enumerate(WORDS)]
    memory = opened(entries)
    report = run(memory, Halting(by_content(1), halt), order=order)
    assert (report.stopped, report.edits, report.preserved, report.failures, report.judgements) == (halt, 0, 0, 0, 0)
    assert report.held == []
    assert outcome(memory)[3] == []


def test_in_the_safest_order_all_requests_are_written_before_the_run_waits():
    memory, judge = opened([Entry(f"e{i}", f"tea {word}") for i, word in enumerate(WORDS)]), Halting(by_content(1))
    report = run(memory, judge, order="safest", ahead=3)
    assert (report.stopped, report.waiting) == ("waiting", len(WORDS) * (len(WORDS) - 1) // 2)
    judge.replies_come()
    assert run(memory, judge, order="safest", ahead=3).edits > 0


class Stop(Exception):
    """The process dies here."""


def steps_of(entries, judge, budget, wanted):
    steps = []
    memory = opened(entries)
    with patch.object(docket, "ThreadPoolExecutor", Scrambled(0)):
        memory.refine(
            budget=budget, judge=judge, apply=True, settings=RefineSettings(guards=False, min_saving=0.0, **wanted), on_step=steps.append
        )
    return len(steps)


TWENTY = [Entry(f"e{i:02d}", " ".join(random.Random(i).sample(WORDS, 4))) for i in range(20)]


@pytest.mark.parametrize("wanted", [{"order": "cosine", "ahead": 5}, {"order": "window", "window": 4}, {"order": "window", "window": 0}])
@pytest.mark.parametrize("how", ["interrupted", "dead", "max_edits"])
def test_stopped_at_every_step_and_started_again(wanted, how):
    expected, whole = single(TWENTY, by_content(3), **wanted)
    for at in range(1, steps_of(TWENTY, by_content(3), "40%", wanted)):
        memory, judge = opened(TWENTY), by_content(3)
        stop_at(memory, judge, at, how, wanted)
        report = run(memory, judge, pool=Scrambled(at), **wanted)
        assert report.stopped == whole.stopped
        assert outcome(memory) == expected
        assert len(judge.asked) == len(set(judge.asked))
    assert at > 10


def stop_at(memory, judge, at, how, wanted):
    """A run that ends after so many steps."""
    if how == "max_edits":
        run(memory, judge, pool=Scrambled(at), max_edits=max(1, at // 2), **wanted)
        return
    seen = []

    def step(report):
        seen.append(report)
        if len(seen) == at:
            raise KeyboardInterrupt if how == "interrupted" else Stop

    settings = RefineSettings(guards=False, min_saving=0.0, **wanted)
    with patch.object(docket, "ThreadPoolExecutor", Scrambled(at)):
        if how == "interrupted":
            assert memory.refine(budget="40%", judge=judge, apply=True, settings=settings, on_step=step).stopped == "interrupted"
        else:
            with pytest.raises(Stop):
                memory.refine(budget="40%", judge=judge, apply=True, settings=settings, on_step=step)


def test_a_dead_run_is_followed_by_judging_one_at_a_time():
    memory, judge, pool = opened(TWENTY), by_content(3), Scrambled(0)
    stop_at(memory, judge, 3, "dead", {"order": "window", "window": 4})
    marks = []
    begin = memory.journal.connection.db.execute
    alone = []

    def submit(ask, *arguments):
        alone.append(len(marks))
        return Scrambled.submit(pool, ask, *arguments)

    pool.submit = submit
    report = run(memory, judge, pool=pool, order="window", window=4, max_judgements=4)
    assert report.judgements == 4
    assert alone == []  # no thread was asked
    assert begin("SELECT count(*) FROM crashes").fetchone()[0] == 0  # several were outstanding: none is to blame


@pytest.mark.parametrize(("wanted", "width"), [({"order": "window", "window": 4}, 4), ({"order": "cosine", "ahead": 4}, 2)])
def test_after_a_run_that_died_too_all_requests_are_written_before_the_run_waits(wanted, width):
    memory, judge = opened(TWENTY), by_content(3)
    stop_at(memory, judge, 3, "dead", wanted)
    report = run(memory, Halting(judge), **wanted)
    assert report.resumed
    assert report.stopped == "waiting"
    assert report.waiting >= width - 1


def test_a_met_budget_throws_the_rest_away_and_remembers_what_was_paid_for():
    memory, judge = opened(TWENTY), by_content(3)
    report = run(memory, judge, "70%", order="window", window=8)
    assert report.stopped == "met"
    assert 0 < report.unused < 8
    with memory.opened.store.connection.reading() as db:
        assert db.execute("SELECT count(*) FROM issued").fetchone()[0] == 0
    asked = len(judge.asked)
    run(memory, judge, "30%", order="window", window=8)
    assert len(set(judge.asked)) == len(judge.asked) > asked


def test_forget_reaches_what_is_outstanding():
    memory, judge = opened(TWENTY), by_content(3)
    stop_at(memory, judge, 3, "interrupted", {"order": "window", "window": 4})
    with memory.opened.store.connection.reading() as db:
        assert db.execute("SELECT count(*) FROM issued").fetchone()[0] >= 3
        memory.forget("Oslo", apply=True)
        assert db.execute("SELECT count(*) FROM issued").fetchone()[0] == 0


def test_another_width_keeps_a_queue_of_its_own_and_never_sees_what_is_gone():
    memory, judge = opened(TWENTY), by_content(3)
    stop_at(memory, judge, 3, "interrupted", {"order": "window", "window": 4})
    run(memory, judge, "60%", order="window", window=2)
    report = run(memory, judge, order="window", window=4)
    assert report.met
    assert report.failures == report.stale == 0


def test_the_outstanding_pairs_share_no_entry_and_are_the_most_similar():
    shown = []

    class Looking(Scrambled):
        def submit(self, ask, *arguments):
            shown.append({arguments[0].a.id, arguments[0].b.id})
            return super().submit(ask, *arguments)

    judge = ScriptedJudge(lambda pair: Decision("preserve"), costly=True)
    run(opened(TWENTY), judge, pool=Looking(0), order="window", window=5, max_judgements=5)
    assert len(shown) == 5
    assert len(set().union(*shown)) == 10


def test_threads_judge_at_the_same_time_and_the_last_may_answer_first():
    gate, answered = threading.Barrier(6), []
    turns = [threading.Event() for _ in range(6)]
    order = {}
    lock = threading.Lock()

    def rule(pair):
        with lock:
            mine = order.setdefault((pair.a.id, pair.b.id), len(order))
        if mine < 6:
            gate.wait(timeout=20)  # all six are with the judge at once
            if mine < 5:
                assert turns[mine + 1].wait(timeout=20)
            answered.append(mine)
            turns[mine].set()
        return Decision("delete", "b", reason="the same")

    memory = opened(TWENTY)
    report = memory.refine(
        budget="50%", judge=ScriptedJudge(rule, costly=True), apply=True, settings=RefineSettings(guards=False, order="window", window=6)
    )
    assert answered == [5, 4, 3, 2, 1, 0]
    assert report.met
    alone = opened(TWENTY)
    cheap = ScriptedJudge(lambda pair: Decision("delete", "b", reason="the same"))
    alone.refine(budget="50%", judge=cheap, apply=True, settings=RefineSettings(guards=False, order="window", window=6))
    assert outcome(alone) == outcome(memory)


def test_somebody_else_writes_while_pairs_are_outstanding(tmp_path):
    memory = Memory.open(tmp_path / "a.db", embedder=EMBEDDER, clock=lambda: NOW)
    other = Memory.open(tmp_path / "a.db", embedder=EMBEDDER, clock=lambda: NOW)
    memory.add(TWENTY)
    edits = []

    def step(report):
        if not edits:
            with memory.opened.store.connection.reading() as db:
                edits.extend(db.execute("SELECT a, b FROM issued ORDER BY place").fetchall())
            other.opened.store.update(replace(other.get(edits[0][0]), text="quite another matter"))
            other.opened.store.remove("default", [edits[1][1]])
            other.add([Entry("new", "tea kettle garden bicycle")])

    judge = ScriptedJudge(lambda pair: Decision("delete", "b", reason="the same"), costly=True)
    report = memory.refine(
        budget="0", judge=judge, apply=True, settings=RefineSettings(guards=False, order="window", window=4, max_edits=12), on_step=step
    )
    assert report.stale >= 1
    living = {entry.id: entry.text for entry in memory.entries()}
    assert edits[1][1] not in living
    assert living.get(edits[0][0], "quite another matter") == "quite another matter"
    for made in memory.edits(report.run):
        assert made.before[0].text != next((e.text for e in TWENTY if e.id == edits[0][0]), "")
    other.close()
    memory.close()


def test_the_limit_of_judgements_holds_for_what_is_outstanding():
    for wanted in ({"order": "window", "window": 6}, {"order": "cosine", "ahead": 6}):
        judge = by_content(3)
        report = run(opened(TWENTY), judge, "0", max_judgements=7, **wanted)
        assert (report.judgements, report.stopped) == (7, "max_judgements")
        assert len(judge.asked) == 7 + report.unused


def test_useful_is_what_is_needed_as_long_as_there_are_entries():
    assert useful(0, 1000, 100) == 1
    assert useful(10, 1000, 100) == 2  # one entry, at two judgements each
    assert useful(500, 1000, 100) == 25
    assert useful(500, 1000, 3) == 1
