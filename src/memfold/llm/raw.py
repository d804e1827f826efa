"""What a model sends before anybody has read it: text, or why there is none; and the thread pool that fetches many of them at once."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from typing import Any, Protocol, TypeAlias

from memfold.protocols import ChatRequest, Failure, Message, json_schema

Asked: TypeAlias = ChatRequest[Any]
MESSAGE_TOKENS = 4
BYTES_PER_TOKEN = 3.5


@dataclass(frozen=True, slots=True)
class RawReply:
    """A text or a failure, and what it took; units as in `ChatReply`.

    :param finished: False where the endpoint says that the text was cut off at its limit of tokens.
    """

    text: str = ""
    failure: Failure | None = None
    finished: bool = True
    calls: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    cost: float = 0.0
    seconds: float = 0.0


Arrived: TypeAlias = Callable[[int, RawReply], None]


class RawModel(Protocol):
    """Where texts come from. May be used from several threads at once."""

    @property
    def name(self) -> str:
        """As `ChatModel.name`."""
        ...

    def send(self, requests: Sequence[Asked], arrived: Arrived) -> None:
        """Ask; call `arrived(i, reply)` once for each request at the moment its reply is there, from any thread.

        Failures are replies too. Raises nothing of its own but KeyboardInterrupt.
        """
        ...


def cache_key(model: str, request: Asked) -> str:
    """32 hex digits of a model's name and what it is asked."""
    return blake2b(f"{model}\n{request.key}".encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()


def spread(count: int, work: Callable[[int, threading.Event], None], width: int) -> None:
    """Call `work(i, stop)` for i in 0 … count - 1, at most `width` at once, begun in order.

    When the caller is interrupted (Ctrl-C), `stop` is set, nothing new begins, and the interruption is raised at once; what
    runs is left to end by itself in its own (daemon) thread. An error of `work` ends the whole and is raised.
    """
    stop = threading.Event()
    if not count:
        return
    pool = _Pool(count, work, stop)
    for _ in range(min(width, count)):
        threading.Thread(target=pool.run, daemon=True, name="memfold-llm").start()
    try:
        while not pool.done.wait(1.0):  # a wait without an end cannot be interrupted on every system
            pass
    except BaseException:
        stop.set()
        raise
    if pool.error is not None:
        raise pool.error


class _Pool:
    def __init__(self, count: int, work: Callable[[int, threading.Event], None], stop: threading.Event) -> None:
        self.count, self.work, self.stop = count, work, stop
        self.lock = threading.Lock()
        self.begun = 0
        self.ended = 0
        self.error: BaseException | None = None
        self.done = threading.Event()

    def run(self) -> None:
        while (index := self._next()) is not None:
            try:
                self.work(index, self.stop)
            except BaseException as error:  # noqa: BLE001 (raised again in the caller's thread)
                self.error = self.error or error
                self.stop.set()
                self.done.set()
                return
            with self.lock:
                self.ended += 1
                if self.ended == self.count:
                    self.done.set()

    def _next(self) -> int | None:
        with self.lock:
            if self.stop.is_set() or self.begun == self.count:
                return None
            self.begun += 1
            return self.begun - 1


def estimated_tokens(messages: Sequence[Message]) -> int:
    """Tokens of messages where nobody counted: UTF-8 bytes by 3.5, which errs high for English and holds for Chinese."""
    return sum(estimated_text(message.content) + MESSAGE_TOKENS for message in messages)


def estimated_text(text: str) -> int:
    """Tokens of a text, estimated as in `estimated_tokens`."""
    return -int(-len(text.encode("utf-8", "surrogatepass")) // BYTES_PER_TOKEN)


def with_form(request: Asked) -> tuple[Message, ...]:
    """The request's messages with the form of the reply told in words, for endpoints that no schema can be given to.

    It is added to the system message, which every chat template allows, else to the last message.
    """
    schema = json.dumps(json_schema(request.schema), ensure_ascii=False)
    told = f"Answer with one JSON object of the form that this JSON schema describes, and with nothing else:\n{schema}"
    messages = list(request.messages)
    at = 0 if messages and messages[0].role == "system" else len(messages) - 1
    if not messages:
        return (Message("user", told),)
    messages[at] = Message(messages[at].role, f"{messages[at].content}\n\n{told}")
    return tuple(messages)
