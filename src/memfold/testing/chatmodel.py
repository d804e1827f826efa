"""What every language model must keep, as checks for ours and for yours. Needs no test framework; with pytest:

    import pytest
    from memfold.testing.chatmodel import CHECKS

    @pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
    def test_my_model(check):
        check(MyModel())

A check returns nothing, or raises AssertionError with what is wrong. `check_chatmodel` runs them all. A model may answer foolishly, or
fail: what is checked is that it does so in the right form. One that costs money pays for about 40 short requests.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from typing import Any, Literal, TypeAlias, get_args

from pydantic import BaseModel

from memfold.protocols import ChatModel, ChatReply, ChatRequest, FailureKind, Message

Check: TypeAlias = Callable[[ChatModel], None]
KINDS: tuple[str, ...] = get_args(FailureKind)
ODD_TEXTS = ("", " \n\t", "\x00", "\ud800", "🦄", "\u202eright to left\u202c", "{}\\'\"`%s\u2028", "</think>", '{"answer": "yes"}')


class YesOrNo(BaseModel):
    """A reply with a choice."""

    answer: Literal["yes", "no"]


class Colour(BaseModel):
    """A reply with another form."""

    colour: Literal["red", "green", "blue"]


def requests() -> list[ChatRequest[Any]]:
    """Small requests of two forms, in turns."""
    notes = ("Rosa keeps hens.", "The ferry leaves at seven.", "Karl serviced the boiler in May.")
    asked: list[ChatRequest[Any]] = []
    for note in notes:
        asked.append(_request(f"Does this note speak of an animal, yes or no? Note: {note}", YesOrNo, '{"answer": "yes"}'))
        asked.append(_request(f"Which colour suits this note: red, green or blue? Note: {note}", Colour, '{"colour": "red"}'))
    return asked


def check_name(model: ChatModel) -> None:
    """The name is a text that stays."""
    before = model.name
    _complete(model, requests()[:1])
    _require(before.strip() != "", f"the name is {before!r}")
    _require(model.name == before, f"the name changed by use from {before!r} to {model.name!r}")


def check_no_requests(model: ChatModel) -> None:
    """No requests, no replies."""
    _require(model.complete_many([]) == [], "no requests gave replies")


def check_order(model: ChatModel) -> None:
    """Reply i belongs to request i: each value has the form that its request wanted."""
    _complete(model, requests())
    _complete(model, requests()[::-1])


def check_same_request_twice(model: ChatModel) -> None:
    """Equal requests in one call have equal outcomes, and one of them alone is paid for."""
    first, second = _complete(model, [requests()[0]] * 2)
    _require(first.value == second.value, "the same request had two values")
    _require(second.calls == 0 or first.calls == 0, "the same request was sent twice")


def check_odd_texts(model: ChatModel) -> None:
    """No text makes a model raise."""
    _complete(model, [_request(text, YesOrNo, '{"answer": "no"}') for text in ODD_TEXTS])


def check_threads(model: ChatModel) -> None:
    """Two threads may ask at once."""
    wrong: list[BaseException] = []

    def ask(asked: list[ChatRequest[Any]]) -> None:
        try:
            _complete(model, asked)
        except BaseException as error:  # noqa: BLE001 (told below, in the thread of the check)
            wrong.append(error)

    threads = [threading.Thread(target=ask, args=(asked,)) for asked in (requests()[:3], requests()[3:])]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    _require(not wrong, f"asked from two threads, it raised {wrong!r}")


CHECKS: tuple[Check, ...] = (check_name, check_no_requests, check_order, check_same_request_twice, check_odd_texts, check_threads)


def check_chatmodel(model: ChatModel) -> None:
    """All checks.

    :raises AssertionError: the first that fails, with what is wrong.
    """
    for check in CHECKS:
        check(model)


def _request(text: str, schema: type[BaseModel], example: str) -> ChatRequest[Any]:
    system = f"Answer with JSON alone, as in {example}"
    return ChatRequest((Message("system", system), Message("user", text)), schema, "check", max_tokens=32)


def _complete(model: ChatModel, asked: Sequence[ChatRequest[Any]]) -> list[ChatReply[Any]]:
    """The replies, their form checked."""
    replies = model.complete_many(asked)
    _require(len(replies) == len(asked), f"{len(asked)} requests gave {len(replies)} replies")
    for request, reply in zip(asked, replies, strict=True):
        _require((reply.value is None) != (reply.failure is None), f"a reply must be a value or a failure: {reply!r}")
        if reply.failure is None:
            form = request.schema
            _require(isinstance(reply.value, form), f"{form.__name__} was wanted, {type(reply.value).__name__} came")
        else:
            _require(reply.failure.kind in KINDS, f"the failure's kind is {reply.failure.kind!r}")
            told = reply.failure.message
            _require(bool(told.strip()) and len(told.splitlines()) == 1, f"the failure says {told!r}")
        numbers = (reply.calls, reply.tokens_in, reply.tokens_out, reply.cost, reply.seconds)
        _require(all(number >= 0 for number in numbers), f"a negative number in {reply!r}")
    return replies


def _require(holds: bool, wrong: str) -> None:
    if not holds:
        raise AssertionError(wrong)
