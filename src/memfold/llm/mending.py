r"""The JSON values that stand in a text: as written where that is JSON, else mended.

What is mended is the writing: a byte-order mark, a `<think>` block, fences and prose around, raw line breaks in strings, escapes that
JSON does not know (`\_`), trailing commas, single quotes, names without quotes, unescaped inner quotes, comments. The last ones are
json_repair's work, whose guesses are checked: a text that breaks off is not closed, a missing value is not made up.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator
from typing import Any, cast

from memfold.types import JSON

_THOUGHT = re.compile(r"\s*<(think|thinking|thought|reasoning)>.*?</\1>", re.DOTALL | re.IGNORECASE)
_THINKS = re.compile(r"\s*<(?:think|thinking|thought|reasoning)>", re.IGNORECASE)
_THOUGHT_END = re.compile(r"</(?:think|thinking|thought|reasoning)>", re.IGNORECASE)
_BAD_ESCAPE = re.compile(r'\\(\\|["/bfnrt]|u[0-9a-fA-F]{4})|\\(.)', re.DOTALL)
_OPENING = re.compile(r"[{\[]")
_QUOTE = re.compile(r'(?<!\\)(?:\\\\)*"')
_SINGLE = re.compile(r"[{\[,:]\s*'")
_ANY_ESCAPE = re.compile(r"\\(?:u[0-9a-fA-F]{4}|.)", re.DOTALL)
_COMMENT = re.compile(r"(?<!:)//[^\n]*|/\*.*?\*/|(?m:^\s*#.*$)", re.DOTALL)
_SIGN = re.compile(r"\w")
SLACK = 2
"""Letters and digits that mending may drop: zeros at a number's end."""
_INVISIBLE = "\ufeff\u200b\u2060"
STARTS = 64
"""Places at which JSON is looked for in a text at most."""
MENDED_AT_MOST = 60_000
"""Characters: a longer text is read as it is, but not mended."""
DEEPEST = 60


class Broken(ValueError):
    """No JSON that could be read, and why."""


class Ambiguous(ValueError):
    """JSON that says two things at once."""


def found_in(text: str, *, mend: bool = True) -> list[JSON]:
    """The JSON objects and lists in a text, in order; [] where it has none.

    :param mend: repair what is no JSON as written.
    :raises Ambiguous: an object gives one name two values.
    :raises Broken: what looks like JSON cannot be read.
    """
    text = text.strip().strip(_INVISIBLE).strip()
    whole = _whole(text)
    if whole is not None:
        return whole
    text = _answer(text)
    sound, at_broken = _sound(text)
    if at_broken is None:
        return sound
    if not mend:
        if sound and at_broken[0]:
            return sound
        raise Broken("it broke off")
    return _mended(text[at_broken[1] :], sound)


def _whole(text: str) -> list[JSON] | None:
    """What the whole text is, where it is JSON; a text in quotes that holds JSON is opened once."""
    value = _loads(text)
    if isinstance(value, str):
        value = _loads(value.strip())
    if isinstance(value, (dict, list)):
        return [value]
    return None if value is None else []


def _answer(text: str) -> str:
    """The text without the model's thoughts.

    :raises Broken: it never came to an answer.
    """
    if match := _THOUGHT.match(text):
        return text[match.end() :].strip()
    if _THINKS.match(text):
        raise Broken("it ended within its own reasoning")
    ends = list(_THOUGHT_END.finditer(text))
    return text[ends[-1].end() :].strip() if ends else text


def _sound(text: str) -> tuple[list[JSON], tuple[bool, int] | None]:
    """The sound values, and the first place where JSON begins but cannot be read (with whether all sound ones came before it)."""
    values: list[JSON] = []
    broken: int | None = None
    first = True
    at = tried = 0
    while (match := _OPENING.search(text, at)) and tried < STARTS:
        value, end = _decoded(text, match.start())
        at = end
        if value is not None:
            values.append(value)
            first = first and broken is None
        else:
            tried += 1
            broken = match.start() if broken is None else broken
    if broken is None:
        return _objects_first(values), None
    return values, (first, broken)


def _objects_first(values: list[JSON]) -> list[JSON]:
    """Objects, where there are any: brackets in prose are often no answer."""
    objects: list[JSON] = [value for value in values if isinstance(value, dict)]
    return objects or values


def _mended(text: str, sound: list[JSON]) -> list[JSON]:
    """The values of a text that is no JSON as written; `sound` are those that could be read after all.

    :raises Broken: it breaks off, or cannot be mended.
    """
    last = max(text.rfind("}"), text.rfind("]"))
    body = text[: last + 1]
    softly, end = _decoded(_escaped(body), 0, strict=False)
    if softly is not None and not _escaped(body)[end:].strip("`\n "):
        return [softly]
    objects: list[JSON] = [value for value in sound if isinstance(value, dict)]
    if last < 0 or body.count("{") > body.count("}") or body.count("[") > body.count("]"):
        if objects and body.count("{") <= body.count("}"):
            return objects
        raise Broken("it broke off before its end")
    if len(_QUOTE.findall(body)) % 2:
        raise Broken("it broke off within a text, or a quote is missing")
    if len(body) > MENDED_AT_MOST:
        raise Broken("it was no sound JSON, and too long to be mended")
    repaired = _repaired(body)
    flat = cast("list[JSON]", repaired) if isinstance(repaired, list) and text[0] == "{" else [repaired]
    kept = _kept(flat, body)
    values: list[JSON] = [value for value in flat if kept and isinstance(value, (dict, list)) and _honest(value, body)]
    if not values and not objects:
        raise Broken("it was no sound JSON")
    return _objects_first(values + [one for one in objects if one not in values])


def _repaired(text: str) -> JSON:
    from json_repair import loads

    if _depth(text) > DEEPEST:
        raise Broken("it was nested too deeply")
    try:
        return cast("JSON", loads(_escaped(text), skip_json_loads=True))
    except (ValueError, RecursionError, IndexError) as error:
        raise Broken("it was no sound JSON") from error


def _honest(value: JSON, text: str) -> bool:
    """Whether a mended value was not made up: no empty text or null that the reply does not have, no text cut at its own apostrophe."""
    leaves = list(_leaves(value))
    empty = sum(1 for leaf in leaves if leaf == "")
    nothing = sum(1 for leaf in leaves if leaf is None)
    single = _SINGLE.search(text) is not None
    stray = single and any(isinstance(leaf, str) and "'" in leaf and f'"{leaf}"' not in text for leaf in leaves)
    odd = any(isinstance(leaf, float) and not math.isfinite(leaf) for leaf in leaves)
    return empty <= text.count('""') + text.count("''") and nothing <= len(re.findall(r"null|None", text)) and not stray and not odd


def _kept(values: list[JSON], text: str) -> bool:
    """Whether all letters and digits of a text are in its mended values: what the repair could not place, it drops."""
    words = sum(len(_SIGN.findall(leaf if isinstance(leaf, str) else str(leaf))) for value in values for leaf in _words(value))
    bare = _COMMENT.sub(" ", text)  # comments are dropped rightly
    return len(_SIGN.findall(_ANY_ESCAPE.sub(" ", bare))) <= words + SLACK


def _words(value: JSON) -> Iterator[JSON]:
    """All names and values in a value."""
    if isinstance(value, dict):
        for name, one in value.items():
            yield name
            yield from _words(one)
    elif isinstance(value, list):
        for one in value:
            yield from _words(one)
    else:
        yield value


def _leaves(value: JSON) -> Iterator[JSON]:
    if isinstance(value, dict):
        for name, one in value.items():
            yield from (name,) if name == "" else ()
            yield from _leaves(one)
    elif isinstance(value, list):
        for one in value:
            yield from _leaves(one)
    else:
        yield value


def _escaped(text: str) -> str:
    r"""The text with escapes that JSON does not know made literal: `\_` is `_`, `\d` is a backslash and a d."""

    def mend(match: re.Match[str]) -> str:
        if match[1] is not None:
            return match[0]
        return f"\\\\{match[2]}" if match[2].isalnum() else match[2]

    return _BAD_ESCAPE.sub(mend, text)


def _depth(text: str) -> int:
    deepest = depth = 0
    for sign in text:
        if sign in "{[":
            depth += 1
            deepest = max(deepest, depth)
        elif sign in "}]":
            depth -= 1
    return deepest


def _decoded(text: str, at: int, *, strict: bool = True) -> tuple[JSON, int]:
    """The value that begins at a place, and where it ends; (None, the next place) where none does."""
    try:
        value, end = _decoder(strict).raw_decode(text, at)
    except Ambiguous:
        raise
    except (ValueError, RecursionError):
        return None, at + 1
    return cast("JSON", value), end


def _loads(text: str) -> JSON:
    """The text as JSON; None where it is none (or null)."""
    value, end = _decoded(text, 0)
    return value if end == len(text) else None


def _decoder(strict: bool) -> json.JSONDecoder:
    return json.JSONDecoder(object_pairs_hook=_object, parse_constant=_constant, parse_float=_float, strict=strict)


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    data: dict[str, Any] = {}
    for name, value in pairs:
        if name in data and data[name] != value:
            raise Ambiguous("one name had two different values in it")
        data[name] = value
    return data


def _float(written: str) -> float:
    number = float(written)
    return number if math.isfinite(number) else _constant(written)


def _constant(name: str) -> Any:
    raise ValueError(f"{name} is no JSON")
