"""What foreign JSON holds under one of several names; what is of another kind is not there."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any, cast

from memfold.hosts.times import parse_time


def as_object(value: Any) -> Mapping[str, Any]:
    """The object itself; empty where the value is none."""
    return cast("Mapping[str, Any]", value) if isinstance(value, Mapping) else {}


def first_list(data: Mapping[str, Any], keys: Iterable[str]) -> list[Any] | None:
    """The first of these fields that holds a list."""
    return next((cast("list[Any]", data[key]) for key in keys if isinstance(data.get(key), list)), None)


def first_time(data: Mapping[str, Any], keys: Iterable[str]) -> datetime | None:
    """The first of these fields that states a time."""
    return next((found for key in keys if (found := parse_time(data.get(key)))), None)


def first_name(data: Mapping[str, Any], keys: Iterable[str]) -> str:
    """The first of these fields that holds a name or number; "" where none does."""
    values = (data.get(key) for key in keys)
    return next((str(v).strip() for v in values if isinstance(v, (str, int)) and not isinstance(v, bool) and str(v).strip()), "")
