"""How an endpoint wants to be asked, found out by asking: the form of the reply, and parameters that some models refuse.

The strongest form is tried first, for each schema anew: a JSON schema, then JSON mode, then words alone. A weaker one is remembered only
after it has worked where the stronger was refused, so that a passing fault weakens nothing.
"""

from __future__ import annotations

import threading
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from memfold.llm.completion import Fault
from memfold.llm.raw import Asked, with_form
from memfold.protocols import json_schema
from memfold.types import JSON

Form: TypeAlias = Literal["schema", "json", "plain"]
FORMS: tuple[Form, ...] = ("schema", "json", "plain")
_NO_FORM = (400, 404, 415, 422, 501)
_LEFT_OUT = frozenset({"default", "title", "minLength", "maxLength", "examples", "format", "pattern"})
"""Keywords that strict endpoints do not take; the reply is checked against all of them in any case."""
_OPTIONAL = ("temperature", "max_tokens", "max_completion_tokens")
_UNKNOWN = (
    "unsupported",
    "not supported",
    "unknown",
    "unrecognized",
    "unexpected",
    "extra",
    "not permitted",
    "does not support",
)


@dataclass(slots=True)
class Manner:
    """How one request is asked at the moment. `faults` counts the server's faults with this form."""

    form: Form
    faults: int = 0


class Dialect:
    """What is known of an endpoint so far. Thread-safe.

    :param temperature: what models are asked with, as long as they take it.
    """

    def __init__(self, temperature: float = 0.0) -> None:
        self.temperature = temperature
        self._lock = threading.Lock()
        self._proved: dict[type[Any], Form] = {}
        self._refused: set[str] = set()

    def manner(self, request: Asked) -> Manner:
        """How to begin with a request."""
        with self._lock:
            return Manner(self._proved.get(request.schema, "schema"))

    def body(self, request: Asked, manner: Manner) -> dict[str, Any]:
        """The request as arguments of the chat completions API, the model's name left out."""
        messages = request.messages if manner.form == "schema" else with_form(request)
        body: dict[str, Any] = {"messages": [{"role": m.role, "content": _sendable(m.content)} for m in messages]}
        with self._lock:
            refused = frozenset(self._refused)
        if "temperature" not in refused:
            body["temperature"] = self.temperature
        for name in ("max_tokens", "max_completion_tokens"):
            if request.max_tokens is not None and name not in refused:
                body[name] = request.max_tokens
                break
        return body | response_format(request, manner.form)

    def accepted(self, request: Asked, manner: Manner) -> None:
        """The endpoint answered."""
        with self._lock:
            self._proved[request.schema] = manner.form

    def otherwise(self, request: Asked, manner: Manner, body: dict[str, Any], fault: Fault) -> bool:
        """Whether to ask in another manner after this fault; `manner` then is the new one."""
        if fault.status in (400, 422) and not fault.too_long and self._dropped(body, fault.told.lower()):
            return True
        with self._lock:
            proved = self._proved.get(request.schema)
        if manner.form == "plain" or proved == manner.form:
            return False
        manner.faults += fault.status == 500
        if (fault.status in _NO_FORM and fault.kind != "refused" and not fault.too_long) or manner.faults == 2:
            manner.form, manner.faults = FORMS[FORMS.index(manner.form) + 1], 0
            return True
        return False

    def _dropped(self, body: dict[str, Any], told: str) -> bool:
        """Remember a parameter that the endpoint names as one it does not take."""
        named = [name for name in _OPTIONAL if name in body and name in told]
        if not named or not any(sign in told for sign in _UNKNOWN):
            return False
        with self._lock:
            self._refused.update(named)
        return True


def response_format(request: Asked, form: Form) -> dict[str, Any]:
    """The argument `response_format` of the chat completions API; {} for a form that has none."""
    if form == "plain":
        return {}
    if form == "json":
        return {"response_format": {"type": "json_object"}}
    schema = {"name": _schema_name(request), "strict": True, "schema": strict(json_schema(request.schema))}
    return {"response_format": {"type": "json_schema", "json_schema": schema}}


def strict(schema: JSON) -> JSON:
    """A JSON schema as strict endpoints want it: every field required, no others, and only the keywords that all know."""
    if isinstance(schema, list):
        return [strict(part) for part in schema]
    if not isinstance(schema, dict):
        return schema
    kept: dict[str, JSON] = {}
    for name, value in schema.items():
        if name in ("properties", "$defs") and isinstance(value, dict):
            kept[name] = {inner: strict(part) for inner, part in value.items()}
        elif name not in _LEFT_OUT:
            kept[name] = value if name in ("enum", "const", "required") else strict(value)
    if "$ref" in kept:
        return {"$ref": kept["$ref"]}
    if isinstance(properties := kept.get("properties"), dict):
        kept["required"] = list(properties)
        kept["additionalProperties"] = False
    return kept


def _schema_name(request: Asked) -> str:
    name = "".join(sign if sign.isascii() and (sign.isalnum() or sign in "_-") else "_" for sign in request.schema.__name__)
    return name[:64] or "reply"


def _sendable(text: str) -> str:
    """The text without lone surrogates, which no request can carry."""
    return text.encode("utf-8", "replace").decode("utf-8")
