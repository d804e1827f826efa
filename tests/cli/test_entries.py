"""`memfold pin`, `unpin`, `forget`."""

import json


def test_pinned_entries_stay_until_unpinned(memfold, make_notes, tmp_path, read_lines, rule):
    notes = make_notes(tmp_path / "n.jsonl", ["The lamp is green."] * 3)
    words = ["refine", notes, "--budget", "1 entries", "--no-guards", "--json", *rule]
    assert memfold("pin", notes, "n01", "n02").stdout == "pinned n01: The lamp is green.\npinned n02: The lamp is green.\n"
    assert read_lines(memfold(*words, code=3).stdout)[-1]["entries_after"] == 2
    assert read_lines(memfold("unpin", notes, "n01", "--json").stdout) == [
        {"type": "unpin", "id": "n01", "namespace": "default", "pinned": False}
    ]
    assert read_lines(memfold(*words).stdout)[-1]["entries_after"] == 1


def test_an_unknown_id_pins_nothing(memfold, notes, tmp_path):
    assert "there is no entry 'zz'" in memfold("pin", notes, "n00", "zz", code=1).stderr
    assert list(tmp_path.iterdir()) == [notes]


def test_forget_shows_first_and_then_erases(memfold, notes, read_lines):
    before = notes.read_bytes()
    shown = memfold("forget", notes, "LEMON tree").stdout
    assert "- Noor waters the lemon tree on Mondays and Thursdays.\n" in shown
    assert "would erase: 2 entries gone, 0 entries cut" in shown
    assert shown.splitlines()[-1].endswith(f"memfold forget {notes} 'LEMON tree' --apply")
    assert notes.read_bytes() == before
    (done,) = read_lines(memfold("forget", notes, "LEMON tree", "--apply", "--json").stdout)
    assert (done["removed"], done["applied"], done["remaining"]) == (["n03", "n04"], True, 0)
    assert "lemon" not in notes.read_text("utf-8")
    assert len(notes.read_text("utf-8").splitlines()) == 15


def test_forget_by_id_and_nothing_to_forget(memfold, notes):
    assert "1 entry gone" in memfold("forget", notes, "--id", "n07", "--apply").stdout
    assert "n07" not in [json.loads(line)["id"] for line in notes.read_text("utf-8").splitlines()]
    assert memfold("forget", notes, "unicorn").stdout == "nothing holds 'unicorn'\n"
    assert "give a TEXT to forget" in memfold("forget", notes, code=2).stderr
    assert "give a TEXT to forget" in memfold("forget", notes, "x", "--id", "n01", code=2).stderr
