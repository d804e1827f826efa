"""Batch files: written once, answered by anybody, in any order and form."""

from __future__ import annotations

import json

import pytest

from memfold.config import ModelSettings
from memfold.errors import BadParameter
from memfold.llm import open_model
from memfold.llm.batch import BatchModel


@pytest.fixture
def folder(tmp_path):
    return tmp_path / "work"


def written(folder):
    return [json.loads(line) for line in (folder / "requests.jsonl").read_text().splitlines()]


def answer(folder, lines, name="responses.jsonl", mode="a"):
    with (folder / name).open(mode) as file:
        file.writelines(f"{line if isinstance(line, str) else json.dumps(line)}\n" for line in lines)


def said(id, text, finish="stop"):
    choice = {"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": finish}
    body = {"object": "chat.completion", "choices": [choice], "usage": {"prompt_tokens": 90, "completion_tokens": 9}}
    return {"id": "x", "custom_id": id, "response": {"status_code": 200, "request_id": "r", "body": body}, "error": None}


def kinds(replies):
    return [reply.failure.kind if reply.failure else "" for reply in replies]


def test_requests_are_written_and_wait(folder, ask):
    model = open_model(f"batch:{folder}:gpt-5-mini")
    assert not folder.exists()  # opening writes nothing
    replies = model.complete_many([ask("a", max_tokens=40), ask("b"), ask("a", max_tokens=40)])
    assert kinds(replies) == ["waiting"] * 3
    assert {reply.failure.halt for reply in replies} == {"waiting"}
    assert "waiting for 2 replies" in replies[0].failure.message
    assert sum(reply.calls for reply in replies) == 0
    assert (model.waiting, model.folder, model.name) == (2, folder, "batch:gpt-5-mini")
    first, second = written(folder)
    assert set(first) == {"custom_id", "method", "url", "body"}
    assert (first["method"], first["url"]) == ("POST", "/v1/chat/completions")
    assert first["custom_id"] != second["custom_id"]
    assert len(first["custom_id"]) <= 64
    body = first["body"]
    assert (body["model"], body["max_completion_tokens"]) == ("gpt-5-mini", 40)
    assert body["response_format"]["type"] == "json_schema"
    assert '"action"' in body["messages"][0]["content"]  # told in words too, for whoever answers
    assert body["messages"][1] == {"role": "user", "content": "a"}


def test_nothing_is_written_twice(folder, ask):
    for _ in range(3):
        model = open_model(f"batch:{folder}:m")
        model.complete_many([ask("a"), ask("b")])
        model.complete_many([ask("b"), ask("c")])
    assert len(written(folder)) == model.waiting == 3


def test_replies_in_any_order_partial_and_in_several_files(folder, ask):
    texts = [f"note {i}" for i in range(5)]
    open_model(f"batch:{folder}:gpt-5-mini").complete_many([ask(text) for text in texts])
    ids = [line["custom_id"] for line in written(folder)]
    answer(folder, [said(ids[i], json.dumps({"action": "merge", "note": f"{i}"})) for i in (4, 1)])
    answer(folder, [said(ids[2], '{"action": "delete"}')], "responses-later.jsonl")
    model = open_model(f"batch:{folder}:gpt-5-mini")
    assert [line["custom_id"] for line in written(folder)] == [ids[0], ids[3]]
    replies = model.complete_many([ask(text) for text in texts])
    assert kinds(replies) == ["waiting", "", "", "waiting", ""]
    assert (replies[1].value.note, replies[4].value.note) == ("1", "4")
    assert (replies[1].calls, replies[1].tokens_in, replies[1].tokens_out) == (1, 90, 9)
    assert replies[1].cost == pytest.approx((90 * 0.25 + 9 * 2.0) / 1e6 / 2)
    assert model.waiting == 2
    assert sum(reply.calls for reply in model.complete_many([ask(text) for text in texts])) == 0  # counted once
    answer(folder, [said(ids[0], '{"action": "delete"}'), said(ids[3], '{"action": "delete"}')])
    model = open_model(f"batch:{folder}:gpt-5-mini")
    assert model.waiting == 0
    assert kinds(model.complete_many([ask(text) for text in texts])) == [""] * 5
    assert written(folder) == []
    assert model.notes == ()


FORMS = {
    "chat completion": lambda id, text: said(id, text),
    "bare chat completion": lambda id, text: {"custom_id": id, **said(id, text)["response"]["body"]},
    "body beside": lambda id, text: {"custom_id": id, "body": said(id, text)["response"]["body"]},
    "response without body": lambda id, text: {"key": id, "response": said(id, text)["response"]["body"]},
    "messages": lambda id, text: {
        "custom_id": id,
        "result": {
            "type": "succeeded",
            "message": {"content": [{"type": "text", "text": text}], "stop_reason": "end_turn", "usage": {"input_tokens": 5}},
        },
    },
    "responses": lambda id, text: {
        "custom_id": id,
        "response": {
            "status_code": 200,
            "body": {"output": [{"type": "reasoning"}, {"type": "message", "content": [{"type": "output_text", "text": text}]}]},
        },
    },
    "candidates": lambda id, text: {
        "key": id,
        "response": {"candidates": [{"content": {"parts": [{"text": text}]}, "finishReason": "STOP"}], "usageMetadata": {}},
    },
    "text by hand": lambda id, text: {"custom_id": id, "reply": f"I say:\n{text}"},
    "object by hand": lambda id, text: {"custom_id": id, "reply": json.loads(text)},
    "response as text": lambda id, text: {"custom_id": id, "response": text},
}


@pytest.mark.parametrize("form", FORMS)
def test_replies_of_any_provider(folder, ask, form):
    open_model(f"batch:{folder}").complete_many([ask("a")])
    assert written(folder)[0]["body"]["model"] == "default"
    answer(folder, [FORMS[form](written(folder)[0]["custom_id"], '{"action": "merge", "note": "n"}')])
    model = open_model(f"batch:{folder}")
    reply = model.complete_many([ask("a")])[0]
    assert reply.value is not None
    assert (reply.value.action, reply.value.note) == ("merge", "n")
    assert reply.tokens_in > 0
    assert reply.tokens_out > 0
    assert model.waiting == 0


def test_what_is_passed_over_is_told(folder, ask):
    open_model(f"batch:{folder}:m").complete_many([ask("a"), ask("b")])
    ids = [line["custom_id"] for line in written(folder)]
    good = said(ids[0], '{"action": "merge"}')
    other, later = good | {"custom_id": "memfold-" + "0" * 32}, said(ids[0], '{"action": "delete"}')
    lines = ["{broken", "", "[1]", json.dumps({"response": 1}), good, other, later]
    answer(folder, lines)
    model = open_model(f"batch:{folder}:m")
    assert model.notes == (
        "responses.jsonl line 1 is no JSON: passed over",
        "responses.jsonl line 3 is no JSON object: passed over",
        "responses.jsonl line 4 has no custom_id: passed over",
        "1 replies to requests that are not of this folder were passed over",
        "1 requests had several replies: the last counts",
    )
    replies = model.complete_many([ask("a"), ask("b")])
    assert kinds(replies) == ["", "waiting"]
    assert replies[0].value.action == "delete"


def test_a_mark_at_the_beginning_and_other_line_ends(folder, ask):
    open_model(f"batch:{folder}:m").complete_many([ask("a")])
    line = json.dumps(said(written(folder)[0]["custom_id"], '{"action": "merge"}'))
    (folder / "responses.jsonl").write_bytes(b"\xef\xbb\xbf" + line.encode() + b"\r\n\r\n")
    model = open_model(f"batch:{folder}:m")
    assert kinds(model.complete_many([ask("a")])) == [""]
    assert model.notes == ()


def test_errors_that_pass_stay_open_and_others_are_failures(folder, ask):
    texts = ["late", "long", "declined", "key", "twice"]
    open_model(f"batch:{folder}:m").complete_many([ask(text) for text in texts])
    late, long, declined, key, twice = [line["custom_id"] for line in written(folder)]
    answer(
        folder,
        [
            {"custom_id": late, "response": None, "error": {"code": "batch_expired", "message": "It could not be executed in time."}},
            {"custom_id": long, "response": {"status_code": 400, "body": {"error": {"code": "context_length_exceeded"}}}},
            {"custom_id": declined, "response": {"status_code": 400, "body": {"error": {"code": "content_policy_violation"}}}},
            {"custom_id": key, "response": {"status_code": 404, "body": {"error": {"message": "no such model"}}}},
            *[{"custom_id": twice, "response": {"status_code": 500, "body": {}}}] * 3,
        ],
    )
    model = open_model(f"batch:{folder}:m")
    replies = model.complete_many([ask(text) for text in texts])
    assert kinds(replies) == ["waiting", "rejected", "refused", "rejected", "server"]
    assert [line["custom_id"] for line in written(folder)] == [late]
    assert "7 errors instead of replies" in model.notes
    assert "3 times" in replies[4].failure.message


def test_a_bad_reply_is_asked_again_with_another_id_and_bounded(folder, ask):
    for nth in range(3):
        model = open_model(f"batch:{folder}:m")
        assert kinds(model.complete_many([ask("a")])) == ["waiting"]
        lines = written(folder)
        assert len(lines) == 1
        assert len(lines[0]["body"]["messages"]) == (2 if nth == 0 else 4)
        answer(folder, [said(lines[0]["custom_id"], f"no idea {nth}")])
    model = open_model(f"batch:{folder}:m")
    reply = model.complete_many([ask("a")])[0]
    assert kinds([reply]) == ["bad_reply"]
    assert reply.calls == 3
    assert written(folder) == []


def test_a_second_ask_may_be_answered(folder, ask):
    open_model(f"batch:{folder}:m").complete_many([ask("a"), ask("b")])
    ids = [line["custom_id"] for line in written(folder)]
    answer(folder, [said(ids[0], "no idea"), said(ids[1], '{"action": "merge"}')])
    assert kinds(open_model(f"batch:{folder}:m").complete_many([ask("a"), ask("b")])) == ["waiting", ""]
    answer(folder, [said(written(folder)[0]["custom_id"], '{"action": "delete"}')], "responses2.jsonl")
    replies = open_model(f"batch:{folder}:m").complete_many([ask("a"), ask("b")])
    assert kinds(replies) == ["", ""]
    assert [reply.calls for reply in replies] == [2, 1]


def test_a_crash_while_writing_loses_no_request(folder, ask):
    open_model(f"batch:{folder}:m").complete_many([ask("a"), ask("b")])
    whole = (folder / "requests.jsonl").read_bytes()
    for cut in (1, 40, len(whole) // 2 - 1, len(whole) - 1):
        (folder / "requests.jsonl").write_bytes(whole[:-cut])
        model = open_model(f"batch:{folder}:m")
        model.complete_many([ask("a"), ask("b"), ask("c")])
        lines = written(folder)
        assert len({line["custom_id"] for line in lines}) == len(lines) == 3


def test_a_cache_is_used_first(folder, ask):
    kept = {}

    class Cache:
        get = staticmethod(kept.get)
        put = staticmethod(kept.__setitem__)

    open_model(f"batch:{folder}:m", cache=Cache()).complete_many([ask("a")])
    answer(folder, [said(written(folder)[0]["custom_id"], '{"action": "merge"}')])
    assert kinds(open_model(f"batch:{folder}:m", cache=Cache()).complete_many([ask("a")])) == [""]
    (folder / "responses.jsonl").unlink()
    model = open_model(f"batch:{folder}:m", cache=Cache())
    assert [(reply.calls, reply.failure) for reply in model.complete_many([ask("a")])] == [(0, None)]


def test_a_budget_bounds_what_is_written(folder, ask):
    model = open_model(f"batch:{folder}:m", ModelSettings(max_calls=3))
    replies = model.complete_many([ask(str(i)) for i in range(5)])
    assert kinds(replies) == ["waiting"] * 3 + ["spent"] * 2
    assert len(written(folder)) == 3


def test_odd_texts_stay_one_line(folder, ask):
    odd = "a\u2028b\x85c\x00d\ud800e\nf"
    open_model(f"batch:{folder}:m").complete_many([ask(odd)])
    data = (folder / "requests.jsonl").read_bytes()
    assert len(data.decode("utf-8").splitlines()) == 1
    assert json.loads(data)["body"]["messages"][1]["content"].startswith("a\u2028b\x85c\x00d")


def test_a_folder_that_is_none(tmp_path):
    (tmp_path / "file").write_text("x")
    with pytest.raises(BadParameter, match="no folder"):
        BatchModel(tmp_path / "file")
    with pytest.raises(BadParameter, match="price"):
        BatchModel(tmp_path / "work", settings=ModelSettings(max_cost=1.0))
