"""Requests and tokens a minute, by a clock of the test's own."""

from __future__ import annotations

import threading

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memfold.config import ModelSettings
from memfold.llm import OpenAIModel
from memfold.llm.limits import Clock, Limits
from memfold.llm.model import LanguageModel

NEVER = threading.Event()


class Ticking(Clock):
    def __init__(self):
        self.time = 500.0

    def now(self):
        return self.time

    def wait(self, seconds, stop):
        self.time += seconds


def begun(settings, sizes):
    clock = Ticking()
    limits = Limits(settings, clock)
    times = []
    for size in sizes:
        assert limits.wait(size, NEVER)
        times.append(clock.now())
    return times


def test_no_limit_no_wait():
    assert begun(ModelSettings(), [10] * 50) == [500.0] * 50


def test_requests_a_minute():
    assert begun(ModelSettings(requests_per_minute=3), [1] * 7) == [500.0] * 3 + [560.0] * 3 + [620.0]


def test_tokens_a_minute():
    assert begun(ModelSettings(tokens_per_minute=100), [60, 40, 10, 90, 1]) == [500, 500, 560, 560, 620]


def test_a_request_larger_than_a_minute_goes_alone():
    assert begun(ModelSettings(tokens_per_minute=100), [10, 500, 10]) == [500, 560, 620]


@given(st.integers(1, 5), st.integers(20, 100), st.lists(st.integers(1, 120), max_size=25))
def test_no_minute_holds_more(requests, tokens, sizes):
    times = begun(ModelSettings(requests_per_minute=requests, tokens_per_minute=tokens), sizes)
    assert times == sorted(times)
    for i, start in enumerate(times):
        inside = [min(size, tokens) for time, size in zip(times[i:], sizes[i:], strict=True) if time < start + 60]
        assert len(inside) <= requests
        assert sum(inside) <= tokens


def test_a_pause_that_the_endpoint_asks_for_holds_all():
    clock = Ticking()
    limits = Limits(ModelSettings(), clock)
    limits.hold(5)
    assert limits.wait(1, NEVER)
    assert clock.now() == 505


def test_waiting_ends_when_stopped():
    limits = Limits(ModelSettings(requests_per_minute=1))
    stop = threading.Event()
    assert limits.wait(1, stop)
    threading.Timer(0.05, stop.set).start()
    assert not limits.wait(1, stop)


@pytest.mark.parametrize("threads", [1, 4])
def test_over_an_endpoint(endpoint, ask, clock, threads):
    model = LanguageModel(OpenAIModel("m", ModelSettings(base_url=endpoint.url, requests_per_minute=4, concurrency=threads), clock=clock))
    replies = model.complete_many([ask(str(i)) for i in range(10)])
    assert all(reply.value for reply in replies)
    assert clock.now() >= 1120
