"""Recall and context through `Memory`: always of the store's state, within the budget, and never what has expired or gone."""

import asyncio
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memfold import AsyncMemory, Entry, Filter, Link, Memory, PackSettings, RecallSettings
from memfold.embed import open_counter
from memfold.errors import UnknownEntry, UnknownName
from memfold.refine.judges.scripted import ScriptedJudge
from memfold.retrieve import SCORERS
from memfold.types import Decision

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)
TEXTS = [
    "Ada works at Globex since January.",
    "Ada's dog Rex sleeps all day.",
    "The ferry to the island leaves at 7:40.",
    "Rosa keeps 12 hens in the yard.",
    "小林住在东京,养了一只猫。",
    "The boiler was serviced in May by Karl.",
]


@pytest.fixture
def memory():
    with Memory.open(":memory:", embedder="hashing", clock=lambda: NOW) as opened:
        opened.add([Entry(f"e{n}", text, created_at=NOW - timedelta(days=n)) for n, text in enumerate(TEXTS)])
        yield opened


def ids(hits):
    return [hit.entry.id for hit in hits]


@pytest.mark.parametrize("scorer", SCORERS)
def test_every_scorer_finds_it_and_says_why(memory, scorer):
    hits = memory.recall("When does the ferry leave for the island?", scorer=scorer, limit=3)
    assert hits[0].entry.id == "e2"
    assert all(hit.why for hit in hits)
    assert len(hits) <= 3


def test_two_chinese_characters_find_their_entry(memory):
    assert ids(memory.recall("东京"))[0] == "e4"


def test_what_has_expired_is_not_recalled(memory):
    memory.update("e2", expires_at=NOW)
    assert "e2" not in ids(memory.recall("ferry to the island"))
    assert "ferry" not in memory.context("ferry to the island", max_tokens=500).text
    memory.update("e2", expires_at=NOW + timedelta(seconds=1))
    assert "e2" in ids(memory.recall("ferry to the island"))


def test_filters_hold_beside_expiry(memory):
    wanted = Filter(since=NOW - timedelta(days=1), accept=lambda entry: "dog" not in entry.text)
    assert set(ids(memory.recall("Ada", filter=wanted))) == {"e0"}


def test_linked_entries_come_along(memory):
    memory.update("e2", links=(Link("e3", "causes"),))
    hits = memory.recall("ferry island", limit=1, linked=2)
    assert ids(hits) == ["e2", "e3"]
    assert "linked from e2: causes" in hits[1].why


@pytest.mark.parametrize("clusterer", ["rsm", "cent-merge", "algorithm-e", "online-k-means", "dp-means", "streaming-proto", "oja"])
@pytest.mark.parametrize("packer", ["arranged", "grouped", "flat"])
def test_clusterer_and_packer_can_be_crossed(clusterer, packer):
    recalling = RecallSettings(clusterer, pack=PackSettings(packer))
    if clusterer == "streaming-proto":
        recalling = RecallSettings(clusterer, atoms=type(recalling.atoms)(max_bytes=64_000), pack=PackSettings(packer))
    with Memory.open(":memory:", embedder="hashing", recalling=recalling) as memory:
        memory.add([Entry(f"e{n}", text) for n, text in enumerate(TEXTS)])
        for scorer in ("v1", "hybrid") if clusterer != "oja" else ("hybrid",):
            assert "ferry" in memory.context("ferry to the island", max_tokens=200, scorer=scorer).text


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 300), st.text(max_size=40), st.sampled_from(["markdown", "plain", "json", "xml", "chat"]))
def test_a_context_never_exceeds_its_budget(most, query, template):
    counter = open_counter("wordpiece")
    with Memory.open(":memory:", embedder="hashing") as memory:
        memory.add([Entry(f"e{n}", text) for n, text in enumerate(TEXTS)])
        context = memory.context(query, max_tokens=most, packing=PackSettings(template=template))
    assert context.tokens <= most
    assert counter.count(context.text) == context.tokens


# In step with every change


def test_what_is_updated_deleted_merged_or_forgotten_is_recalled_as_it_is(memory):
    memory.recall("hens")
    memory.update("e3", text="Rosa keeps 12 ducks in the yard.")
    assert "ducks" in memory.recall("Rosa's ducks")[0].entry.text
    memory.add([Entry("copy", TEXTS[2]), Entry("dog", "Ada's dog Rex likes the beach.")])
    judge = ScriptedJudge(
        lambda pair: Decision("delete", "a") if pair.a.text == pair.b.text else Decision("preserve"), name="copies"
    )
    report = memory.refine(budget="1 entries", judge=judge, apply=True)
    assert report.deletes == 1
    found = ids(memory.recall("ferry to the island", limit=20))
    assert len({"copy", "e2"} & set(found)) == 1
    assert set(found) <= {entry.id for entry in memory.entries()}
    memory.undo(report.run)
    assert {"copy", "e2"} <= set(ids(memory.recall("ferry to the island", limit=20)))
    memory.forget("Rex", apply=True)
    assert all("Rex" not in hit.entry.text for hit in memory.recall("dog Rex", limit=20))
    for hit in memory.recall("anything", limit=20, scorer="v1"):
        assert memory.get(hit.entry.id) == hit.entry


def test_another_process_writes_and_the_next_question_knows(tmp_path):
    path = tmp_path / "agent.db"
    with Memory.open(path, embedder="hashing") as one, Memory.open(path, embedder="hashing") as other:
        one.add([Entry("a", TEXTS[0])])
        assert ids(other.recall("Ada", scorer="v1")) == ["a"]
        other.add([Entry("b", TEXTS[1])])
        assert set(ids(one.recall("Ada's dog", scorer="v1"))) == {"a", "b"}
        one.forget(id="a", apply=True)
        assert ids(other.recall("Ada's dog")) == ["b"]


def test_a_batch_that_fails_leaves_no_atom_behind(memory):
    with pytest.raises(ValueError, match="e0"):
        memory.add([Entry("new", "Something else."), Entry("e0", "again")])
    with pytest.raises(UnknownEntry):
        memory.get("new")
    assert "new" not in ids(memory.recall("Something else", limit=20, scorer="v1"))


def test_a_file_of_another_program_can_be_asked_too(tmp_path):
    (tmp_path / "notes.jsonl").write_text("".join(f'{{"id": "n{n}", "text": "{text}"}}\n' for n, text in enumerate(TEXTS)))
    with Memory.open(tmp_path / "notes.jsonl", embedder="hashing") as memory:
        assert memory.recall("ferry to the island")[0].entry.id == "n2"
        assert "ferry" in memory.context("ferry to the island", max_tokens=100).text
    assert sorted(path.name for path in tmp_path.iterdir()) == ["notes.jsonl"]


def test_a_file_is_asked_refined_and_asked_again(tmp_path):
    texts = [*TEXTS, TEXTS[2]]
    (tmp_path / "notes.jsonl").write_text("".join(f'{{"id": "n{n}", "text": "{text}"}}\n' for n, text in enumerate(texts)))
    with Memory.open(tmp_path / "notes.jsonl", embedder="hashing") as memory:
        assert {"n2", "n6"} <= set(ids(memory.recall("ferry to the island", scorer="v1")))
        assert memory.refine(budget="90%", apply=True).deletes == 1
        assert len({"n2", "n6"} & set(ids(memory.recall("ferry to the island", scorer="v1")))) == 1


def test_names_that_are_not_there_are_told(memory):
    with pytest.raises(UnknownName, match="hybrid"):
        memory.recall("x", scorer="best")
    with pytest.raises(UnknownName, match="arranged"):
        memory.context("x", max_tokens=10, packing=PackSettings("best"))


def test_stats(memory):
    stats = memory.stats()
    assert (stats.entries, stats.namespaces, stats.runs, stats.max_bytes) == (len(TEXTS), 1, 0, None)


# asyncio


def test_the_same_in_asyncio(tmp_path):
    async def program():
        async with await AsyncMemory.open(tmp_path / "agent.db", embedder="hashing") as memory:
            await memory.add([Entry(f"e{n}", text) for n, text in enumerate(TEXTS)])
            hits, context, entries = await asyncio.gather(
                memory.recall("ferry"), memory.context("ferry", max_tokens=100), memory.entries()
            )
            with pytest.raises(AttributeError, match=".memory"):
                _ = memory.journal
            return ids(hits)[0], "ferry" in context.text, len(entries)

    assert asyncio.run(program()) == ("e2", True, len(TEXTS))
