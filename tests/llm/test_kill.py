"""Killed at any moment and begun again: what had arrived is not paid for twice."""

from __future__ import annotations

import json
import subprocess
import sys
import time

from memfold.store.replies import StoredReplies
from memfold.store.sqlite import SqliteStore

REQUESTS, AT_ONCE = 30, 4
PROGRAM = """
import sys
from typing import Literal
from pydantic import BaseModel
from memfold.config import ModelSettings
from memfold.llm import open_model
from memfold.protocols import ChatRequest, Message
from memfold.store.replies import StoredReplies
from memfold.store.sqlite import SqliteStore

class Verdict(BaseModel):
    action: Literal["delete", "merge", "preserve"]
    note: str = ""

path, url, count, at_once = sys.argv[1:]
store = SqliteStore(path)
model = open_model("m", ModelSettings(base_url=url, concurrency=int(at_once)), cache=StoredReplies(store.connection))
replies = model.complete_many([ChatRequest((Message("user", f"note {i}"),), Verdict, "judge") for i in range(int(count))])
assert [reply.value.note for reply in replies] == [f"note {i}" for i in range(int(count))]
print(model.usage.total.calls)
store.close()
"""


def test_nothing_is_paid_for_twice(endpoint, tmp_path):
    def act(request, nth):
        time.sleep(0.02)
        return endpoint.said(json.dumps({"action": "merge", "note": request["messages"][-1]["content"]}))

    endpoint.act = act
    path = tmp_path / "agent.db"
    command = [sys.executable, "-c", PROGRAM, str(path), endpoint.url, str(REQUESTS), str(AT_ONCE)]
    process = subprocess.Popen(command)
    while len(endpoint.requests) < 11 and process.poll() is None:
        time.sleep(0.005)
    process.kill()
    process.wait()
    time.sleep(0.1)
    before = len(endpoint.requests)
    store = SqliteStore(path)
    kept = len(StoredReplies(store.connection))
    store.close()
    assert 0 < before - AT_ONCE <= kept < REQUESTS  # all but what was in flight when it was killed
    calls = int(subprocess.run(command, check=True, capture_output=True, text=True, timeout=60).stdout)
    assert calls == REQUESTS - kept
    assert len(endpoint.requests) == before + calls <= REQUESTS + AT_ONCE
