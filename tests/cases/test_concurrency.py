"""Case 9: somebody else writes while the judge thinks; two runs start on one namespace."""

import subprocess
import sys
from dataclasses import replace

import pytest

from memfold import Entry
from memfold.errors import LeaseHeld
from memfold.refine.judges.scripted import ScriptedJudge
from memfold.types import Decision

TEXTS = ["Nora rides a green bicycle", "Nora rides a green bicycle to work", "The cellar key hangs by the door", "Teo bakes rye bread"]


def test_a_stale_decision_is_dropped_and_nothing_comes_back(open_memory):
    memory, other = open_memory(texts=TEXTS), open_memory()
    calls = []

    def rule(pair):
        calls.append({pair.a.id, pair.b.id})
        if len(calls) == 1:
            assert calls[0] == {"e00", "e01"}
            other.opened.store.update(replace(other.get("e00"), text="Nora sold her green bicycle"))
            other.opened.store.remove("default", ["e01"])
            other.add([Entry("new", "Teo bakes rye bread on Sundays")])
            return Decision("delete", target="a", reason="covered")
        return Decision("preserve")

    report = memory.refine(budget="0", judge=ScriptedJudge(rule), apply=True)
    assert report.stale == 1
    assert report.edits == 0
    assert {entry.id: entry.text for entry in memory.entries()} == {
        "e00": "Nora sold her green bicycle",
        "e02": TEXTS[2],
        "e03": TEXTS[3],
        "new": "Teo bakes rye bread on Sundays",
    }
    assert {"new", "e03"} in calls  # what was added meanwhile takes part
    assert {"e00", "e03"} in calls  # as does the edited entry, in its new form
    assert report.after == sum(len(line) for line in map(_line, memory.entries()))


def _line(entry):
    from memfold.store.size import entry_json

    return entry_json(entry).encode()


def test_a_delete_whose_survivor_goes_meanwhile_is_dropped(open_memory):
    memory, other = open_memory(texts=TEXTS[:2]), open_memory()

    def rule(pair):
        other.opened.store.remove("default", ["e01"])
        return Decision("delete", target="a", reason="e01 covers it")

    report = memory.refine(budget="0", judge=ScriptedJudge(rule), apply=True)
    assert report.stale == 1
    assert [entry.id for entry in memory.entries()] == ["e00"]  # the fact is not lost with its last copy


def test_two_runs_in_one_process(open_memory):
    memory, other = open_memory(texts=TEXTS), open_memory()
    refused = []

    def rule(pair):
        if not refused:
            with pytest.raises(LeaseHeld, match="another run") as error:
                other.refine(budget="0", apply=True)
            refused.append(error)
        return Decision("preserve")

    memory.refine(budget="0", judge=ScriptedJudge(rule), apply=True)
    assert refused
    assert len(list(memory.entries())) == 4


def test_two_runs_in_two_processes(open_memory, tmp_path):
    memory = open_memory(texts=TEXTS)
    script = (
        "import sys; from memfold import Memory\n"
        "from memfold.errors import LeaseHeld\n"
        "try:\n"
        "    Memory.open(sys.argv[1], embedder='hashing').refine(budget='0', apply=True)\n"
        "except LeaseHeld: sys.exit(7)\n"
    )
    codes = []

    def rule(pair):
        if not codes:
            codes.append(subprocess.run([sys.executable, "-c", script, str(tmp_path / "agent.db")], check=False).returncode)
        return Decision("preserve")

    memory.refine(budget="0", judge=ScriptedJudge(rule), apply=True)
    assert codes == [7]
