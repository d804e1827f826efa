"""Small stores of our own, and two ways to run the command line: in this process, and as a program."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from memfold.cli import main

TEXTS = [
    "The spare key hangs behind the blue door.",
    "The spare key hangs behind the blue door.",
    "The spare key hangs behind the blue door of the shed.",
    "Noor waters the lemon tree on Mondays and Thursdays.",
    "Noor waters the lemon tree on Mondays and Thursdays, early.",
    "The bakery on Mill Street closes at six in the evening.",
    "The bakery on Mill Street closes at six in the evening!",
    "Iven plays the cello in the town orchestra.",
    "Iven plays the cello in the town orchestra, since spring.",
    "The ferry to the island leaves from pier nine.",
    "The ferry to the island leaves from pier nine, every hour.",
    "奶奶喜欢在下雨天喝热的绿茶。",
    "奶奶喜欢在下雨天喝热的绿茶和吃饼干。",
    "Bà ngoại trồng rau muống sau nhà.",
    "Bà ngoại trồng rau muống ở sau nhà.",
    "Thank you!",
    "Thank you",
]
MAIN = "from memfold.cli import main; main()"
RULE = ("--judge", "similarity:0.5", "--embedder", "hashing")
"""A judge that is quick and never preserves, on vectors without a model."""


def write_notes(path: Path, texts: list[str] | None = None, **more: str) -> Path:
    rows = [
        {"id": f"n{n:02d}", "text": text, "created_at": f"2031-02-{n + 1:02d}T08:00:00", **more}
        for n, text in enumerate(TEXTS if texts is None else texts)
    ]
    path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), "utf-8")
    return path


def lines(output: str) -> list[dict]:
    """The objects of an output that must be nothing but lines of JSON."""
    return [json.loads(line) for line in output.splitlines()]


@pytest.fixture
def notes(tmp_path):
    return write_notes(tmp_path / "notes.jsonl")


@pytest.fixture
def make_notes():
    return write_notes


@pytest.fixture
def read_lines():
    return lines


@pytest.fixture
def rule():
    return RULE


@pytest.fixture
def memfold(tmp_path, monkeypatch):
    """Runs a command in this process: `memfold("log", path)` gives click's result; `code` is the exit code it must have."""
    monkeypatch.setenv("COLUMNS", "100")
    monkeypatch.chdir(tmp_path)

    def run(*words, input=None, code=0):
        result = CliRunner().invoke(main, [str(word) for word in words], input=input, prog_name="memfold")
        if result.exception is not None and not isinstance(result.exception, SystemExit):
            raise result.exception
        assert result.exit_code == code, result.output
        return result

    return run


@pytest.fixture
def agent(tmp_path, notes, memfold):
    """A database with the notes in it."""
    memfold("import", "agent.db", notes, "--embedder", "hashing")
    return tmp_path / "agent.db"


@pytest.fixture
def program(tmp_path):
    """Starts the command line as a program, with `before` run first in it."""
    env = {**os.environ, "COLUMNS": "100", "HOME": str(tmp_path), "ORT_DISABLE_TELEMETRY": "1"}
    started: list[subprocess.Popen] = []

    def start(*words, before="", **settings):
        command = [sys.executable, "-c", f"{before}\n{MAIN}", *map(str, words)]
        settings = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "stdin": subprocess.DEVNULL} | settings
        started.append(subprocess.Popen(command, cwd=tmp_path, env=env, **settings))
        return started[-1]

    yield start
    for process in started:
        if process.poll() is None:
            process.kill()
        process.communicate()
