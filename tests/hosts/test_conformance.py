"""All four hosts through the one suite."""

from __future__ import annotations

import json

import pytest

from memfold.hosts import ExportHost, JsonlHost, LettaHost, McpHost
from memfold.testing.host import CHECKS, HostCase

LINES = b"""{"id": 1, "text": "The kettle needs descaling.", "user_id": "ann", "note": "told by Quill", "score": 1.50}
{"id": 2, "text": "The kettle is from 2019.", "user_id": "ann", "tags": ["kitchen", "Quill"], "score": 1.0}

{"id": 3, "text": "Caf\\u00e9 Nord closes at six.", "user_id": "ben", "when": "8 May, 2023", "score": 2e0}
{"id": 4, "text": "Path C:\\\\logs is full.", "user_id": "ann", "deep": {"who": "Quill", "n": 1}}
"""
ARRAY = b"""[
  {"memory": "Tea at four.", "created_at": 1700000000, "by": "Quill"},
  {"memory": "Coffee at nine.", "created_at": 1700000100},
  {"memory": "Coffee at nine.", "created_at": 1700000100},
  {"memory": "Lunch at noon.", "created_at": 1700000200}
]
"""
GRAPH = """Notes of the graph, in prose.
{"name":"Boiler","entityType":"Device","observations":["From 2021","Serviced",{"content":"12 kW","by":"Quill"}],"createdAt":1768392589}
{"type": "entity", "name": "Büro", "entityType": "Raum", "observations": ["Im 3. Stock", "Im 3. Stock"], "version": 7, "by": "Quill"}

{"name":"Quill","entityType":"Person","observations":[]}
{"name":"Cellar","observations":["Damp in winter"],"relations":[{"to":"Boiler","relationType":"holds"}]}
{"from":"Boiler","to":"B\\u00fcro","relationType":"heats"}
{"from":"Quill","to":"Boiler","relationType":"repairs"}"""
BLOCKS = {
    "agents": [{"name": "helper", "memory_blocks": [], "messages": [{"role": "user", "content": "hello \u00e4"}]}],
    "blocks": [
        {
            "label": "human",
            "read_only": False,
            "description": "who they are",
            "value": "# Person\n\nLikes long walks.\n## Work (ask Quill)\n- Paints fences\n- Sells \u201cpaint\u201d\n  - in tins\n\n"
            "```\nkeep = 1\n```\n| a | b |\n|---|---|\n| 1 | 2 |\n## End",
        },
        {"label": "rules", "read_only": True, "value": "1. Be kind.\n2. Be brief.\n"},
    ],
    "created_at": "2026-01-01",
}
EXPORT = """{"memfold": "export", "version": 1}
{"id": "a", "text": "Ann paints.", "keywords": ["paint", "Quill"], "created_at": "2026-01-02T00:00:00"}
{"id": "b",  "text": "Ann paints fences.", "links": ["a"], "metadata": {"from": "Quill", "n": 1}}
{"id": "a", "text": "Ben sails.", "namespace": "ben", "pinned": true}
{"id": "c", "text": "Cleo sings.", "kind": "event", "sources": [["t1", "Quill said"]]}
"""


def _letta(**style) -> bytes:
    return json.dumps(BLOCKS, **style).encode()


LETTA_KEPT = [b"keep = 1", b"## End", b"|---|---|", b'"role"', b"# Person", b"who they are"]
CASES = {
    "jsonl": HostCase(JsonlHost, "m.jsonl", LINES, b"\n", [b"\n"], "Quill"),
    "jsonl-crlf": HostCase(JsonlHost, "m.jsonl", b"\xef\xbb\xbf" + LINES.replace(b"\n", b"\r\n"), b"", [b"\xef\xbb\xbf"], "Quill"),
    "jsonl-cut": HostCase(JsonlHost, "m.jsonl", LINES.rstrip(), b"", [], "Quill"),
    "array": HostCase(JsonlHost, "m.json", ARRAY, b"[ ]\n", [b"]\n"], "Quill"),
    "mcp": HostCase(
        McpHost, "g.jsonl", GRAPH.encode(), b"", [b"prose", b'"heats"', b'"version": 7', b'"createdAt":1768392589', b'"Boiler"'], "Quill"
    ),
    "letta": HostCase(LettaHost, "a.af", _letta(indent=2), b'{"agents": [], "blocks": []}', LETTA_KEPT, "Quill"),
    "letta-raw": HostCase(LettaHost, "a.af", _letta(ensure_ascii=False), b'{"agents": [], "blocks": []}', LETTA_KEPT, "Quill"),
    "letta-nested": HostCase(
        LettaHost,
        "a.af",
        json.dumps(json.dumps(json.dumps(BLOCKS), ensure_ascii=False), ensure_ascii=False).encode(),
        b'"{\\"agents\\": [], \\"blocks\\": []}"',
        [b"keep = 1", b"## End"],
        "Quill",
    ),
    "export": HostCase(ExportHost, "e.jsonl", EXPORT.encode(), b'{"memfold": "export", "version": 1}\n', [b'"export"'], "Quill"),
}


SLOW = ["survives_a_kill"]


@pytest.fixture(params=CASES)
def case(request) -> HostCase:
    return CASES[request.param]


@pytest.mark.parametrize("check", [name for name in CHECKS if name not in SLOW])
def test_host(case, check, tmp_path):
    CHECKS[check](case, tmp_path)


@pytest.mark.parametrize("name", ["jsonl", "mcp", "letta", "export"])
@pytest.mark.parametrize("check", SLOW)
def test_host_slowly(name, check, tmp_path):
    CHECKS[check](CASES[name], tmp_path)
