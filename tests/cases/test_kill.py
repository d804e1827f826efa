"""Case 10: killed at any step; what was judged is not paid for again, and the counts add up."""

import json
import signal
import subprocess
import sys

import pytest

from memfold import Entry, Memory

RUN = """
import json, os, signal, sys
from dataclasses import replace
from memfold import Memory
from memfold.refine.judges.scripted import ScriptedJudge
path, calls_path, kill_at, where = sys.argv[1], sys.argv[2], int(sys.argv[3]), sys.argv[4]
order = sys.argv[5] if len(sys.argv) > 5 else "cosine"
draw = ScriptedJudge.mix(delete=0.3, merge=0.3, seed=5)
count = 0
def rule(pair):
    global count
    count += 1
    if where == "judge" and count == kill_at:
        os.kill(os.getpid(), signal.SIGKILL)
    by_content = replace(pair, a=replace(pair.a, id=pair.a.text), b=replace(pair.b, id=pair.b.text))
    decision = draw.decide([by_content])[0]
    with open(calls_path, "a") as calls:
        calls.write(json.dumps([pair.a.id, pair.b.id, decision.action]) + "\\n")
    return decision
judge = ScriptedJudge(rule, name="draw", costly=True)
if where == "commit":
    from memfold.store.journal import Journal
    commit, commits = Journal.commit, 0
    def killing(self, edit, vectors, unchanged=()):
        global commits
        commits += 1
        if commits == kill_at:
            self._write = lambda *a: os.kill(os.getpid(), signal.SIGKILL)  # in the middle of the transaction
        commit(self, edit, vectors, unchanged)
    Journal.commit = killing
if where == "push":
    from memfold.mirror import Mirror
    Mirror.push = lambda self: os.kill(os.getpid(), signal.SIGKILL)
if where == "rename":
    from memfold.mirror import Mirror
    pushed, done = Mirror._pushed, []
    def killing(self, fingerprint):
        if self._get("pending"):
            os.kill(os.getpid(), signal.SIGKILL)
        pushed(self, fingerprint)
    Mirror._pushed = killing
from memfold import RefineSettings
ahead = 8 if order == "ahead" else 0
settings = RefineSettings(guards=False, order="cosine" if order == "ahead" else order, neighbours=4, ahead=ahead, window=6)
Memory.open(path, embedder="hashing").refine(budget="45%", judge=judge, apply=True, settings=settings)
"""
NOUNS = "kettle bicycle garden violin ladder blanket compass lantern".split()
PLACES = "cellar attic kitchen garage hall".split()
TEXTS = [f"The {noun} with number {i} stands in the {place}." for i, (noun, place) in enumerate((n, p) for n in NOUNS for p in PLACES)]


def run(path, calls, kill_at=0, where="none", order="cosine"):
    return subprocess.run([sys.executable, "-c", RUN, str(path), str(calls), str(kill_at), where, order], check=False).returncode


def fill(path):
    if path.suffix == ".db":
        with Memory.open(path, embedder="hashing") as memory:
            memory.add(Entry(f"e{i:02d}", text) for i, text in enumerate(TEXTS))
    else:
        path.write_text("".join(json.dumps({"id": f"e{i:02d}", "text": text}) + "\n" for i, text in enumerate(TEXTS)))


def content(path):
    with Memory.open(path, embedder="hashing") as memory:
        return sorted((entry.id, entry.text) for entry in memory.entries())


def undisturbed_run(path, order="cosine"):
    """What is stored and what was judged when nobody kills the run."""
    fill(path)
    assert run(path, path.with_name("calls"), order=order) == 0
    return content(path), path.with_name("calls").read_text().splitlines()


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory):
    return undisturbed_run(tmp_path_factory.mktemp("undisturbed") / "agent.db")


@pytest.fixture(scope="module")
def undisturbed_file(tmp_path_factory):
    return undisturbed_run(tmp_path_factory.mktemp("undisturbed") / "notes.jsonl")


@pytest.fixture(scope="module")
def undisturbed_safest(tmp_path_factory):
    return undisturbed_run(tmp_path_factory.mktemp("undisturbed_safest") / "agent.db", "safest")


@pytest.fixture(scope="module")
def undisturbed_window(tmp_path_factory):
    return undisturbed_run(tmp_path_factory.mktemp("undisturbed_window") / "agent.db", "window")


KILLS = [("cosine", "judge", n) for n in (1, 4, 9)] + [("cosine", "commit", n) for n in (1, 5)]
SAFEST_KILLS = [("safest", "judge", n) for n in (5, 120)] + [("safest", "commit", n) for n in (1, 5)]


@pytest.mark.parametrize(("order", "where", "kill_at"), KILLS + SAFEST_KILLS)
def test_a_killed_run_ends_like_an_undisturbed_one(tmp_path, undisturbed, undisturbed_safest, order, where, kill_at):
    path, calls = tmp_path / "agent.db", tmp_path / "calls"
    fill(path)
    assert run(path, calls, kill_at, where, order) == -signal.SIGKILL
    with Memory.open(path, embedder="hashing") as memory:
        ids = {entry.id for entry in memory.entries()}
        for edit in (edit for r in memory.runs() for edit in memory.edits(r.id)):
            assert not ids & {entry.id for entry in edit.before}  # the merged entry or its sources, never both
    assert run(path, calls, order=order) == 0
    stored, judged = undisturbed if order == "cosine" else undisturbed_safest
    assert content(path) == stored
    assert sorted(calls.read_text().splitlines()) == sorted(judged)  # nothing was judged twice, nothing left out
    with Memory.open(path, embedder="hashing") as memory:
        assert [r.state for r in memory.runs()] == ["interrupted", "finished"]
        made = sum(r.edits for r in memory.runs())
        wanted = len([c for c in judged if json.loads(c)[2] != "preserve"])
        assert made == wanted if order == "cosine" else 5 < made < wanted  # safest first judges more than it carries out


WIDE_KILLS = [(order, where, n) for order in ("ahead", "window") for where, n in (("judge", 13), ("commit", 5))]
IN_FLIGHT = 9


@pytest.mark.parametrize(("order", "where", "kill_at"), WIDE_KILLS)
def test_killed_with_several_outstanding(tmp_path, undisturbed, undisturbed_window, order, where, kill_at):
    path, calls = tmp_path / "agent.db", tmp_path / "calls"
    fill(path)
    assert run(path, calls, kill_at, where, order) == -signal.SIGKILL
    assert run(path, calls, order=order) == 0
    stored, judged = undisturbed if order == "ahead" else undisturbed_window
    assert content(path) == stored
    made = calls.read_text().splitlines()
    assert len(made) - len(set(made)) < IN_FLIGHT  # only what was being asked at that moment may be asked again
    if order == "window":
        assert len(set(made) ^ set(judged)) < IN_FLIGHT  # what was outstanding when the budget was met may have been asked or not


@pytest.mark.parametrize(("where", "kill_at"), [("judge", 5), ("commit", 3), ("push", 0), ("rename", 0)])
def test_a_file_is_whole_before_and_after(tmp_path, undisturbed_file, where, kill_at):
    path, calls = tmp_path / "notes.jsonl", tmp_path / "calls"
    fill(path)
    before = path.read_bytes()
    assert run(path, calls, kill_at, where) == -signal.SIGKILL
    lines = path.read_text().splitlines()
    assert all(json.loads(line)["text"] for line in lines)
    assert where == "rename" or path.read_bytes() == before
    assert run(path, calls) == 0
    assert [json.loads(line)["text"] for line in path.read_text().splitlines()] != []
    assert sorted(text for _, text in content(path)) == sorted(text for _, text in undisturbed_file[0])
    assert sorted(calls.read_text().splitlines()) == sorted(undisturbed_file[1])
    with Memory.open(path, embedder="hashing") as memory:
        for r in reversed(memory.runs()):
            if r.saved:
                memory.undo(r.id)
    assert path.read_bytes() == before


def test_a_pair_that_kills_the_process_again_and_again_is_set_aside(tmp_path, undisturbed):
    path = tmp_path / "agent.db"
    fill(path)
    deadly = json.loads(undisturbed[1][3])[:2]
    script = RUN.replace('if where == "judge" and count == kill_at:', f"if [pair.a.id, pair.b.id] == {deadly}:")
    command = [sys.executable, "-c", script, str(path), str(tmp_path / "calls"), "0", "judge"]
    codes = [subprocess.run(command, check=False).returncode for _ in range(3)]
    assert codes == [-signal.SIGKILL, -signal.SIGKILL, 0]
    with Memory.open(path, embedder="hashing") as memory:
        assert memory.runs()[-1].report["set_aside"] == 1


@pytest.mark.parametrize("order", ["ahead", "window"])
def test_with_several_outstanding_it_is_found_out_and_set_aside(tmp_path, undisturbed, order):
    path = tmp_path / "agent.db"
    fill(path)
    deadly = json.loads(undisturbed[1][3])[:2]
    script = RUN.replace('if where == "judge" and count == kill_at:', f"if [pair.a.id, pair.b.id] == {deadly}:")
    command = [sys.executable, "-c", script, str(path), str(tmp_path / "calls"), "0", "judge", order]
    codes = [subprocess.run(command, check=False).returncode for _ in range(4)]
    assert codes == [-signal.SIGKILL, -signal.SIGKILL, -signal.SIGKILL, 0]
    with Memory.open(path, embedder="hashing") as memory:
        assert memory.runs()[-1].report["set_aside"] == 1
