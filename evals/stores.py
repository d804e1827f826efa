"""What every data set becomes: stores of entries, and questions about each."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from memfold import Entry


@dataclass(frozen=True, slots=True)
class Question:
    """A question that its store can answer.

    :param answer: the gold answer, or the gold memories that the answer is made from; may be empty.
    :param evidence: ids of the entries that hold the answer; may be empty.
    """

    text: str
    answer: str
    evidence: tuple[str, ...]
    category: str


@dataclass(frozen=True, slots=True)
class Store:
    """The memories of one dialogue, persona or user, oldest first, and the questions that are asked of them.

    :param gold: ids of the entries that are gold memory points: what a store should still tell, whether it is asked for or not.
    """

    name: str
    entries: tuple[Entry, ...]
    questions: tuple[Question, ...]
    gold: tuple[str, ...]


def files_of(folder: Path, pattern: str) -> list[Path]:
    """The files of a folder's pattern in order of their names; a file itself is taken as the only one.

    :raises SystemExit: there is none.
    """
    paths = [folder] if folder.is_file() else sorted(folder.glob(pattern))
    if not paths:
        raise SystemExit(f"there is no {folder / pattern}; evals/README.md says where to get it")
    return paths


def flat(content: Any) -> str:
    """A field that should be text and is sometimes an object: "key: value; key: value"."""
    if isinstance(content, str):
        return content
    if isinstance(content, dict):
        return "; ".join(f"{key}: {flat(value)}" for key, value in cast("dict[str, Any]", content).items())
    if isinstance(content, list):
        return ", ".join(map(flat, cast("list[Any]", content)))
    return json.dumps(content)


def as_they_stand(ids: Sequence[str], entries: Sequence[Entry]) -> tuple[str, ...]:
    """The ids, each once, in the order of the entries."""
    wanted = frozenset(ids)
    return tuple(entry.id for entry in entries if entry.id in wanted)
