"""What a namespace holds and how much of it is redundant, without any model besides the embedder's vectors.

`audit` is a pure function over entries and their vectors. It counts, draws the growth over time, groups exact and near
copies, finds entries of one frame whose values differ (which similarity alone would merge away), and estimates what a
smaller budget would take. Pairs are looked for inside a home only, since entries of two homes are never merged.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from memfold.audit.duplicates import connected, normal, same
from memfold.audit.forecast import Step, make_forecast
from memfold.audit.frames import forms
from memfold.audit.growth import draw_growth
from memfold.audit.neighbours import Neighbours, find_neighbours
from memfold.audit.pairs import Close, close_pairs
from memfold.audit.result import Audit, Copies, Cosines, Forecast, Grouping, Growth, GrowthPoint, Suspects
from memfold.audit.suspects import find_suspects
from memfold.protocols import Clusterer, TokenCounter, Vectors
from memfold.types import Entry

__all__ = ["Audit", "Copies", "Cosines", "Forecast", "Grouping", "Growth", "GrowthPoint", "Suspects", "audit"]

SHARES = (0.7, 0.6, 0.5, 0.4, 0.3)
PER_ROW = 32
"""Neighbours kept of an entry that has more above the floor."""
EDGES = tuple(round(0.05 * step, 2) for step in range(21))
"""Of the histogram of cosines; what is below the first counts with it."""


def audit(
    entries: Sequence[Entry],
    vectors: Vectors,
    *,
    measure: Callable[[Entry], int],
    count_tokens: TokenCounter | None = None,
    shares: Sequence[float] = SHARES,
    near_cosine: float = 0.9,
    floor: float = 0.6,
    clusterer: Clusterer | None = None,
) -> Audit:
    """Audit the entries of one namespace.

    :param vectors: unit vectors, float32, shape (len(entries), dim), row by row of `entries`.
    :param measure: bytes of an entry, as budgets count them.
    :param shares: budgets to forecast, as shares of the bytes, in [0, 1].
    :param near_cosine: near copies have at least this cosine, share seven words in ten, and have the same values; one of
        the two brings no word of its own.
    :param floor: pairs with a lower cosine are not looked at.
    :param clusterer: an empty one without a bound for its atoms, which the entries are put through to see what atoms they make.
    :raises ValueError: entries and vectors do not match in number.
    """
    if len(entries) != len(vectors):
        raise ValueError(f"{len(entries)} entries need as many vectors, not {len(vectors)}")
    sizes = [measure(entry) for entry in entries]
    groups = same([(entry.home, normal(entry.text)) for entry in entries])
    exact = [_copies(group, entries, sizes) for group in groups if len(group) > 1]

    rows = [max(group, key=lambda row: (sizes[row], -row)) for group in groups]
    single, single_sizes = [entries[row] for row in rows], [sizes[row] for row in rows]
    found = find_neighbours(vectors[rows], [entry.home for entry in single], floor=floor, per_row=PER_ROW)
    taken_apart = forms(entry.text for entry in single)
    pairs = close_pairs(found, taken_apart, near_cosine)
    near = [_copies(group, single, single_sizes) for group in connected(len(single), ((p.a, p.b) for p in pairs if p.near))]

    return Audit(
        entries=len(entries),
        bytes=sum(sizes),
        tokens=None if count_tokens is None else sum(count_tokens.count(entry.text) for entry in entries),
        counter="" if count_tokens is None else count_tokens.name,
        growth=draw_growth(entries, sizes),
        exact=_by_spare(exact),
        near=_by_spare(near),
        suspects=find_suspects(pairs, single, taken_apart),
        cosines=_cosines(found, [len(group) for group in groups]),
        forecast=make_forecast(sum(sizes), sum(copies.spare for copies in exact), single_sizes, [_step(pair) for pair in pairs], shares),
        near_cosine=near_cosine,
        floor=floor,
        grouping=None if clusterer is None or not entries else _grouping(clusterer, entries, vectors),
    )


def _grouping(clusterer: Clusterer, entries: Sequence[Entry], vectors: Vectors) -> Grouping:
    clusterer.add([entry.id for entry in entries], vectors)
    members = [len(clusterer.members(number)) for number in clusterer.numbers()]
    return Grouping(len(members), sum(size > 1 for size in members) / len(members), sum(members) / len(members), max(members))


def _copies(rows: list[int], entries: Sequence[Entry], sizes: Sequence[int]) -> Copies:
    taken = [sizes[row] for row in rows]
    return Copies(tuple(entries[row].id for row in rows), tuple(entries[row].text for row in rows), sum(taken) - max(taken))


def _by_spare(groups: list[Copies]) -> tuple[Copies, ...]:
    return tuple(sorted(groups, key=lambda copies: (-copies.spare, copies.ids)))


def _step(pair: Close) -> Step:
    if pair.difference == "value":
        return Step(pair.a, pair.b, pair.cosine, "kept")
    return Step(pair.a, pair.b, pair.cosine, "near" if pair.near else "judgement")


def _cosines(found: Neighbours, counts: Sequence[int]) -> Cosines:
    """The nearest neighbour of every entry; that of an exact copy is at 1."""
    alone = np.array(counts) == 1
    best = np.repeat(np.where(alone, found.best, np.float32(1)), counts)
    known = np.clip(best[~np.isnan(best)], EDGES[0], EDGES[-1])
    heights, _ = np.histogram(known, EDGES)
    return Cosines(EDGES, tuple(int(height) for height in heights), float(np.median(known)) if len(known) else None)
