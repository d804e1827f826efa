"""The command line as a program: pipes, terminals, Ctrl-C, kill -9."""

import json
import os
import pty
import re
import signal
import subprocess

import pytest

SLOW = """
import sys, time
from memfold.refine.judges.similarity import SimilarityJudge
decide = SimilarityJudge.decide
def slowly(self, pairs):
    print("judging", file=sys.stderr, flush=True)
    time.sleep({seconds})
    return decide(self, pairs)
SimilarityJudge.decide = slowly
"""
DIES_IN_A_COMMIT = """
import os, signal
from memfold.store.journal import Journal
write, left = Journal._write, [3]
def dying(self, *rest):
    write(self, *rest)
    left[0] -= 1
    if not left[0]:
        os.kill(os.getpid(), signal.SIGKILL)
Journal._write = dying
"""
DIES_BEFORE_THE_FILE = """
import os, signal
from memfold.mirror import Mirror
Mirror.push = lambda self: os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.fixture
def refine(rule):
    return ["--budget", "55%", "--apply", "--no-guards", "--json", *rule]


def test_the_end_of_a_pipe_is_silent(program, notes, rule):
    process = program("refine", notes, "--budget", "50%", "--all", "--no-guards", *rule)
    head = subprocess.run(["head", "-1"], stdin=process.stdout, capture_output=True, text=True, check=True)
    process.stdout.close()
    assert "cosine" in head.stdout
    assert process.stderr.read() == b""
    process.wait()


def test_a_pipe_gets_no_colours_and_json_nothing_else(program, notes, rule):
    out, err = program("refine", notes, "--budget", "50%", "--no-guards", *rule).communicate()
    assert b"\x1b" not in out + err
    assert err == b""
    out, err = program("refine", notes, "--budget", "50%", "--no-guards", "--json", *rule).communicate()
    assert json.loads(out.splitlines()[-1])["type"] == "report"
    assert all(json.loads(line) for line in out.splitlines())


def test_a_terminal_gets_colours_and_a_bar_on_stderr_alone(program, notes, refine, tmp_path):
    ours, theirs = pty.openpty()
    process = program("refine", notes, *refine, before=SLOW.format(seconds=0.15), stderr=theirs)
    os.close(theirs)
    out = process.stdout.read()
    seen = _all_of(ours)
    assert process.wait() == 0
    assert b"bytes over" in seen
    assert b"\x1b[" in seen
    assert b"\x1b" not in out
    assert json.loads(out.splitlines()[-1])["met"]


def _all_of(terminal):
    seen = b""
    while True:
        try:
            part = os.read(terminal, 65536)
        except OSError:  # the other end is closed
            part = b""
        if not part:
            os.close(terminal)
            return seen
        seen += part


def test_ctrl_c_ends_between_two_edits(program, notes, refine, memfold, read_lines):
    before = notes.read_bytes()
    process = program("refine", notes, *refine, before=SLOW.format(seconds=0.2))
    for _ in range(3):
        process.stderr.readline()
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=20)
    assert process.returncode == 130
    report = json.loads(out.splitlines()[-1])
    assert report["stopped"] == "interrupted"
    assert b"ending between two edits" in err
    assert b"Traceback" not in err
    assert report["edits"] == len(out.splitlines()) - 1 > 0
    (run,) = read_lines(memfold("log", notes, "--json").stdout)
    assert (run["state"], run["edits"]) == ("interrupted", report["edits"])
    again = read_lines(memfold("refine", notes, *refine).stdout)[-1]
    assert again["met"]
    memfold("undo", notes, "r2")
    memfold("undo", notes, "r1")
    assert notes.read_bytes() == before


def test_a_second_ctrl_c_kills(program, notes, refine):
    process = program("refine", notes, *refine, before=SLOW.format(seconds=60))
    process.stderr.readline()
    process.send_signal(signal.SIGINT)
    while b"ending between two edits" not in process.stderr.readline():
        pass
    process.send_signal(signal.SIGINT)
    assert process.wait(timeout=10) == -signal.SIGINT


@pytest.mark.parametrize("dying", [DIES_IN_A_COMMIT, DIES_BEFORE_THE_FILE], ids=["commit", "file"])
def test_killed_on_a_file_the_same_command_ends_as_if_nothing_had_happened(program, notes, refine, memfold, make_notes, tmp_path, dying):
    whole = make_notes(tmp_path / "whole.jsonl")
    memfold("refine", whole, *refine)
    before = notes.read_bytes()
    process = program("refine", notes, *refine, before=dying)
    process.communicate(timeout=30)
    assert process.returncode == -signal.SIGKILL
    assert notes.read_bytes() == before
    report = json.loads(memfold("refine", notes, *refine).stdout.splitlines()[-1])
    assert (report["resumed"], report["met"]) == ("r1", True)
    assert notes.read_bytes() == whole.read_bytes()


def test_killed_on_a_database_the_same_command_ends_as_if_nothing_had_happened(program, agent, notes, refine, memfold):
    memfold("import", "whole.db", notes, "--embedder", "hashing")
    memfold("refine", "whole.db", *refine)
    process = program("refine", agent, *refine, before=DIES_IN_A_COMMIT)
    process.communicate(timeout=30)
    assert process.returncode == -signal.SIGKILL
    assert json.loads(memfold("refine", agent, *refine).stdout.splitlines()[-1])["resumed"] == "r1"

    def timeless(store):
        return re.sub(r'"updated_at": "[^"]*"', "", memfold("export", store).stdout)

    assert timeless(agent) == timeless("whole.db")
    memfold("undo", agent, "r2")
    memfold("undo", agent, "r1")
    assert timeless(agent).count("\n") == 18
