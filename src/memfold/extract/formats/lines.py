"""JSONL, read as it streams in: a turn, a session or a user's sessions a line."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, cast

from memfold.errors import BadConversation
from memfold.extract.formats.documents import branch
from memfold.extract.formats.fields import as_object, first_list, first_name, first_time
from memfold.extract.formats.messages import as_turn, from_messages, sittings
from memfold.extract.formats.reading import json_lines
from memfold.types import Session, Turn

_TURNS = ("turns", "messages", "dialogue")
_BEGAN = ("time", "start_time", "created_at", "timestamp", "date", "session_time")
_SESSION = ("session", "session_id", "conversation_id", "thread_id", "chat_id")


def jsonl(path: Path) -> Iterator[Session]:
    """Turns or sessions, a line each. Turns that follow each other with the same `session` (or without any) are one sitting."""
    waiting: list[Turn] = []
    current = ""
    for n, row in json_lines(path):
        where = f"{path}, line {n}"
        if isinstance(row.get("mapping"), dict):
            yield from [*sittings(waiting, current or path.stem), *branch(row, n, where)]
            waiting = []
            continue
        turns = first_list(row, _TURNS)
        if turns is not None:
            yield from [*sittings(waiting, current or path.stem), *_session(row, turns, f"{path.stem}-{n}", where)]
            waiting = []
            continue
        name = first_name(row, _SESSION)
        if waiting and name != current:
            yield from sittings(waiting, current or path.stem)
            waiting = []
        current = name
        turn = as_turn(row, n, where)
        if turn is not None:
            waiting.append(turn)
    yield from sittings(waiting, current or path.stem)


def halumem(path: Path) -> Iterator[Session]:
    """A user a line, with `sessions` of a `dialogue`; `start_time` is when a session began."""
    for n, row in json_lines(path):
        sessions = row.get("sessions")
        if not isinstance(sessions, list):
            raise BadConversation(f"{path}, line {n}: a line of this format has a list `sessions`; this has none")
        name = first_name(row, ("uuid", "id")) or f"{path.stem}-{n}"
        for k, session in enumerate(cast("list[Any]", sessions), start=1):
            where = f"{path}, line {n}, session {k}"
            turns = first_list(as_object(session), _TURNS)
            if turns is None:
                raise BadConversation(f"{where}: a session has a list {', '.join(_TURNS)}; this has none")
            yield from _session(as_object(session), turns, f"{name}/{k}", where)


def _session(row: Mapping[str, Any], turns: list[Any], name: str, where: str) -> list[Session]:
    return from_messages(turns, first_name(row, ("id", *_SESSION)) or name, time=first_time(row, _BEGAN), where=where)
