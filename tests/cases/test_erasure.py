"""Case 11: after `forget`, a byte search over every file finds nothing; the rest survives; undo refuses."""

import gzip
import json
import zlib

import pytest

from memfold import Entry, Memory, RefineSettings
from memfold.errors import CannotUndo, UnknownEntry
from memfold.refine.judges.scripted import ScriptedJudge
from memfold.types import Decision, Link, Source

UNGUARDED = RefineSettings(guards=False)


def traces(folder, name="priya"):
    """Files in which the name can be read: as UTF-8, UTF-16, or inside compressed parts."""
    found = []
    for path in folder.rglob("*"):
        if not path.is_file():
            continue
        data = path.read_bytes()
        views = [data, data.replace(b"\x00", b"")]
        for start in (i for i in range(len(data) - 1) if data[i] == 0x78 and data[i + 1] in (0x01, 0x5E, 0x9C, 0xDA, 0xBB, 0xF9)):
            try:
                views.append(zlib.decompressobj().decompress(data[start:]))
            except zlib.error:
                continue
        if data[:2] == b"\x1f\x8b":
            views.append(gzip.decompress(data))
        if any(name.encode() in view.lower() for view in views):
            found.append(path.name)
    return found


def merging(pair):
    if {pair.a.id, pair.b.id} == {"p1", "t1"}:
        return Decision("merge", merged="Priya moved to Oslo in May. Tom keeps bees.", reason="Priya and Tom are neighbours")
    if {pair.a.id, pair.b.id} == {"p2", "p3"}:
        return Decision("delete", target="a", reason="Priya twice")
    return Decision("preserve", reason="about Priya")


@pytest.fixture
def memory(open_memory, now):
    memory = open_memory()
    memory.add(
        [
            Entry("p1", "Priya moved to Oslo in May.", created_at=now, links=(Link("t1"),), sources=(Source("turn-1", "I, PRIYA, moved"),)),
            Entry(
                "t1",
                "Tom keeps bees, and he has kept them in the same garden for as long as anybody can remember.",
                keywords=("Priya's neighbour", "bees"),
                metadata={"seen_by": "priya", "room": 4},
            ),
            Entry("p2", "Priya likes green tea."),
            Entry("p3", "Priya likes green tea a lot. She drinks it at five. Tom prefers coffee."),
            Entry("priya-4", "The spare key hangs behind the door."),
            Entry("o1", "Oslo is cold in March.", links=(Link("priya-4"), Link("p3"))),
        ]
    )
    memory.refine(budget="0", judge=ScriptedJudge(merging, costly=True), apply=True, settings=UNGUARDED)
    memory.refine(budget="0", judge=ScriptedJudge(merging, name="other", costly=True), settings=UNGUARDED)  # leaves remembered verdicts
    return memory


def test_nothing_is_left_and_the_rest_survives(memory, tmp_path):
    assert "agent.db" in traces(tmp_path) or "agent.db-wal" in traces(tmp_path)
    plan = memory.forget("Priya")
    assert not plan.applied
    assert "agent.db" in traces(tmp_path) or "agent.db-wal" in traces(tmp_path)
    erasure = memory.forget("Priya", apply=True)
    assert erasure.applied
    assert erasure.edits == 2
    assert [c.before.id for c in erasure.changes] == [c.before.id for c in plan.changes]
    texts = {entry.text for entry in memory.entries()}
    assert texts == {"Tom keeps bees.", "Tom prefers coffee.", "The spare key hangs behind the door.", "Oslo is cold in March."}
    assert traces(tmp_path) == []
    assert memory.opened.store.search("Priya", "default") == []
    assert [e.text for e, _ in memory.opened.store.search("bees", "default")] == ["Tom keeps bees."]
    ids = {entry.id for entry in memory.entries()}
    assert all(link.target in ids for entry in memory.entries() for link in entry.links)
    run = memory.runs()[0].id
    with pytest.raises(CannotUndo, match="erased|no edit in force|freed"):
        memory.undo(run)
    with pytest.raises(CannotUndo, match="erased|freed"):
        memory.undo(run, 1)
    assert traces(tmp_path) == []
    memory.refine(budget="0", apply=True)  # the store still works
    memory.close()
    assert traces(tmp_path) == []


def test_by_id(memory, tmp_path):
    memory.forget(id="p3", apply=True)
    with pytest.raises(UnknownEntry):
        memory.get("p3")
    assert traces(tmp_path, "drinks it at five") == []
    assert {"Oslo is cold in March."} <= {entry.text for entry in memory.entries()}
    with pytest.raises(UnknownEntry):
        memory.forget(id="p3")


def test_a_file_and_the_journal_beside_it(tmp_path):
    path = tmp_path / "graph.jsonl"
    graph = [
        {"type": "entity", "name": "Priya", "entityType": "person", "observations": ["likes green tea", "moved to Oslo"]},
        {"type": "entity", "name": "Tom", "entityType": "person", "observations": ["keeps bees", "keeps bees in Oslo", "knows Priya"]},
        {"type": "relation", "from": "Tom", "to": "Priya", "relationType": "neighbour of"},
        {"type": "relation", "from": "Tom", "to": "Oslo", "relationType": "lives in"},
    ]
    path.write_text("".join(json.dumps(part) + "\n" for part in graph))
    with Memory.open(f"mcp:{path}", embedder="hashing") as memory:
        memory.refine(budget="0", judge=ScriptedJudge(lambda p: Decision("delete", target="a")), apply=True, settings=UNGUARDED)
        memory.undo(memory.runs()[0].id)
        erasure = memory.forget("priya", apply=True)
        assert erasure.remaining == 0
    assert traces(tmp_path) == []
    left = [json.loads(line) for line in path.read_text().splitlines()]
    assert [part.get("name") for part in left if part["type"] == "entity"] == ["Tom"]
    assert left[0]["observations"] == ["keeps bees", "keeps bees in Oslo"]
    assert [part["to"] for part in left if part["type"] == "relation"] == ["Oslo"]


def test_forget_wants_exactly_one_thing(memory):
    for arguments in ({}, {"text": "x", "id": "p1"}, {"text": "  "}):
        with pytest.raises(Exception, match="either a text or an id"):
            memory.forget(**arguments)
