"""Files that are one JSON document: messages, ChatGPT exports, LoCoMo's dialogues."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, cast

from memfold.errors import BadConversation
from memfold.extract.formats.fields import as_object, first_list, first_name, first_time
from memfold.extract.formats.messages import as_turn, from_messages, sittings, text_of, unlike
from memfold.extract.formats.reading import parse, read_text
from memfold.hosts.times import parse_time
from memfold.types import Session, Turn

_TURNS = ("messages", "turns", "dialogue", "conversation")
_BEGAN = ("time", "created_at", "start_time", "timestamp", "date")
_SESSION = re.compile(r"session_(\d{1,6})")
_SHOWN = ("text", "multimodal_text")
"""Kinds of a ChatGPT message that somebody says."""


def message_file(path: Path) -> Iterator[Session]:
    """OpenAI messages: one conversation, or a list of conversations."""
    data = parse(read_text(path), str(path))
    for n, (conversation, name) in enumerate(_conversations(data, path), start=1):
        given = as_object(conversation)
        turns = cast("list[Any]", conversation) if isinstance(conversation, list) else first_list(given, _TURNS)
        if turns is None:
            raise BadConversation(f'{path}, conversation {n}: a list of messages is expected, alone or as {{"messages": […]}}')
        yield from from_messages(turns, name, time=first_time(given, _BEGAN), where=str(path))


def _conversations(data: Any, path: Path) -> Iterator[tuple[Any, str]]:
    """The conversations of a document with their names, "" where they have none."""
    if isinstance(data, list):
        items = cast("list[Any]", data)
        several = bool(items) and all(isinstance(item, list) or (isinstance(item, Mapping) and "messages" in item) for item in items)
        if several:
            yield from ((item, _named(item)) for item in items)
            return
    yield data, _named(data)


def _named(data: Any) -> str:
    return first_name(as_object(data), ("id", "session_id", "conversation_id", "session"))


def chatgpt(path: Path) -> Iterator[Session]:
    """A ChatGPT export: each conversation is a tree of messages; the branch that ends at `current_node` is what the user saw last."""
    data = parse(read_text(path), str(path))
    conversations = cast("list[Any]", data) if isinstance(data, list) else [data]
    for n, conversation in enumerate(conversations, start=1):
        yield from branch(conversation, n, f"{path}, conversation {n}")


def branch(conversation: Any, number: int, where: str) -> list[Session]:
    """The sessions of one conversation of an export.

    :raises BadConversation: it has no tree of messages.
    """
    given = as_object(conversation)
    if not isinstance(given.get("mapping"), Mapping):
        raise BadConversation(f"{where}: a conversation of a ChatGPT export has a `mapping` of its messages; this has none")
    nodes = as_object(given["mapping"])
    at = given.get("current_node")
    at = at if isinstance(at, str) and at in nodes else next(reversed(list(nodes)), None)
    path: list[Mapping[str, Any]] = []
    seen: set[str] = set()
    while isinstance(at, str) and at in nodes and at not in seen:
        seen.add(at)
        node = as_object(nodes[at])
        if isinstance(node.get("message"), Mapping):
            path.append(as_object(node["message"]))
        at = node.get("parent")
    turns = [turn for n, message in enumerate(reversed(path), start=1) if (turn := _shown(message, n, where))]
    name = first_name(given, ("conversation_id", "id")) or f"chatgpt-{number}"
    return sittings(turns, name, parse_time(given.get("create_time")))


def _shown(message: Mapping[str, Any], number: int, where: str) -> Turn | None:
    content = message.get("content")
    kind = as_object(content).get("content_type", "text")
    hidden = as_object(message.get("metadata")).get("is_visually_hidden_from_conversation")
    recipient = message.get("recipient", "all")
    if kind not in _SHOWN or hidden or recipient not in ("all", None) or not text_of(content):
        return None
    return as_turn(message, number, where)


def locomo(path: Path) -> Iterator[Session]:
    """LoCoMo-like dialogues."""
    data = parse(read_text(path), str(path))
    samples = cast("list[Any]", data) if isinstance(data, list) else [data]
    for n, sample in enumerate(samples, start=1):
        yield from dialogue(sample, path, n, several=len(samples) > 1)


def dialogue(sample: Any, path: Path, number: int, *, several: bool) -> Iterator[Session]:
    """The sessions of one dialogue; where a file has several, its turns' ids get the sample's before them.

    :raises BadConversation: it has no sessions, or a turn of one is none.
    """
    given = as_object(sample)
    held = as_object(given.get("conversation")) or given
    keys = {int(found[1]): key for key in held if (found := _SESSION.fullmatch(key)) and isinstance(held[key], list)}
    if not keys:
        raise BadConversation(f"{path}, sample {number}: a LoCoMo-like dialogue has lists session_1, session_2 …; this has none")
    name = first_name(given, ("sample_id", "id")) or (f"{path.stem}-{number}" if several else path.stem)
    for _, key in sorted(keys.items()):
        where = f"{path}, sample {number}, {key}"
        turns: list[Turn] = []
        for at, row in enumerate(cast("list[Any]", held[key]), start=1):
            turn = as_turn(_with_caption(row), at, f"{where}, turn {at}")
            if turn is not None:
                turns.append(Turn(f"{name}/{turn.id}" if several else turn.id, turn.speaker, turn.text, turn.role, turn.time))
        yield Session(f"{name}/{key}", unlike(turns, f"{name}/{key}"), parse_time(held.get(f"{key}_date_time")))


def _with_caption(row: Any) -> Any:
    """The turn with what its picture shows in words, where the data says that."""
    caption = as_object(row).get("blip_caption")
    if not isinstance(caption, str) or not caption.strip():
        return row
    turn = as_object(row)
    return {**turn, "text": f"[Image: {caption.strip()}] {turn.get('text') or ''}".strip()}
