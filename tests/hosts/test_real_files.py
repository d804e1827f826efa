"""Real stores, where their folder is named by MEMFOLD_DATA: byte for byte there and back."""

from __future__ import annotations

import os
import random
from pathlib import Path

import pytest

from memfold.hosts import open_host

DATA = Path(os.environ.get("MEMFOLD_DATA", "/nonexistent"))
FILES = ["mcp_memory/memory_graph.jsonl", *(f"letta/{name}.af" for name in ("co-3", "ezra", "memgpt_agent_with_convo", "void"))]

pytestmark = pytest.mark.skipif(not DATA.is_dir(), reason="MEMFOLD_DATA names no folder")


@pytest.mark.parametrize("name", FILES)
def test_half_goes_and_comes_back(name, tmp_path):
    original = (DATA / name).read_bytes()
    path = tmp_path / Path(name).name
    path.write_bytes(original)
    host = open_host(str(path))
    base = host.read()
    assert len(base.entries) > 10
    assert host.render(base.entries, base).raw == original
    live = random.Random(7).sample(base.entries, len(base.entries) // 2)
    state = host.render(live, base)
    assert len(state.raw) < len(original)
    host.replace(base, state)
    reduced = open_host(str(path)).read()
    assert [entry.text for entry in reduced.entries] == [entry.text for entry in state.entries]
    host.replace(reduced, host.render(base.entries, base))
    assert path.read_bytes() == original
    again = host.render(base.entries, reduced)
    assert sorted(entry.text for entry in again.entries) == sorted(entry.text for entry in base.entries)
    if host.name == "mcp":
        assert again.raw == original
