"""`memfold refine`: the plan, its execution, exit codes, namespaces, JSON."""

import re

import pytest
from rich.cells import cell_len


def test_a_preview_shows_the_plan_and_changes_nothing(memfold, notes, tmp_path, rule):
    before = notes.read_bytes()
    shown = memfold("refine", notes, "--budget", "80%", "--no-guards", *rule).stdout
    assert re.search(r"- [ab] The spare key hangs behind the blue door\.\n", shown)
    assert "cosine 1.000 is at least 0.5" in shown
    assert "a preview: nothing was changed" in shown
    assert re.search(r"budget +[\d,]+ bytes, 80% of the [\d,]+ taken in: met", shown)
    assert shown.splitlines()[-1].startswith("do it:  memfold refine ")
    assert notes.read_bytes() == before
    assert list(tmp_path.iterdir()) == [notes]


def test_the_next_command_does_what_was_shown(memfold, notes, read_lines, rule):
    words = ["refine", notes, "--budget", "70%", "--no-guards", *rule]
    plan = [line["before"] for line in read_lines(memfold(*words, "--json").stdout) if line["type"] == "edit"]
    shown = memfold(*words).stdout.splitlines()[-1].partition("memfold ")[2]
    assert "--apply" in shown
    done = read_lines(memfold(*shown.split(), "--json").stdout)
    assert [line["before"] for line in done if line["type"] == "edit"] == plan
    assert plan


def test_long_plans_are_cut(memfold, make_notes, tmp_path, rule):
    notes = make_notes(tmp_path / "many.jsonl", ["The lamp in the hall is green."] * 30)
    words = ["refine", notes, "--budget", "1 entries", *rule]
    shown, whole = memfold(*words).stdout, memfold(*words, "--all").stdout
    assert "… and 9 more (--all shows them)" in shown
    assert re.findall(r"^ *(\d+)  delete", shown, re.MULTILINE) == [str(n) for n in (*range(1, 13), *range(22, 30))]
    assert re.findall(r"^ *(\d+)  delete", whole, re.MULTILINE) == [str(n) for n in range(1, 30)]
    assert "more (--all" not in whole


def test_apply_reports_and_undo_brings_back_the_bytes(memfold, notes, tmp_path, rule):
    before = notes.read_bytes()
    shown = memfold("refine", notes, "--budget", "60%", "--apply", "--no-guards", *rule).stdout
    assert re.search(r"^run +r1$", shown, re.MULTILINE)
    files = r"^on disk +notes\.jsonl [\d,]+ bytes, notes\.jsonl\.memfold\.db [\d,]+ bytes; the entries themselves"
    assert re.search(files, shown, re.MULTILINE)
    assert "memfold undo" in shown
    assert len(notes.read_bytes()) < 0.7 * len(before)
    memfold("undo", notes, "r1")
    assert notes.read_bytes() == before


def test_json_is_nothing_but_lines_and_ends_in_the_report(memfold, notes, read_lines, rule):
    result = memfold("refine", notes, "--budget", "60%", "--apply", "--no-guards", "--json", *rule)
    found = read_lines(result.stdout)
    assert {line["type"] for line in found[:-1]} <= {"edit", "held"}
    report = found[-1]
    assert (report["type"], report["run"], report["met"]) == ("report", "r1", True)
    assert report["edits"] == sum(line["type"] == "edit" for line in found)


def test_json_is_written_without_escapes_where_that_is_possible(memfold, make_notes, tmp_path, rule):
    notes = make_notes(tmp_path / "n.jsonl", ["奶奶喜欢喝绿茶"] * 2)
    assert "奶奶喜欢喝绿茶" in memfold("refine", notes, "--budget", "60%", "--json", *rule).stdout
    notes = tmp_path / "half.jsonl"
    notes.write_text('{"text": "half a pair \\ud83d"}\n' * 2)
    assert "\\ud83d" in memfold("refine", notes, "--budget", "60%", "--json", *rule).stdout


def test_a_missed_budget_has_its_own_exit_code_and_reason(memfold, notes, rule):
    result = memfold("refine", notes, "--budget", "10%", "--max-edits", 2, "--apply", *rule, code=3)
    assert re.search(r"missed by [\d,]+ bytes\nstopped +the limit of edits was reached\n", result.stdout)
    assert "2 (2 deletes, 0 merges)" in result.stdout


def test_vetoes_are_shown_by_guard_and_with_an_example(memfold, make_notes, tmp_path, rule):
    notes = make_notes(tmp_path / "codes.jsonl", ["The code of the left locker is 4417.", "The code of the left locker is 4471."])
    shown = memfold("refine", notes, "--budget", "50%", *rule, code=3).stdout
    assert re.search(r"^vetoed +1 \(\w[\w ]* 1\)$", shown, re.MULTILINE)
    assert "kept apart against the judge's wish" in shown
    assert re.search(r"= [ab] The code of the left locker is 4471\.", shown)


def test_nothing_to_do_says_so(memfold, notes, tmp_path, rule):
    assert "within the budget: nothing to do" in memfold("refine", notes, "--budget", "100%", *rule).stdout
    empty = tmp_path / "empty.jsonl"
    empty.write_text("")
    assert "0 entries, 0 bytes" in memfold("refine", empty, "--budget", "50%", *rule).stdout


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["--budget", "a lot"], "cannot read the budget 'a lot': write a share like 50%"),
        (["--budget", "120%"], "more than all there is"),
        (["--budget", "50%", "--judge", "oracle"], "unknown judge 'oracle'; known: "),
        (["--budget", "50%", "--embedder", "tarot"], "unknown embedder 'tarot'; known: "),
        (["--budget", "50%", "--order", "random"], "'random' is not one of 'cosine', 'window', 'safest'"),
        (["--budget", "50%", "--order", "safest", "--judge", "pagerank:0.8"], "in an order of its own"),
        (["--budget", "50%", "--review"], "needs --apply"),
        (["--budget", "50%", "--namespace", "x"], "there is no namespace 'x'; the store has default"),
        (["--budget", "50%", "--namespace", "default", "--all-namespaces"], "either --namespace or --all-namespaces"),
        ([], "Missing option '--budget'"),
    ],
)
def test_wrong_use_is_exit_code_2_and_says_what_is_right(memfold, notes, words, told):
    result = memfold("refine", notes, *words, code=2)
    assert told in " ".join(result.stderr.split())
    assert result.stdout == ""


def test_the_order_can_be_chosen_and_stands_in_the_next_command(memfold, notes, read_lines, rule):
    words = ["refine", notes, "--budget", "60%", "--no-guards", "--order", "safest", *rule]
    shown = memfold(*words).stdout
    assert "--order safest" in shown.splitlines()[-1]
    plan = [line["before"] for line in read_lines(memfold(*words, "--json").stdout) if line["type"] == "edit"]
    done = read_lines(memfold(*words, "--apply", "--json").stdout)
    assert [line["before"] for line in done if line["type"] == "edit"] == plan
    assert plan
    assert done[-1]["met"]
    assert done[-1]["judgements"] > len(plan)  # all candidates were judged
    assert "similarity:0.5, safest first, no guards" in " ".join(memfold("show", notes, "r1").stdout.split())


def test_a_limit_of_judgements_bounds_the_order_too(memfold, notes, read_lines, rule):
    words = ["refine", notes, "--budget", "10%", "--no-guards", "--order", "safest", "--max-judgements", 3, "--json", *rule]
    report = read_lines(memfold(*words, code=3).stdout)[-1]
    assert (report["judgements"], report["stopped"]) == (3, "max_judgements")
    assert 0 < report["edits"] <= 3


def test_several_namespaces_have_to_be_named(memfold, make_notes, tmp_path, read_lines, rule):
    for name in ("ada", "ben"):
        memfold("import", "agent.db", make_notes(tmp_path / f"{name}.jsonl"), "--namespace", name, "--embedder", "hashing")
    words = ["refine", "agent.db", "--budget", "70%", "--no-guards", *rule]
    told = " ".join(memfold(*words, code=2).stderr.split())
    assert "2 namespaces: ada, ben" in told
    assert "--all-namespaces" in told
    one = read_lines(memfold(*words, "--namespace", "ben", "--json").stdout)
    assert {line["namespace"] for line in one} == {"ben"}
    both = read_lines(memfold(*words, "--all-namespaces", "--apply", "--json").stdout)
    assert [line["namespace"] for line in both if line["type"] == "report"] == ["ada", "ben"]
    assert [line["run"] for line in both if line["type"] == "report"] == ["r1", "r2"]


def test_fields_are_named_and_stand_in_the_next_command(memfold, tmp_path, rule):
    notes = tmp_path / "odd.jsonl"
    notes.write_text('{"words": "The boat is red.", "note": "x"}\n{"words": "The boat is red.", "note": "y"}\n')
    shown = memfold("refine", notes, "--budget", "60%", "--text-field", "words", *rule).stdout
    assert re.search(r"- [ab] The boat is red\.", shown)
    assert "--text-field words" in shown.splitlines()[-1]
    assert "note" in memfold("audit", notes, "--text-field", "wurds", "--embedder", "hashing", code=1).stderr


def test_entries_cannot_play_with_the_terminal(memfold, make_notes, tmp_path, rule):
    texts = ["The \x1b[31mlamp\x07 is [bold]red[/bold] \u202etxet\u202c :smile:"] * 2
    shown = memfold("refine", make_notes(tmp_path / "n.jsonl", texts), "--budget", "60%", *rule).stdout
    assert r"The \x1b[31mlamp\x07 is [bold]red[/bold] \u202etxet\u202c :smile:" in shown
    assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f\u202a-\u202e]", shown)


@pytest.mark.parametrize("columns", [60, 80, 100, 160])
def test_no_line_is_wider_than_the_terminal(memfold, make_notes, tmp_path, monkeypatch, columns, rule):
    texts = [
        "奶奶喜欢在下雨天喝热的绿茶" * 20,
        "Bà ngoại trồng rau muống ở sau nhà và nuôi một đàn gà nhỏ. " * 6,
        "x" * 400,
        "https://example.org/" + "long/" * 60,
        "short",
    ]
    notes = make_notes(tmp_path / "n.jsonl", texts * 2)
    monkeypatch.setenv("COLUMNS", str(columns))
    shown = memfold("refine", notes, "--budget", "5 entries", "--no-guards", *rule).stdout
    table = shown.partition("\nnamespace")[0].splitlines()
    assert len(table) > 15
    assert max(map(cell_len, table)) <= columns
    assert max(map(cell_len, table)) > columns * 0.7


@pytest.mark.parametrize("words", [["--order", "cosine", "--ahead", "3"], ["--order", "window", "--window", "4"], ["--order", "safest"]])
def test_a_model_that_is_not_there_ends_the_run_with_exit_code_5(memfold, notes, read_lines, words):
    before = notes.read_bytes()
    model = ["--judge", "llm", "--model", "small", "--base-url", "http://127.0.0.1:9/v1"]
    report = read_lines(memfold("refine", notes, "--budget", "50%", *model, *words, "--apply", "--json", code=5).stdout)[-1]
    assert (report["stopped"], report["edits"], report["failures"], report["preserved"]) == ("unreachable", 0, 0, 0)
    assert "127.0.0.1:9" in report["why"]
    assert notes.read_bytes() == before


def test_replies_that_are_still_to_come_end_the_run_with_exit_code_4(memfold, notes, read_lines, tmp_path):
    model = ["--judge", "llm", "--model", f"batch:{tmp_path / 'exchange'}"]
    report = read_lines(memfold("refine", notes, "--budget", "50%", *model, "--json", code=4).stdout)[-1]
    written = (tmp_path / "exchange" / "requests.jsonl").read_text().splitlines()
    assert report["stopped"] == "waiting"
    assert report["waiting"] == len(written) > 1  # a round is as wide as is useful
