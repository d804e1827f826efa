"""Memory over a database and over a file that somebody else owns: what is written when, and what survives."""

import io
import json
from datetime import UTC, datetime

import pytest

from memfold import Entry, JsonlFields, Memory, RefineSettings
from memfold.errors import CannotUndo, EmbedderMismatch, NotAStore, ReadOnlyStore, StoreChanged, StoreError, UnknownEntry
from memfold.refine.judges.scripted import ScriptedJudge
from memfold.types import Decision

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)
TEXTS = [
    "Ada keeps the spare key under the third pot.",
    "The third pot hides the spare key, Ada says.",
    "The boiler was serviced in May.",
    "The boiler was serviced in May by Karl.",
    "Rosa keeps 12 hens in the yard.",
    "Snow fell late this year.",
]
BOLD = RefineSettings(guards=False, min_saving=0)


def lines(texts, start=0):
    return "".join(json.dumps({"id": f"e{i}", "text": text, "user": "ada"}) + "\n" for i, text in enumerate(texts, start))


def opened(path, **options):
    return Memory.open(path, embedder="hashing", clock=lambda: NOW, **options)


def shorter(pair):
    """Deletes the shorter side."""
    return Decision("delete", target="a" if len(pair.a.text) < len(pair.b.text) else "b", reason="shorter")


@pytest.fixture
def judge():
    return ScriptedJudge(shorter, name="shorter")


@pytest.fixture
def notes(tmp_path):
    path = tmp_path / "notes.jsonl"
    path.write_text(lines(TEXTS))
    return path


# A file that somebody else owns


def test_looking_writes_nothing(notes, tmp_path, judge):
    before = notes.read_bytes()
    with opened(notes) as memory:
        memory.audit("default")
        report = memory.refine(budget="50%", judge=judge, settings=BOLD)
        assert report.plan
        assert memory.runs() == []
    assert notes.read_bytes() == before
    assert [path.name for path in tmp_path.iterdir()] == ["notes.jsonl"]


def test_a_run_its_journal_and_its_undo(notes, judge):
    before = notes.read_bytes()
    with opened(notes) as memory:
        report = memory.refine(budget="50%", judge=judge, apply=True, settings=BOLD)
        assert report.met
        kept = notes.read_bytes().splitlines(keepends=True)
        assert sum(map(len, kept)) == report.after <= report.limit == len(before) // 2
        assert all(line in before.splitlines(keepends=True) for line in kept)
    with opened(notes) as memory:  # another process, later
        edits = list(memory.edits(report.run))
        memory.undo(report.run, edits[-1].seq)
        restored = notes.read_bytes()
        assert len(restored) > sum(map(len, kept))
        assert [line for line in before.splitlines() if line in restored.splitlines()] == restored.splitlines()  # at its place
        memory.undo(report.run)
    assert notes.read_bytes() == before
    with opened(notes) as memory, pytest.raises(CannotUndo):
        memory.undo(report.run)


def test_what_others_add_between_runs_stays(notes, judge):
    with opened(notes) as memory:
        run = memory.refine(budget="50%", judge=judge, apply=True, settings=BOLD).run
    with notes.open("a") as file:
        file.write(lines(["A new line by the owner."], 50))
    with opened(notes) as memory:
        assert memory.get("e50").text == "A new line by the owner."
        assert memory.refine(budget="90%", judge=judge, apply=True, settings=BOLD).judgements == 0
        memory.undo(run)
    texts = [json.loads(line)["text"] for line in notes.read_text().splitlines()]
    assert sorted(texts) == sorted([*TEXTS, "A new line by the owner."])


def test_what_others_change_during_a_run_is_not_overwritten(notes):
    other = lines([*TEXTS, "Written by its owner meanwhile."])

    def rule(pair):
        notes.write_text(other)
        return shorter(pair)

    with opened(notes) as memory, pytest.raises(StoreChanged, match="Run the command again"):
        memory.refine(budget="50%", judge=ScriptedJudge(rule), apply=True, settings=BOLD)
    assert notes.read_text() == other
    with opened(notes) as memory:
        assert [entry.text for entry in memory.entries()] == [*TEXTS, "Written by its owner meanwhile."]
        assert [run.saved for run in memory.runs()] == [0]
        memory.refine(budget="50%", judge=ScriptedJudge(shorter), apply=True, settings=BOLD)
    assert len(notes.read_text()) <= len(other) // 2


def test_a_change_during_an_undo_leaves_the_run_in_force(notes, judge, monkeypatch):
    with opened(notes) as memory:
        run = memory.refine(budget="50%", judge=judge, apply=True, settings=BOLD).run
        changed = notes.read_text() + lines(["late"], 60)
        undo = memory.journal.undo
        monkeypatch.setattr("memfold.store.journal.Journal.undo", lambda self, *a: (undo(*a), notes.write_text(changed))[0])
        with pytest.raises(StoreChanged):
            memory.undo(run)
    monkeypatch.undo()
    assert notes.read_text() == changed
    with opened(notes) as memory:
        assert memory.journal.run(run).saved > 0
        memory.undo(run)
    texts = [json.loads(line)["text"] for line in notes.read_text().splitlines()]
    assert sorted(texts) == sorted([*TEXTS, "late"])


def test_pins_live_beside_the_file(notes, judge):
    before = notes.read_bytes()
    with opened(notes) as memory:
        memory.pin("e5")
    assert notes.read_bytes() == before
    with opened(notes) as memory:
        memory.refine(budget="0", judge=judge, apply=True, settings=BOLD)
        assert memory.get("e5").pinned
    assert "Snow fell" in notes.read_text()


def test_a_read_only_file_is_refused_before_anything_is_done(notes, tmp_path, judge):
    notes.chmod(0o444)
    with opened(notes) as memory, pytest.raises(ReadOnlyStore, match="chmod"):
        memory.refine(budget="50%", judge=judge, apply=True, settings=BOLD)
    assert judge.asked == []
    assert [path.name for path in tmp_path.iterdir()] == ["notes.jsonl"]


def test_entries_are_not_added_to_a_file(notes):
    with opened(notes) as memory, pytest.raises(StoreError, match="import them into a database"):
        memory.add([Entry("x", "y")])


def test_a_missing_file_says_so(tmp_path):
    with pytest.raises(NotAStore, match="no such file|no file"):
        opened(tmp_path / "nowhere.jsonl")


# A database


def test_import_export_and_sizes(notes, tmp_path, judge):
    with opened(tmp_path / "agent.db") as memory:
        assert memory.import_file(notes) == 6
        stream = io.StringIO()
        assert memory.export(stream) == 6
        header, *exported = stream.getvalue().splitlines()
        assert json.loads(header)["memfold"] == "export"
        assert sum(len(line.encode()) for line in exported) == memory.totals()[1]
        (tmp_path / "copy.memfold.jsonl").write_text(stream.getvalue())
        original = list(memory.entries())
    with opened(tmp_path / "other.db") as memory:
        memory.import_file(tmp_path / "copy.memfold.jsonl")
        assert list(memory.entries()) == original


def test_another_embedder_is_named_and_can_replace(tmp_path):
    with opened(tmp_path / "agent.db") as memory:
        memory.add([Entry("a", "tea"), Entry("b", "tea pot")])
    with Memory.open(tmp_path / "agent.db", embedder="hashing:32") as memory, pytest.raises(EmbedderMismatch, match="--reembed"):
        memory.audit("default")
    with Memory.open(tmp_path / "agent.db", embedder="hashing:32", reembed=True) as memory:
        memory.audit("default")
        assert memory.opened.store.load("default")[1].shape == (2, 32)


def test_an_id_in_several_namespaces_must_be_named(tmp_path):
    with opened(tmp_path / "agent.db") as memory:
        memory.add([Entry("a", "tea", namespace="ada"), Entry("a", "coffee", namespace="ben")])
        with pytest.raises(UnknownEntry, match="ada, ben"):
            memory.get("a")
        assert memory.get("a", "ben").text == "coffee"
        with pytest.raises(UnknownEntry, match="no entry 'z'"):
            memory.get("z")


@pytest.mark.parametrize(
    ("budget", "unit"), [("3 entries", "entries"), ("20 tokens", "tokens"), ("50% entries", "entries"), ("50% tokens", "tokens")]
)
def test_budgets_in_entries_and_tokens(tmp_path, judge, budget, unit):
    with opened(tmp_path / "agent.db") as memory:
        memory.add(Entry(f"e{i}", text) for i, text in enumerate(TEXTS))
        report = memory.refine(budget=budget, judge=judge, apply=True, settings=BOLD)
        assert (report.unit, report.met) == (unit, True)
        assert report.after <= report.limit < report.before
        again = memory.refine(budget=budget, judge=judge, apply=True, settings=BOLD)
        assert (again.limit, again.edits) == (report.limit, 0)


def test_budget_zero_and_a_budget_above_the_size(tmp_path, judge):
    with opened(tmp_path / "agent.db") as memory:
        assert memory.refine(budget="50%", judge=judge, apply=True).met  # an empty store
        memory.add(Entry(f"e{i}", text) for i, text in enumerate(TEXTS))
        generous = memory.refine(budget="1GB", judge=judge, apply=True)
        assert (generous.met, generous.judgements, generous.stopped) == (True, 0, "met")
        nothing = memory.refine(budget="0", judge=judge, apply=True, settings=BOLD)
        assert not nothing.met
        assert len(list(memory.entries())) == 1  # a pair needs two


def test_compact_frees_the_images_and_says_how_much(tmp_path, judge):
    with opened(tmp_path / "agent.db") as memory:
        memory.add(Entry(f"e{i}", f"{TEXTS[i % 6]} Number {i}. " + "More words about it follow here. " * 20) for i in range(80))
        run = memory.refine(budget="20%", judge=judge, apply=True, settings=BOLD).run
        edits, freed = memory.compact()
        assert edits == memory.journal.run(run).edits > 0
        assert freed > 0
        with pytest.raises(CannotUndo, match="freed"):
            memory.undo(run)
        assert memory.refine(budget="20%", judge=judge, apply=True, settings=BOLD).edits == 0  # what was saved still counts


# How a file is read


def test_a_file_stays_read_as_it_was_first(tmp_path, judge):
    path = tmp_path / "notes.jsonl"
    rows = [{"text": "note", "id": i, "body": text} for i, text in enumerate(TEXTS)]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    before = path.read_bytes()
    with opened(path, fields=JsonlFields(text="body")) as memory:
        run = memory.refine(budget="50%", judge=judge, apply=True, settings=BOLD).run
        left = path.read_bytes()
    with opened(path) as memory:  # without the option: the journal knows
        assert {entry.text for entry in memory.entries()} <= set(TEXTS)
        memory.undo(run)
    assert path.read_bytes() == before
    with opened(path, fields=JsonlFields(text="body")) as memory:
        memory.refine(budget="50%", judge=judge, apply=True, settings=BOLD)
    assert path.read_bytes() == left
    with pytest.raises(StoreError, match="'body' as its text so far"):
        opened(path, fields=JsonlFields(text="text"))
    assert path.read_bytes() == left
