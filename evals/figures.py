"""What is counted: how much of what the questions need is still in a store, and how much of that is found.

Every figure but `all_points` is a mean over the questions; a question without evidence, or without an answer, counts in the
figures that it has something for.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, TypeAlias

import numpy as np

from evals.cache import CountedTokens
from evals.stores import Question, Store
from evals.systems import State
from evals.words import content_stems, share
from memfold import Entry
from memfold.protocols import Embedder

Texts: TypeAlias = Mapping[str, Entry]
NEAREST = 10
"""Entries that a question gets."""
ROOM = 1000
"""Tokens that a question gets in the figures of a fixed budget."""
STANDS = 0.9
"""Share of a gold point's content words from which one entry is taken to still tell it."""


@dataclass(frozen=True, slots=True)
class Score:
    """One question against one store; each but the last in [0, 1], None where it does not apply.

    :param survived: share of its evidence that lives, alone or within a merge.
    :param covered: the same, a deleted entry counted as covered by the one that was kept in its place.
    :param told: share of the content words of the evidence that stand in the entry that lives in its place.
    :param points: share of its evidence of which one living entry, whichever, holds nine tenths of the content words.
    :param nearest: share of its evidence among the ten nearest entries; a merge counts for all that it was merged from.
    :param answered: share of the gold answer's content words in the ten nearest entries, with their dates.
    :param evidence_1000: share of its evidence in the nearest entries that fit into 1,000 tokens, merges as above.
    :param words_1000: share of the gold answer's content words in those.
    :param shown: characters of the ten nearest entries, with their dates: longer entries show more, so read `answered` beside it.
    """

    category: str
    survived: float | None
    covered: float | None
    told: float | None
    points: float | None
    nearest: float | None
    answered: float | None
    evidence_1000: float | None
    words_1000: float | None
    shown: float


FIGURES = ("survived", "covered", "told", "points", "nearest", "answered", "evidence_1000", "words_1000", "shown")


def scores(store: Store, state: State, embedder: Embedder, tokens: CountedTokens) -> list[Score]:
    """The score of each question of a store at one budget."""
    before = {entry.id: entry for entry in store.entries}
    living = {entry.id: entry for entry in state.entries}
    home = {id: place for place, held in state.held.items() for id in held}
    places = {id: home.get(id) or covering(id, state, living) for question in store.questions for id in question.evidence}
    told = {id: share(content_stems(before[id].text), content_stems(living[at].text if at else "")) for id, at in places.items()}
    stands = standing([before[id] for id in places], state.entries)
    texts = [shown(entry) for entry in state.entries]
    sizes = tokens.counts(texts)
    vectors = embedder.embed([entry.embedding_text for entry in state.entries])
    asked = embedder.embed([question.text for question in store.questions])
    orders = np.argsort(-(asked @ vectors.T), axis=1, kind="stable")

    def found(question: Question, rows: Sequence[int]) -> tuple[float | None, float | None]:
        reached = frozenset[str]().union(*(state.held[state.entries[row].id] for row in rows))
        wanted = content_stems(question.answer)
        words = frozenset[str]().union(*(content_stems(texts[row]) for row in rows))
        return _mean([float(id in reached) for id in question.evidence]), share(wanted, words) if wanted else None

    def score(question: Question, order: Sequence[int]) -> Score:
        ten = order[:NEAREST]
        nearest, answered = found(question, ten)
        evidence_1000, words_1000 = found(question, fitting(order, sizes))
        return Score(
            question.category,
            survived=_mean([float(id in home) for id in question.evidence]),
            covered=_mean([float(places[id] is not None) for id in question.evidence]),
            told=_mean([told[id] for id in question.evidence]),
            points=_mean([float(stands[id]) for id in question.evidence]),
            nearest=nearest,
            answered=answered,
            evidence_1000=evidence_1000,
            words_1000=words_1000,
            shown=float(sum(len(texts[row]) for row in ten)),
        )

    return [score(question, order) for question, order in zip(store.questions, orders.tolist(), strict=True)]


def fitting(order: Iterable[int], sizes: Sequence[int], room: int = ROOM) -> list[int]:
    """Rows taken whole in the order given as long as they fit into the room; one that does not is passed over."""
    taken: list[int] = []
    least = min(sizes, default=0)
    for row in order:
        if sizes[row] <= room:
            taken.append(row)
            room -= sizes[row]
        if room < least:
            break
    return taken


def standing(points: Sequence[Entry], living: Sequence[Entry]) -> dict[str, bool]:
    """Id of a point -> whether a single living entry holds nine tenths of its content words."""
    wanted = [content_stems(point.text) for point in points]
    place = {stem: number for number, stem in enumerate(sorted(frozenset[str]().union(*wanted)))}
    among = np.zeros((len(place), len(living)), np.float32)
    for column, entry in enumerate(living):
        among[[place[stem] for stem in content_stems(entry.text) if stem in place], column] = 1
    best = [float(among[[place[stem] for stem in stems]].sum(axis=0).max(initial=0)) for stems in wanted]
    return {point.id: most >= STANDS * len(stems) for point, stems, most in zip(points, wanted, best, strict=True)}


def all_points(store: Store, state: State) -> float:
    """The share of all gold points of a store that are `standing`."""
    gold = frozenset(store.gold)
    stands = standing([entry for entry in store.entries if entry.id in gold], state.entries)
    return sum(stands.values()) / len(stands) if stands else 1.0


def covering(id: str, state: State, living: Texts) -> str | None:
    """The living entry that stayed in a deleted one's place; None where nothing did."""
    at = state.left_to.get(id)
    while at is not None and at not in living:
        at = state.left_to.get(at)
    return at


def shown(entry: Entry) -> str:
    """An entry as a reader gets it: with its date, or all its dates where it was merged from several."""
    times = entry.metadata.get("times")
    later = [datetime.fromisoformat(str(time)) for time in times] if isinstance(times, list) else []
    dates = ([entry.time] if entry.time else []) + later
    return f"{', '.join(dict.fromkeys(f'{date.day} {date:%B %Y}' for date in dates))}: {entry.text}"


def means(scored: Sequence[Score]) -> dict[str, float | None]:
    """The mean of each figure over the questions that it applies to."""
    of: Callable[[str], list[float]] = lambda name: [value for score in scored if (value := getattr(score, name)) is not None]  # noqa: E731
    return {name: _mean(of(name)) for name in FIGURES}


def by_category(scored: Sequence[Score]) -> dict[str, dict[str, Any]]:
    """`means` of each category, and how many questions it has."""
    groups = {category: [score for score in scored if score.category == category] for category in sorted({s.category for s in scored})}
    return {category: {"questions": len(group), **means(group)} for category, group in groups.items()}


def _mean(values: Sequence[float]) -> float | None:
    return sum(values) / len(values) if values else None
