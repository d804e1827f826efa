"""Case 13: scripts without spaces are searched, guarded, measured and merged like others."""

import pytest

from memfold.refine.judges.scripted import ScriptedJudge
from memfold.store.size import entry_bytes
from memfold.types import Decision, Entry

CHINESE = ["我上个月搬到了巴黎。", "我上个月搬到了柏林。", "她每天早上喝绿茶。", "他的储物柜密码是4417。", "他的储物柜密码是4471。"]


def test_a_two_character_query_finds_its_entry(open_memory):
    memory = open_memory(texts=CHINESE)
    assert [entry.text for entry, _ in memory.opened.store.search("巴黎", "default")] == [CHINESE[0]]


@pytest.mark.parametrize("target", ["a", "b"])
def test_values_are_guarded(open_memory, target):
    memory = open_memory(texts=CHINESE)
    report = memory.refine(budget="0", judge=ScriptedJudge(lambda pair: Decision("delete", target=target)), apply=True)
    assert [entry.text for entry in memory.entries()] == CHINESE
    assert report.edits == 0


def test_a_merge_keeps_the_language(open_memory):
    memory = open_memory(texts=["小林住在东京，养了一只猫。", "小林住在东京，在图书馆工作。"])
    memory.refine(budget="40%", apply=True)
    text = "".join(entry.text for entry in memory.entries())
    for fact in ("东京", "猫", "图书馆"):
        assert fact in text
    assert not any("a" <= character.lower() <= "z" for character in text)


def test_bytes_are_bytes_not_characters():
    assert entry_bytes(Entry("1", "東京")) - entry_bytes(Entry("1", "")) == 6
