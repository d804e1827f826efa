"""Messages, whoever wrote them, to turns; and turns to sittings."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from hashlib import blake2b
from typing import Any, cast

from memfold.errors import BadConversation
from memfold.hosts.times import parse_time
from memfold.types import Role, Session, Turn

PAUSE = timedelta(hours=8)
"""A silence that long ends a sitting."""
_ROLES: dict[str, Role] = {
    "user": "user",
    "human": "user",
    "assistant": "assistant",
    "ai": "assistant",
    "bot": "assistant",
    "gpt": "assistant",
    "model": "assistant",
    "chatgpt": "assistant",
}
_NOBODY = frozenset({"system", "developer", "tool", "function", "environment", "critic"})
"""Roles that are nobody in the conversation."""
_WHO = ("speaker", "role", "from", "author", "sender", "user", "name")
_WHAT = ("content", "text", "message", "value", "body", "parts")
_WHEN = ("timestamp", "time", "created_at", "create_time", "date", "datetime", "ts")
_ID = ("id", "dia_id", "message_id", "uuid")


def from_messages(messages: Sequence[Any], name: str = "", *, time: datetime | None = None, where: str = "") -> list[Session]:
    """A list of messages as sessions: one, or several where the times show pauses.

    :param name: the id of the session; "" makes one from the first message, so that it stays as the conversation goes on.
    :param time: when it began, where the messages do not say. :param where: what to call the list in an error.
    :raises BadConversation: one of them is no message.
    """
    told = where or "the conversation"
    turns = [turn for n, message in enumerate(messages, start=1) if (turn := as_turn(message, n, f"{told}, message {n}"))]
    return sittings(turns, name or _name(turns), time)


def as_turn(message: Any, number: int, where: str) -> Turn | None:
    """One message as a turn with its own id, else its number; None where nobody says anything in it.

    :raises BadConversation: it is no message.
    """
    if not isinstance(message, Mapping):
        raise BadConversation(f'{where}: a message like {{"role": "user", "content": "…"}} is expected, found {type(message).__name__}')
    data = cast("Mapping[str, Any]", message)
    who, text = _who(data), _text(data)
    if not any(key in data for key in (*_WHAT, "tool_calls")):
        raise BadConversation(f"{where}: it has no text; the field for it is one of {', '.join(_WHAT)}")
    if who.lower() in _NOBODY or not text.strip():
        return None
    named = data.get("name")
    speaker = named if isinstance(named, str) and named.strip() else who or "user"
    time = next((found for key in _WHEN if (found := parse_time(data.get(key)))), None)
    given = next((str(data[key]) for key in _ID if isinstance(data.get(key), (str, int)) and str(data[key]).strip()), "")
    return Turn(given or str(number), speaker.strip(), text.strip(), _ROLES.get(who.lower(), "user"), time)


def sittings(turns: Sequence[Turn], name: str, time: datetime | None = None) -> list[Session]:
    """The turns as sessions, cut where the next turn comes eight hours or more after the last; ids of turns are made unlike.

    The first session has `time`, else that of its first turn that has one; the others have that of their first turn.
    """
    parts: list[list[Turn]] = []
    latest: datetime | None = None
    for turn in turns:
        if not parts or _pause(latest, turn.time):
            parts.append([])
        parts[-1].append(turn)
        latest = turn.time or latest
    out: list[Session] = []
    for n, part in enumerate(parts):
        began = (time if n == 0 else None) or next((turn.time for turn in part if turn.time), None)
        id = name if len(parts) == 1 else f"{name}-{n + 1}"
        out.append(Session(id, unlike(part, id), began))
    return out


def unlike(turns: Iterable[Turn], session: str) -> tuple[Turn, ...]:
    """The turns with ids that no other has: numbers get the session's id before them, repeated ones a number behind."""
    seen: dict[str, int] = {}
    out: list[Turn] = []
    for turn in turns:
        id = f"{session}:{turn.id}" if turn.id.isdecimal() else turn.id
        seen[id] = seen.get(id, 0) + 1
        out.append(replace(turn, id=id if seen[id] == 1 else f"{id}#{seen[id]}"))
    return tuple(out)


def _pause(latest: datetime | None, time: datetime | None) -> bool:
    if latest is None or time is None:
        return False
    if (latest.tzinfo is None) != (time.tzinfo is None):
        latest, time = latest.replace(tzinfo=None), time.replace(tzinfo=None)
    return time - latest >= PAUSE


def _name(turns: Sequence[Turn]) -> str:
    first = turns[0] if turns else Turn("", "", "")
    stated = f"{first.speaker}\n{first.text}\n{first.time.isoformat() if first.time else ''}"
    return f"c{blake2b(stated.encode('utf-8', 'surrogatepass'), digest_size=4).hexdigest()}"


def _who(data: Mapping[str, Any]) -> str:
    for key in _WHO:
        value = data.get(key)
        if isinstance(value, Mapping):  # {"author": {"role": "user"}}
            value = cast("Mapping[str, Any]", value).get("role") or cast("Mapping[str, Any]", value).get("name")
        if isinstance(value, str) and value.strip():
            return value.strip()
    return ""


def _text(data: Mapping[str, Any]) -> str:
    return next((text for key in _WHAT if (text := text_of(data.get(key)))), "")


def text_of(content: Any) -> str:
    """The text of a message's content: a string, an object with one, or a list of such parts; pictures and the like are left out."""
    if isinstance(content, str):
        return content
    if isinstance(content, Mapping):
        part = cast("Mapping[str, Any]", content)
        found = part.get("text") if isinstance(part.get("text"), str) else part.get("parts", part.get("content"))
        return found if isinstance(found, str) else text_of(found) if isinstance(found, list) else ""
    if isinstance(content, list):
        parts = cast("list[Any]", content)
        texts = (item if isinstance(item, str) else text_of(item) if isinstance(item, Mapping) else "" for item in parts)
        return "\n".join(text for text in texts if text)
    return ""
