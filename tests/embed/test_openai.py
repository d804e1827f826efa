"""The endpoint embedder against a real HTTP server on this machine, sound and faulty."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from memfold.embed import HashingEmbedder, OpenAIEmbedder
from memfold.errors import BadReply, EndpointError, ModelError

pytestmark = pytest.mark.skipif(importlib.util.find_spec("openai") is None, reason="needs the extra 'openai'")

TEXTS = ["a kettle", "two kettles", "the moon over the harbour"]


def make(endpoint: Any, **options: Any) -> OpenAIEmbedder:
    return OpenAIEmbedder("toy", base_url=endpoint.url, **{"retries": 0, **options})


def test_vectors_come_scaled_and_in_order(endpoint: Any) -> None:
    assert np.abs(make(endpoint).embed(TEXTS) - HashingEmbedder(64).embed(TEXTS)).max() < 1e-6
    assert endpoint.requests == [{"model": "toy", "input": TEXTS, "encoding_format": "float"}]


def test_shuffled_replies_are_put_in_order(endpoint: Any) -> None:
    endpoint.spoil = lambda reply: {**reply, "data": reply["data"][::-1]}
    assert np.abs(make(endpoint).embed(TEXTS) - HashingEmbedder(64).embed(TEXTS)).max() < 1e-6


def test_the_dimension_is_learnt_from_the_first_reply(endpoint: Any) -> None:
    embedder = make(endpoint)
    assert endpoint.requests == []
    assert embedder.dim == 64
    assert embedder.dim == 64
    assert len(endpoint.requests) == 1
    assert embedder.embed([]).shape == (0, 64)


def test_a_wished_dimension_is_sent_and_named(endpoint: Any) -> None:
    embedder = make(endpoint, dimensions=16)
    assert embedder.embed(TEXTS).shape == (3, 16)
    assert endpoint.requests[0]["dimensions"] == 16
    assert embedder.name == "openai:toy@16"


def test_requests_are_bounded_in_texts_and_characters(endpoint: Any) -> None:
    texts = [f"note {n} " + "x" * 3000 for n in range(100)]
    vectors = make(endpoint, batch=30).embed(texts + texts)
    assert vectors.shape == (200, 64)
    assert (vectors[:100] == vectors[100:]).all()
    assert sum(len(request["input"]) for request in endpoint.requests) == 100
    assert max(len(request["input"]) for request in endpoint.requests) <= 30
    endpoint.requests.clear()
    make(endpoint, batch=1000).embed(texts)
    assert max(sum(map(len, request["input"])) for request in endpoint.requests) <= 200_000


def test_long_texts_go_out_in_windows(endpoint: Any) -> None:
    text = " ".join(f"line {n}" for n in range(400))
    vector = make(endpoint, window_characters=1000).embed([text])[0]
    sent = [window for request in endpoint.requests for window in request["input"]]
    assert max(map(len, sent)) <= 1000
    assert sent[0] == text[:1000]
    assert sent[-1] == text[-1000:]
    assert len(sent) == 4
    expected = HashingEmbedder(64).embed(sent).sum(axis=0)
    assert np.abs(vector - expected / np.linalg.norm(expected)).max() < 1e-6


def test_a_huge_text_costs_a_bounded_number_of_windows(endpoint: Any) -> None:
    make(endpoint, window_characters=100).embed(["word " * 100_000])
    assert sum(len(request["input"]) for request in endpoint.requests) == 64


def test_empty_texts_are_sent_as_a_word(endpoint: Any) -> None:
    vectors = make(endpoint).embed(["", " \n", "x"])
    assert endpoint.requests[0]["input"] == ["(empty)", "x"]
    assert (vectors[0] == vectors[1]).all()


def test_the_key_comes_from_the_environment_only(endpoint: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    make(endpoint).embed(["x"])
    monkeypatch.setenv("OPENAI_API_KEY", "sk-from-the-environment")
    make(endpoint).embed(["x"])
    assert endpoint.keys == ["Bearer none", "Bearer sk-from-the-environment"]


def test_openai_without_a_key_says_what_to_set(endpoint: Any) -> None:
    with pytest.raises(EndpointError, match="OPENAI_API_KEY"):
        OpenAIEmbedder("text-embedding-3-small").embed(["x"])


def test_the_base_url_may_come_from_the_environment(endpoint: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_BASE_URL", endpoint.url)
    assert OpenAIEmbedder("toy").dim == 64


def _items(change: Callable[[list[dict[str, Any]]], Any]) -> Callable[[dict[str, Any]], Any]:
    return lambda reply: {**reply, "data": change(reply["data"])}


SPOILED: dict[str, tuple[Callable[[dict[str, Any]], Any], str]] = {
    "missing item": (_items(lambda data: data[1:]), "2 embeddings for 3 texts"),
    "surplus item": (_items(lambda data: [*data, {**data[0], "index": 3}]), "4 embeddings for 3 texts"),
    "index twice": (_items(lambda data: [data[0], data[0], data[2]]), "indexes"),
    "index off by one": (_items(lambda data: [{**item, "index": item["index"] + 1} for item in data]), "indexes"),
    "no index": (_items(lambda data: [{"embedding": item["embedding"]} for item in data]), "indexes"),
    "not a number": (_items(lambda data: [{**data[0], "embedding": [float("nan")] * 64}, *data[1:]]), "not a number"),
    "infinite": (_items(lambda data: [{**data[0], "embedding": [float("inf")] * 64}, *data[1:]]), "infinite"),
    "zero": (_items(lambda data: [{**data[0], "embedding": [0.0] * 64}, *data[1:]]), "zero"),
    "ragged": (_items(lambda data: [{**data[0], "embedding": data[0]["embedding"][:10]}, *data[1:]]), "rows of numbers"),
    "no numbers": (_items(lambda data: [{**item, "embedding": []} for item in data]), "rows of numbers"),
    "null vector": (_items(lambda data: [{**item, "embedding": None} for item in data]), "rows of numbers|not a number"),
    "words": (_items(lambda data: [{**item, "embedding": ["a", "b"]} for item in data]), "rows of numbers"),
    "no data": (lambda reply: {"object": "list"}, "without a list"),
    "data null": (lambda reply: {**reply, "data": None}, "without a list"),
    "empty data": (_items(lambda data: []), "0 embeddings"),
    "items are strings": (_items(lambda data: ["x", "y", "z"]), "indexes"),
    "a list": (lambda reply: [1, 2], "reply"),
    "null": (lambda reply: None, "reply"),
    "error inside a 200": (lambda reply: {"error": {"message": "model not loaded"}}, "without a list"),
}


@pytest.mark.parametrize("fault", SPOILED)
def test_spoiled_replies_are_refused(fault: str, endpoint: Any) -> None:
    endpoint.spoil, message = SPOILED[fault]
    with pytest.raises(BadReply, match=message):
        make(endpoint).embed(TEXTS)


def test_another_dimension_than_before_is_refused(endpoint: Any) -> None:
    embedder = make(endpoint)
    embedder.embed(TEXTS)
    endpoint.spoil = _items(lambda data: [{**item, "embedding": item["embedding"][:32]} for item in data])
    with pytest.raises(BadReply, match="32 numbers, expected 64"):
        embedder.embed(TEXTS)


@pytest.mark.parametrize("raw", [b"", b"<html>busy</html>", b'{"data": [', b"\xff\xfe\x00"])
def test_replies_that_are_not_json_are_refused(raw: bytes, endpoint: Any) -> None:
    endpoint.raw = raw
    with pytest.raises(BadReply):
        make(endpoint).embed(TEXTS)


@pytest.mark.parametrize("status", [400, 401, 403, 404, 429, 500, 503])
def test_refusals_are_endpoint_errors(status: int, endpoint: Any) -> None:
    endpoint.statuses = [status]
    with pytest.raises(EndpointError, match=f"answered {status} for 'toy'") as error:
        make(endpoint).embed(TEXTS)
    assert ("OPENAI_API_KEY" in str(error.value)) == (status in (401, 403))
    assert "out of order" in str(error.value)


def test_a_passing_failure_is_tried_again(endpoint: Any) -> None:
    endpoint.statuses = [503]
    assert make(endpoint, retries=1).embed(TEXTS).shape == (3, 64)
    assert len(endpoint.requests) == 2


def test_nobody_there() -> None:
    embedder = OpenAIEmbedder("toy", base_url="http://127.0.0.1:9/v1", retries=0)
    with pytest.raises(EndpointError, match="cannot be reached"):
        embedder.embed(["x"])


def test_silence_ends(endpoint: Any) -> None:
    import time

    def slow(reply: dict[str, Any]) -> dict[str, Any]:
        time.sleep(0.5)
        return reply

    endpoint.spoil = slow
    with pytest.raises(ModelError, match=r"no answer within 0\.1 seconds"):
        make(endpoint, timeout=0.1).embed(["x"])


def test_bad_limits_are_refused() -> None:
    with pytest.raises(ValueError, match="at least 1"):
        OpenAIEmbedder("toy", batch=0)
