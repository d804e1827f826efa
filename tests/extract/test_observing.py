"""Sessions into a store: once, in order, whole or not at all, whoever is killed or waits."""

from __future__ import annotations

import subprocess
import sys
import textwrap
from dataclasses import replace
from datetime import datetime

import pytest

from memfold.config import ExtractSettings
from memfold.errors import LeaseHeld, StoreError
from memfold.memory import Memory
from memfold.protocols import Failure
from memfold.types import Entry, Link, Session, Turn

JOB = [("Ada", "I work at Globex as a nurse now."), ("Ben", "Congratulations!")]
OLD_JOB = [("Ada", "I work at Initech as a nurse."), ("Ben", "How nice.")]


def by_words(table):
    """A draft that holds the entries whose key stands in the request."""

    def draft(request):
        content = request.messages[-1].content
        return {"entries": [entry for key, entry in table.items() if key in content]}

    return draft


@pytest.fixture
def jobs(session):
    return [session(OLD_JOB, "s1", datetime(2030, 1, 1)), session(JOB, "s2", datetime(2031, 1, 1))]


@pytest.fixture
def model(scripted, tell, supported):
    table = {"Initech": tell("Ada works at Initech as a nurse.", 1), "Globex": tell("Ada works at Globex as a nurse.", 1)}
    return scripted(draft=by_words(table), verify=supported)


def state(memory):
    return [entry.as_dict() for entry in memory.entries("ada")]


def test_a_session_is_taken_in_once_whatever_it_is_called(memory, jobs, model):
    memory.observe(jobs, "ada", model=model)
    before, asked = state(memory), len(model.asked)
    renamed = [replace(session, id="other", turns=tuple(replace(t, id=f"x{t.id}") for t in session.turns)) for session in jobs]
    again = memory.observe(renamed, "ada", model=model)
    assert again.states == {"known": 2}
    assert (state(memory), len(model.asked)) == (before, asked)
    assert "2031-06-01" in again.outcomes[0].reason


def test_the_same_session_twice_in_one_run_is_asked_about_once(memory, jobs, model):
    report = memory.observe([jobs[0], jobs[0]], "ada", model=model)
    assert [outcome.state for outcome in report.outcomes] == ["stored", "known"]
    assert model.rounds[0] == ["draft", "events"]


def test_an_empty_session_is_done_and_a_failed_one_is_not(memory, session, scripted, tell):
    model = scripted()
    memory.observe([session()], "ada", model=model)
    assert memory.observe([session()], "ada", model=model).states == {"known": 1}
    failing = scripted(draft=Failure("refused", "no"))
    other = session(JOB)
    assert memory.observe([other], "ada", model=failing).states == {"failed": 1}
    assert memory.observe([other], "ada", model=failing).states == {"failed": 1}


def test_another_namespace_takes_it_in_again(memory, jobs, model):
    memory.observe(jobs, "ada", model=model)
    assert memory.observe(jobs, "ben", model=model).states == {"stored": 2}


def test_an_update_links_to_what_it_revises_and_deletes_nothing(memory, jobs, model):
    report = memory.observe(jobs, "ada", model=model)
    old, new = memory.entries("ada")
    assert (old.text, old.links) == ("Ada works at Initech as a nurse.", ())
    assert new.links == (Link(old.id, "updates"),)
    edge = report.outcomes[1].edges[0]
    assert (edge.source, edge.target, edge.relation, edge.turns) == (new.id, old.id, "updates", ("s2:1",))


def test_an_update_of_an_entry_that_was_in_the_store_before(memory, jobs, model):
    memory.add([Entry("m1", "Ada works at Hooli as a nurse.", "ada", created_at=datetime(2029, 1, 1))])
    memory.observe([jobs[1]], "ada", model=model)
    assert memory.get(next(e.id for e in memory.entries("ada") if e.id != "m1"), "ada").links == (Link("m1", "updates"),)


def test_what_is_older_or_of_somebody_else_is_not_revised(memory, jobs, model):
    memory.add(
        [
            Entry("later", "Ada works at Hooli as a nurse.", "ada", created_at=datetime(2035, 1, 1)),
            Entry("other", "Eve works at Hooli as a nurse.", "ada", created_at=datetime(2029, 1, 1)),
        ]
    )
    report = memory.observe([jobs[1]], "ada", model=model)
    assert report.outcomes[0].edges == ()


@pytest.mark.parametrize("kind", ["waiting", "spent", "unreachable"])
def test_a_halt_ends_the_run_cleanly_and_a_later_run_goes_on(memory, jobs, model, kind):
    good = model.replies["draft"]
    model.replies["draft"] = lambda request: Failure(kind, "not now") if "Globex" in request.messages[-1].content else good(request)
    report = memory.observe(jobs, "ada", model=model)
    assert (report.stopped, report.reason) == (kind, "not now")
    assert [outcome.state for outcome in report.outcomes] == ["stored", "halted"]
    model.replies["draft"] = good
    assert memory.observe(jobs, "ada", model=model).states == {"known": 1, "stored": 1}
    assert len(state(memory)) == 2


def test_what_comes_after_a_halted_session_is_stored_after_it(memory, jobs, model):
    good = model.replies["draft"]
    model.replies["draft"] = lambda request: Failure("waiting", "to come") if "Initech" in request.messages[-1].content else good(request)
    report = memory.observe(jobs, "ada", model=model)
    assert [outcome.state for outcome in report.outcomes] == ["halted", "halted"]
    assert state(memory) == []
    model.replies["draft"] = good
    memory.observe(jobs, "ada", model=model)
    assert [len(entry.links) for entry in memory.entries("ada")] == [0, 1]


@pytest.mark.parametrize(("kind", "groups"), [("waiting", 2), ("unreachable", 1)])
def test_requests_of_later_groups_are_written_only_where_replies_are_to_come(memory, jobs, scripted, kind, groups):
    model = scripted(draft=Failure(kind, "not now"))
    memory.observe(jobs, "ada", model=model, settings=ExtractSettings(sessions=1))
    assert len(model.rounds) == groups


def test_an_interrupted_run_keeps_what_is_stored_and_is_gone_on_with(memory, jobs, model):
    def stop(outcome):
        raise KeyboardInterrupt

    report = memory.observe(jobs, "ada", model=model, settings=ExtractSettings(sessions=1), on_session=stop)
    assert report.stopped == "interrupted"
    assert len(state(memory)) == 1
    assert memory.observe(jobs, "ada", model=model).states == {"known": 1, "stored": 1}


KILLED = """
    import os, sys
    from datetime import datetime
    from memfold.memory import Memory
    from memfold.store.sqlite import SqliteStore
    from memfold.types import Session, Turn

    inserted = 0
    insert = SqliteStore.insert
    def dying(self, *args, **more):
        global inserted
        inserted += 1
        if inserted > {after}:
            os._exit(9)
        return insert(self, *args, **more)
    SqliteStore.insert = dying
    def session(n):
        turns = (Turn(f"s{{n}}:{{k}}", "Ada", f"I keep {{10 * n + k}} bees on hill {{k}}.") for k in range(3))
        return Session(f"s{{n}}", tuple(turns), datetime(2031, 1, n))
    sessions = [session(1), session(2)]
    with Memory.open(sys.argv[1], embedder="hashing") as memory:
        print(memory.observe(sessions, "ada"))
"""


@pytest.mark.parametrize("after", [0, 1, 2, 3, 4, 5, 6])
def test_killed_at_any_entry_nothing_is_stored_half_and_a_rerun_completes(tmp_path, after):
    path = tmp_path / "a.db"
    program = textwrap.dedent(KILLED).format(after=after)
    died = subprocess.run([sys.executable, "-c", program, path], capture_output=True, text=True, check=False)
    assert died.returncode == (9 if after < 6 else 0), died.stderr
    with Memory.open(path, embedder="hashing") as memory:
        assert memory.totals("ada")[0] == after // 3 * 3
    again = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(KILLED).format(after=99), path], capture_output=True, text=True, check=True
    )
    assert "2 known" in again.stdout if after == 6 else "stored" in again.stdout
    with Memory.open(path, embedder="hashing") as memory:
        assert memory.totals("ada")[0] == 6


def test_a_second_run_on_the_namespace_is_refused_meanwhile(tmp_path, minilm, jobs, model):
    def second(outcome):
        with Memory.open(tmp_path / "a.db", embedder=minilm) as other, pytest.raises(LeaseHeld):
            other.observe(jobs, "ada", model=model)

    with Memory.open(tmp_path / "a.db", embedder=minilm) as memory:
        assert memory.observe(jobs, "ada", model=model, on_session=second).states == {"stored": 2}
        assert memory.totals("ada")[0] == 2


# Without a model


def test_without_a_model_turns_are_kept_as_they_are_but_for_what_carries_nothing(memory, session):
    report = memory.observe([session()], "ada")
    texts = [entry.text for entry in memory.entries("ada")]
    assert "Ada: I work at Globex now, since last Monday. The team has 12 people." in texts
    assert not {"Ada: Thanks, bye!", "Ben: How is the new job going?"} & set(texts)
    assert {entry.kind for entry in memory.entries("ada")} == {"turn"}
    assert [entry.sources[0].turn for entry in memory.entries("ada") if "Rex" in entry.text] == ["s1:5"]
    assert report.states == {"stored": 1}


def test_only_small_talk_is_empty(memory, session):
    assert memory.observe([session([("Ada", "Hi Ben!"), ("Ben", "Thanks, bye!")])], "ada").states == {"empty": 1}


def test_a_conversation_that_goes_on_brings_only_what_is_new(memory):
    messages = [{"role": "user", "content": f"I keep {n} bees on hill {n}."} for n in range(10, 14)]
    memory.observe(messages[:3], "ada")
    report = memory.observe(messages, "ada")
    assert [entry.text for entry in report.entries] == ["user: I keep 13 bees on hill 13."]
    assert memory.totals("ada")[0] == 4


def test_scripts_without_spaces_are_kept(memory, session):
    memory.observe([session([("小明", "我在上海的一家医院工作。"), ("小红", "谢谢！")])], "ada")
    assert [entry.text for entry in memory.entries("ada")] == ["小明: 我在上海的一家医院工作。"]


def test_a_hosts_file_takes_no_conversations(tmp_path, session):
    (tmp_path / "notes.jsonl").write_text('{"id": "a", "text": "Ada keeps bees."}\n')
    with Memory.open(tmp_path / "notes.jsonl", embedder="hashing") as memory, pytest.raises(StoreError, match="Memfold database"):
        memory.observe([session()])


# Dates


def dates(memory, scripted, tell, text, turn, when="", began=datetime(2031, 5, 14, 10)):
    model = scripted(draft={"entries": [tell(text, 1, when=when)]})
    session = Session("s1", (Turn("t1", "Ada", turn),), began)
    report = memory.observe([session], "ada", model=model, settings=ExtractSettings(verification=False))
    return report.entries[0]


@pytest.mark.parametrize(
    ("said", "when", "occurred", "metadata"),
    [
        ("I ran the race last Friday.", "last Friday", datetime(2031, 5, 9), {}),
        ("I ran the race yesterday at 3 pm.", "yesterday at 3 pm", datetime(2031, 5, 13, 15), {}),
        ("I ran the race on 2 March 2029.", "2 March 2029", datetime(2029, 3, 2), {}),
        ("I ran the race last month.", "last month", None, {"occurred": "2031-04"}),
        ("I ran the race two years ago.", "two years ago", None, {"occurred": "2029"}),
        ("I ran the race once.", "once", None, {}),
        ("I ran the race once.", "", None, {}),
        ("I ran the race once.", "2 March 2029", None, {}),  # the model's own
        ("I ran the race once.", "last Friday", None, {}),
    ],
)
def test_the_model_names_the_words_and_we_compute_the_date(memory, scripted, tell, said, when, occurred, metadata):
    entry = dates(memory, scripted, tell, "Ada ran the race.", said, when)
    assert entry.occurred_at == occurred
    assert dict(entry.metadata) == metadata


def test_without_a_time_nothing_relative_is_dated(memory, scripted, tell):
    entry = dates(memory, scripted, tell, "Ada ran the race yesterday.", "I ran the race yesterday.", "yesterday", began=None)
    assert (entry.occurred_at, entry.created_at, entry.text) == (None, None, "Ada ran the race yesterday.")


def test_an_entry_never_counts_its_own_date_from_another_day(memory, scripted, tell):
    entry = dates(memory, scripted, tell, "Ada ran the race yesterday.", "I ran the race yesterday.", "yesterday")
    assert entry.text == "Ada ran the race on 13 May 2031."
    assert entry.time == datetime(2031, 5, 13)
