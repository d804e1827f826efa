"""Letta agent files."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from memfold.errors import BadEntry, NotAStore, StoreChanged
from memfold.hosts import LettaHost
from memfold.hosts.blocks import block_lines, split_mark
from memfold.types import Entry

VALUE = "# Ann\nLikes tea.\n\n## Work\n- Paints\n- Sings \U0001f3b5\n  * alto\nNotes:\n1. One\n\n## Empty\n\n## Work\n- Rests"


def agent(value: str = VALUE, **more) -> dict:
    return {
        "agents": [{"name": "n", "messages": [{"content": "Joe said caf\u00e9"}]}],
        "blocks": [{"label": "human", "value": value, **more}],
    }


def host(tmp_path, content: object, **style) -> LettaHost:
    path = tmp_path / "a.af"
    path.write_text(content if isinstance(content, str) else json.dumps(content, **style), newline="")
    return LettaHost(path)


def value_of(raw: bytes) -> str:
    data = json.loads(raw)
    while isinstance(data, str):
        data = json.loads(data)
    return data["blocks"][0]["value"]


def test_lines_are_entries_and_headings_are_not(tmp_path):
    entries = host(tmp_path, agent()).read().entries
    assert [entry.text for entry in entries] == ["Likes tea.", "Paints", "Sings \U0001f3b5", "alto", "One", "Rests"]
    assert {entry.home for entry in entries} == {"human"}
    assert entries[3].metadata == {"mark": "  * ", "section": "## Work"}
    assert entries[0].metadata == {"section": "# Ann"}
    assert entries[4].metadata == {"mark": "1. ", "section": "Notes:"}


@pytest.mark.parametrize(
    ("line", "mark", "text"),
    [
        ("plain", "", "plain"), ("  - a b ", "  - ", "a b"), ("* x", "* ", "x"), ("12) x", "12) ", "x"), ("> said", "> ", "said"),
        ("- [ ] do", "- [ ] ", "do"), ("**bold** x", "", "**bold** x"), ("-x", "", "-x"), ("2024. A year", "", "2024. A year"),
        ("# H", "", ""), ("Label:", "", ""), ("- **Label:**", "", ""), ("---", "", ""), ("|---|:-:|", "", ""), ("", "", ""), ("- ", "", ""),
    ],
)  # fmt: skip
def test_marks(line, mark, text):
    assert split_mark(line) == (mark, text)


def test_fences_and_tables_are_scaffold():
    lines = ["a", "~~~ py", "x = 1", "```", "~~~", "| n | m |", "| --- | --- |", "| 1 | 2 |", "b"]
    assert [line.text for line in block_lines(lines)] == ["a", "", "", "", "", "", "", "| 1 | 2 |", "b"]


@pytest.mark.parametrize("style", [{}, {"indent": 2}, {"ensure_ascii": False}, {"separators": (",", ":")}])
@pytest.mark.parametrize("nested", [0, 1, 2])
@pytest.mark.parametrize("outer", [True, False])
def test_the_rest_of_the_file_survives(tmp_path, style, nested, outer):
    content = json.dumps(agent(), **style)
    for _ in range(nested):
        content = json.dumps(content, ensure_ascii=outer)
    the = host(tmp_path, content)
    base = the.read()
    live = [entry for entry in base.entries if entry.text != "Paints"]
    live[1] = replace(live[1], text="Sings “alto” \\ \U0001f3b6")
    state = the.render(live, base)
    assert value_of(state.raw) == VALUE.replace("- Paints\n", "").replace("Sings \U0001f3b5", "Sings “alto” \\ \U0001f3b6")
    expected = json.dumps(agent(value_of(state.raw)), **style)
    for _ in range(nested):
        expected = json.dumps(expected, ensure_ascii=outer)
    assert state.raw.decode() == expected
    assert the.render(base.entries, base).raw.decode() == content


def test_a_lost_line_goes_to_its_section(tmp_path):
    the = host(tmp_path, agent())
    base = the.read()
    reduced = the.render([entry for entry in base.entries if entry.text not in ("Paints", "alto", "Rests")], base)
    assert value_of(the.render(base.entries, reduced).raw) == VALUE
    nothing = the.render((), base)
    assert value_of(nothing.raw) == "# Ann\n\n## Work\nNotes:\n\n## Empty\n\n## Work"
    assert [entry.text for entry in the.render(base.entries, nothing).entries] == [entry.text for entry in base.entries]


def test_a_merged_line(tmp_path):
    the = host(tmp_path, agent())
    base = the.read()
    a, b = base.entries[1:3]
    merged = the.combine(a, b, Entry("m", "Paints\nand sings:"))
    assert merged == Entry("m", "Paints and sings", home="human", metadata={"mark": "- ", "section": "## Work"})
    assert "## Work\n- Paints and sings\n  * alto" in value_of(the.render([base.entries[0], merged, *base.entries[3:]], base).raw)


@pytest.mark.parametrize("text", ["# not a heading", "- dash", "``` fence", "| a |"])
def test_a_text_that_looks_like_scaffold(tmp_path, text):
    the = host(tmp_path, agent("one\ntwo"))
    base = the.read()
    state = the.render([replace(base.entries[0], text=text), base.entries[1]], base)
    assert [entry.text for entry in host(tmp_path, state.raw.decode()).read().entries] == [text, "two"]


def test_a_text_that_cannot_be_a_line(tmp_path):
    the = host(tmp_path, agent())
    base = the.read()
    with pytest.raises(BadEntry, match="give it a text"):
        the.render([replace(base.entries[0], text="---")], base)


def test_read_only_blocks_are_pinned(tmp_path):
    assert all(entry.pinned for entry in host(tmp_path, agent(read_only=True)).read().entries)
    assert not any(entry.pinned for entry in host(tmp_path, agent()).read().entries)


@pytest.mark.parametrize(
    "content",
    [
        {"agent_type": "x", "core_memory": [{"label": "human", "value": "a"}], "messages": []},
        {"agents": [{"memory_blocks": [{"label": "human", "value": "a"}]}]},
        {"agent_type": "x", "memory": {"blocks": [{"label": "human", "value": "a"}]}},
    ],
)
def test_older_forms(tmp_path, content):
    the = host(tmp_path, content)
    base = the.read()
    assert [(entry.home, entry.text) for entry in base.entries] == [("human", "a")]
    assert json.dumps(content).replace('"a"', '"b"').encode() == the.render([replace(base.entries[0], text="b")], base).raw


def test_homes_are_labels_else_ids(tmp_path):
    blocks = [
        {"label": "x", "id": "block-0", "value": "a"},
        {"label": "x", "id": "block-1", "value": "a"},
        {"value": "a"},
        {"label": "y", "value": None},
    ]
    entries = host(tmp_path, {"agents": [], "blocks": blocks}).read().entries
    assert [entry.home for entry in entries] == ["block-0", "block-1", "block 3"]
    assert len({entry.id for entry in entries}) == 3


def test_a_block_that_is_gone(tmp_path):
    the = host(tmp_path, agent())
    old = the.read()
    newer = host(tmp_path, {"agents": [], "blocks": []}).read()
    with pytest.raises(StoreChanged, match="no block 'human'"):
        the.render(old.entries, newer)
    with pytest.raises(BadEntry, match="no block"):
        the.render([Entry("m", "x")], old)


def test_erase_takes_scaffold_and_counts_history(tmp_path):
    content = agent("# About Joe\n- Likes tea\n```\njoe()\n```", description="what JOE likes")
    content["agents"][0]["messages"].append({"args": '{"x": "J\\u006fe"}'})
    the = host(tmp_path, content)
    state, remaining = the.erase("joe", the.read())
    assert value_of(state.raw) == "- Likes tea\n```\n```"
    assert remaining == 3


@pytest.mark.parametrize(
    ("content", "says"),
    [
        ("", "not JSON"),
        ('{"agents": [', "not JSON.*cut off"),
        ('{"a": 1, "b": 2}', "no Letta agent file: it is a JSON document with 'a', 'b'"),
        ("[]", "no Letta agent file"),
        ('"plain words"', "not JSON"),
        (json.dumps(json.dumps(json.dumps(json.dumps({"agents": [], "blocks": []})))), "no Letta agent file"),
    ],
)
def test_other_files(tmp_path, content, says):
    with pytest.raises(NotAStore, match=says):
        host(tmp_path, content).read()
