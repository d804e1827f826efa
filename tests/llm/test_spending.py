"""Budgets stop between two requests; prices are a table that a file overrides."""

from __future__ import annotations

import threading
import time

import pytest

from memfold.config import ModelSettings
from memfold.errors import BadParameter
from memfold.llm import LanguageModel, OpenAIModel, estimate_cost, open_model
from memfold.llm.prices import PRICES, Prices
from memfold.llm.spending import Held, Spending
from memfold.protocols import Failure

STOP = threading.Event()


@pytest.fixture
def asked(endpoint):
    def make(name="m", **settings):
        return open_model(name, ModelSettings(base_url=endpoint.url, **settings))

    return make


def kinds(replies):
    return [reply.failure.kind if reply.failure else "" for reply in replies]


def test_calls_are_never_one_too_many(asked, endpoint, ask):
    model = asked(max_calls=5, concurrency=8)
    replies = model.complete_many([ask(str(i)) for i in range(20)])
    assert sorted(kinds(replies)) == [""] * 5 + ["spent"] * 15
    assert len(endpoint.requests) == 5
    assert {reply.failure.halt for reply in replies if reply.failure} == {"spent"}
    assert "5 calls" in next(reply.failure.message for reply in replies if reply.failure)
    assert kinds(model.complete_many([ask("more")])) == ["spent"]


def test_what_is_spent_waits_for_no_limit(endpoint, ask, clock):
    settings = ModelSettings(base_url=endpoint.url, max_calls=2, requests_per_minute=2, concurrency=2)
    replies = LanguageModel(OpenAIModel("m", settings, clock=clock)).complete_many([ask(str(i)) for i in range(50)])
    assert kinds(replies).count("spent") == 48
    assert clock.now() <= 1000 + 3 * 60


def test_retries_count_as_calls(asked, endpoint, ask, fault):
    endpoint.act = lambda request, nth: fault(429, "slow", {"Retry-After": "0"})
    reply = asked(max_calls=3, tries=5).complete_many([ask()])[0]
    assert kinds([reply]) == ["spent"]
    assert reply.calls == len(endpoint.requests) == 3


@pytest.mark.parametrize("concurrency", [1, 8])
def test_tokens(asked, endpoint, ask, concurrency):
    endpoint.act = lambda request, nth: time.sleep(0.01) or endpoint.said('{"action": "merge"}')
    model = asked(max_tokens=1000, concurrency=concurrency)
    replies = model.complete_many([ask(str(i), max_tokens=20) for i in range(30)])
    spent = model.usage.total
    assert "spent" in kinds(replies)
    assert 500 <= spent.tokens_in + spent.tokens_out <= 1000 + concurrency * 110


def test_money(asked, endpoint, ask):
    model = asked("gpt-5-mini", max_cost=0.0005, concurrency=1)
    replies = model.complete_many([ask(str(i), max_tokens=20) for i in range(30)])
    each = 100 * 0.25e-6 + 10 * 2e-6
    assert model.usage.total.cost == pytest.approx(each * len(endpoint.requests))
    assert model.usage.total.cost <= 0.0005 + each
    assert kinds(replies)[-1] == "spent"
    assert replies[0].cost == pytest.approx(each)


def test_it_waits_for_what_is_in_flight_before_it_says_spent():
    spending = Spending(ModelSettings(max_tokens=100), Prices(), "m")
    first = spending.hold(60, 30, STOP)
    assert isinstance(first, Held)
    threading.Timer(0.05, lambda: spending.settle(first, 20, 10)).start()
    assert isinstance(spending.hold(40, 10, STOP), Held)  # 90 were set aside, but only 30 taken
    assert spending.tokens == 30


def test_what_can_never_fit_is_told_at_once():
    spending = Spending(ModelSettings(max_tokens=100), Prices(), "m")
    told = spending.hold(200, 10, STOP)
    assert isinstance(told, Failure)
    assert "100 tokens" in told.message


# Prices


def test_the_table_and_names_with_dates_and_providers():
    prices = Prices()
    assert prices.price("gpt-5-mini") == PRICES["gpt-5-mini"]
    assert prices.price("gpt-5-mini-2025-08-07") == PRICES["gpt-5-mini"]
    assert prices.price("openai/gpt-5-mini") == PRICES["gpt-5-mini"]
    assert prices.price("smollm2") is None
    cost = prices.cost("gpt-5-mini", 1_000_000, 100_000)
    assert (cost.amount, cost.known) == (pytest.approx(0.45), True)
    assert prices.cost("gpt-5-mini", 1_000_000, 100_000, batch=True).amount == pytest.approx(0.225)
    assert prices.cost("smollm2", 10, 10) == Prices().cost("other", 0, 0)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("p.toml", '"gpt-5-mini" = { in = 1, out = 2.0 }\nmine = { in = 0.5, out = 0.5, batch = 1 }'),
        ("p.json", '{"gpt-5-mini": {"in": 1, "out": 2.0}, "mine": {"in": 0.5, "out": 0.5, "batch": 1}}'),
    ],
)
def test_a_file_overrides_and_adds(tmp_path, name, text):
    path = tmp_path / name
    path.write_text(text)
    settings = ModelSettings(prices=str(path))
    assert estimate_cost("gpt-5-mini", 1_000_000, 1_000_000, settings).amount == 3.0
    assert estimate_cost("batch:work:mine", 1_000_000, 0, settings).amount == 0.5
    assert estimate_cost("batch:work:gpt-5-nano", 1_000_000, 0, settings).amount == pytest.approx(0.025)
    assert estimate_cost("gpt-5-nano", 1_000_000, 0, settings).amount == 0.05
    assert estimate_cost("record:r.jsonl:gpt-5-nano", 1_000_000, 0, settings).amount == 0.05
    assert not estimate_cost("qwen2.5:7b", 1_000_000, 0, settings).known


BAD = ["{", "[1]", '{"m": 3}', '{"m": {"in": 1}}', '{"m": {"in": -1, "out": 1}}', '{"m": {"in": true, "out": 1}}']


@pytest.mark.parametrize("text", BAD)
def test_a_bad_file_is_told(tmp_path, text):
    path = tmp_path / "p.json"
    path.write_text(text)
    with pytest.raises(BadParameter, match=r"p\.json"):
        open_model("m", ModelSettings(prices=str(path)))
