"""Opening by name, recordings, the script, usage; and the suite that every model passes."""

from __future__ import annotations

import json
import sys
import threading
import time
from subprocess import check_output

import pytest

from memfold.config import ModelSettings
from memfold.errors import BadParameter, UnknownName
from memfold.llm import LanguageModel, RawReply, Recording, ScriptedModel, open_model
from memfold.llm.batch import BatchModel
from memfold.llm.openai import OpenAIModel
from memfold.llm.replay import ReplayModel
from memfold.protocols import Failure
from memfold.testing.chatmodel import CHECKS, YesOrNo, check_chatmodel


def kinds(replies):
    return [reply.failure.kind if reply.failure else "" for reply in replies]


# Names


def test_names(tmp_path):
    assert open_model("gpt-5-mini").name == open_model("openai:gpt-5-mini").name == "openai:gpt-5-mini"
    assert open_model("qwen2.5:7b").name == "openai:qwen2.5:7b"
    assert isinstance(open_model("qwen2.5:7b").raw, OpenAIModel)
    batch = open_model(f"batch:{tmp_path / 'work'}:qwen2.5:7b").raw
    assert isinstance(batch, BatchModel)
    assert (batch.folder, batch.model) == (tmp_path / "work", "qwen2.5:7b")
    drive = open_model("batch:C:\\work:m").raw
    assert isinstance(drive, BatchModel)
    assert (str(drive.folder), drive.model) == ("C:\\work", "m")
    assert open_model("gpt-5-mini").folder is None
    assert (open_model("gpt-5-mini").waiting, open_model("gpt-5-mini").notes) == (0, ())


@pytest.mark.parametrize("name", ["", "  ", "openai:", "batch", "batch:", "record:file", "record:", "replay:", "replay"])
def test_incomplete_names(name):
    with pytest.raises(UnknownName, match="batch:FOLDER"):
        open_model(name)


def test_importing_loads_nothing_heavy():
    code = "import sys, memfold.llm; print(*sys.modules)"
    loaded = check_output([sys.executable, "-c", code], text=True).split()
    assert not {"openai", "pydantic", "json_repair", "httpx", "httpx2", "sqlite3"} & set(loaded)


# Recordings


def test_recorded_and_given_again(endpoint, ask, tmp_path):
    endpoint.act = lambda request, nth: endpoint.said(json.dumps({"action": "merge", "note": request["messages"][-1]["content"]}))
    path = tmp_path / "some" / "talk.jsonl"
    spec, settings = f"record:{path}:m", ModelSettings(base_url=endpoint.url)
    first = open_model(spec, settings).complete_many([ask("a"), ask("b")])
    assert [reply.calls for reply in first] == [1, 1]
    again = open_model(spec, settings).complete_many([ask("a"), ask("c")])
    assert [reply.calls for reply in again] == [0, 1]
    assert len(path.read_text().splitlines()) == 4
    replay = open_model(f"replay:{path}")
    assert replay.name == "openai:m"
    replies = replay.complete_many([ask("c"), ask("a"), ask("never")])
    assert kinds(replies) == ["", "", "unreachable"]
    assert [reply.value for reply in replies[:2]] == [again[1].value, first[0].value]
    assert "holds no reply" in replies[2].failure.message
    assert replay.usage.total.as_dict() | {"seconds": 0} == {
        "requests": 3, "calls": 0, "cached": 2, "tokens_in": 0, "tokens_out": 0, "cost": 0.0, "seconds": 0, "failures": {"unreachable": 1},
    }  # fmt: skip
    assert len(endpoint.requests) == 3


def test_only_usable_replies_are_recorded(endpoint, ask, fault, tmp_path):
    path = tmp_path / "talk.jsonl"
    endpoint.act = lambda request, nth: endpoint.said("no idea") if nth < 3 else fault(401)
    model = open_model(f"record:{path}:m", ModelSettings(base_url=endpoint.url))
    assert kinds(model.complete_many([ask("a")])) == ["bad_reply"]
    assert kinds(model.complete_many([ask("b")])) == ["unreachable"]
    assert not path.exists()


def test_a_reply_that_needed_a_second_ask_replays_at_once(endpoint, ask, tmp_path):
    path = tmp_path / "talk.jsonl"
    endpoint.act = lambda request, nth: endpoint.said("no idea" if nth == 0 else '{"action": "merge"}')
    first = open_model(f"record:{path}:m", ModelSettings(base_url=endpoint.url)).complete_many([ask("a")])[0]
    assert (first.calls, first.tokens_in, first.tokens_out) == (2, 200, 20)
    assert open_model(f"replay:{path}").complete_many([ask("a")])[0].value == first.value


def test_what_another_cache_knows_is_recorded_too(endpoint, ask, tmp_path):
    kept = Recording(tmp_path / "other.jsonl", "openai:m")
    settings = ModelSettings(base_url=endpoint.url)
    open_model("m", settings, cache=kept).complete_many([ask("a")])
    open_model(f"record:{tmp_path / 'talk.jsonl'}:m", settings, cache=kept).complete_many([ask("a")])
    assert len(endpoint.requests) == 1
    assert open_model(f"replay:{tmp_path / 'talk.jsonl'}").complete_many([ask("a")])[0].value is not None


def test_a_recording_that_was_cut_off_goes_on(tmp_path):
    path = tmp_path / "talk.jsonl"
    recording = Recording(path, "m")
    recording.put("a", "one")
    recording.put("b", "two \ud800")
    path.write_bytes(path.read_bytes()[:-5])
    recording = Recording(path, "m")
    assert (recording.get("a"), recording.get("b"), len(recording)) == ("one", None, 1)
    recording.put("b", "two")
    assert Recording(path).get("b") == "two"
    assert Recording(path).model == "m"


def test_what_is_no_recording_is_told(tmp_path):
    with pytest.raises(BadParameter, match="record:"):
        open_model(f"replay:{tmp_path / 'none'}")
    other = tmp_path / "other.jsonl"
    other.write_text('{"text": "Rosa keeps hens."}\n')
    with pytest.raises(BadParameter, match="no recording"):
        Recording(other)
    Recording(tmp_path / "m.jsonl", "m").put("a", "x")
    with pytest.raises(BadParameter, match="'m', not of 'n'"):
        Recording(tmp_path / "m.jsonl", "n")


# The script


def test_a_function_of_the_request(ask, verdict):
    model = ScriptedModel(lambda request: {"action": "merge", "note": request.messages[-1].content}, name="double")
    replies = model.complete_many([ask("a", "judge"), ask("b", "merge")])
    assert [reply.value.note for reply in replies] == ["a", "b"]
    assert model.name == "double"
    assert model.usage.purposes == ("judge", "merge")
    assert [request.purpose for request in model.asked] == ["judge", "merge"]


def test_a_list_in_the_order_of_the_requests(ask, verdict):
    said = [verdict(action="merge"), '{"action": "delete"}', Failure("refused", "no"), RawReply("{", finished=False), {"action": "delete"}]
    model = ScriptedModel(said, latency=lambda request: 0.02 if request.messages[-1].content == "0" else 0.0)
    replies = model.complete_many([ask(str(i)) for i in range(4)])
    assert [reply.value.action if reply.value else reply.failure.kind for reply in replies] == ["merge", "delete", "refused", "delete"]
    assert kinds(model.complete_many([ask("more")])) == ["unreachable"]


def test_latency_and_concurrency(ask):
    model = ScriptedModel(lambda request: {"action": "merge"}, latency=0.05, concurrency=8)
    start = time.monotonic()
    replies = model.complete_many([ask(str(i)) for i in range(16)])
    taken = time.monotonic() - start
    assert 0.1 <= taken < 0.6
    assert all(0.05 <= reply.seconds < 0.4 for reply in replies)


def test_a_script_that_fails_fails_loudly(ask):
    def wrong(request):
        raise ZeroDivisionError

    for requests in ([ask("a")], [ask("a"), ask("b")]):
        with pytest.raises(ZeroDivisionError):
            ScriptedModel(wrong).complete_many(requests)


def test_usage_by_purpose(ask):
    said = RawReply('{"action": "merge"}', calls=2, tokens_in=50, tokens_out=5, cost=0.25, seconds=1.5)
    model = ScriptedModel([said, Failure("server", "x")])
    model.complete_many([ask("a", "judge"), ask("b", "merge")])
    assert model.usage["judge"].as_dict() == {
        "requests": 1, "calls": 2, "cached": 0, "tokens_in": 50, "tokens_out": 5, "cost": 0.25, "seconds": 1.5, "failures": {},
    }  # fmt: skip
    assert model.usage["merge"].failures == {"server": 1}
    assert model.usage["draft"].calls == 0
    assert model.usage.total.calls == 3
    assert set(model.usage.as_dict()) == {"judge", "merge", "total"}


def test_several_threads_share_a_model(ask):
    model = ScriptedModel(lambda request: {"action": "merge"}, concurrency=4)
    threads = [threading.Thread(target=model.complete_many, args=([ask(f"{t} {i}") for i in range(50)],)) for t in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert model.usage.total.calls == len(model.asked) == 200


# The suite


def answering(request):
    return {"answer": "yes"} if request.schema is YesOrNo else {"colour": "red"}


def models(tmp_path):
    recording = tmp_path / "talk.jsonl"
    Recording(recording, "m").put("0", "{}")
    yield ScriptedModel(answering)
    yield ScriptedModel(lambda request: "nonsense")
    yield ScriptedModel(lambda request: Failure("server", "out of order"))
    yield LanguageModel(BatchModel(tmp_path / "work"))
    yield LanguageModel(ReplayModel(recording))


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
@pytest.mark.parametrize("nth", range(5))
def test_conformance(check, nth, tmp_path):
    check(list(models(tmp_path))[nth])


def test_conformance_over_an_endpoint(endpoint):
    def act(request, nth):
        form = request["response_format"]["json_schema"]["name"]
        return endpoint.said('{"answer": "no"}' if form == "YesOrNo" else '{"colour": "blue"}')

    endpoint.act = act
    check_chatmodel(open_model("m", ModelSettings(base_url=endpoint.url)))


def test_the_suite_finds_a_model_that_mixes_replies_up():
    class Mixed(ScriptedModel):
        def complete_many(self, requests):
            return super().complete_many(requests)[::-1]

    with pytest.raises(AssertionError, match="was wanted"):
        check_chatmodel(Mixed(answering))
