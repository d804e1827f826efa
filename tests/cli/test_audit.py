"""`memfold audit`: tables, JSON, a picture."""

import builtins

import pytest
from rich.cells import cell_len


def test_the_tables_tell_what_is_there(memfold, notes):
    shown = memfold("audit", notes, "--embedder", "hashing").stdout
    assert f"{notes}: 17 entries, " in " ".join(shown.split())  # a long path may break the line
    assert "exact copies: 2 groups of 4 entries" not in shown.replace("exact copies: 3", "")
    assert "2 x The spare key hangs behind the blue door." in shown
    assert "what a budget would probably take" in shown
    assert shown.splitlines()[-1] == f"look at a plan:  memfold refine {notes} --budget 50% --embedder hashing"


def test_json_has_one_object_a_namespace(memfold, make_notes, tmp_path, read_lines):
    for name in ("ada", "ben"):
        memfold("import", "agent.db", make_notes(tmp_path / f"{name}.jsonl"), "--namespace", name, "--embedder", "hashing")
    assert "2 namespaces" in memfold("audit", "agent.db", "--embedder", "hashing", code=2).stderr
    found = read_lines(memfold("audit", "agent.db", "--all-namespaces", "--embedder", "hashing", "--json").stdout)
    assert [(line["type"], line["namespace"], line["entries"]) for line in found] == [("audit", "ada", 17), ("audit", "ben", 17)]


def test_an_audit_writes_nothing(memfold, notes, tmp_path):
    memfold("audit", notes, "--embedder", "hashing")
    assert list(tmp_path.iterdir()) == [notes]


@pytest.mark.parametrize("columns", [80, 160])
def test_texts_fit_the_terminal(memfold, make_notes, tmp_path, monkeypatch, columns):
    notes = make_notes(tmp_path / "n.jsonl", ["奶奶喜欢在下雨天喝热的绿茶" * 20] * 2 + ["x" * 500] * 2)
    monkeypatch.setenv("COLUMNS", str(columns))
    shown = memfold("audit", notes, "--embedder", "hashing").stdout
    assert max(map(cell_len, shown.splitlines()[2:-1])) <= columns


def test_a_plot_needs_its_extra(memfold, notes, tmp_path, monkeypatch):
    real = builtins.__import__

    def without(name, *rest):
        if name.startswith("matplotlib"):
            raise ImportError(name)
        return real(name, *rest)

    monkeypatch.setattr(builtins, "__import__", without)
    told = memfold("audit", notes, "--embedder", "hashing", "--plot", tmp_path / "a.png", code=1).stderr
    assert "pip install 'memfold[plot]'" in told


def test_a_plot_is_drawn(memfold, notes, tmp_path):
    pytest.importorskip("matplotlib")
    memfold("audit", notes, "--embedder", "hashing", "--json", "--plot", "a.png")
    assert (tmp_path / "a.png").read_bytes().startswith(b"\x89PNG")
    assert "a.xyz" in memfold("audit", notes, "--embedder", "hashing", "--plot", "a.xyz", code=2).stderr
