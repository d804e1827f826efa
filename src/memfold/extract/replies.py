"""The forms of the model's replies.

The JSON schema is strict, so that an endpoint can hold the model to it; reading is lenient, item by item: what an item lacks is
empty, what it has too much is passed over. So one bad item among good ones is one rejected claim, and not a lost session. A reply
without any of the wanted lists is no reply.
"""

from __future__ import annotations

import re
from typing import Annotated, Any, ClassVar, TypeAlias, cast

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, model_validator

MOST = 2000
"""Items of one list that are looked at; a model that gives more repeats itself."""


def _text(value: Any) -> Any:
    if isinstance(value, str):
        return value
    return str(value) if isinstance(value, (int, float)) and not isinstance(value, bool) else ""


def _number(value: Any) -> Any:
    found = re.search(r"\d{1,9}", value) if isinstance(value, str) else None
    if found:
        return int(found[0])
    return value if isinstance(value, int) and not isinstance(value, bool) and abs(value) < 10**9 else 0


def _numbers(value: Any) -> Any:
    if isinstance(value, str):
        return [int(found) for found in re.findall(r"\d{1,9}", value)[:MOST]]
    items = cast("list[Any]", value) if isinstance(value, list) else [value]
    return [number for number in map(_number, items[:MOST]) if number]


def _truth(value: Any) -> Any:
    return value.strip().lower() in ("true", "yes", "1") if isinstance(value, str) else value is True or value == 1


def _items(value: Any) -> Any:
    if value is None:
        return []
    return cast("list[Any]", value)[:MOST] if isinstance(value, list) else [value]


Text: TypeAlias = Annotated[str, BeforeValidator(_text)]
Number: TypeAlias = Annotated[int, BeforeValidator(_number)]
Numbers: TypeAlias = Annotated[list[int], BeforeValidator(_numbers)]
Truth: TypeAlias = Annotated[bool, BeforeValidator(_truth)]
_List = BeforeValidator(_items)
_EMPTY = {int: 0, str: "", bool: False}


class _Item(BaseModel):
    """One item of a list: never invalid, at worst empty."""

    model_config = ConfigDict(extra="forbid")
    MAIN: ClassVar[str] = "text"
    """The field that a bare string is meant for."""

    @model_validator(mode="before")
    @classmethod
    def _completed(cls, data: Any) -> Any:
        given = cast("dict[str, Any]", data) if isinstance(data, dict) else {cls.MAIN: data} if isinstance(data, str) else {}
        return {name: given.get(name, _EMPTY.get(cast("type", field.annotation), [])) for name, field in cls.model_fields.items()}


class _Reply(BaseModel):
    """A whole reply: an object with at least one of the wanted lists, or the first of them alone."""

    model_config = ConfigDict(extra="forbid")

    @model_validator(mode="before")
    @classmethod
    def _completed(cls, data: Any) -> Any:
        names = list(cls.model_fields)
        if isinstance(data, list):
            data = {names[0]: cast("list[Any]", data)}
        if not isinstance(data, dict) or not any(name in data for name in names):
            raise ValueError(f"the reply must be an object with {', '.join(names)}")
        given = cast("dict[str, Any]", data)
        return {name: given.get(name) for name in names}


class Said(_Item):
    """A statement with the turns that say it, and the words by which the conversation names its date."""

    number: Number
    text: Text
    turns: Numbers
    when: Text


class Related(_Item):
    """A relation between two statements of the reply, by their numbers."""

    MAIN: ClassVar[str] = "type"
    source: Number
    type: Text
    target: Number


class Draft(_Reply):
    """Reply of the draft: whole statements, small details, relations between statements."""

    entries: Annotated[list[Said], _List]
    details: Annotated[list[Said], _List]
    relations: Annotated[list[Related], _List]


class Events(_Reply):
    """Reply of the second look: what happened, topic by topic."""

    events: Annotated[list[Said], _List]


class Fact(_Item):
    """One fact of a doubted claim, and whether the turns say it: supported, contradicted or unsaid."""

    fact: Text
    label: Text
    MAIN: ClassVar[str] = "fact"


class Verdict(_Item):
    """A doubted claim taken apart, and its text with what the turns say alone."""

    claim: Number
    facts: Annotated[list[Fact], _List]
    text: Text


class Verdicts(_Reply):
    """Reply of the verification."""

    claims: Annotated[list[Verdict], _List]


class Probe(_Item):
    """A question that a relation would answer, and its answer from the statements without the relation."""

    MAIN: ClassVar[str] = "question"
    relation: Number
    question: Text
    answer: Text
    answered: Truth


class Probes(_Reply):
    """Reply of the probing."""

    probes: Annotated[list[Probe], _List]


class Support(_Item):
    """Whether the turns say that a relation holds, and which."""

    MAIN: ClassVar[str] = "type"
    relation: Number
    supported: Truth
    turns: Numbers


class Supports(_Reply):
    """Reply of the check of relations."""

    relations: Annotated[list[Support], _List] = Field()
