"""What endpoints and batch services send back: a completion's body to a text, an error to a kind of failure.

Bodies of the chat completions API are read, and, for batch files, those of the responses, messages and generateContent APIs too.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, cast

from memfold.llm.raw import RawReply
from memfold.protocols import Failure, FailureKind

Body = Mapping[str, Any]
_CUT = frozenset({"length", "max_tokens", "MAX_TOKENS", "max_output_tokens", "model_length"})
_DECLINED = frozenset({"content_filter", "refusal", "SAFETY", "RECITATION", "BLOCKLIST", "PROHIBITED_CONTENT"})
_TOO_LONG = ("context_length", "context length", "context size", "maximum context", "too long", "too many tokens")
_POLICY = ("content_policy", "content_filter", "content policy", "content management policy", "moderation", "flagged")
_NO_MONEY = ("insufficient_quota", "insufficient_credits", "billing", "exceeded your current quota")


@dataclass(frozen=True, slots=True)
class Fault:
    """An error that an endpoint told.

    :param status: of HTTP; 0 where none is known. :param told: the endpoint's words and codes, for telling kinds apart.
    :param pause: seconds that it asks to wait.
    """

    status: int
    told: str = ""
    pause: float | None = None

    @property
    def kind(self) -> FailureKind:
        """The kind of failure, by the status and, where that is ambiguous, by the words."""
        words = self.told.lower()
        if any(sign in words for sign in _POLICY) and self.status in (0, 400, 403, 422, 451):
            return "refused"
        if self.status in (401, 402, 403, 404) or (self.status in (0, 429) and any(sign in words for sign in _NO_MONEY)):
            return "unreachable"
        if self.status == 429:
            return "rate_limit"
        if self.status in (408, 504):
            return "timeout"
        if 400 <= self.status < 500 and self.status not in (409, 425) or self.too_long:
            return "rejected"
        return "server"

    @property
    def too_long(self) -> bool:
        """Whether the request does not fit the model's window."""
        return self.status == 413 or any(sign in self.told.lower() for sign in _TOO_LONG)

    @property
    def passing(self) -> bool:
        """Whether sending the same again may help."""
        return self.kind in ("rate_limit", "timeout", "server")


def read_body(body: Any) -> RawReply | Fault:
    """The text of a completion, or the error told in its place; never raises.

    :param body: parsed JSON, or a text (a reply that somebody wrote by hand).
    """
    if isinstance(body, str):
        return RawReply(body)
    if not isinstance(body, dict):
        return Fault(0, "a reply that is no JSON object")
    held = cast("dict[str, Any]", body)
    if held.get("error"):
        return fault_of(held["error"])
    for reader in (_chat, _messages, _responses, _candidates):
        reply = reader(held)
        if reply is not None:
            return reply
    return Fault(0, "a reply without a message")


def fault_of(error: Any, status: int = 0) -> Fault:
    """An error object, as the chat completions API and its imitations send it."""
    if isinstance(error, dict):
        held = cast("dict[str, Any]", error)
        inner = held.get("error")
        if isinstance(inner, (dict, str)):
            return fault_of(inner, status)
        parts = [str(held[name]) for name in ("message", "code", "type", "param", "detail") if held.get(name)]
        code = held.get("code", held.get("status"))
        return Fault(status or (code if isinstance(code, int) and 100 <= code < 600 else 0), " ".join(parts))
    return Fault(status, str(error or ""))


def _chat(body: Body) -> RawReply | None:
    choice = _first(body.get("choices"))
    if choice is None:
        return None
    message = choice.get("message")
    held: Body = cast("Body", message) if isinstance(message, dict) else {}
    usage = body.get("usage")
    return _reply(_text(held.get("content")), held.get("refusal"), choice.get("finish_reason"), usage, "prompt_tokens", "completion_tokens")


def _messages(body: Body) -> RawReply | None:
    if not isinstance(body.get("content"), (list, str)):
        return None
    return _reply(_text(body["content"]), None, body.get("stop_reason"), body.get("usage"), "input_tokens", "output_tokens")


def _responses(body: Body) -> RawReply | None:
    output = body.get("output")
    if not isinstance(output, list):
        return None
    parts = [cast("Body", part) for part in cast("list[Any]", output) if isinstance(part, dict)]
    text = "".join(_text(part.get("content")) for part in parts if part.get("type") == "message")
    details = body.get("incomplete_details")
    reason = cast("Body", details).get("reason") if isinstance(details, dict) else None
    return _reply(text, None, reason, body.get("usage"), "input_tokens", "output_tokens")


def _candidates(body: Body) -> RawReply | None:
    choice = _first(body.get("candidates"))
    if choice is None:
        return None
    content = choice.get("content")
    parts = cast("Body", content).get("parts") if isinstance(content, dict) else None
    return _reply(_text(parts), None, choice.get("finishReason"), body.get("usageMetadata"), "promptTokenCount", "candidatesTokenCount")


def _reply(text: str, refusal: Any, reason: Any, usage: Any, name_in: str, name_out: str) -> RawReply:
    counts: Body = cast("Body", usage) if isinstance(usage, dict) else {}
    failure = None
    if refusal or (reason in _DECLINED and not text):
        failure = Failure("refused", "the model declined to answer")
    elif reason in _DECLINED:
        failure = Failure("refused", "the endpoint's filter cut the reply off")
    return RawReply(text, failure, reason not in _CUT, tokens_in=_count(counts.get(name_in)), tokens_out=_count(counts.get(name_out)))


def _first(choices: Any) -> Body | None:
    if isinstance(choices, list) and choices and isinstance(choices[0], dict):
        return cast("Body", choices[0])
    return None


def _text(content: Any) -> str:
    """A message's content: a text, or parts of which some are text."""
    if isinstance(content, str):
        return content
    parts = cast("list[Any]", content) if isinstance(content, list) else []
    texts = (cast("Body", part).get("text") if isinstance(part, dict) else None for part in parts)
    return "".join(text for text in texts if isinstance(text, str))


def _count(value: Any) -> int:
    return value if isinstance(value, int) and value > 0 and not isinstance(value, bool) else 0
