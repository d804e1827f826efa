"""Claims on their way from a model's reply to an entry, and what all steps share while they work on one session."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias, TypeVar

import numpy as np

from memfold.config import ExtractSettings
from memfold.extract.outcome import Rejected
from memfold.extract.prompts import Prompts
from memfold.protocols import ChatReply, ChatRequest, Embedder, Failure, Reader, TokenCounter, Vectors
from memfold.types import Kind, Session, Turn

T = TypeVar("T")
Asking: TypeAlias = Generator["list[ChatRequest[Any]]", "list[ChatReply[Any]]", T]
"""A step that asks: it yields the requests of a round and is sent their replies, so that many sessions share their rounds."""
_SHOWN = 200


@dataclass(frozen=True, slots=True)
class Claim:
    """One statement about the conversation, not stored yet.

    `turns` are places in the session of the turns that support it: first as the model cites them, after verification as found.
    `phrase` is how the conversation names its date. `numbers` are the numbers under which the model's replies call it:
    (window, number). `covers` are the events that count as said by it: if it falls, they are looked at for themselves.
    """

    text: str
    kind: Kind
    turns: tuple[int, ...] = ()
    phrase: str = ""
    numbers: tuple[tuple[int, int], ...] = ()
    covers: tuple[Claim, ...] = ()


@dataclass(frozen=True, slots=True)
class Relating:
    """A relation between two claims, as the model proposed it: (window, number) of either side."""

    source: tuple[int, int]
    target: tuple[int, int]
    relation: str


@dataclass(frozen=True, slots=True)
class Tools:
    """What extraction works with."""

    embedder: Embedder
    reader: Reader
    counter: TokenCounter
    prompts: Prompts


class SessionFailed(Exception):
    """The session cannot be extracted now: the model failed, or all that it said is bad."""

    def __init__(self, reason: str, failure: Failure | None = None) -> None:
        super().__init__(reason)
        self.failure = failure


@dataclass(slots=True)
class Work:
    """A session being worked on: its turns with their times, and what was refused and spent so far."""

    session: Session
    tools: Tools
    settings: ExtractSettings
    rejected: list[Rejected] = field(default_factory=list[Rejected])
    notes: list[str] = field(default_factory=list[str])
    asked: int = 0
    calls: int = 0
    tokens: int = 0
    cost: float = 0.0
    turns: tuple[Turn, ...] = ()
    _vectors: dict[str, np.ndarray] = field(default_factory=dict[str, np.ndarray])

    def reject(self, text: str, step: str, reason: str) -> None:
        """Note a claim that is not stored."""
        shown = text if len(text) <= _SHOWN else f"{text[:_SHOWN]}… ({len(text):,} characters)"
        self.rejected.append(Rejected(shown, step, reason))

    def ask(self, requests: Sequence[ChatRequest[Any]]) -> Asking[list[ChatReply[Any]]]:
        """Put the requests to the model and count what they take.

        :raises SessionFailed: a failure that every further request would share.
        """
        if not requests:
            return []
        replies = yield list(requests)
        self.asked += len(replies)
        for reply in replies:
            self.calls, self.tokens, self.cost = self.calls + reply.calls, self.tokens + reply.tokens, self.cost + reply.cost
        halted = next((reply.failure for reply in replies if reply.failure and reply.failure.halt), None)
        if halted is not None:
            raise SessionFailed(halted.message, halted)
        return replies

    def vectors(self, texts: Sequence[str]) -> Vectors:
        """Unit vectors of the texts, shape (len(texts), dim); each text is embedded once a session."""
        new = [text for text in dict.fromkeys(texts) if text not in self._vectors]
        if new:
            self._vectors.update(zip(new, self.tools.embedder.embed(new), strict=True))
        if not texts:
            return np.zeros((0, self.tools.embedder.dim), np.float32)
        return np.stack([self._vectors[text] for text in texts])

    def cosines(self, texts: Sequence[str], others: Sequence[str]) -> Vectors:
        """Cosines of all texts with all others, shape (len(texts), len(others))."""
        return self.vectors(texts) @ self.vectors(others).T


def value_of(reply: ChatReply[T]) -> T:  # pyright: ignore[reportInvalidTypeVarBound, reportInvalidTypeArguments]
    """The reply's value.

    :raises SessionFailed: it has none.
    """
    if reply.value is None:
        message = reply.failure.message if reply.failure else "the model gave no reply"
        raise SessionFailed(message, reply.failure)
    return reply.value
