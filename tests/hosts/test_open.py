"""Which host a STORE is."""

from __future__ import annotations

import json

import pytest

from memfold.errors import NotAStore, UnknownName
from memfold.hosts import JsonlFields, open_host

AGENT = {"agents": [], "blocks": [{"label": "a", "value": "x"}]}
ENTITY = '{"name": "A", "entityType": "t", "observations": ["x"]}\n'


@pytest.mark.parametrize(
    ("name", "content", "kind"),
    [
        ("a.af", json.dumps(AGENT), "letta"),
        ("a.json", json.dumps(AGENT, indent=1), "letta"),
        ("a.json", json.dumps(json.dumps(AGENT)), "letta"),
        ("a.jsonl", ENTITY, "mcp"),
        ("a.json", "some prose\n" + ENTITY, "mcp"),
        ("a.jsonl", '\ufeff{"from": "A", "to": "B", "relationType": "r"}\n' + ENTITY, "mcp"),
        ("a.jsonl", '{"text": "a", "name": "A"}\n', "jsonl"),
        ("a.txt", '\n{"text": "a"}\n', "jsonl"),
        ("a.json", '[\n {"text": "a"}\n]', "jsonl"),
        ("a.jsonl", "", "jsonl"),
        ("a.jsonl", '{"memfold": "export", "version": 1}\n', "export"),
        ("a.jsonl", '{"text": "a"}\n{"text"', "jsonl"),
        ("a.jsonl", '{"text": "' + "long " * 100_000 + '"}\n{"text": "b"}\n', "jsonl"),
    ],
)
def test_sniffed(tmp_path, name, content, kind):
    path = tmp_path / name
    path.write_text(content)
    assert open_host(str(path)).name == kind


@pytest.mark.parametrize(
    ("name", "content", "says"),
    [
        ("a.md", "# Notes\n", "Markdown.*# Notes"),
        ("a.csv", "id,text\n", "CSV"),
        ("a.txt", "Dear diary", "plain text"),
        ("a.json", '{"memories": [{"text": "a"}]}', "no field|jq"),
        ("a.json", '{\n"memories": [{"text": "a"}], "n": 1}', r"'memories', 'n'; .*jq -c '.\[\"memories\"\]\[\]'"),
        ("a.json", '{\n"entities": [{"name": "a"}]}', "jq -c '.entities"),
        ("a.json", '"words"', "no memories"),
    ],
)
def test_none_of_them(tmp_path, name, content, says):
    path = tmp_path / name
    path.write_text(content)
    with pytest.raises(NotAStore, match=says):
        open_host(str(path)).read()


def test_schemes(tmp_path):
    path = tmp_path / "a.jsonl"
    path.write_text(ENTITY)
    for kind in ("jsonl", "mcp", "letta", "export"):
        assert open_host(f"{kind}:{path}").name == kind
        assert open_host(f"{kind}:{path}").location == str(path)
    with pytest.raises(UnknownName, match="'mem0'; known: jsonl, mcp, letta, export"):
        open_host("mem0:config.yaml")
    with pytest.raises(NotAStore, match="no such file"):
        open_host(str(tmp_path / "none.jsonl"))
    with pytest.raises(NotAStore, match="folder"):
        open_host(str(tmp_path))
    odd = tmp_path / "notes:2024"
    odd.write_text('{"text": "a"}')
    assert open_host(str(odd)).name == "jsonl"
    assert open_host(odd).name == "jsonl"


def test_fields_make_it_jsonl(tmp_path):
    path = tmp_path / "a.jsonl"
    path.write_text(ENTITY)
    host = open_host(str(path), fields=JsonlFields(text="name"))
    assert [entry.text for entry in host.read().entries] == ["A"]
    with pytest.raises(NotAStore, match="only be given for JSONL"):
        open_host(f"mcp:{path}", fields=JsonlFields())
