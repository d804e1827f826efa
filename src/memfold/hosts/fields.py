"""Which field of a JSON object is the text, the id, the time, the namespace; and from object to entry and back.

What no role claims is kept in `Entry.metadata` under its own name. So is the raw value of a role where the entry alone
would not give it back exactly (an id that is a number, a time in other words than ISO 8601): metadata and entry
together always hold the whole object.
"""

from __future__ import annotations

import copy
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal, TypeAlias, cast

from memfold.errors import BadEntry, NotAStore
from memfold.hosts.forget import plain
from memfold.hosts.times import like_time, parse_time
from memfold.types import JSON, Entry

Role: TypeAlias = Literal["text", "id", "time", "namespace"]
ROLES: tuple[Role, ...] = ("text", "id", "time", "namespace")

_COMMON: dict[Role, tuple[str, ...]] = {
    "text": tuple(
        "text content memory observation message fact summary memory_content page_content body note statement document data value".split()
    ),
    "id": ("id", "_id", "uuid", "memory_id", "key"),
    "time": (
        "occurred_at",
        "occurredAt",
        "created_at",
        "createdAt",
        "timestamp",
        "time",
        "datetime",
        "date_time",
        "date",
        "updated_at",
        "updatedAt",
    ),
    "namespace": ("namespace", "user_id", "userId", "agent_id", "agentId", "tenant_id", "tenantId"),
}
_DEFAULTS: dict[Role, str] = {"text": "text", "id": "id", "time": "created_at", "namespace": "namespace"}

_MISSING = object()


@dataclass(frozen=True, slots=True)
class JsonlFields:
    """Names of the fields of a JSONL file, dots for nested ones (`payload.text`). None: find it; "": there is none."""

    text: str | None = None
    id: str | None = None
    time: str | None = None
    namespace: str | None = None

    def resolve(self, sample: Sequence[Mapping[str, JSON]], where: str) -> FieldMap:
        """The names to use, None replaced by what the first objects of a file suggest.

        The text is the first of the usual names (text, content, memory, observation …) that at least half of the
        sample fills, on the top level or one below; an id must be in all of it; a time in half; a namespace in any,
        since namespaces are walls.

        :raises BadEntry: no object of the sample has a field that was named. :raises NotAStore: no text was found.
        """
        if self.text == "":
            raise NotAStore(f"{where}: entries need a text; name its field with --text-field")
        for role in ROLES:
            self._refuse_absent(role, sample, where)
        found = {role: self._name(role, sample, where) for role in ROLES}
        last = found["time"].rsplit(".", 1)[-1].lower()
        return FieldMap(**found, id_named=bool(self.id), creation="creat" in last or "updat" in last)

    def _name(self, role: Role, sample: Sequence[Mapping[str, JSON]], where: str) -> str:
        stated: str | None = getattr(self, role)
        if stated is not None:
            return stated
        if not sample:
            return _DEFAULTS[role]
        for name in _candidates(role, sample):
            values = [value for value in (_get(each, name) for each in sample) if value is not _MISSING]
            if _plausible(role, cast("list[JSON]", values), len(sample)):
                return name
        if role == "text":
            for name in _COMMON["text"]:
                if all(isinstance(each.get(name), str) for each in sample):
                    return name
            raise NotAStore(f"{where}: no field looks like a text; {_fields_seen(sample)}; name it with --text-field")
        return ""

    def _refuse_absent(self, role: Role, sample: Sequence[Mapping[str, JSON]], where: str) -> None:
        name: str | None = getattr(self, role)
        if name and sample and all(_get(each, name) is _MISSING for each in sample):
            raise BadEntry(f"{where}: no line has the field {name!r}; {_fields_seen(sample)}; name the right one with --{role}-field")


@dataclass(frozen=True, slots=True)
class FieldMap:
    """The names that a file uses, "" for what it lacks.

    `id_named`: the user named the id field, so every line needs one. `creation`: the time is when an entry was written
    down, else when it happened.
    """

    text: str
    id: str
    time: str
    namespace: str
    id_named: bool = False
    creation: bool = True

    def to_entry(self, data: Mapping[str, JSON], line_id: str, where: str) -> Entry:
        """The entry in an object. `line_id` is its id if the object states none.

        :raises BadEntry: no text, or no id where the user named its field.
        """
        raw = _get(data, self.text)
        if raw is _MISSING or raw is None:
            raise BadEntry(f"{where} has no text in {self.text!r}; {_fields_seen([data])}; name the field with --text-field")
        stated = self._stated_id(data)
        if not stated and self.id_named:
            raise BadEntry(f"{where} has no id in {self.id!r}; {_fields_seen([data])}; name the field with --id-field, or '' for none")
        time = parse_time(_get(data, self.time)) if self.time else None
        return Entry(
            stated or line_id,
            plain(cast(JSON, raw)),
            namespace=_namespace(_get(data, self.namespace)),
            occurred_at=None if self.creation else time,
            created_at=time if self.creation else None,
            metadata=self._rest(data, time, stated=bool(stated)),
        )

    def to_object(self, entry: Entry, like: Mapping[str, JSON], *, same_id: bool = False) -> dict[str, JSON]:
        """The inverse of `to_entry`, in the order of the keys of `like` and with its writing of ids and times.

        :param like: the object that the entry stood in, else another object of the file.
        :param same_id: `like` is the entry's own object under its own id, which it may leave unstated.
        """
        out = copy.deepcopy(dict(entry.metadata))
        for role in ROLES:
            name = self._field(role)
            if name and not (role == "id" and same_id and not self._stated_id(like)):
                value = self._raw(role, entry, like, out)
                _remove(out, name)
                if value is not _MISSING and name in like:
                    out[name] = cast(JSON, value)
                elif value is not _MISSING:
                    _put(out, name, cast(JSON, value))
        return _ordered(out, like)

    def agreeing(self, entry: Entry, sides: Sequence[Mapping[str, JSON]]) -> dict[str, JSON]:
        """The entry's metadata; of raw values of roles the first in `sides` that says what the entry says, else none."""
        out = copy.deepcopy(dict(entry.metadata))
        for role in ROLES:
            name = self._field(role)
            if name and _get(out, name) is not _MISSING:
                raws = (_get(side, name) for side in sides)
                agreed = next((raw for raw in raws if raw is not _MISSING and _read(role, raw) == self._wanted(role, entry)), _MISSING)
                _remove(out, name)
                if agreed is not _MISSING:
                    _put(out, name, cast(JSON, agreed))
        return out

    def _field(self, role: Role) -> str:
        return cast(str, getattr(self, role))

    def _stated_id(self, data: Mapping[str, JSON]) -> str:
        return cast(str, _read("id", _get(data, self.id))) if self.id else ""

    def _wanted(self, role: Role, entry: Entry) -> object:
        if role == "time":
            return (entry.created_at if self.creation else entry.occurred_at) or entry.time
        return getattr(entry, role)

    def _raw(self, role: Role, entry: Entry, like: Mapping[str, JSON], metadata: Mapping[str, JSON]) -> object:
        name, wanted = self._field(role), self._wanted(role, entry)
        kept, model = _get(metadata, name), _get(like, name)
        for raw in (kept, model):
            if raw is not _MISSING and _read(role, raw) == wanted and (wanted is not None or raw is kept):
                return raw
        if role == "time" and wanted is not None:
            return like_time(cast(datetime, wanted), model)
        return _write(role, wanted)

    def _rest(self, data: Mapping[str, JSON], time: datetime | None, *, stated: bool) -> dict[str, JSON]:
        """The object without what the entry alone gives back exactly."""
        rest = dict(data)
        when, whose = _get(data, self.time), _get(data, self.namespace)
        exact = (
            (self.text, isinstance(_get(data, self.text), str)),
            (self.id, stated and isinstance(_get(data, self.id), str)),
            (self.time, time is not None and when == time.isoformat()),
            (self.namespace, isinstance(whose, str) and whose not in ("", "default")),
        )
        for name, is_exact in exact:
            if is_exact:
                rest = _removed(rest, name)
        return rest


def _read(role: Role, raw: object) -> object:
    """What a raw value says: the text, the id or "", the moment or None, the namespace."""
    if role == "time":
        return None if raw is _MISSING else parse_time(raw)
    if role == "namespace":
        return _namespace(raw)
    if role == "id":
        return raw if isinstance(raw, str) else str(raw) if isinstance(raw, (int, float)) and not isinstance(raw, bool) else ""
    return plain(cast(JSON, raw))


def _write(role: Role, value: object) -> object:
    """The plainest raw value that says it."""
    if value is None or (role == "namespace" and value == "default"):
        return _MISSING
    return value.isoformat() if isinstance(value, datetime) else value


def _namespace(raw: object) -> str:
    return "default" if raw is _MISSING or raw is None or raw == "" else plain(cast(JSON, raw))


def _candidates(role: Role, sample: Sequence[Mapping[str, JSON]]) -> list[str]:
    """The usual names, and for texts and what may stand beside them also one level down."""
    names = list(_COMMON[role])
    inner = dict.fromkeys(key for each in sample for key, value in each.items() if isinstance(value, dict))
    return names + [f"{outer}.{name}" for name in names for outer in inner if role != "id"]


def _plausible(role: Role, values: Sequence[JSON], of: int) -> bool:
    if role == "text":
        return 2 * sum(isinstance(value, str) and bool(value.strip()) for value in values) >= of
    if role == "id":
        ids = [_read("id", value) for value in values]
        return len(ids) == of and all(ids)
    if role == "time":
        return 2 * len(values) >= of and any(parse_time(value) for value in values)
    return any(isinstance(value, (str, int)) and not isinstance(value, bool) and value != "" for value in values)


def _fields_seen(sample: Sequence[Mapping[str, JSON]]) -> str:
    seen = Counter(key for each in sample for key in each)
    names = ", ".join(repr(key[:40]) for key, _ in seen.most_common(12))
    return f"fields there: {names}" if names else "it has no fields"


def _get(data: Mapping[str, JSON], path: str) -> object:
    """The value at a path, `_MISSING` if there is none. A key that itself has dots comes first."""
    if not path or path in data:
        return data.get(path, _MISSING) if path else _MISSING
    head, dot, tail = path.partition(".")
    inner = data.get(head)
    return _get(inner, tail) if dot and isinstance(inner, dict) else _MISSING


def _removed(data: dict[str, JSON], path: str) -> dict[str, JSON]:
    """A copy without the value at a path, nor the objects that it leaves empty."""
    if path in data:
        return {key: value for key, value in data.items() if key != path}
    head, _, tail = path.partition(".")
    inner = data.get(head)
    if not isinstance(inner, dict):
        return data
    rest = _removed(inner, tail)
    return {key: rest if key == head else value for key, value in data.items() if key != head or rest}


def _remove(data: dict[str, JSON], path: str) -> None:
    rest = _removed(data, path)
    if rest is not data:
        data.clear()
        data.update(rest)


def _put(data: dict[str, JSON], path: str, value: JSON) -> None:
    head, dot, tail = path.partition(".")
    inner = data.get(head)
    if not dot:
        data[path] = value
    elif isinstance(inner, dict):
        _put(inner, tail, value)
    else:
        data[head] = {}
        _put(cast("dict[str, JSON]", data[head]), tail, value)


def _ordered(data: dict[str, JSON], like: Mapping[str, JSON]) -> dict[str, JSON]:
    out: dict[str, JSON] = {}
    for key in [*(key for key in like if key in data), *(key for key in data if key not in like)]:
        value, model = data[key], like.get(key)
        out[key] = _ordered(value, model) if isinstance(value, dict) and isinstance(model, dict) else value
    return out
