"""Case 6: what comes of a reply. A value recovered, a valid emptiness, or a problem that the model is told of."""

from __future__ import annotations

import json
from typing import Literal

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pydantic import BaseModel, Field, field_validator

from memfold.llm import ScriptedModel
from memfold.llm.structured import Problem, ask_again, read
from memfold.protocols import ChatRequest, Message


class Verdict(BaseModel):
    """As a judge might want it."""

    action: Literal["delete", "merge", "preserve"]
    target: Literal["first", "second", ""] = ""
    reason: str = ""


class Fact(BaseModel):
    text: str = Field(min_length=1)
    turn: int = 0


class Facts(BaseModel):
    facts: list[Fact]


DELETE = Verdict(action="delete", target="first", reason="r")
GOOD = '{"action": "delete", "target": "first", "reason": "r"}'
SCHEMA = json.dumps(Verdict.model_json_schema())


def reason(text: str) -> Verdict:
    return Verdict(action="delete", reason=text)


RECOVERED = [
    ("plain", GOOD, DELETE),
    ("space around", f"\n\n  {GOOD}\n", DELETE),
    ("byte-order mark", "\ufeff" + GOOD, DELETE),
    ("fenced", f"```json\n{GOOD}\n```", DELETE),
    ("fenced, prose around", f"Sure! Here it is:\n```\n{GOOD}\n```\nLet me know.", DELETE),
    ("prose around", f"My answer is {GOOD} because they are alike.", DELETE),
    ("brackets in the prose", f"As in [1], and {{see above}}: {GOOD}", DELETE),
    ("a fence inside a value", '{"action": "delete", "reason": "```json\\n{}\\n```"}', reason("```json\n{}\n```")),
    ("a fence inside a fenced value", '```json\n{"action": "delete", "reason": "use ``` here"}\n```', reason("use ``` here")),
    ("thoughts first", f'<think>Is it {{"action": "merge"}}? No.</think>\n{GOOD}', DELETE),
    ("thoughts whose beginning the template ate", f'Is it {{"action": "merge"}}? No.</think>{GOOD}', DELETE),
    ("a mark of thoughts in a value", '{"action": "delete", "reason": "a </think> b"}', reason("a </think> b")),
    ("unescaped inner quote", '{"action": "delete", "reason": "she said "hens" twice"}', reason('she said "hens" twice')),
    ("inner quotes that look like JSON", '{"action": "delete", "reason": "the "red": "blue", "one""}', reason('the "red": "blue", "one"')),
    ("raw newline", '{"action": "delete", "reason": "one\ntwo"}', reason("one\ntwo")),
    ("raw tab", '{"action": "delete", "reason": "one\ttwo"}', reason("one\ttwo")),
    ("an escape that JSON has not", r'{"action": "delete", "reason": "snake\_case, it\'s"}', reason("snake_case, it's")),
    ("a path", r'{"action": "delete", "reason": "C:\docs\Users"}', reason(r"C:\docs\Users")),
    ("an escaped backslash before an escape", r'{"action": "delete", "reason": "a\\_b"}', reason(r"a\_b")),
    ("trailing comma", '{"action": "delete", "target": "first", "reason": "r",}', DELETE),
    ("comma forgotten", '{"action": "delete" "target": "first", "reason": "r"}', DELETE),
    ("comments", '{"action": "delete", // sure\n "target": "first", "reason": "r"}', DELETE),
    ("single quotes", "{'action': 'delete', 'target': 'first', 'reason': 'r'}", DELETE),
    ("as Python writes it", """{'action': 'delete', 'reason': "it's old", 'target': ''}""", reason("it's old")),
    ("names without quotes", '{action: "delete", target: "first", reason: "r"}', DELETE),
    ("the same object twice", f"{GOOD}\n{GOOD}", DELETE),
    ("one object in a list", f"[{GOOD}]", DELETE),
    ("JSON in a JSON text", json.dumps(GOOD), DELETE),
    ("action in another case", '{"action": "DELETE", "target": " First ", "reason": "r"}', DELETE),
    ("names in another case", '{"Action": "Delete", "TARGET": "first", "Reason": "r"}', DELETE),
    ("a field too many", '{"action": "delete", "target": "first", "reason": "r", "confidence": 0.9}', DELETE),
    ("only the needed field", '{"action": "preserve"}', Verdict(action="preserve")),
    ("an answer after a false start", f'{{"action": "erase"}} Sorry. {GOOD}', DELETE),
]
PROBLEMS = [
    ("empty", "", "empty"),
    ("blank", " \n", "empty"),
    ("prose alone", "I would delete the first one.", "no JSON object"),
    ("null", "null", "no JSON object"),
    ("a number", "7", "no JSON object"),
    ("an empty list", "[]", "did not fit"),
    ("an empty object", "{}", "did not fit"),
    ("two different answers", '{"action": "delete"}{"action": "merge"}', "2 different answers"),
    ("two answers in a list", '[{"action": "delete"}, {"action": "merge"}]', "did not fit"),
    ("one name with two values", '{"action": "delete", "action": "merge"}', "two different values"),
    ("truncated in a text", '{"action": "delete", "reason": "both sp', "broke off"),
    ("truncated between fields", '{"action": "delete", "target": "first",', "broke off"),
    ("truncated within a fence", '```json\n{"action": "delete", "reason": "a {b} c"', "broke off"),
    ("thoughts without an end", f"<think>Maybe {GOOD}", "reasoning"),
    ("the schema echoed", SCHEMA, "schema"),
    ("the schema with values in it", '{"type": "object", "properties": {"action": "delete"}}', "schema"),
    ("unknown action", '{"action": "erase"}', "action (literal_error)"),
    ("both as target", '{"action": "delete", "target": "both"}', "target (literal_error)"),
    ("an id outside the pair", '{"action": "delete", "target": "e77"}', "target (literal_error)"),
    ("a missing value", '{"action": "delete", "reason": , "target": "first"}', "no sound JSON"),
    ("an object of something else", '{"verdict": "delete"}', "none of the wanted fields"),
    ("prose in braces", "I would {probably} delete it", "no"),
    ("a name cut by an apostrophe", "{'action': 'delete', 'reason': 'it's 'old''}", "no"),
    ("words that mending would drop", '{"action": "delete" if sure, "reason": "r"}', "no sound JSON"),
    ("a value without a name", '{"action": "delete", "target": "first", "both" }', "no sound JSON"),
    ("a name within an unescaped text", '{"reason": "say "a", "action": "merge" loudly", "action": "delete"}', "no sound JSON"),
    ("not a number", '{"action": NaN}', "no"),
]


@pytest.mark.parametrize(("text", "value"), [case[1:] for case in RECOVERED], ids=[case[0] for case in RECOVERED])
def test_recovered(text, value):
    assert read(text, Verdict) == value


@pytest.mark.parametrize(("text", "told"), [case[1:] for case in PROBLEMS], ids=[case[0] for case in PROBLEMS])
def test_problems(text, told):
    problem = read(text, Verdict)
    assert isinstance(problem, Problem), problem
    assert told in problem.told


@pytest.mark.parametrize("text", ['{"facts": []}', "[]", "```json\n[]\n```", '{"Facts": []}', "There is nothing. []"])
def test_validly_empty(text):
    assert read(text, Facts) == Facts(facts=[])


def test_a_bare_list_is_the_one_list_of_the_form():
    assert read('[{"text": "Rosa keeps hens."}, {"text": "Ben keeps bees.", "turn": "3"}]', Facts) == Facts(
        facts=[Fact(text="Rosa keeps hens."), Fact(text="Ben keeps bees.", turn=3)]
    )


def test_a_list_that_breaks_off_is_not_closed():
    assert isinstance(read('{"facts": [{"text": "Rosa keeps hens."}, {"text": "Ben', Facts), Problem)
    assert isinstance(read('[{"text": "Rosa keeps hens."}, {"text": "Ben"}', Facts), Problem)


def test_a_cut_reply_counts_only_if_its_answer_is_whole():
    assert read(GOOD + "\n    ", Verdict, finished=False) == DELETE
    for text in (GOOD[:-1], GOOD[:20], "", "Let me think", GOOD.replace('"r"}', '"r",}')):
        problem = read(text, Verdict, finished=False)
        assert isinstance(problem, Problem)
        assert "cut off" in problem.told, text


def test_what_the_user_is_told_holds_nothing_of_the_reply():
    for text in ('{"action": "SECRET-WORD"}', '{"SECRET-WORD": 1}', "SECRET-WORD", '{"action": "delete", "reason": {"SECRET-WORD": 1}}'):
        problem = read(text, Verdict)
        assert isinstance(problem, Problem)
        assert "SECRET" not in problem.told


def test_a_reply_without_end_is_not_read():
    assert isinstance(read("[" * 399_000, Verdict), Problem)
    assert isinstance(read('{"a":' * 79_000, Verdict), Problem)
    assert isinstance(read("x" * 400_001, Verdict), Problem)
    assert isinstance(read("{" * 30_000 + "}" * 30_000, Verdict), Problem)


# Asking again

REQUEST = ChatRequest((Message("system", "You judge."), Message("user", "Two notes.")), Verdict, "judge", max_tokens=50)


def test_a_bad_reply_is_asked_again_with_what_was_wrong():
    model = ScriptedModel(['{"action": "erase"}', GOOD])
    reply = model.complete_many([REQUEST])[0]
    assert reply.value == DELETE
    assert reply.calls == 2
    again = model.asked[1]
    assert again.messages[:2] == REQUEST.messages
    assert again.messages[2] == Message("assistant", '{"action": "erase"}')
    assert "action (literal_error)" in again.messages[3].content
    assert "'delete', 'merge' or 'preserve'" in again.messages[3].content
    assert (again.purpose, again.max_tokens) == ("judge", 50)
    assert reply.tokens == sum(r.tokens for r in ScriptedModel(['{"action": "erase"}', GOOD]).complete_many([REQUEST]))


def test_asking_again_is_bounded_and_its_cost_is_told():
    model = ScriptedModel(lambda request: "no idea")
    reply = model.complete_many([REQUEST])[0]
    assert reply.value is None
    assert reply.failure is not None
    assert reply.failure.kind == "bad_reply"
    assert "3 times" in reply.failure.message
    assert "idea" not in reply.failure.message
    assert reply.calls == len(model.asked) == 3
    assert model.usage["judge"].failures == {"bad_reply": 1}


def test_a_long_bad_reply_is_shown_shortened():
    again = ask_again(REQUEST, "x" * 50_000, Problem("it was bad"))
    assert sum(len(message.content) for message in again.messages) < 6_000


def test_a_cut_reply_may_be_longer_the_next_time():
    problem = read('{"action": "del', Verdict, finished=False)
    assert isinstance(problem, Problem)
    assert ask_again(REQUEST, '{"action": "del', problem).max_tokens == 100


# Fuzzing

SOUND = st.builds(
    lambda action, target, words: json.dumps({"action": action, "target": target, "reason": words}, ensure_ascii=False),
    st.sampled_from(["delete", "merge", "preserve", "Merge", "erase"]),
    st.sampled_from(["first", "second", "", "both"]),
    st.text(max_size=30),
)
SIGNS = ["{", "}", "[", "]", '"', "'", ",", ":", "```", "<think>", "</think>", "\\", "\\u00", "null", "NaN", "//", "\n", "\ufeff", SCHEMA]
PIECES = st.lists(
    st.one_of(
        SOUND,
        st.sampled_from(SIGNS),
        st.text(max_size=8),
    ),
    max_size=12,
).map("".join)


@st.composite
def mutated(draw):
    text = draw(SOUND)
    for _ in range(draw(st.integers(1, 4))):
        at = draw(st.integers(0, len(text)))
        put = draw(st.sampled_from(["", '"', "{", "}", "\\", ",", ":", "'", "x", "[", "\n"]))
        text = text[:at] + put + text[at + draw(st.integers(0, 3)) :]
    return text


@settings(max_examples=250, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.one_of(st.text(max_size=60), PIECES, mutated()), st.booleans())
def test_never_an_exception_never_a_value_of_another_form(text, finished):
    for schema in (Verdict, Facts, Strict):
        value = read(text, schema, finished=finished)
        if isinstance(value, Problem):
            assert value.told
            assert "\n" not in value.told
        else:
            assert isinstance(value, schema)
            schema.model_validate(value.model_dump())


class Strict(BaseModel):
    """Validators of its own."""

    note: str
    more: list[dict[str, float]] = []

    @field_validator("note")
    @classmethod
    def short(cls, note: str) -> str:
        if len(note) > 20:
            raise ValueError("longer than 20 characters")
        return note


@settings(max_examples=150, deadline=None)
@given(SOUND, st.integers(1, 200))
def test_no_beginning_of_a_reply_passes_for_the_whole(text, at):
    beginning = text[: min(at, len(text) - 1)]
    assert isinstance(read(beginning, Verdict), Problem)
    assert isinstance(read(beginning, Verdict, finished=False), Problem)
