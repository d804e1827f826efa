"""Endpoints with every fault: all end in values or typed failures, with nothing lost."""

from __future__ import annotations

import json
import os
import socket
import threading
import time

import pytest

from memfold.config import ModelSettings
from memfold.errors import BadParameter, MissingExtra
from memfold.llm import LanguageModel, OpenAIModel, open_model
from memfold.llm.openai import retry_after


@pytest.fixture
def model(endpoint, clock):
    """Make a model at the endpoint, whose pauses take no time."""

    def make(**settings):
        cache = settings.pop("cache", None)
        reached = ModelSettings(base_url=endpoint.url, **({"timeout": 5.0} | settings))
        return LanguageModel(OpenAIModel("m", reached, clock=clock), cache=cache)

    return make


def kind(reply):
    return reply.failure.kind if reply.failure else ""


def test_a_value_with_what_it_took(model, endpoint, ask, verdict):
    reply = model().complete_many([ask(max_tokens=50)])[0]
    assert reply.value == verdict(action="delete")
    assert (reply.calls, reply.tokens_in, reply.tokens_out, reply.cost) == (1, 100, 10, 0.0)
    assert reply.seconds > 0
    sent = endpoint.requests[0]
    assert (sent["model"], sent["temperature"], sent["max_tokens"]) == ("m", 0.0, 50)
    assert sent["messages"][0] == {"role": "system", "content": "You judge."}
    form = sent["response_format"]["json_schema"]
    assert form["strict"] is True
    assert form["schema"]["required"] == ["action", "note"]
    assert form["schema"]["additionalProperties"] is False
    assert endpoint.paths == ["/v1/chat/completions"]


def test_replies_in_order_with_so_many_at_once(model, endpoint, ask):
    def slow(request, nth):
        time.sleep(0.02 * (nth % 3))
        return endpoint.said(json.dumps({"action": "merge", "note": request["messages"][-1]["content"]}))

    endpoint.act = slow
    replies = model(concurrency=4).complete_many([ask(f"note {i}") for i in range(20)])
    assert [reply.value.note for reply in replies] == [f"note {i}" for i in range(20)]
    assert 2 <= endpoint.most <= 4


def test_concurrency_holds_over_several_callers(model, endpoint, ask):
    endpoint.act = lambda request, nth: time.sleep(0.02) or endpoint.said('{"action": "merge"}')
    shared = model(concurrency=2)
    threads = [threading.Thread(target=shared.complete_many, args=([ask(f"{t} {i}") for i in range(4)],)) for t in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(endpoint.requests) == 12
    assert endpoint.most <= 2
    assert shared.usage["judge"].calls == 12


# Faults that pass


def passing(fault, raw, reset, said):
    return {
        "429": fault(429),
        "500": fault(500),
        "503": fault(503),
        "529": fault(529),
        "reset": reset,
        "half a reply": raw(json.dumps(said("{}"))[:40], length=4000),
        "half a JSON": raw(b'{"choices": [{"mess'),
        "no JSON": raw(b"<html>Bad gateway</html>", {"Content-Type": "text/html"}),
        "wrong bytes": raw(b"\xff\xfe\x00"),
        "no choices": raw({"id": "x"}),
        "an error in a good status": raw({"error": {"message": "provider failed", "code": 502}}),
        "empty": raw(b""),
    }


FAULTS = [
    "429", "500", "503", "529", "reset", "half a reply", "half a JSON", "no JSON", "wrong bytes", "no choices", "an error in a good status",
    "empty",
]  # fmt: skip


@pytest.mark.parametrize("name", FAULTS)
def test_a_fault_that_passes_is_tried_again(name, model, endpoint, ask, fault, raw, reset, clock):
    bad = passing(fault, raw, reset, endpoint.said)[name]
    endpoint.act = lambda request, nth: bad if nth == 0 else endpoint.said('{"action": "merge"}')
    reply = model().complete_many([ask()])[0]
    assert reply.value is not None
    assert reply.value.action == "merge"
    assert reply.calls == 2
    assert len(clock.waits) == 1


@pytest.mark.parametrize("name", FAULTS)
def test_a_fault_that_stays_ends_in_a_typed_failure(name, model, endpoint, ask, fault, raw, reset):
    bad = passing(fault, raw, reset, endpoint.said)[name]
    endpoint.act = lambda request, nth: bad
    reply = model(tries=3).complete_many([ask()])[0]
    assert kind(reply) == ("rate_limit" if name == "429" else "server")
    assert reply.value is None
    assert "tried 3 times" in reply.failure.message
    assert reply.calls == len(endpoint.requests)
    assert reply.calls == (3 if name != "500" else 5)  # a weaker form is tried in between


def test_some_fail_and_the_others_are_not_lost(model, endpoint, ask, fault):
    endpoint.act = lambda request, nth: fault(503) if "bad" in request["messages"][-1]["content"] else endpoint.said('{"action": "merge"}')
    replies = model(tries=2).complete_many([ask(f"{'bad' if i % 3 == 0 else 'good'} {i}") for i in range(9)])
    assert [kind(reply) for reply in replies] == ["server", "", ""] * 3


def test_slow_is_a_timeout(model, endpoint, ask):
    endpoint.act = lambda request, nth: endpoint.release.wait(10) and endpoint.said("{}")
    start = time.monotonic()
    reply = model(timeout=0.2, tries=2).complete_many([ask()])[0]
    assert kind(reply) == "timeout"
    assert reply.calls == 2
    assert time.monotonic() - start < 5


def test_a_drip_is_a_timeout_too(model, endpoint, ask):
    def drip(handler):
        handler.send_response(200)
        handler.send_header("Content-Length", "1000")
        handler.end_headers()
        while not endpoint.release.wait(0.05):
            handler.wfile.write(b" ")

    endpoint.act = lambda request, nth: drip
    reply = model(timeout=0.3, tries=1).complete_many([ask()])[0]
    assert kind(reply) == "timeout"


# Faults that stay


@pytest.mark.parametrize(
    ("status", "message", "expected"),
    [
        (401, "no such key", "unreachable"),
        (402, "no credit", "unreachable"),
        (403, "not for you", "unreachable"),
        (403, "your input was flagged by moderation", "refused"),
        (404, "the model does not exist", "unreachable"),
        (429, {"message": "You exceeded your current quota", "code": "insufficient_quota"}, "unreachable"),
        (400, {"message": "too many words", "code": "context_length_exceeded"}, "rejected"),
        (413, "too large", "rejected"),
        (400, {"message": "see our usage policies", "code": "content_policy_violation"}, "refused"),
        (400, "messages must not be so", "rejected"),
    ],
)
def test_a_fault_that_stays_is_not_tried_again(status, message, expected, model, endpoint, ask, fault, clock):
    endpoint.act = lambda request, nth: fault(status, message)
    reply = model().complete_many([ask()])[0]
    assert kind(reply) == expected
    port = endpoint.url.rpartition(":")[2].partition("/")[0]  # which may hold the status, as 40123 holds 401
    assert reply.failure.message.replace(port, "").count(str(status)) == 1
    assert reply.calls == len(endpoint.requests) <= 3  # at most once for each form of the reply
    assert clock.waits == []


def test_nobody_there(ask, clock):
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    model = LanguageModel(OpenAIModel("m", ModelSettings(base_url=f"http://127.0.0.1:{port}/v1", tries=3, concurrency=2), clock=clock))
    replies = model.complete_many([ask(str(i)) for i in range(50)])
    assert {kind(reply) for reply in replies} == {"unreachable"}
    assert {reply.failure.halt for reply in replies} == {"unreachable"}
    assert sum(reply.calls for reply in replies) <= 9  # once it is known, nothing more is sent
    assert f"127.0.0.1:{port}" in replies[0].failure.message
    assert len(clock.waits) >= 2


def test_it_is_tried_anew_in_the_next_call(model, endpoint, ask, fault):
    endpoint.act = lambda request, nth: fault(401) if nth == 0 else endpoint.said('{"action": "merge"}')
    asked = model()
    assert kind(asked.complete_many([ask()])[0]) == "unreachable"
    assert asked.complete_many([ask()])[0].value is not None


def test_declined_and_filtered_and_cut(model, endpoint, ask):
    declined = endpoint.said("")
    declined["choices"][0]["message"] = {"role": "assistant", "content": None, "refusal": "I can't help with that."}
    endpoint.act = lambda request, nth: declined
    reply = model().complete_many([ask()])[0]
    assert kind(reply) == "refused"
    assert "help" not in reply.failure.message
    endpoint.act = lambda request, nth: endpoint.said("", "content_filter")
    assert kind(model().complete_many([ask()])[0]) == "refused"
    endpoint.act = lambda request, nth: endpoint.said('{"action": "del', "length")
    reply = model().complete_many([ask(max_tokens=20)])[0]
    assert kind(reply) == "bad_reply"
    assert [request["max_tokens"] for request in endpoint.requests[-3:]] == [20, 40, 40]


# Pauses


def test_retry_after_is_followed(model, endpoint, ask, fault, clock):
    endpoint.act = lambda request, nth: fault(429, "slow", {"Retry-After": "7"}) if nth == 0 else endpoint.said('{"action": "merge"}')
    assert model().complete_many([ask()])[0].value is not None
    assert sum(clock.waits) == pytest.approx(7)


def test_a_pause_that_is_too_long_is_told(model, endpoint, ask, fault, clock):
    endpoint.act = lambda request, nth: fault(429, "slow", {"Retry-After": "3600"})
    reply = model().complete_many([ask()])[0]
    assert kind(reply) == "rate_limit"
    assert "3,600 seconds" in reply.failure.message
    assert clock.waits == []


def test_pauses_grow_with_jitter(model, endpoint, ask, fault, clock):
    endpoint.act = lambda request, nth: fault(503)
    model(tries=6).complete_many([ask()])
    assert len(clock.waits) == 5
    assert all(0.25 * 2**i <= wait <= 0.5 * 2**i for i, wait in enumerate(clock.waits))
    assert len({wait / 2**i for i, wait in enumerate(clock.waits)}) == 5


def test_the_header_in_its_forms():
    assert retry_after(None, "7") == 7
    assert retry_after("1500", "7") == 1.5
    assert retry_after(None, "Wed, 21 Oct 2026 07:28:00 GMT", now=1792567650.0) == pytest.approx(30, abs=1)
    assert retry_after(None, "soon") is None
    assert retry_after(None, "nan") is None
    assert retry_after(None, None) is None


# What an endpoint takes


def test_weaker_forms_are_found_and_remembered(model, endpoint, ask, fault):
    def act(request, nth):
        form = request.get("response_format", {}).get("type")
        return endpoint.said('{"action": "merge"}') if form == "json_object" else fault(400, "response_format is not supported")

    endpoint.act = act
    asked = model()
    assert asked.complete_many([ask("a")])[0].calls == 2
    assert asked.complete_many([ask("b")])[0].calls == 1
    told = endpoint.requests[-1]["messages"][0]["content"]
    assert '"enum": ["delete", "merge", "preserve"]' in told
    assert "JSON" in told


@pytest.mark.parametrize("status", [400, 404, 422, 500, 501])
def test_a_form_may_be_refused_in_many_ways(status, model, endpoint, ask, fault):
    endpoint.act = lambda request, nth: fault(status) if "response_format" in request else endpoint.said('{"action": "merge"}')
    asked = model()
    first, second = asked.complete_many([ask("a")])[0], asked.complete_many([ask("b")])[0]
    assert first.value is not None
    assert second.calls == 1
    assert first.calls == (5 if status == 500 else 3)


def test_a_passing_fault_weakens_nothing(model, endpoint, ask, fault):
    endpoint.act = lambda request, nth: fault(500) if nth == 0 else endpoint.said('{"action": "merge"}')
    asked = model()
    asked.complete_many([ask("a")])
    asked.complete_many([ask("b")])
    assert [request["response_format"]["type"] for request in endpoint.requests] == ["json_schema"] * 3


def test_a_request_that_is_refused_for_itself_weakens_nothing(model, endpoint, ask, fault):
    endpoint.act = lambda request, nth: fault(400) if "bad" in request["messages"][-1]["content"] else endpoint.said('{"action": "merge"}')
    asked = model()
    assert kind(asked.complete_many([ask("bad")])[0]) == "rejected"
    asked.complete_many([ask("good")])
    assert endpoint.requests[-1]["response_format"]["type"] == "json_schema"
    assert asked.complete_many([ask("bad again")])[0].calls == 1


def test_parameters_that_a_model_refuses_are_left_out(model, endpoint, ask, fault):
    def act(request, nth):
        if "temperature" in request:
            return fault(400, {"message": "Unsupported value: 'temperature' does not support 0", "param": "temperature"})
        if "max_tokens" in request:
            told = "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead."
            return fault(400, {"message": told, "param": "max_tokens"})
        return endpoint.said('{"action": "merge"}')

    endpoint.act = act
    asked = model()
    assert asked.complete_many([ask("a", max_tokens=30)])[0].calls == 3
    assert endpoint.requests[-1]["max_completion_tokens"] == 30
    assert endpoint.requests[-1]["response_format"]["type"] == "json_schema"
    assert asked.complete_many([ask("b", max_tokens=30)])[0].calls == 1


def test_a_window_that_is_too_small_is_no_refused_parameter(model, endpoint, ask, fault):
    told = "'max_tokens' is too large: 5000. This model's maximum context length is 4096 tokens, unsupported"
    endpoint.act = lambda request, nth: fault(400, {"message": told, "type": "invalid_request_error"})
    asked = model()
    assert kind(asked.complete_many([ask("a", max_tokens=5000)])[0]) == "rejected"
    assert len(endpoint.requests) == 1
    asked.complete_many([ask("b", max_tokens=10)])
    assert endpoint.requests[-1]["max_tokens"] == 10


# Interruption


def test_interrupted_it_ends_at_once_and_keeps_what_arrived(endpoint, ask):
    """Ctrl-C while some replies are there, some in flight and some not sent."""
    kept = {}

    class Cache:
        def get(self, key):
            return kept.get(key)

        def put(self, key, reply):
            kept[key] = reply
            if len(kept) == 3:
                os.kill(os.getpid(), 2)

    def act(request, nth):
        if int(request["messages"][-1]["content"]) >= 3:
            endpoint.release.wait(20)
        return endpoint.said('{"action": "merge"}')

    endpoint.act = act
    model = open_model("m", ModelSettings(base_url=endpoint.url, concurrency=4), cache=Cache())
    start = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        model.complete_many([ask(str(i)) for i in range(30)])
    assert time.monotonic() - start < 5
    assert len(kept) == 3
    endpoint.release.set()
    asked = len(endpoint.requests)
    assert asked <= 8
    again = open_model("m", ModelSettings(base_url=endpoint.url, concurrency=4), cache=Cache())
    kept_before = dict(kept)
    replies = again.complete_many([ask(str(i)) for i in range(3)])
    assert [reply.calls for reply in replies] == [0, 0, 0]
    assert kept.items() >= kept_before.items()


# Opening


def test_without_the_package(monkeypatch):
    monkeypatch.setattr("memfold.llm.openai.find_spec", lambda name: None)
    with pytest.raises(MissingExtra, match=r"memfold\[openai\]"):
        open_model("gpt-5-mini")


def test_openai_itself_needs_a_key(monkeypatch, ask):
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    reply = open_model("gpt-5-mini").complete_many([ask()])[0]
    assert kind(reply) == "unreachable"
    assert "OPENAI_API_KEY" in reply.failure.message
    assert reply.calls == 0


def test_money_needs_a_price():
    with pytest.raises(BadParameter, match="needs the price"):
        open_model("my-own", ModelSettings(max_cost=1.0))
