"""`memfold judge`: one decision a line, and errors that say what is wrong with a line."""

import json

import pytest

PAIRS = [
    {"id": "keys", "a": "The spare key hangs behind the blue door.", "b": "The spare key hangs behind the blue door."},
    {"id": 7, "a": "Iven plays the cello.", "b": "The ferry leaves at nine.", "a_time": "2031-02-01", "b_time": "May 3, 2031, 10:00:00"},
    {"a": "The code is 4417.", "b": "The code is 4471.", "a_time": None, "b_time": "one fine day", "label": "extra"},
]
FIELDS = ["id", "relation", "action", "target", "merged", "reason", "confidence", "veto"]
QUICK = ("--judge", "similarity:0.8", "--embedder", "hashing")


@pytest.fixture
def pairs(tmp_path):
    path = tmp_path / "pairs.jsonl"
    path.write_bytes(b"\xef\xbb\xbf" + "\r\n\r\n".join(json.dumps(pair) for pair in PAIRS).encode())
    return path


def test_one_decision_a_line(memfold, pairs, read_lines):
    result = memfold("judge", pairs, *QUICK)
    decisions = read_lines(result.stdout)
    assert [list(decision) for decision in decisions] == [FIELDS] * 3
    assert [decision["id"] for decision in decisions] == ["keys", 7, 5]  # the third stands on line 5 and has no id
    assert (decisions[0]["action"], decisions[0]["veto"]) == ("delete", "")
    assert decisions[0]["target"] in ("a", "b")
    assert result.stderr.startswith("3 pairs by similarity:0.8: ")
    assert "1 time could not be read and count as none: 'one fine day'" in result.stderr


def test_guards_veto_unless_told_not_to(memfold, pairs, read_lines):
    eager = ("--judge", "similarity:0.1", "--embedder", "hashing")
    guarded = read_lines(memfold("judge", pairs, *eager).stdout)[2]
    bare = read_lines(memfold("judge", pairs, *eager, "--no-guards", "--json").stdout)[2]
    assert guarded["action"] == "preserve"
    assert guarded["veto"]
    assert bare["action"] in ("delete", "merge")
    assert bare["veto"] == ""


def test_stdin_and_nothing(memfold, pairs, read_lines):
    assert memfold("judge", "-", *QUICK, input=pairs.read_bytes()).stdout == memfold("judge", pairs, *QUICK).stdout
    assert memfold("judge", "-", *QUICK, input="").stderr == "0 pairs by similarity:0.8\n"


@pytest.mark.parametrize(
    ("line", "told"),
    [
        (b'{"a": "x", "b": ', "line 2 is not JSON"),
        (b"hello", "line 2 is not JSON"),
        (b"[1]", "line 2 holds no object"),
        (b'{"id": "1", "a": "x"}', "line 2 needs a text in 'b', found only 'id', 'a'"),
        (b'{"a": "x", "b": 3}', "line 2 needs a text in 'b', found 3"),
        (b'{"a": "\xff", "b": "y"}', "line 2 is not UTF-8"),
        (b"[" * 100_000, "line 2 is not JSON"),
    ],
)
def test_a_bad_line_is_told_with_its_number_and_the_cure(memfold, tmp_path, line, told):
    path = tmp_path / "bad.jsonl"
    path.write_bytes(b'{"a": "x", "b": "y"}\n' + line + b"\n")
    result = memfold("judge", path, *QUICK, code=1)
    assert told in result.stderr
    assert result.stderr.count("\n") == 1
    assert ("write {" in result.stderr) or ("iconv" in result.stderr)


def test_pagerank_needs_a_store(memfold, pairs):
    assert "memfold refine STORE" in memfold("judge", pairs, "--judge", "pagerank:0.8", code=2).stderr
    assert "unknown judge" in memfold("judge", pairs, "--judge", "oracle", "--embedder", "hashing", code=2).stderr
    assert "does not exist" in memfold("judge", "nowhere.jsonl", code=2).stderr
