"""A model's text to a value of the wanted form, or what is wrong with it, so that the model can be asked again.

Nothing is guessed. A reply that may mean two things (two different answers, one name with two values), that breaks off, or
that only sends the schema back is no answer. What is mended is the writing, never the content: see `memfold.llm.mending`.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, cast

from memfold.llm.mending import Ambiguous, Broken, found_in
from memfold.llm.raw import Asked, with_form
from memfold.protocols import Message, Shape, json_schema
from memfold.types import JSON

if TYPE_CHECKING:
    from pydantic import ValidationError

LONGEST = 400_000
"""Characters of a reply that is read at all."""
SHOWN = 2_000
"""Characters of its bad reply that a model is shown again."""
Schema = dict[str, JSON]


@dataclass(frozen=True, slots=True)
class Problem:
    """Why a reply is no answer.

    :param told: for the user, without any of the reply's text. :param detail: for the model, may quote the reply.
    """

    told: str
    detail: str = ""


def read(text: str, schema: type[Shape], *, finished: bool = True) -> Shape | Problem:
    """The value in a reply, or what is wrong with it. Raises nothing, whatever the text.

    :param finished: False where the reply was cut off at its limit of tokens: then only a whole, sound answer before the cut counts.
    """
    if not text.strip():
        return Problem("it was empty" if finished else "it was cut off before the answer began")
    if len(text) > LONGEST:
        return Problem(f"it had {len(text):,} characters")
    try:
        candidates = found_in(text, mend=finished)
    except Ambiguous as error:
        return Problem(str(error))
    except Broken as error:
        return Problem(str(error) if finished else "it was cut off at the limit of tokens")
    if not candidates and not finished:
        return Problem("it was cut off before the answer was whole")
    return _chosen(candidates, schema)


def ask_again(request: Asked, text: str, problem: Problem) -> Asked:
    """The request with the reply it got and what was wrong with it. Where the reply was cut off, it may be twice as long."""
    told = problem.told + (f". {problem.detail}" if problem.detail else "")
    wrong = f"That reply cannot be used: {told}. Answer the request above once more, in full and in the form that was asked for."
    shown = text if len(text) <= SHOWN else f"{text[:SHOWN]} …"
    longer = "cut off" in problem.told and request.max_tokens is not None
    again = replace(request, max_tokens=2 * request.max_tokens) if longer and request.max_tokens is not None else replace(request)
    form = with_form(replace(request, messages=(Message("user", wrong),)))
    return replace(again, messages=(*request.messages, Message("assistant", shown or "(nothing)"), *form))


def _chosen(candidates: list[JSON], schema: type[Shape]) -> Shape | Problem:
    """The one answer among the JSON values that stand in a reply."""
    if not candidates:
        return Problem("it held no JSON object")
    form = _Form(json_schema(schema))
    tried = [_validated(form.fitted(one), schema, form) for one in candidates]
    values: list[Shape] = []
    for value in tried:
        if not isinstance(value, Problem) and value not in values:
            values.append(value)
    if len(values) > 1:
        return Problem(f"it held {len(values)} different answers")
    if values:
        return values[0]
    return next(problem for problem in tried if isinstance(problem, Problem))


def _validated(data: JSON, schema: type[Shape], form: _Form) -> Shape | Problem:
    from pydantic import ValidationError

    if form.is_echo(data):
        return Problem("it was the schema, not an answer to it")
    if isinstance(data, dict) and data and form.fields and not form.fields & data.keys():
        return Problem("it was a JSON object with none of the wanted fields", f"Wanted: {', '.join(sorted(form.fields))}")
    try:
        return schema.model_validate(data)
    except ValidationError as error:
        return _problem(error)


def _problem(error: ValidationError) -> Problem:
    """What does not fit, in the validators' words; three places at most. The user is told without what stood there."""
    faults = error.errors(include_url=False, include_input=False, include_context=False)
    places = [f"{'.'.join(str(part) for part in fault['loc']) or 'the reply'}: {fault['msg']}"[:200] for fault in faults[:3]]
    known = [f"{_place(fault['loc'])} ({fault['type']})" for fault in faults[:3]]
    return Problem(f"{len(faults)} value(s) did not fit: {', '.join(known)}", "; ".join(places))


def _place(loc: tuple[int | str, ...]) -> str:
    """Where, without names that the reply itself may have made up."""
    return ".".join("#" if isinstance(part, int) else part[:40] for part in loc[:3]) or "the whole"


class _Form:
    """A JSON schema, and what is harmlessly made to fit it: the case of names and of fixed words, a list or object wrapped once."""

    def __init__(self, schema: Schema) -> None:
        self.schema = schema
        self.defs = cast("dict[str, Schema]", schema.get("$defs") or {})
        self.fields = frozenset(cast("dict[str, JSON]", self._resolved(schema).get("properties") or {}))

    def fitted(self, data: JSON) -> JSON:
        """The data with what is harmless made to fit."""
        whole = self._resolved(self.schema)
        if isinstance(data, list) and whole.get("type") == "object":
            data = self._unlisted(data, whole)
        return self._walk(data, self.schema, 0)

    def is_echo(self, data: JSON) -> bool:
        """Whether the reply is this schema, whole or with values put in the place of its types."""
        if not isinstance(data, dict) or "properties" not in data or "properties" in self.fields:
            return False
        return isinstance(data["properties"], dict)

    def _unlisted(self, data: list[JSON], whole: Schema) -> JSON:
        """A bare list, where an object with one list, or one object in a list, was meant."""
        fields = cast("dict[str, Schema]", whole.get("properties") or {})
        lists = [name for name, field in fields.items() if self._resolved(field).get("type") == "array"]
        if len(data) == 1 and isinstance(data[0], dict) and self.fields & data[0].keys():
            return data[0]
        return {lists[0]: data} if len(fields) == 1 and lists else data

    def _walk(self, data: JSON, schema: Schema, depth: int) -> JSON:
        schema = self._resolved(schema)
        if depth > 50:
            return data
        for alternative in cast("list[Schema]", schema.get("anyOf") or schema.get("oneOf") or []):
            data = self._walk(data, alternative, depth + 1)
        if isinstance(data, str):
            return _cased(data, _fixed(schema))
        if isinstance(data, dict) and "properties" in schema:
            fields = cast("dict[str, Schema]", schema["properties"])
            named = _named(data, fields)
            return {name: self._walk(value, fields[name], depth + 1) if name in fields else value for name, value in named.items()}
        if isinstance(data, list) and isinstance(items := schema.get("items"), dict):
            return [self._walk(value, items, depth + 1) for value in data]
        return data

    def _resolved(self, schema: Schema) -> Schema:
        reference = schema.get("$ref")
        return self.defs.get(reference.rpartition("/")[2], schema) if isinstance(reference, str) else schema


def _fixed(schema: Schema) -> list[str]:
    """The words that a schema allows, where it is a choice among words."""
    words = schema.get("enum", [schema["const"]] if "const" in schema else [])
    return [word for word in cast("list[JSON]", words) if isinstance(word, str)]


def _cased(word: str, allowed: list[str]) -> str:
    if word in allowed:
        return word
    same = [one for one in allowed if _plain(one) == _plain(word)]
    return same[0] if len(same) == 1 else word


def _named(data: dict[str, JSON], fields: dict[str, Schema]) -> dict[str, JSON]:
    """The object with its names in the case of the fields, where that is unmistakable."""
    names = {_plain(name): name for name in fields}
    renamed: dict[str, JSON] = {}
    for name, value in data.items():
        meant = name if name in fields else names.get(_plain(name), name)
        renamed[name if meant in data or meant in renamed else meant] = value
    return renamed


def _plain(word: str) -> str:
    return word.strip().strip("\"'.").casefold().replace("-", "_").replace(" ", "_")


__all__ = ["Problem", "ask_again", "read"]
