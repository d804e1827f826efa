"""The MCP memory server's graph."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import UTC, datetime

import pytest

from memfold import Memory, RefineSettings
from memfold.errors import BadEntry, NotAStore
from memfold.hosts import McpHost
from memfold.refine.judges.scripted import ScriptedJudge
from memfold.types import Decision, Entry

GRAPH = """{"type":"entity","name":"Boiler","entityType":"Device","observations":["Old","Loud","Old"],"createdAt":1768392589,"v":2}
{"type":"entity","name":"Cellar","entityType":"Room","observations":["Damp"]}
{"type":"relation","from":"Cellar","to":"Boiler","relationType":"holds"}
"""


def host(tmp_path, content: str = GRAPH) -> McpHost:
    path = tmp_path / "memory.jsonl"
    path.write_text(content, newline="")
    return McpHost(path)


def test_an_entry_an_observation(tmp_path):
    a, b, c, d = host(tmp_path).read().entries
    assert [entry.text for entry in (a, b, c, d)] == ["Boiler: Old", "Boiler: Loud", "Boiler: Old", "Cellar: Damp"]
    assert (a.home, d.home) == ("Boiler", "Cellar")
    assert a.created_at == datetime(2026, 1, 14, 12, 9, 49, tzinfo=UTC)
    assert d.created_at is None
    assert a.metadata == {"entityType": "Device"}
    assert c.id == f"{a.id}-2"


def test_ids_do_not_depend_on_the_place(tmp_path):
    base = host(tmp_path).read()
    lines = GRAPH.splitlines(keepends=True)
    other = host(tmp_path, lines[2] + lines[1] + "\n" + lines[0]).read()
    assert {entry.id for entry in other.entries} == {entry.id for entry in base.entries}


def test_only_the_touched_line_changes(tmp_path):
    the = host(tmp_path)
    base = the.read()
    state = the.render([base.entries[0], *base.entries[3:]], base)
    assert state.raw.decode() == GRAPH.replace('["Old","Loud","Old"]', '["Old"]')
    assert the.render((), base).raw.decode() == GRAPH.replace('["Old","Loud","Old"]', "[]").replace('["Damp"]', "[]")


def test_separators_and_escapes_of_a_touched_line_stay(tmp_path):
    line = '{ "observations" : [ "caf\\u00e9" ,  "b\\/c" , "d" ] , "name" : "A" , "entityType" : "" }'
    the = host(tmp_path, line)
    base = the.read()
    changed = the.combine(base.entries[1], base.entries[2], replace(base.entries[1], text="A: ü/d"))
    state = the.render([base.entries[0], changed], base)
    assert state.raw.decode() == line.replace('"b\\/c" , "d"', '"\\u00fc\\/d"')


def test_combine_takes_the_name_off(tmp_path):
    the = host(tmp_path)
    base = the.read()
    a, b = base.entries[:2]
    for text in ("Boiler: Old and loud", "Old and loud"):
        merged = the.combine(a, b, Entry("m", text))
        assert merged == Entry("m", "Boiler: Old and loud", home="Boiler", metadata={"entityType": "Device"})
        state = the.render([merged, *base.entries[2:]], base)
        assert '["Old and loud","Old"]' in state.raw.decode()


def test_observations_that_are_objects(tmp_path):
    line = '{"name": "A", "observations": [{"content": "x", "at": 1}, {"k": 2}, 3, "y"]}\n'
    the = host(tmp_path, line)
    base = the.read()
    assert [entry.text for entry in base.entries] == ["A: x", 'A: {"k": 2}', "A: 3", "A: y"]
    changed = replace(base.entries[0], text="A: z")
    assert the.render([changed, *base.entries[1:]], base).raw.decode() == line.replace('"x"', '"z"')
    reduced = the.render(base.entries[3:], base)
    assert the.render(base.entries, reduced).raw.decode() == line


def test_what_is_not_understood_survives(tmp_path):
    lines = [
        "\ufeffWritten by hand, do not sort.",
        '{"name":"A","observations":["x","y"],"relations":[{"to":"B","relationType":"r"}],"z":1.50}',
        "",
        '{"misc": true}',
        '{"from":"A","to":"B","relationType":"r"}',
    ]
    content = "\r\n".join(lines)
    the = host(tmp_path, content)
    base = the.read()
    assert the.render(base.entries[1:], base).raw.decode() == content.replace('"x",', "")


def test_an_entity_that_somebody_removed_comes_back(tmp_path):
    the = host(tmp_path)
    old = the.read()
    newer = host(tmp_path, "".join(GRAPH.splitlines(keepends=True)[1:])).read()
    state = the.render(old.entries, newer)
    assert json.loads(state.raw.decode().splitlines()[-1]) == {
        "type": "entity", "name": "Boiler", "entityType": "Device", "observations": ["Old", "Loud", "Old"],
    }  # fmt: skip
    assert sorted(entry.text for entry in host(tmp_path, state.raw.decode()).read().entries) == sorted(entry.text for entry in old.entries)


def test_a_new_entry_stands_where_its_neighbour_is(tmp_path):
    the = host(tmp_path)
    base = the.read()
    new = Entry("n", "Boiler: Blue", home="Boiler")
    assert '["Old","Blue","Loud","Old"]' in the.render([base.entries[0], new, *base.entries[1:]], base).raw.decode()
    assert '["Blue","Old","Loud","Old"]' in the.render([new, *base.entries], base).raw.decode()
    assert '["Old","Loud","Old","Blue"]' in the.render([*base.entries, new], base).raw.decode()
    unordered = [base.entries[2], new, *base.entries[:2], base.entries[3]]
    assert '["Old","Loud","Old","Blue"]' in the.render(unordered, base).raw.decode()


def test_an_entity_twice_in_a_file(tmp_path):
    content = '{"name":"A","observations":["x"]}\n{"name":"A","observations":["x","y"]}\n'
    the = host(tmp_path, content)
    base = the.read()
    assert len({entry.id for entry in base.entries}) == 3
    assert the.render([base.entries[0], base.entries[2]], base).raw.decode() == content.replace('"x","y"', '"y"')


def test_an_entity_without_observations_gets_them(tmp_path):
    the = host(tmp_path, '{"name":"A","entityType":"t"}\n')
    state = the.render([Entry("n", "A: x", home="A")], the.read())
    assert state.raw == b'{"name":"A","entityType":"t","observations":["x"]}\n'


def test_no_home(tmp_path):
    the = host(tmp_path)
    base = the.read()
    with pytest.raises(BadEntry, match="no entity"):
        the.render([*base.entries, Entry("n", "adrift")], base)
    assert b'"adrift"' in the.render([*base.entries, Entry("n", "Cellar: adrift")], base).raw


def test_erase(tmp_path):
    content = """Joe keeps this file.
{"name":"Joe","entityType":"Person","observations":[]}
{"name":"Van","entityType":"joe's van","observations":["Blue",{"content":"Fast","by":"Joe"}],"owner":"JOE","n":1}
{"name":"Shed","entityType":"Joes","observations":[],"relations":[{"to":"Joe","relationType":"of"},{"to":"Van","relationType":"has"}]}
{"from":"Joe","to":"Van","relationType":"drives"}
{"from":"Shed","to":"Van","relationType":"holds","by":"Joe"}
"""
    the = host(tmp_path, content)
    state, remaining = the.erase("joe", the.read())
    assert remaining == 0
    assert state.raw.decode() == (
        '{"name":"Van","entityType":"","observations":["Blue",{"content":"Fast"}],"n":1}\n{"from":"Shed","to":"Van","relationType":"holds"}\n'
    )
    assert [entry.text for entry in state.entries] == ["Van: Blue", "Van: Fast"]
    assert state.entries[1].metadata == {"entityType": "", "observation": {"content": "Fast"}}


@pytest.mark.parametrize(
    ("content", "error", "says"),
    [
        ('{"role": "user", "text": "x"}\n', NotAStore, "fields 'role', 'text': another schema; .*jsonl:"),
        ('{"entities": [{"name": "A"}], "relations": []}', NotAStore, "jq -c"),
        ('{\n "entities": [\n  {"name": "A"}\n ]\n}', NotAStore, "jq -c"),
        ("just prose\n", NotAStore, "no MCP memory graph.*'just prose"),
        (GRAPH + '{"name":"Half","obs', BadEntry, "ends in the middle of line 4.*head -n 3"),
        (GRAPH + '{"name" "B"}\n', BadEntry, "line 4 is not JSON"),
    ],
)
def test_other_files_are_named(tmp_path, content, error, says):
    with pytest.raises(error, match=f"(?s){says}"):
        host(tmp_path, content).read()


def test_an_empty_graph(tmp_path):
    the = host(tmp_path, "")
    base = the.read()
    state = the.render([Entry("n", "A: x", home="A", metadata={"entityType": "t"})], base)
    assert json.loads(state.raw) == {"type": "entity", "name": "A", "entityType": "t", "observations": ["x"]}


def test_a_merged_observation_stands_where_its_first_side_stood(tmp_path):
    """The order of observations tells what came first: an early state may not become the last one by being merged."""
    told = ["Reported by Ana", "Status: open since Monday", "Assigned to Bo", "Resolved on Friday"]
    path = tmp_path / "graph.jsonl"
    before = json.dumps({"type": "entity", "name": "Pump", "entityType": "Issue", "observations": told})
    path.write_text(f"{before}\n", "utf-8")

    def rule(pair):
        both = sorted([pair.a.text, pair.b.text])
        if both != ["Pump: Assigned to Bo", "Pump: Reported by Ana"]:
            return Decision("preserve")
        return Decision("merge", merged="Pump: Reported by Ana, assigned to Bo")

    memory = Memory.open(path)
    settings = RefineSettings(guards=False, min_saving=0)
    report = memory.refine(budget="3 entries", judge=ScriptedJudge(rule), settings=settings, apply=True)
    observations = json.loads(path.read_text("utf-8"))["observations"]
    assert observations == ["Reported by Ana, assigned to Bo", "Status: open since Monday", "Resolved on Friday"]
    memory.undo(report.run)
    assert path.read_text("utf-8") == f"{before}\n"
