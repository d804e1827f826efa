"""LoCoMo (Maharana et al. 2024): ten long dialogues with questions, and the turns that hold each answer.

One entry a turn, as MemRefine keeps it: "Speaker: text", an image's caption in brackets, the session's date. Gold points are
the turns that hold the answer to a question.

Found in the file: 10 dialogues, 5,882 turns, 1,986 questions; 1,540 of the categories 1 to 4. Six answers are numbers, and some
strings of evidence hold several ids or stray brackets.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from datetime import datetime
from pathlib import Path
from typing import Any, TypeAlias

from evals.stores import Question, Store, as_they_stand, files_of
from memfold import Entry

FILE = Path("locomo") / "locomo10.json"
Dialogue: TypeAlias = Store
CATEGORIES = {1: "multi-hop", 2: "temporal", 3: "commonsense", 4: "single-hop", 5: "adversarial"}
SCORED = (1, 2, 3, 4)
"""Categories with an answer; what 5 asks for is not in the dialogue."""

_SESSION = re.compile(r"session_(\d+)")
_TURN = re.compile(r"D:?\s*(\d+):(\d+)")


def load(folder: Path) -> list[Store]:
    """The dialogues of `folder/locomo/locomo10.json`, or of the file itself.

    :raises SystemExit: the file is not there.
    """
    return [dialogue(sample) for path in files_of(folder, str(FILE)) for sample in json.loads(path.read_text(encoding="utf-8"))]


def dialogue(sample: Mapping[str, Any]) -> Store:
    """One sample of the file. Evidence that names no turn of the dialogue is left out, and so are questions of category 5."""
    entries = _entries(sample["conversation"])
    turns = {entry.id for entry in entries}
    questions = tuple(
        Question(
            str(item["question"]),
            str(item.get("answer", "")),
            tuple(turn for turn in evidence_ids(item.get("evidence") or []) if turn in turns),
            CATEGORIES[int(item["category"])],
        )
        for item in sample["qa"]
        if int(item["category"]) in SCORED
    )
    asked_for = [turn for question in questions for turn in question.evidence]
    return Store(str(sample["sample_id"]), entries, questions, as_they_stand(asked_for, entries))


def evidence_ids(written: list[str]) -> list[str]:
    """Turn ids out of the strings that list them: some hold several, or a stray colon, bracket or zero."""
    found = (match for text in written for match in _TURN.finditer(text))
    return list(dict.fromkeys(f"D{int(match[1])}:{int(match[2])}" for match in found))


def _entries(conversation: Mapping[str, Any]) -> tuple[Entry, ...]:
    numbers = sorted(int(match[1]) for key in conversation if (match := _SESSION.fullmatch(key)))
    return tuple(
        Entry(str(turn["dia_id"]), _text(turn), kind="turn", occurred_at=session_time(conversation[f"session_{number}_date_time"]))
        for number in numbers
        for turn in conversation[f"session_{number}"]
    )


def session_time(written: str) -> datetime:
    """A session's time, written like "1:56 pm on 8 May, 2023", without zone."""
    return datetime.strptime(written, "%I:%M %p on %d %B, %Y")


def _text(turn: Mapping[str, Any]) -> str:
    caption = turn.get("blip_caption")
    return f"{turn['speaker']}: {turn['text']}" + (f" [{caption}]" if caption else "")
