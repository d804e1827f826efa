"""What is counted: how much of what the questions need is still in a store, and how much of that is found.

Every figure is a mean over the questions of categories 1 to 4; questions that name no evidence count in the answer's words only.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, TypeAlias

import numpy as np

from evals.locomo import Dialogue, Question
from evals.systems import State
from evals.words import content_stems, share
from memfold import Entry
from memfold.protocols import Embedder, Vectors

Texts: TypeAlias = Mapping[str, Entry]
NEAREST = 10
"""Entries that a question gets."""


@dataclass(frozen=True, slots=True)
class Score:
    """One question against one store; each but the last in [0, 1], None where it does not apply.

    :param survived: share of its evidence turns that live, alone or within a merge.
    :param covered: the same, a deleted turn counted as covered by the entry that was kept in its place.
    :param told: share of the evidence turns' content words that stand in the entry that lives in their place.
    :param nearest: share of its evidence turns among the ten nearest entries; a merge counts for all its turns.
    :param answered: share of the gold answer's content words in the ten nearest entries, with their dates.
    :param shown: characters of the ten nearest entries, with their dates: longer entries show more, so read `answered` beside it.
    """

    category: int
    survived: float | None
    covered: float | None
    told: float | None
    nearest: float | None
    answered: float | None
    shown: float


FIGURES = ("survived", "covered", "told", "nearest", "answered", "shown")


def scores(dialogue: Dialogue, state: State, embedder: Embedder) -> list[Score]:
    """The score of each question of a dialogue at one budget."""
    turns = {entry.id: entry for entry in dialogue.entries}
    home = {turn: id for id, held in state.held.items() for turn in held}
    living = {entry.id: entry for entry in state.entries}
    vectors = embedder.embed([entry.embedding_text for entry in state.entries])
    asked = embedder.embed([question.text for question in dialogue.scored])
    return [
        _score(question, _nearest(state.entries, vectors, vector), state, turns, home, living)
        for question, vector in zip(dialogue.scored, asked, strict=True)
    ]


def _score(question: Question, found: Sequence[Entry], state: State, turns: Texts, home: Mapping[str, str], living: Texts) -> Score:
    places = {turn: home.get(turn) or covering(turn, state, living) for turn in question.evidence}
    reached = frozenset[str]().union(*(state.held[entry.id] for entry in found))
    told = [share(content_stems(turns[turn].text), content_stems(living[id].text if id else "")) for turn, id in places.items()]
    wanted = content_stems(question.answer)
    texts = [shown(entry) for entry in found]
    return Score(
        question.category,
        survived=_mean([float(turn in home) for turn in places]),
        covered=_mean([float(id is not None) for id in places.values()]),
        told=_mean(told),
        nearest=_mean([float(turn in reached) for turn in places]),
        answered=share(wanted, frozenset[str]().union(*map(content_stems, texts))) if wanted else None,
        shown=float(sum(map(len, texts))),
    )


def covering(turn: str, state: State, living: Texts) -> str | None:
    """The living entry that stayed in a deleted turn's place; None where nothing did."""
    id = state.left_to.get(turn)
    while id is not None and id not in living:
        id = state.left_to.get(id)
    return id


def shown(entry: Entry) -> str:
    """An entry as a reader gets it: with its date, or all its dates where it was merged from several."""
    times = entry.metadata.get("times")
    dates = [datetime.fromisoformat(str(time)) for time in times] if isinstance(times, list) else [entry.time] if entry.time else []
    return f"{', '.join(dict.fromkeys(f'{date.day} {date:%B %Y}' for date in dates))}: {entry.text}"


def means(scored: Sequence[Score]) -> dict[str, float | None]:
    """The mean of each figure over the questions that it applies to."""
    of: Callable[[str], list[float]] = lambda name: [value for score in scored if (value := getattr(score, name)) is not None]  # noqa: E731
    return {name: _mean(of(name)) for name in FIGURES}


def by_category(scored: Sequence[Score]) -> dict[int, dict[str, Any]]:
    """`means` of each category, and how many questions it has."""
    groups = {category: [score for score in scored if score.category == category] for category in sorted({s.category for s in scored})}
    return {category: {"questions": len(group), **means(group)} for category, group in groups.items()}


def _nearest(entries: Sequence[Entry], vectors: Vectors, asked: Vectors) -> list[Entry]:
    best = np.argsort(-(vectors @ asked), kind="stable")[:NEAREST]
    return [entries[row] for row in best]


def _mean(values: Sequence[float]) -> float | None:
    return sum(values) / len(values) if values else None
