"""Erasing a text from JSON values, and counting what is left of it. Comparison is by case-folded substring."""

from __future__ import annotations

import json
import re

from memfold.types import JSON

_UNICODE_ESCAPE = re.compile(r"\\u([0-9a-fA-F]{4})")
_NESTED_ENCODINGS = 3


def holds(text: str, needle: str) -> bool:
    r"""Whether a text, or a text behind its `\u` escapes, holds the needle. An empty needle is in nothing."""
    return occurrences(text, needle) > 0


def occurrences(text: str, needle: str) -> int:
    r"""How often the needle stands in a text, escaped forms (`Jos\u00e9`) included."""
    wanted = needle.casefold()
    if not wanted:
        return 0
    most = text.casefold().count(wanted)
    for _ in range(_NESTED_ENCODINGS):
        plain = _UNICODE_ESCAPE.sub(lambda found: chr(int(found[1], 16)), text.replace("\\\\u", "\\u"))
        if plain == text:
            break
        text = plain
        joined = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
        most = max(most, joined.casefold().count(wanted))
    return most


def total(value: JSON, needle: str) -> int:
    """How often the needle stands in the keys, strings and numbers of a JSON value."""
    if isinstance(value, dict):
        return sum(occurrences(key, needle) + total(each, needle) for key, each in value.items())
    if isinstance(value, list):
        return sum(total(each, needle) for each in value)
    return occurrences(plain(value), needle)


def plain(value: JSON) -> str:
    """A JSON value as a text: strings as they are, the rest as JSON."""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def without(value: JSON, needle: str) -> JSON:
    """The value without members and elements whose key or scalar holds the needle. A scalar itself is returned as it is."""
    if isinstance(value, dict):
        return {key: without(each, needle) for key, each in value.items() if not holds(key, needle) and not _goes(each, needle)}
    if isinstance(value, list):
        return [without(each, needle) for each in value if not _goes(each, needle)]
    return value


def _goes(value: JSON, needle: str) -> bool:
    return not isinstance(value, (dict, list)) and holds(plain(value), needle)
