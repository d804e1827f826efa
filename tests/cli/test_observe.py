"""`memfold observe`: what it prints, what it stores, and how it ends."""

from __future__ import annotations

import json
import os
import signal
import time
from pathlib import Path

import pytest
from click.testing import CliRunner

from memfold.cli import main
from memfold.memory import Memory

CHAT = "Ada: I keep 12 bees on the hill.\nBen: Thanks!\n---\nAda: The hill is called Rook Hill.\nBen: It lies 3 km from the town.\n"
BASE = ("--embedder", "hashing")


@pytest.fixture
def chat(tmp_path):
    path = tmp_path / "chat.txt"
    path.write_text(CHAT)
    return path


def answer(folder: Path, reply_to) -> int:
    """Write responses.jsonl for every request of a batch folder: `reply_to(system, user)` gives the JSON of each."""
    lines = [json.loads(line) for line in (folder / "requests.jsonl").read_text().splitlines()]
    with (folder / "responses.jsonl").open("a") as out:
        for line in lines:
            system, user = (message["content"] for message in line["body"]["messages"][:2])
            message = {"role": "assistant", "content": json.dumps(reply_to(system, user))}
            body = {"choices": [{"message": message, "finish_reason": "stop"}], "usage": {"prompt_tokens": 9, "completion_tokens": 5}}
            out.write(json.dumps({"custom_id": line["custom_id"], "response": {"status_code": 200, "body": body}, "error": None}) + "\n")
    return len(lines)


def bees(system: str, user: str) -> dict:
    if '"text": "I keep 12 bees' in user and "entries:" in system:
        return {
            "entries": [{"number": 1, "text": "Ada keeps 12 bees on the hill.", "turns": [1], "when": ""}],
            "details": [],
            "relations": [],
        }
    if "Rook Hill" in user and "entries:" in system:
        entries = [
            {"number": 1, "text": "The hill is called Rook Hill.", "turns": [1], "when": ""},
            {"number": 2, "text": "N/A", "turns": [], "when": ""},
        ]
        return {"entries": entries, "details": [], "relations": []}
    if '"claim"' in user:
        rows = [json.loads(line) for line in user.splitlines() if line.startswith('{"claim"')]
        return {"claims": [{"claim": row["claim"], "facts": [{"fact": "it", "label": "supported"}], "text": row["text"]} for row in rows]}
    return {"entries": [], "details": [], "relations": []} if "entries:" in system else {"events": []}


def test_without_a_model_the_turns_are_stored_and_told(memfold, chat, tmp_path):
    result = memfold("observe", "a.db", chat, "--namespace", "ada", "--all", *BASE)
    assert "chat-1: stored, 1 entry, 0 links" in result.stdout
    assert "  + Ada: I keep 12 bees on the hill." in result.stdout
    assert "sessions: 2 stored" in result.stdout
    assert "namespace ada has 3 entries" in result.stdout
    again = memfold("observe", "a.db", chat, "--namespace", "ada", *BASE)
    assert "sessions: 2 known" in again.stdout


def test_json_has_a_line_a_session_and_the_report_last(memfold, chat, read_lines):
    rows = read_lines(memfold("observe", "a.db", chat, "--json", *BASE).stdout)
    assert [row["type"] for row in rows] == ["session", "session", "report"]
    assert rows[0]["state"] == "stored"
    assert rows[0]["entries"][0]["sources"] == ["chat-1:1"]
    assert (rows[-1]["sessions"], rows[-1]["entries"], rows[-1]["store_entries"]) == ({"stored": 2}, 3, 3)


def test_only_some_sessions(memfold, chat, read_lines):
    rows = read_lines(memfold("observe", "a.db", chat, "--only-session", "chat-2", "--json", *BASE).stdout)
    assert [row["session"] for row in rows[:-1]] == ["chat-2"]
    rows = read_lines(memfold("observe", "b.db", chat, "--max-sessions", "1", "--json", *BASE).stdout)
    assert [row["session"] for row in rows[:-1]] == ["chat-1"]
    assert "it has chat-1, chat-2" in memfold("observe", "b.db", chat, "--only-session", "chat-9", *BASE, code=2).output


def test_batch_files_carry_it_from_round_to_round(chat, tmp_path, read_lines, monkeypatch):
    monkeypatch.chdir(tmp_path)
    asked: list[int] = []
    while len(asked) < 6:
        result = CliRunner().invoke(main, ["observe", "a.db", "chat.txt", "--model", "batch:asked", "--json", *BASE])
        rows = read_lines(result.stdout)
        if result.exit_code == 0:
            break
        assert (result.exit_code, rows[-1]["stopped"]) == (4, "waiting")
        asked.append(answer(tmp_path / "asked", bees))
    assert asked[0] == 4  # a draft and the events of either session
    assert len(asked) <= 2
    assert [row["state"] for row in rows[:-1]] == ["stored", "stored"]
    assert [claim["reason"] for claim in rows[1]["rejected"]] == ["it stands in for nothing"]
    with Memory.open(tmp_path / "a.db", embedder="hashing") as memory:
        assert sorted(entry.text for entry in memory.entries()) == ["Ada keeps 12 bees on the hill.", "The hill is called Rook Hill."]


def test_an_endpoint_that_is_not_there_is_exit_5_and_nothing_is_lost(memfold, chat, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    result = memfold("observe", "a.db", chat, "--model", "m", "--base-url", "http://127.0.0.1:9/v1", "--timeout", "5", *BASE, code=5)
    assert "stopped: unreachable" in result.stdout
    assert "sessions: 2 stored" in memfold("observe", "a.db", chat, *BASE).stdout


def test_a_failed_session_is_exit_1_and_its_claims_are_shown(memfold, chat, tmp_path):
    def nonsense(system, user):
        item = {"number": 1, "text": "", "turns": [], "when": ""}
        return {"entries": [item], "details": [], "relations": []} if "entries:" in system else {"events": []}

    command = ("observe", "a.db", chat, "--model", "batch:asked", *BASE)
    memfold(*command, code=4)
    assert answer(tmp_path / "asked", nonsense) == 4
    result = memfold(*command, code=1)
    assert "chat-1: failed, none of the 1 items of the reply can be used" in result.stdout
    assert "  - (nothing) [draft: it has no text]" in result.stdout


def test_words_that_belong_to_a_model_need_one(memfold, chat):
    assert "--model" in memfold("observe", "a.db", chat, "--without", "relations", code=2).output


@pytest.mark.parametrize(("text", "told"), [("no names here", "line 1"), ("", "is empty"), ('{"messages": [1]}', "message 1")])
def test_a_file_that_cannot_be_read_is_exit_1_with_its_line(memfold, tmp_path, text, told):
    (tmp_path / "bad.txt").write_text(text)
    assert told in memfold("observe", "a.db", "bad.txt", *BASE, code=1).output


def test_a_store_of_somebody_else_is_refused(memfold, chat, notes):
    assert "Memfold database" in memfold("observe", notes, chat, *BASE, code=1).output


def test_texts_cannot_play_with_the_terminal(memfold, tmp_path):
    (tmp_path / "c.txt").write_text("Ada: \x1b[31mI keep 12 bees on the hill.\n")
    assert "\x1b" not in memfold("observe", "a.db", "c.txt", "--all", *BASE).stdout


SLOW = """
import time
import memfold.llm
class Slow:
    name = "slow"
    def complete_many(self, requests):
        open("asking", "w").close()
        time.sleep(60)
memfold.llm.open_model = lambda *a, **k: Slow()
"""


def test_ctrl_c_while_a_model_thinks_ends_at_once_and_keeps_the_store(program, chat, tmp_path):
    process = program("observe", "a.db", chat, "--model", "slow", *BASE, before=SLOW)
    end = time.monotonic() + 30
    while not (tmp_path / "asking").exists() and time.monotonic() < end:
        time.sleep(0.05)
    os.kill(process.pid, signal.SIGINT)
    out, err = process.communicate(timeout=20)
    assert process.returncode == 130, err
    assert b"interrupted" in out
    assert program("observe", "a.db", chat, *BASE).wait(60) == 0
