"""What is asked of a language model, and what comes of it."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from hashlib import blake2b
from typing import TYPE_CHECKING, Generic, Literal, Protocol, TypeAlias, TypeVar

from memfold.types import JSON, Halt, Role

if TYPE_CHECKING:
    from pydantic import BaseModel


Shape = TypeVar("Shape", bound="BaseModel")
FailureKind: TypeAlias = Literal["bad_reply", "refused", "rejected", "rate_limit", "server", "timeout", "unreachable", "spent", "waiting"]
"""Why a request has no value.

bad_reply     text came, but not of the wanted form, also when asked again     refused   the model declined to answer
rejected      the endpoint will never take this request (too long, forbidden)  server    it failed (5xx, half a reply)
rate_limit    still too many requests after waiting                            timeout   no reply in time
unreachable   no server, no key, no such model: nothing will be answered       spent     the budget of calls, tokens or money is
waiting       the request is written down, the reply is still to come
"""


@dataclass(frozen=True, slots=True)
class Message:
    """One message to or from a model."""

    role: Role
    content: str


@dataclass(frozen=True)
class ChatRequest(Generic[Shape]):
    """What is asked of a model: messages, and the form that its reply must have.

    :param schema: a pydantic model; its JSON schema is what the model is told, its validators are what the reply must pass.
    :param purpose: `judge`, `merge`, `draft` …: usage is counted by it. Not part of the key.
    :param max_tokens: of the reply; None leaves it to the endpoint.
    """

    messages: tuple[Message, ...]
    schema: type[Shape]
    purpose: str = ""
    max_tokens: int | None = None

    @cached_property
    def key(self) -> str:
        """32 hex digits of the request's content: equal requests are asked once, in any process."""
        asked = [[m.role, m.content] for m in self.messages], self.max_tokens
        written = json.dumps([asked, json_schema(self.schema)], ensure_ascii=False, sort_keys=True)
        return blake2b(written.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()


@lru_cache(maxsize=64)
def json_schema(schema: type[BaseModel]) -> dict[str, JSON]:
    """The JSON schema of a reply."""
    return schema.model_json_schema()


@dataclass(frozen=True, slots=True)
class Failure:
    """Why a request has no value. `message` says what happened and what cures it, without keys or texts of the user."""

    kind: FailureKind
    message: str

    @property
    def halt(self) -> Halt:
        """Set where every further request would fail in the same way."""
        return self.kind if self.kind in ("waiting", "spent", "unreachable") else ""


@dataclass(frozen=True, slots=True)
class ChatReply(Generic[Shape]):
    """What came of a request: a value or a failure, never both; and what it took, retries included.

    `tokens_in` and `tokens_out` are as the endpoint counts, else estimated. `calls` is 0 for a remembered reply, and so
    are its cost and tokens. `seconds` is the time from first sending to the end.
    """

    value: Shape | None = None
    failure: Failure | None = None
    calls: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    cost: float = 0.0
    seconds: float = 0.0

    @property
    def tokens(self) -> int:
        return self.tokens_in + self.tokens_out


class ChatModel(Protocol):
    """A language model over some endpoint. May be called from several threads at once."""

    @property
    def name(self) -> str:
        """Model and endpoint kind: judgements are remembered under it."""
        ...

    def complete_many(self, requests: Sequence[ChatRequest[Shape]]) -> list[ChatReply[Shape]]:
        """One reply a request, in order. Failures are values: raises nothing but KeyboardInterrupt."""
        ...


class ReplyCache(Protocol):
    """Replies of models, kept by what was asked. Safe to use from several threads."""

    def get(self, key: str) -> str | None: ...
    def put(self, key: str, reply: str) -> None: ...
