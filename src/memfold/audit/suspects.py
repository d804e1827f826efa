"""Groups of entries with one frame and other values, told by what differs."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from memfold.audit.duplicates import connected
from memfold.audit.frames import SLOT, Form
from memfold.audit.pairs import Close
from memfold.audit.result import Difference, Suspects
from memfold.types import Entry


def find_suspects(pairs: Sequence[Close], entries: Sequence[Entry], taken_apart: Sequence[Form]) -> tuple[Suspects, ...]:
    """Groups connected by suspect pairs: those that differ in values first, the most similar first."""
    groups: list[Suspects] = []
    kinds: tuple[Difference, ...] = ("value", "word")
    for kind in kinds:
        told = [pair for pair in pairs if pair.difference == kind]
        highest: dict[int, float] = {}
        for pair in reversed(told):
            highest[pair.a] = highest[pair.b] = pair.cosine
        found = [_group(kind, rows, highest[rows[0]], entries, taken_apart) for rows in connected(len(entries), ((p.a, p.b) for p in told))]
        groups += sorted(found, key=lambda group: (-group.cosine, group.ids))
    return tuple(groups)


def _group(kind: Difference, rows: list[int], cosine: float, entries: Sequence[Entry], taken_apart: Sequence[Form]) -> Suspects:
    told = [taken_apart[row] for row in rows]
    parts = [_values(form) if kind == "value" else form.frame for form in told]
    common = set[str](parts[0]).intersection(*parts[1:])
    return Suspects(
        frame=_written(told[0].frame),
        difference=kind,
        ids=tuple(entries[row].id for row in rows),
        texts=tuple(entries[row].text for row in rows),
        values=tuple(tuple(part for part in entry if part not in common) for entry in parts),
        cosine=cosine,
    )


def _values(form: Form) -> tuple[str, ...]:
    return (*form.values, "not") if form.negated else form.values


def _written(frame: tuple[str, ...]) -> str:
    """The words of a frame with spaces, but for scripts that write none."""
    text = frame[0] if frame else ""
    for before, word in pairwise(frame):
        spaceless = all(len(part) == 1 and part > "\u0e00" and part != SLOT for part in (before, word))
        text += word if spaceless else f" {word}"
    return text
