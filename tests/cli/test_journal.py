"""`memfold log`, `show`, `undo`, `compact`: what was done, and the way back."""

import re

import pytest


@pytest.fixture
def applied(memfold, notes, rule):
    """The notes after a run, and their bytes before it."""
    before = notes.read_bytes()
    memfold("refine", notes, "--budget", "60%", "--apply", "--no-guards", *rule)
    return notes, before


def test_log_lists_the_runs(memfold, applied, read_lines):
    notes, _ = applied
    shown = memfold("log", notes).stdout
    row = r"^r1 +\d{4}-\d\d-\d\d \d\d:\d\d +refine to 60% by similarity:0\.5, no guards +finished +\d+ +[\d,]+$"
    assert re.search(row, shown, re.MULTILINE)
    (run,) = read_lines(memfold("log", notes, "--json").stdout)
    assert (run["run"], run["state"], run["settings"]["budget"]) == ("r1", "finished", "60%")


def test_log_of_an_untouched_store_says_what_to_do(memfold, notes, tmp_path):
    shown = memfold("log", notes).stdout
    assert shown.startswith("no runs yet\n")
    assert "memfold refine" in shown
    assert memfold("log", notes, "--json").stdout == ""
    assert list(tmp_path.iterdir()) == [notes]


def test_show_gives_the_report_again_and_the_edits(memfold, applied, read_lines):
    notes, _ = applied
    shown = memfold("show", notes, "r1").stdout
    assert re.search(r"- [ab] The spare key hangs behind the blue door\.\n", shown)
    assert re.search(r"budget +[\d,]+ bytes, 60% of the [\d,]+ taken in: met", shown)
    found = read_lines(memfold("show", notes, "r1", "--json").stdout)
    assert found[-1]["type"] == "run"
    assert found[-1]["report"]["edits"] == len(found) - 1


def test_show_gives_one_edit_in_full(memfold, applied, read_lines):
    notes, _ = applied
    edit = read_lines(memfold("show", notes, "r1", "--edit", 1, "--json").stdout)[0]
    shown = memfold("show", notes, "r1", "--edit", 1).stdout
    assert edit["before"][0]["text"] in shown
    assert f'"id": "{edit["before"][0]["id"]}"' in shown
    assert f"{edit['cosine']:.4f}" in shown
    assert edit["decision"]["reason"] in shown
    assert f"{edit['saved']:,} bytes" in shown
    assert "stays:" in shown


def test_undo_of_one_edit_and_of_the_rest(memfold, applied, read_lines):
    notes, before = applied
    first = read_lines(memfold("undo", notes, "r1", "--edit", 1, "--json").stdout)
    assert [line["type"] for line in first] == ["edit", "undo"]
    assert (first[1]["edits"], first[1]["restored"]) == (1, 1)
    assert "(undone)" in memfold("show", notes, "r1").stdout
    assert "took back run r1" in memfold("undo", notes, "r1").stdout
    assert notes.read_bytes() == before
    assert "undone" in memfold("log", notes).stdout


def test_what_cannot_be_undone_is_told(memfold, applied):
    notes, _ = applied
    assert "no run 'r9'" in memfold("undo", notes, "r9", code=1).stderr
    assert "no edit 999" in memfold("show", notes, "r1", "--edit", 999, code=1).stderr
    memfold("undo", notes, "r1")
    result = memfold("undo", notes, "r1", code=1)
    assert result.stderr.startswith("error: run r1 has no edit in force")
    assert result.stderr.count("\n") == 1


def test_compact_frees_the_images_and_tells_both_sizes(memfold, applied, read_lines):
    notes, _ = applied
    kept = read_lines(memfold("compact", notes, "--older-than", "30d", "--json").stdout)[0]
    assert kept["freed"] == 0
    freed = read_lines(memfold("compact", notes, "--json").stdout)[0]
    assert freed["freed"] > 0
    assert freed["bytes"] == kept["bytes"] < freed["disk_after"] <= freed["disk_before"]
    assert "on disk: " in memfold("compact", notes).stdout
    assert "freed by compact" in memfold("undo", notes, "r1", code=1).stderr
    assert "were freed by compact" in memfold("show", notes, "r1").stdout


def test_a_wrong_duration_is_wrong_use(memfold, notes):
    assert "like 30d" in memfold("compact", notes, "--older-than", "a while", code=2).stderr
    assert "longer than any store" in memfold("compact", notes, "--older-than", "999999999999w", code=2).stderr
