import os
from datetime import datetime
from pathlib import Path

import pytest
from evals.data import data_folder

from evals import locomo


def test_an_entry_a_turn_with_caption_and_date(data):
    (dialogue,) = locomo.load(data)
    assert [entry.id for entry in dialogue.entries] == ["D1:1", "D1:2", "D1:3", "D2:1", "D2:2"]
    assert dialogue.entries[1].text == "Nils: Look! [a blue kayak on a car]"
    assert dialogue.entries[0].text == "Olga: I painted the shed green on Monday."
    assert dialogue.entries[3].occurred_at == datetime(2024, 7, 17, 12, 40)
    assert {entry.kind for entry in dialogue.entries} == {"turn"}


def test_questions_have_clean_evidence_and_answers_that_are_text(data):
    (dialogue,) = locomo.load(data)
    assert [question.evidence for question in dialogue.questions] == [("D1:1",), ("D2:1", "D1:2"), ("D2:2",), ()]
    assert [question.answer for question in dialogue.questions] == ["the green shed", "420", "September", "Yes"]
    assert [question.category for question in dialogue.questions] == ["single-hop", "multi-hop", "temporal", "commonsense"]
    assert dialogue.gold == ("D1:1", "D1:2", "D2:1", "D2:2")


@pytest.mark.parametrize(
    ("written", "ids"),
    [
        (["D8:6; D9:17"], ["D8:6", "D9:17"]),
        (["(D1:2)", "D1:2"], ["D1:2"]),
        (["D:11:26", "D30:05"], ["D11:26", "D30:5"]),
        (["D", ""], []),
        (["D9:1 D4:4 D4:6"], ["D9:1", "D4:4", "D4:6"]),
    ],
)
def test_evidence_strings_are_cleaned(written, ids):
    assert locomo.evidence_ids(written) == ids


def test_missing_data_says_where_to_look(tmp_path, monkeypatch):
    with pytest.raises(SystemExit, match=r"README\.md"):
        locomo.load(tmp_path)
    monkeypatch.delenv("MEMFOLD_DATA", raising=False)
    with pytest.raises(SystemExit, match="MEMFOLD_DATA"):
        data_folder(None)
    monkeypatch.setenv("MEMFOLD_DATA", str(tmp_path))
    assert data_folder(None) == tmp_path


@pytest.mark.skipif(not (Path(os.environ.get("MEMFOLD_DATA", "-")) / locomo.FILE).is_file(), reason="needs MEMFOLD_DATA with locomo/")
def test_the_counts_of_the_real_file():
    dialogues = locomo.load(Path(os.environ["MEMFOLD_DATA"]))
    assert len(dialogues) == 10
    assert sum(len(dialogue.entries) for dialogue in dialogues) == 5882
    assert sum(len(dialogue.questions) for dialogue in dialogues) == 1540
    assert sum(not question.evidence for dialogue in dialogues for question in dialogue.questions) <= 10
