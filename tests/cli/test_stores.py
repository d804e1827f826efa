"""`memfold import`, `export`, `demo`."""

import json

import pytest


def test_import_and_export_are_a_round_trip(memfold, agent, tmp_path):
    memfold("export", agent, "one.jsonl")
    memfold("import", "second.db", "one.jsonl", "--embedder", "hashing")
    assert memfold("export", "second.db").stdout == (tmp_path / "one.jsonl").read_text("utf-8")
    assert (tmp_path / "one.jsonl").read_text("utf-8").count("\n") == 18
    assert not list(tmp_path.glob("*.part"))


def test_import_tells_how_many_and_refuses_ids_that_are_there(memfold, agent, notes, read_lines):
    assert "the id 'n00' is taken" in memfold("import", agent, notes, "--embedder", "hashing", code=1).stderr
    found = read_lines(memfold("import", agent, notes, "--namespace", "ben", "--embedder", "hashing", "--json").stdout)
    assert [line["entries"] for line in found] == [17, 34]


def test_import_reads_named_fields(memfold, tmp_path):
    (tmp_path / "odd.jsonl").write_text('{"words": "The boat is red.", "who": "ada"}\n')
    memfold("import", "a.db", "odd.jsonl", "--text-field", "words", "--namespace-field", "who", "--embedder", "hashing")
    entry = json.loads(memfold("export", "a.db", "--namespace", "ada").stdout.splitlines()[1])
    assert (entry["text"], entry["namespace"]) == ("The boat is red.", "ada")


def test_import_into_somebody_elses_file_is_refused(memfold, notes, make_notes, tmp_path):
    more = make_notes(tmp_path / "more.jsonl", ["One more."])
    before = notes.read_bytes()
    assert "import them into a database instead" in memfold("import", notes, more, "--embedder", "hashing", code=1).stderr
    assert notes.read_bytes() == before


def test_export_replaces_nothing_unasked(memfold, agent, tmp_path):
    out = tmp_path / "out.jsonl"
    out.write_text("mine")
    assert "--force" in memfold("export", agent, out, code=2).stderr
    assert out.read_text() == "mine"
    memfold("export", agent, out, "--force")
    assert out.read_text("utf-8").startswith('{"memfold": "export"')
    assert "is the store itself" in memfold("export", agent, agent, "--force", code=2).stderr
    assert memfold("export", agent, tmp_path / "no" / "folder.jsonl", code=1).stderr.startswith("error: ")


@pytest.mark.parametrize("store", ["missing.jsonl", "missing.db"])
def test_a_missing_store_is_told_and_not_made(memfold, tmp_path, store):
    result = memfold("log", store, code=1)
    assert store in result.stderr
    assert result.stderr.count("\n") == 1
    assert list(tmp_path.iterdir()) == []


def test_demo_copies_the_sample_once(memfold, tmp_path, read_lines):
    shown = memfold("demo").stdout
    assert "memfold refine memfold-demo/assistant.jsonl --budget 60%" in shown
    assert len((tmp_path / "memfold-demo" / "assistant.jsonl").read_text("utf-8").splitlines()) > 300
    assert "is there already" in memfold("demo", code=2).stderr
    assert read_lines(memfold("demo", "other", "--json").stdout) == [{"type": "demo", "path": "other/assistant.jsonl"}]
