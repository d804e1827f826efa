"""Any endpoint that speaks OpenAI's chat completions API, by the official client: OpenAI, Ollama, vLLM, llama.cpp, OpenRouter …

The client's own retries are off: what may pass (too many requests, a fault of the server, a cut connection) is tried again here,
with pauses that grow and that follow `Retry-After`, so that budgets and limits see every sending.
"""

from __future__ import annotations

import json
import os
import random
import sys
import threading
import time
import weakref
from collections.abc import Sequence
from dataclasses import replace
from email.utils import parsedate_to_datetime
from functools import cached_property
from importlib import import_module
from importlib.util import find_spec
from typing import Any

from memfold.config import ModelSettings
from memfold.errors import BadParameter, EndpointError, MissingExtra
from memfold.llm.completion import Fault, fault_of, read_body
from memfold.llm.dialect import Dialect
from memfold.llm.keys import KEY, Secret, read_key, shown_url, shown_words
from memfold.llm.limits import Clock, Limits
from memfold.llm.prices import Prices
from memfold.llm.raw import Arrived, Asked, RawReply, estimated_text, estimated_tokens, spread
from memfold.llm.spending import Held, Spending
from memfold.protocols import Failure

OPENAI = "https://api.openai.com/v1"
FIRST_PAUSE, LONGEST_PAUSE = 0.5, 30.0
PATIENCE = 120.0
"""Seconds: an endpoint that asks for a longer pause is not waited for."""
MOST_BYTES = 20_000_000
CURES = {
    401: f"the key is missing or wrong: set the environment variable {KEY}, or name a key file",
    402: "the account has no credit left",
    403: "the key may not use this model",
    404: "no such model, or no such path: check the model's name and the base URL, which usually ends in /v1",
}


class OpenAIModel:
    """A model at an endpoint. `open_model` makes a `ChatModel` of it.

    :param clock: :param seed: of the pauses' jitter; for tests.
    :raises MissingExtra: the package `openai` is not installed.
    :raises BadParameter: a budget in money is set, but no price of this model is known; or the prices' file cannot be read.
    """

    def __init__(self, model: str, settings: ModelSettings | None = None, *, clock: Clock | None = None, seed: int = 0) -> None:
        if find_spec("openai") is None:
            raise MissingExtra("a language model at an endpoint", "openai")
        self.settings = settings or ModelSettings()
        self.model = model
        self.base_url = self.settings.base_url or os.environ.get("OPENAI_BASE_URL") or OPENAI
        self.dialect = Dialect()
        self.limits = Limits(self.settings, clock)
        prices = Prices(self.settings.prices)
        if self.settings.max_cost is not None and prices.price(model) is None:
            raise BadParameter(f"a budget in money needs the price of {model!r}: give a file of prices that has it")
        self.spending = Spending(self.settings, prices, model)
        self._random = random.Random(seed)
        self._down: Failure | None = None

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.model!r}, {shown_url(self.base_url)!r})"

    @property
    def name(self) -> str:
        return f"openai:{self.model}"

    def send(self, requests: Sequence[Asked], arrived: Arrived) -> None:
        """Ask, `settings.concurrency` at once. After the first `unreachable` or `spent` of a call nothing more is sent in it."""
        self._down = None

        def answer(index: int, stop: threading.Event) -> None:
            with self.limits.seats:
                start = time.monotonic()
                reply = _Way(self, requests[index], stop).answer()
                if stop.is_set() and reply.failure is not None:
                    return
                if reply.failure is not None and reply.failure.halt:
                    self._down = reply.failure
            arrived(index, _timed(reply, time.monotonic() - start))

        spread(len(requests), answer, self.settings.concurrency)

    @property
    def down(self) -> Failure | None:
        """Why nothing more is sent in the current call."""
        return self._down

    def pause(self, attempt: int) -> float:
        """Seconds before the next try: doubled each time, with jitter."""
        return min(LONGEST_PAUSE, FIRST_PAUSE * 2**attempt) * (0.5 + self._random.random() / 2)

    @cached_property
    def secret(self) -> Secret:
        """The key, read when the first request is sent.

        :raises EndpointError: there is none, and the endpoint needs one.
        """
        secret = read_key(self.settings.key_file)
        if not secret.value and self.base_url.startswith("https://api.openai.com"):
            raise EndpointError(f"{shown_url(self.base_url)} needs a key: set the environment variable {KEY}, or name a key file")
        return secret

    @cached_property
    def client(self) -> Any:
        """The official client; its connections are closed when this model is gone."""
        openai: Any = import_module("openai")
        key = self.secret.value or "none"
        client = openai.OpenAI(api_key=key, base_url=self.base_url, timeout=self.settings.timeout, max_retries=0)
        weakref.finalize(self, client.close)
        return client

    def fetch(self, body: dict[str, Any]) -> RawReply | Fault | Failure:
        """Send once. `Fault` is what the endpoint told, `Failure` what the way to it did: `unreachable`, `timeout` or `server`."""
        openai: Any = import_module("openai")
        broken, late, refused = (_transport_errors(name) for name in ("HTTPError", "TimeoutException", "ConnectError"))
        try:
            return self._received(body)
        except openai.APIStatusError as error:
            return _told(error)
        except (openai.APITimeoutError, TimeoutError, *late):
            return Failure("timeout", f"{self.where} gave no reply within {self.settings.timeout:g} seconds")
        except (openai.APIConnectionError, *broken) as error:
            cause = error.__cause__ or error
            if isinstance(cause, refused):
                return Failure("unreachable", f"{self.where} cannot be reached; is the server running, and the base URL right?")
            return Failure("server", f"{self.where} broke the connection off ({type(cause).__name__})")
        except (openai.OpenAIError, ValueError, UnicodeError) as error:
            return Failure("server", f"{self.where} sent what is no reply of the chat completions API ({type(error).__name__})")

    @property
    def where(self) -> str:
        """The endpoint, for messages."""
        return shown_url(self.base_url)

    def _received(self, body: dict[str, Any]) -> RawReply | Fault | Failure:
        end = time.monotonic() + self.settings.timeout
        parts: list[bytes] = []
        with self.client.chat.completions.with_streaming_response.create(model=self.model, **body) as response:
            for part in response.iter_bytes():
                parts.append(part)
                if time.monotonic() > end:
                    raise TimeoutError
                if sum(map(len, parts)) > MOST_BYTES:
                    return Failure("server", f"{self.where} sent more than {MOST_BYTES:,} bytes")
        text = self.secret.clean(b"".join(parts).decode("utf-8"))
        try:
            return read_body(json.loads(text))
        except (ValueError, RecursionError):
            return Failure("server", f"{self.where} sent no JSON; is {self.base_path} the path of an OpenAI-compatible API?")

    @property
    def base_path(self) -> str:
        """The path of the base URL, for messages."""
        return "/" + self.where.partition("://")[2].partition("/")[2]


class _Way:
    """One request on its way: asked in the manner that the endpoint takes, tried again where that may help."""

    def __init__(self, model: OpenAIModel, request: Asked, stop: threading.Event) -> None:
        self.model = model
        self.request = request
        self.stop = stop
        self.manner = model.dialect.manner(request)
        self.calls = 0
        self.cost = 0.0
        self.tried = 0

    def answer(self) -> RawReply:
        """The text, or the failure after all tries."""
        try:
            _ = self.model.secret
        except EndpointError as error:
            return RawReply(failure=Failure("unreachable", str(error)))
        while True:
            came = self._once()
            if isinstance(came, RawReply):
                return _counted(came, self.calls, self.cost)
            if came is not None:
                return RawReply(failure=came, calls=self.calls, cost=self.cost)

    def _once(self) -> RawReply | Failure | None:
        """One sending; None where to send again."""
        estimate = estimated_tokens(self.request.messages)
        if self.model.down is not None:
            return self.model.down
        if not self.model.limits.wait(estimate, self.stop):
            return _INTERRUPTED
        if self.model.down is not None:
            return self.model.down
        held = self.model.spending.hold(estimate, self.request.max_tokens, self.stop)
        if isinstance(held, Failure):
            return held
        self.calls += 1
        body = self.model.dialect.body(self.request, self.manner)
        came = self._fetched(body, held, estimate)
        if isinstance(came, Fault):
            return self._after_fault(body, came)
        if isinstance(came, Failure):
            return self._again(came)
        self.model.dialect.accepted(self.request, self.manner)
        return came

    def _fetched(self, body: dict[str, Any], held: Held, estimate: int) -> RawReply | Fault | Failure:
        tokens_in = tokens_out = 0
        try:
            came = self.model.fetch(body)
            if isinstance(came, RawReply):
                came = _estimated(came, estimate)
                tokens_in, tokens_out = came.tokens_in, came.tokens_out
            return came
        finally:
            self.cost += self.model.spending.settle(held, tokens_in, tokens_out)

    def _after_fault(self, body: dict[str, Any], fault: Fault) -> Failure | None:
        if self.model.dialect.otherwise(self.request, self.manner, body, fault):
            return None
        failure = self._failure(fault)
        if not fault.passing:
            return failure
        wanted = fault.pause
        if wanted is not None and wanted > PATIENCE:
            return Failure(failure.kind, f"{failure.message}; it asks to wait {wanted:,.0f} seconds, run again then")
        if wanted is not None and fault.status in (429, 503):
            self.model.limits.hold(wanted)
        return self._again(failure, wanted)

    def _again(self, failure: Failure, pause: float | None = None) -> Failure | None:
        """None after a pause, or the failure when the tries are used up."""
        self.tried += 1
        if self.tried >= self.model.settings.tries:
            times = f"; tried {self.tried} times" if self.tried > 1 else ""
            return Failure(failure.kind, failure.message + times)
        self.model.limits.clock.wait(self.model.pause(self.tried - 1) if pause is None else pause, self.stop)
        return _INTERRUPTED if self.stop.is_set() else None

    def _failure(self, fault: Fault) -> Failure:
        asked = "\n".join(message.content for message in self.request.messages)
        words = shown_words(fault.told, self.model.secret, asked)
        answered = f"answered {fault.status}" if fault.status else "sent an error"
        cure = CURES.get(fault.status, "") if fault.kind == "unreachable" else ""
        said = f"{self.model.where} {answered} for {self.model.model!r}" + (f": {words}" if words else "")
        return Failure(fault.kind, f"{said}; {cure}" if cure else said)


_INTERRUPTED = Failure("unreachable", "interrupted")


def _transport_errors(name: str) -> tuple[type[Exception], ...]:
    """An error class of the HTTP library that the official client uses; older and newer clients differ in which."""
    return tuple(getattr(sys.modules[library], name) for library in ("httpx", "httpx2") if library in sys.modules)


def _told(error: Any) -> Fault:
    fault = fault_of(error.body if error.body is not None else "", error.status_code)
    pause = retry_after(error.response.headers.get("retry-after-ms"), error.response.headers.get("retry-after"))
    return replace(fault, pause=pause)


def retry_after(milliseconds: str | None, seconds: str | None, *, now: float | None = None) -> float | None:
    """Seconds that the headers ask to wait: a number, or a date; None where they ask for nothing that can be read."""
    for written, unit in ((milliseconds, 1000), (seconds, 1)):
        try:
            pause = float(written or "") / unit
        except ValueError:
            continue
        return max(0.0, pause) if pause == pause else None
    try:
        return max(0.0, parsedate_to_datetime(seconds or "").timestamp() - (time.time() if now is None else now))
    except (TypeError, ValueError, OverflowError):
        return None


def _estimated(reply: RawReply, tokens_in: int) -> RawReply:
    """The reply with tokens estimated where the endpoint counted none."""
    return replace(
        reply, tokens_in=reply.tokens_in or tokens_in, tokens_out=reply.tokens_out or (estimated_text(reply.text) if reply.text else 0)
    )


def _counted(reply: RawReply, calls: int, cost: float) -> RawReply:
    return replace(reply, calls=calls, cost=cost)


def _timed(reply: RawReply, seconds: float) -> RawReply:
    return replace(reply, seconds=seconds)
