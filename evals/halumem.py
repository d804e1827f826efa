"""HaluMem (MemTensor): users whose facts change over time, with gold memory points, distractors, and questions after each session.

An entry is a memory point of a session with its own time: new facts, updates ("from … to …", as the data words them; the old text that
an update names is no entry of its own) and the distractors that the data calls interference. Gold points are all but the distractors.
Questions keep their evidence and answer, their type is the category; those of "Memory Boundary" ask for what no memory holds and
are left out, as LoCoMo's adversarial ones are.

Found in the two files, one user each: 54 sessions, 611 memory points (127 updates, 101 distractors), 122 questions, 26 of them about
what is unknown. Evidence carries no id; all 177 texts of it match a memory point of the user word by word, none of a later session.
One point repeats another's text. Of the 156 old texts that updates name, 31 are memory points: the files are slices. Booleans are the
strings "True" and "False".
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any, cast

from evals.stores import Question, Store, files_of, flat
from memfold import Entry

FILES = "halumem/*.jsonl"
UNKNOWN = "Memory Boundary"
DISTRACTOR = "interference"


def load(folder: Path) -> list[Store]:
    """The users of `folder/halumem/`, one a line, or of one file.

    :raises SystemExit: no such file is there.
    """
    lines = (line for path in files_of(folder, FILES) for line in path.read_text(encoding="utf-8").splitlines())
    return [user(json.loads(line)) for line in lines if line.strip()]


def user(data: Mapping[str, Any]) -> Store:
    """One line. Evidence that is no memory point of the user is left out."""
    entries: list[Entry] = []
    gold: list[str] = []
    places: dict[str, str] = {}
    for number, session in enumerate(data["sessions"], 1):
        for place, point in enumerate(session["memory_points"], 1):
            entry = Entry(f"S{number}:{place}", flat(point["memory_content"]), occurred_at=point_time(point["timestamp"]))
            entries.append(entry)
            if point["memory_source"] != DISTRACTOR:
                gold.append(entry.id)
                places.setdefault(entry.text, entry.id)
    return Store(str(data["uuid"]), tuple(entries), tuple(_questions(data["sessions"], places)), tuple(gold))


def _questions(sessions: Sequence[Mapping[str, Any]], places: Mapping[str, str]) -> Iterator[Question]:
    for session in sessions:
        for asked in cast("list[dict[str, Any]]", session.get("questions") or []):
            if asked["question_type"] != UNKNOWN:
                texts = [flat(memory["memory_content"]) for memory in asked["evidence"]]
                evidence = tuple(dict.fromkeys(places[text] for text in texts if text in places))
                yield Question(str(asked["question"]), flat(asked["answer"]), evidence, str(asked["question_type"]))


def point_time(written: str) -> datetime:
    """A point's time, written like "Jan 15, 2029, 16:15:20", without zone."""
    return datetime.strptime(written, "%b %d, %Y, %H:%M:%S")
