import json
import os
from datetime import datetime
from pathlib import Path

import pytest

from evals import halumem

DATA = Path(os.environ.get("MEMFOLD_DATA", "-"))


def test_an_entry_a_memory_point_with_updates_and_distractors(tove):
    store = halumem.user(tove)
    assert [(entry.id, entry.text) for entry in store.entries] == [
        ("S1:1", "Tove rows on Tuesdays."),
        ("S1:2", "Tove rows on Fridays."),
        ("S2:1", "Tove's rowing day changed from Tuesday to Sunday."),
        ("S2:2", "Tove's boat is called Heron."),
    ]
    assert store.entries[2].occurred_at == datetime(2026, 3, 15, 9, 0, 5)
    assert store.gold == ("S1:1", "S2:1", "S2:2")  # the distractor is none


def test_questions_that_a_memory_answers(tove):
    day, boat = halumem.user(tove).questions
    assert (day.answer, day.evidence, day.category) == ("Sunday", ("S2:1", "S1:1"), "Dynamic Update")
    assert boat.evidence == ("S2:2",)  # what is no memory point is left out


def test_a_distractor_is_no_evidence(tove):
    session = tove["sessions"][0]
    question = {"question": "When does Tove row?", "answer": "Fridays", "question_type": "Basic Fact Recall"}
    wrong = question | {"evidence": [{"memory_content": "Tove rows on Fridays."}]}
    (asked,) = halumem.user({"uuid": "t", "sessions": [session | {"questions": [wrong]}]}).questions
    assert asked.evidence == ()


def test_a_user_a_line_of_every_file(tmp_path, tove):
    (tmp_path / "halumem").mkdir()
    for number in (1, 2):
        lines = [json.dumps(tove | {"uuid": f"{number}.{line}"}) for line in (1, 2)]
        (tmp_path / "halumem" / f"part{number}.jsonl").write_text("\n".join([*lines, ""]), encoding="utf-8")
    assert [store.name for store in halumem.load(tmp_path)] == ["1.1", "1.2", "2.1", "2.2"]
    with pytest.raises(SystemExit, match=r"README\.md"):
        halumem.load(tmp_path / "halumem")


@pytest.mark.skipif(not (DATA / "halumem").is_dir(), reason="needs MEMFOLD_DATA with halumem/")
def test_all_evidence_of_the_real_files_is_found():
    stores = halumem.load(DATA)
    assert (len(stores), sum(len(store.entries) for store in stores), sum(len(store.gold) for store in stores)) == (2, 611, 510)
    assert sum(len(store.questions) for store in stores) == 96
    assert sum(len(question.evidence) for store in stores for question in store.questions) == 177
