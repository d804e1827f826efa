"""RealMem (AvatarMemory/RealMemBench): personas with long-running projects, their memories, and queries that need some of them.

An entry is a memory point that was extracted from a session, as it is written, with the session's date. A question is a user's
turn that is marked as a query; the gold memories that it needs stand on the assistant's turn after it, each with its text and its
session, and their words together are the answer. All memory points are gold points.

Found in the five files of personas: 1,026 sessions, 2,475 memory points, 728 queries with 1,622 gold memories. A point's `index` is not
its own (293 of them repeat one), and gold memories carry none: they are matched by text within the session that they name, which
finds all 1,622 of them. 20 points repeat the text of another of the same persona. In these files every `content` is text; in others
of the set some are objects. On 24 further turns of an assistant gold memories follow a turn that is not marked as a query: left out.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

from evals.stores import Question, Store, files_of, flat
from memfold import Entry

FILES = "realmem/*_dialogues_256k.json"


def load(folder: Path) -> list[Store]:
    """The personas of `folder/realmem/`, or of one file.

    :raises SystemExit: no such file is there.
    """
    return [persona(json.loads(path.read_text(encoding="utf-8"))) for path in files_of(folder, FILES)]


def persona(data: Mapping[str, Any]) -> Store:
    """One file. A gold memory that no memory point of the persona matches counts in the answer's words only."""
    entries: list[Entry] = []
    places: dict[tuple[str, str], str] = {}
    for number, session in enumerate(data["dialogues"], 1):
        for place, point in enumerate(session["extracted_memory"], 1):
            text = flat(point["content"])
            entries.append(Entry(f"S{number}:{place}", text, occurred_at=session_time(session["current_time"])))
            for where in (session["session_uuid"], ""):
                places.setdefault((where, text), entries[-1].id)
    questions = tuple(_questions(data["dialogues"], places))
    return Store(str(data["_metadata"]["person_name"]), tuple(entries), questions, tuple(entry.id for entry in entries))


def _questions(sessions: Sequence[Mapping[str, Any]], places: Mapping[tuple[str, str], str]) -> Iterator[Question]:
    for session in sessions:
        turns: list[dict[str, Any]] = session["dialogue_turns"]
        for turn, reply in zip(turns, [*turns[1:], {}], strict=True):
            if turn.get("is_query"):
                gold = [(str(memory.get("session_uuid")), flat(memory["content"])) for memory in reply.get("memory_used") or ()]
                found = (places.get((where, text)) or places.get(("", text)) for where, text in gold)
                evidence = tuple(dict.fromkeys(id for id in found if id))
                category = str(reply.get("category_name") or "query")
                yield Question(flat(turn["content"]), "\n".join(text for _, text in gold), evidence, category)


def session_time(written: str) -> datetime:
    """A session's day, written like "2025-12-15 (Monday)", as a time without zone."""
    return datetime.fromisoformat(written.split(" ")[0])
