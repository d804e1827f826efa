import json
import os
from datetime import datetime
from pathlib import Path

import pytest

from evals import realmem

DATA = Path(os.environ.get("MEMFOLD_DATA", "-"))


def test_an_entry_a_memory_point_with_its_sessions_day(maud):
    store = realmem.persona(maud)
    assert [entry.id for entry in store.entries] == ["S1:1", "S1:2", "S2:1", "S2:2"]
    assert store.entries[1].text == store.entries[2].text == "[Beds] Beans go along the wall."
    assert store.entries[3].text == "task: set poles; days: 12 April, 13"  # it was written as an object
    assert store.entries[2].occurred_at == datetime(2025, 4, 10)
    assert store.gold == ("S1:1", "S1:2", "S2:1", "S2:2")


def test_gold_memories_stand_on_the_turn_after_a_query(maud):
    poles, when, rain = realmem.persona(maud).questions
    assert poles.text == "How many bean poles do I need?"
    assert poles.evidence == ("S1:2", "S1:1")
    assert poles.answer == "[Beds] Beans go along the wall.\n[Beds] The wall bed is 4 m long."
    assert (poles.category, when.category) == ("planning", "query")
    assert (rain.evidence, rain.answer) == ((), "")  # nobody answers it


def test_a_repeated_text_is_found_in_the_session_named_and_else_anywhere(maud):
    when = realmem.persona(maud).questions[1]
    assert when.evidence == ("S2:2", "S2:1", "S1:1")
    assert "three hens" in when.answer  # no memory point, but a word of the answer


def test_every_file_of_the_folder_is_a_store(tmp_path, maud):
    (tmp_path / "realmem").mkdir()
    for name in ("B", "A"):
        named = maud | {"_metadata": {"person_name": name}}
        (tmp_path / "realmem" / f"{name}_dialogues_256k.json").write_text(json.dumps(named), encoding="utf-8")
    assert [store.name for store in realmem.load(tmp_path)] == ["A", "B"]
    assert [store.name for store in realmem.load(tmp_path / "realmem" / "B_dialogues_256k.json")] == ["B"]


def test_a_missing_folder_says_where_to_look(tmp_path):
    with pytest.raises(SystemExit, match=r"realmem.*README\.md"):
        realmem.load(tmp_path)


@pytest.mark.skipif(not (DATA / "realmem").is_dir(), reason="needs MEMFOLD_DATA with realmem/")
def test_every_gold_memory_of_the_real_files_is_found():
    stores = realmem.load(DATA)
    questions = [question for store in stores for question in store.questions]
    assert (len(stores), sum(len(store.entries) for store in stores), len(questions)) == (5, 2475, 728)
    assert sum(len(question.evidence) for question in questions) == 1622
