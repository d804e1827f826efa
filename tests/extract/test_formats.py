"""Every format that conversations come in: read, recognised, and refused with the line."""

from __future__ import annotations

import json
import os
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memfold.errors import BadConversation, MemfoldError, UnknownName
from memfold.extract.formats import FORMATS, read_sessions, sniff


@pytest.fixture
def read(tmp_path):
    """Writes text or JSON to a file and reads its sessions: `read("a.json", data)`."""

    def run(name, data, format=""):
        path = tmp_path / name
        path.write_bytes(data if isinstance(data, bytes) else (data if isinstance(data, str) else json.dumps(data)).encode())
        return sniff(path) if format == "?" else list(read_sessions(path, format))

    return run


def told(sessions):
    return [[(turn.speaker, turn.text) for turn in session.turns] for session in sessions]


MESSAGES = [
    {"role": "system", "content": "Be kind."},
    {"role": "user", "content": [{"type": "text", "text": "I keep bees."}, {"type": "image_url", "image_url": {"url": "x"}}]},
    {"role": "assistant", "content": None, "tool_calls": [{"id": "c"}]},
    {"role": "tool", "content": "22 degrees"},
    {"role": "assistant", "content": "How many?"},
]
SAID = [("user", "I keep bees."), ("assistant", "How many?")]
TREE = {
    "title": "Bees",
    "create_time": 1930000000,
    "conversation_id": "c1",
    "current_node": "d",
    "mapping": {
        "a": {"parent": None, "message": None},
        "b": {"parent": "a", "message": {"author": {"role": "user"}, "content": {"content_type": "text", "parts": ["I keep bees."]}}},
        "c": {
            "parent": "b",
            "message": {"author": {"role": "assistant"}, "content": {"content_type": "text", "parts": ["An old answer."]}},
        },
        "d": {
            "parent": "b",
            "message": {"author": {"role": "assistant"}, "content": {"content_type": "text", "parts": ["How many?", {"asset": 1}]}},
        },
    },
}
LOCOMO = {
    "speaker_a": "Ada",
    "session_10": [{"speaker": "Ben", "dia_id": "D10:1", "text": "Six."}],
    "session_2_date_time": "1:56 pm on 8 May, 2031",
    "session_2": [{"speaker": "Ada", "dia_id": "D2:1", "text": "Look!", "img_url": ["x"], "blip_caption": "a photo of a hive"}],
    "session_3": [],
}
HALUMEM = {"uuid": "u1", "sessions": [{"start_time": "Dec 15, 2031, 06:11:23", "dialogue": [{"role": "user", "content": "I keep bees."}]}]}


@pytest.mark.parametrize("data", [MESSAGES, {"messages": MESSAGES}, [{"messages": MESSAGES}], [MESSAGES], {"id": 7, "turns": MESSAGES}])
def test_openai_messages(read, data):
    assert read("a.json", data, "?") == "messages"
    assert told(read("a.json", data)) == [SAID]
    assert [turn.role for turn in read("a.json", data)[0].turns] == ["user", "assistant"]


def test_several_conversations_in_one_file(read):
    sessions = read("a.json", [{"id": "x", "messages": MESSAGES}, {"id": "y", "created_at": "2031-05-01T10:00:00Z", "messages": MESSAGES}])
    assert [(session.id, session.time) for session in sessions] == [("x", None), ("y", datetime(2031, 5, 1, 10, tzinfo=UTC))]


def test_the_id_of_a_nameless_conversation_stays_as_it_goes_on(read):
    first, then = read("a.json", MESSAGES)[0], read("b.json", [*MESSAGES, {"role": "user", "content": "Six."}])[0]
    assert first.id == then.id
    assert [turn.id for turn in then.turns][:2] == [turn.id for turn in first.turns]


def test_chatgpt_exports_follow_the_branch_that_was_shown_last(read):
    assert read("conversations.json", [TREE], "?") == "chatgpt"
    (session,) = read("conversations.json", [TREE])
    assert (session.id, told([session])) == ("c1", [SAID])
    assert session.time == datetime.fromtimestamp(1930000000, UTC)


def test_a_tree_that_bites_its_tail_ends(read):
    tree = json.loads(json.dumps(TREE))
    tree["mapping"]["a"]["parent"] = "d"
    assert told(read("c.json", [tree])) == [SAID]


def test_locomo_like_dialogues(read):
    for data in (LOCOMO, {"conversation": LOCOMO}, [{"sample_id": "x", "conversation": LOCOMO}]):
        assert read("l.json", data, "?") == "locomo"
    sessions = read("l.json", {"sample_id": "x", "conversation": LOCOMO})
    assert told(sessions) == [[("Ada", "[Image: a photo of a hive] Look!")], [("Ben", "Six.")]]
    assert [turn.id for session in sessions for turn in session.turns] == ["D2:1", "D10:1"]
    assert sessions[0].time == datetime(2031, 5, 8, 13, 56)


def test_ids_of_turns_differ_between_the_dialogues_of_a_file(read):
    sessions = read("l.json", [{"sample_id": n, "conversation": LOCOMO} for n in "xy"])
    assert len({turn.id for session in sessions for turn in session.turns}) == 4


def test_halumem_like_lines(read):
    assert read("h.jsonl", HALUMEM, "?") == "halumem"
    (session,) = read("h.jsonl", json.dumps(HALUMEM) + "\n")
    assert (session.id, session.time) == ("u1/1", datetime(2031, 12, 15, 6, 11, 23))


def test_jsonl_of_turns_and_of_sessions(read):
    rows = [
        {"session": "a", "speaker": "Ada", "text": "I keep bees.", "time": "2031-05-01T10:00:00"},
        {"session": "a", "speaker": "Ben", "text": "How many?"},
        {"session": "b", "speaker": "Ada", "text": "Six."},
        {"id": "c", "messages": MESSAGES},
        {"role": "user", "content": "Bye."},
    ]
    sessions = read("a.jsonl", "\n\n".join(json.dumps(row) for row in rows))
    assert [session.id for session in sessions] == ["a", "b", "c", "a"]
    assert [len(session.turns) for session in sessions] == [2, 1, 2, 1]
    assert sessions[0].time == datetime(2031, 5, 1, 10)


def test_a_pause_of_eight_hours_begins_a_new_session(read):
    rows = [
        {"role": "user", "content": f"Bee {n}.", "timestamp": f"2031-05-{day:02d}T{hour}:00:00Z"}
        for n, (day, hour) in enumerate([(1, 10), (1, 17), (2, 10)])
    ]
    assert [len(session.turns) for session in read("a.json", rows)] == [2, 1]


def test_plain_transcripts(read):
    text = "# 2031-05-01 10:00\nAda: I keep bees.\nBen Miller: How many?\n  In all.\n\nAda: Six.\nBen Miller: Ah.\n"
    sessions = read("a.txt", text)
    assert told(sessions) == [[("Ada", "I keep bees."), ("Ben Miller", "How many?\n  In all.")], [("Ada", "Six."), ("Ben Miller", "Ah.")]]
    assert sessions[0].time == datetime(2031, 5, 1, 10)


@pytest.mark.parametrize("stamp", ["[2031-05-01 10:00] ", "2031-05-01 10:00 - ", "2031-05-01T10:00:00 ", "[1 May 2031, 10:00 am] "])
def test_transcripts_with_times(read, stamp):
    (session,) = read("a.txt", f"{stamp}Ada: I keep bees.\n{stamp}Ben: How many?")
    assert [turn.time for turn in session.turns] == [datetime(2031, 5, 1, 10)] * 2


def test_rules_or_empty_lines_part_sessions_but_not_single_turns(read):
    assert told(read("a.txt", "Ada: One.\n\nBen: Two.\n\nAda: Three.\n")) == [[("Ada", "One."), ("Ben", "Two."), ("Ada", "Three.")]]
    assert told(read("b.txt", "Ada: One.\n\nBen: Two.\n---\nAda: Three.\n")) == [[("Ada", "One."), ("Ben", "Two.")], [("Ada", "Three.")]]
    assert told(read("c.txt", "小明：你好\n小红：我在上海工作\n")) == [[("小明", "你好"), ("小红", "我在上海工作")]]


def test_a_named_format_overrides_the_look(read):
    text = '{"role": "user", "content": "I keep bees."}'
    assert read("a.json", text, "?") == "messages"
    assert told(read("a.json", text, "jsonl")) == [[("user", "I keep bees.")]]
    with pytest.raises(UnknownName, match="messages, chatgpt"):
        read("a.json", text, "xml")


@pytest.mark.parametrize(
    ("name", "data", "message"),
    [
        ("a.json", '[{"role": "user"\n,]', "line 2: not JSON"),
        ("a.jsonl", '{"role": "user", "content": "x"}\n{broken', "line 2: not JSON"),
        ("a.jsonl", '{"role": "user", "content": "x"}\n[1]\n', "line 2: a JSON object is expected"),
        ("a.jsonl", '{"role": "user", "content": "x"}\n{"role": "user"}\n', "line 2: it has no text"),
        ("a.json", '{"messages": [{"role": "user", "content": "x"}, 3]}', "message 2"),
        ("a.json", '{"a": 1}', "a list of messages is expected"),
        ("a.json", "[]", "no turn with a text"),
        ("a.json", '"text"', "line 1"),
        ("a.txt", "Ada kept bees.\nThey died.", "line 1: `Name: text` is expected"),
        ("a.txt", "\n\n  \n", "is empty"),
        ("a.txt", b"Ada: caf\xe9", "line 1: not text in UTF-8"),
        ("a.json", "[" * 100_000, "cannot be read"),
    ],
)
def test_what_cannot_be_read_is_told_with_its_line(read, name, data, message):
    with pytest.raises(BadConversation, match=message):
        read(name, data)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.sampled_from(
                (
                    "role content text messages mapping current_node parent message author parts sessions dialogue id session session_1 "
                    "session_01 conversation speaker dia_id time turns uuid name sample_id metadata"
                ).split()
            ),
            inner,
            max_size=6,
        )
    ),
    max_leaves=25,
)
FUZZ = settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


def _reads(path: Path, format: str) -> None:
    try:
        for session in read_sessions(path, format):
            assert session.turns
            assert all(turn.text.strip() for turn in session.turns)
            assert len({turn.id for turn in session.turns}) == len(session.turns)
    except MemfoldError:
        pass


@given(value=JSON, format=st.sampled_from(["", *FORMATS]))
@FUZZ
def test_any_json_is_read_or_refused_with_our_error(tmp_path, value, format):
    path = tmp_path / "a.json"
    path.write_text(json.dumps(value))
    _reads(path, format)


@given(rows=st.lists(JSON, max_size=4), format=st.sampled_from(["", "jsonl", "halumem"]))
@FUZZ
def test_any_lines_of_json_are_read_or_refused_with_our_error(tmp_path, rows, format):
    path = tmp_path / "a.jsonl"
    path.write_text("\n".join(json.dumps(row) for row in rows))
    _reads(path, format)


@given(
    data=st.binary(max_size=200) | st.text(alphabet='Ada: Ben[]2031-05 10:0\n-#"{}', max_size=120).map(str.encode),
    format=st.sampled_from(["", *FORMATS]),
)
@FUZZ
def test_any_bytes_are_read_or_refused_with_our_error(tmp_path, data, format):
    path = tmp_path / "a.txt"
    path.write_bytes(data)
    _reads(path, format)


@pytest.mark.skipif("MEMFOLD_DATA" not in os.environ, reason="MEMFOLD_DATA names no data folder")
def test_public_dialogues_are_read_whole():
    data = Path(os.environ["MEMFOLD_DATA"])
    sessions = list(read_sessions(data / "locomo" / "locomo10.json"))
    assert (len(sessions), sum(len(session.turns) for session in sessions)) == (272, 5882)
    users = list(read_sessions(data / "halumem" / "pilot_slice_user0.jsonl"))
    assert len(users) == 29
    assert all(session.time for session in users)
