"""A `ChatModel` over any source of texts: remembered replies first, then the model, then again with what was wrong."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from memfold.llm.batch import BatchModel
from memfold.llm.raw import Asked, RawModel, RawReply, cache_key
from memfold.llm.structured import Problem, ask_again, read
from memfold.llm.usage import Usage
from memfold.protocols import ChatReply, ChatRequest, Failure, ReplyCache, Shape

ASKS = 3
"""How often a request is asked at most: once, and twice more with what was wrong with the reply."""


@dataclass(slots=True)
class _Open:
    """A request on its way. `asked` is what goes out next: the request, or the request with its bad reply and what was wrong."""

    places: list[int]
    request: Asked
    asked: Asked
    asks: int = 0
    spent: RawReply = field(default_factory=RawReply)
    reply: ChatReply[Any] | None = None


class LanguageModel:
    """A language model that gives values of the wanted form, or typed failures.

    Equal requests are asked once: within one call, and over calls and processes where there is a cache. A reply is put into the
    cache the moment it arrives, so that an interrupted run loses none.
    """

    def __init__(self, raw: RawModel, *, cache: ReplyCache | None = None) -> None:
        """:param cache: replies by what was asked; only usable ones are kept, failures never."""
        self.raw = raw
        self.cache = cache
        self.usage = Usage()

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.name!r})"

    @property
    def name(self) -> str:
        return self.raw.name

    @property
    def waiting(self) -> int:
        """How many requests are written down and have no reply yet; 0 for models that answer at once."""
        return self.raw.waiting if isinstance(self.raw, BatchModel) else 0

    @property
    def folder(self) -> Path | None:
        """Where the batch files are; None for models that answer at once."""
        return self.raw.folder if isinstance(self.raw, BatchModel) else None

    @property
    def notes(self) -> tuple[str, ...]:
        """What the user should know about the batch files: lines passed over, and why."""
        return self.raw.notes if isinstance(self.raw, BatchModel) else ()

    def complete_many(self, requests: Sequence[ChatRequest[Shape]]) -> list[ChatReply[Shape]]:
        """One reply a request, in order; failures are values.

        Asked in waves: all requests at once, then those whose reply was of no use, with what was wrong with it.

        :raises StoreError: the cache cannot be written, for example because the disk is full.
        """
        going = self._sorted(requests)
        wave = [one for one in going if one.reply is None]
        while wave:
            self._ask(wave)
            wave = [one for one in wave if one.reply is None]
        replies: list[ChatReply[Shape] | None] = [None] * len(requests)
        for one in going:
            assert one.reply is not None
            for nth, place in enumerate(one.places):
                reply = one.reply if nth == 0 else ChatReply(one.reply.value, one.reply.failure)
                replies[place] = reply
                self.usage.add(requests[place].purpose, reply)
        return [reply for reply in replies if reply is not None]

    def _sorted(self, requests: Sequence[Asked]) -> list[_Open]:
        """Equal requests together, those with a remembered reply answered."""
        by_key: dict[tuple[str, type[Any]], _Open] = {}
        for place, request in enumerate(requests):
            one = by_key.setdefault((request.key, request.schema), _Open([], request, request))
            one.places.append(place)
        for one in by_key.values():
            text = self.cache.get(self._key(one.request)) if self.cache else None
            value = read(text, one.request.schema) if text is not None else None
            if value is not None and not isinstance(value, Problem):
                one.reply = ChatReply(value)
        return list(by_key.values())

    def _ask(self, wave: list[_Open]) -> None:
        lock = threading.Lock()

        def arrived(index: int, raw: RawReply) -> None:
            one = wave[index]
            with lock:
                one.asks += 1
                one.spent = _sum(one.spent, raw)
            self._take(one, raw)

        self.raw.send([one.asked for one in wave], arrived)

    def _take(self, one: _Open, raw: RawReply) -> None:
        """Read what arrived: a value, a failure, or a reason to ask again."""
        if raw.failure is not None:
            one.reply = _reply(one.spent, failure=raw.failure)
            return
        value = read(raw.text, one.request.schema, finished=raw.finished)
        if not isinstance(value, Problem):
            if self.cache is not None:
                self.cache.put(self._key(one.request), raw.text)
            one.reply = _reply(one.spent, value=value)
        elif one.asks < ASKS:
            one.asked = ask_again(one.request, raw.text, value)
        else:
            asked = f"asked {one.asks} times, the model sent no usable reply"
            one.reply = _reply(one.spent, failure=Failure("bad_reply", f"{asked}; the last one: {value.told}"))

    def _key(self, request: Asked) -> str:
        return cache_key(self.name, request)


def _sum(spent: RawReply, more: RawReply) -> RawReply:
    return replace(
        spent,
        calls=spent.calls + more.calls,
        tokens_in=spent.tokens_in + more.tokens_in,
        tokens_out=spent.tokens_out + more.tokens_out,
        cost=spent.cost + more.cost,
        seconds=spent.seconds + more.seconds,
    )


def _reply(spent: RawReply, *, value: Any = None, failure: Failure | None = None) -> ChatReply[Any]:
    return ChatReply(value, failure, spent.calls, spent.tokens_in, spent.tokens_out, spent.cost, spent.seconds)
