"""A model that says what it is told to say: for tests and benchmarks, ours and yours."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

from memfold.llm.model import LanguageModel
from memfold.llm.raw import Arrived, Asked, RawReply, estimated_text, estimated_tokens, spread
from memfold.protocols import Failure, ReplyCache
from memfold.types import JSON

if TYPE_CHECKING:
    from pydantic import BaseModel

Said: TypeAlias = "str | dict[str, JSON] | list[JSON] | BaseModel | Failure | RawReply"
Script: TypeAlias = Callable[[Asked], Said] | Sequence[Said]


class ScriptedModel(LanguageModel):
    """A `ChatModel` with scripted replies; what it is sent passes through the same reading and retries as a real model's.

    :param script: a function of the request, called from several threads, or replies in the order of the requests. A reply is a text,
        JSON, a value of the schema, a failure, or a `RawReply` with all its numbers. A list that is used up gives `unreachable`.
    :param latency: seconds until a reply is there, or a function of the request.
    :param concurrency: requests answered at once.
    """

    def __init__(
        self,
        script: Script,
        *,
        name: str = "scripted",
        latency: float | Callable[[Asked], float] = 0.0,
        concurrency: int = 16,
        cache: ReplyCache | None = None,
    ) -> None:
        self.source = _Scripted(script, name, latency, concurrency)
        super().__init__(self.source, cache=cache)

    @property
    def asked(self) -> tuple[Asked, ...]:
        """Everything that was sent, in the order of the requests; repeated asks included, remembered replies not."""
        return tuple(self.source.asked)


class _Scripted:
    def __init__(self, script: Script, name: str, latency: float | Callable[[Asked], float], concurrency: int) -> None:
        self.name = name
        self.asked: list[Asked] = []
        self._script: Callable[[Asked], Said] | list[Said] = script if callable(script) else list(script)
        self._latency = latency
        self._lock = threading.Lock()
        self._seats = threading.Semaphore(concurrency)
        self._concurrency = concurrency

    def send(self, requests: Sequence[Asked], arrived: Arrived) -> None:
        """Answer as the script says."""
        with self._lock:
            self.asked += requests
            planned = None if callable(self._script) else [self._script.pop(0) if self._script else _USED_UP for _ in requests]

        def answer(index: int, stop: threading.Event) -> None:
            request = requests[index]
            with self._seats:
                start = time.monotonic()
                wait = self._latency(request) if callable(self._latency) else self._latency
                if wait > 0:
                    stop.wait(wait)
                said = planned[index] if planned is not None else self._of(request)
                arrived(index, _raw(said, request, time.monotonic() - start))

        spread(len(requests), answer, self._concurrency)

    def _of(self, request: Asked) -> Said:
        assert callable(self._script)
        return self._script(request)


_USED_UP = Failure("unreachable", "the script has no further reply")


def _raw(said: Said, request: Asked, seconds: float) -> RawReply:
    if isinstance(said, RawReply):
        return said
    if isinstance(said, Failure):
        return RawReply(failure=said, calls=1, seconds=seconds)
    text = said if isinstance(said, str) else _written(said)
    return RawReply(text, calls=1, tokens_in=estimated_tokens(request.messages), tokens_out=estimated_text(text), seconds=seconds)


def _written(said: Any) -> str:
    return json.dumps(said, ensure_ascii=False) if isinstance(said, (dict, list)) else said.model_dump_json()
