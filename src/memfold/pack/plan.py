"""Which hits come into question, in which order they are tried, and in which they are shown."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from memfold.pack.content import mended, same_words
from memfold.pack.dates import moment
from memfold.types import Entry, Hit


@dataclass(frozen=True, slots=True)
class Candidate:
    """A hit that may go into the context.

    :param rank: the place of the hit among those that the packer was given.
    :param group: the index of its group in the plan.
    :param text: what is shown of its entry.
    :param moment: its entry's time as `dates.moment` gives it; None where it has none.
    """

    hit: Hit
    rank: int
    group: int
    text: str
    moment: int | None


@dataclass(frozen=True, slots=True)
class Plan:
    """Groups in the order in which they are tried and shown, their candidates in the order in which they are tried.

    :param weights: of each group, for shares; at least 0.
    :param headed: whether groups may have headings, so that what is shown of each is shown in the order of time.
    :param across: candidates are tried by their own score, whatever group they are in; groups only arrange what is shown.
    """

    groups: tuple[tuple[Candidate, ...], ...]
    weights: tuple[float, ...]
    duplicates: tuple[Hit, ...]
    headed: bool
    across: bool = False

    def walk(self) -> Iterator[Candidate]:
        """All candidates, first to try first."""
        walk = (one for group in self.groups for one in group)
        yield from sorted(walk, key=lambda one: (-one.hit.score, one.rank)) if self.across else walk


def flat(hits: Sequence[Hit]) -> Plan:
    """One group, by descending score."""
    kept, duplicates = _distinct(hits)
    kept.sort(key=_by_score)
    return Plan((_candidates(kept, 0),), (1.0,), duplicates, headed=False)


def grouped(hits: Sequence[Hit]) -> Plan:
    """Atoms by descending `atom_score` (ties: the one with the newest member among the hits, then the lower id), members by score.

    A hit without an atom is a group of its own. It stands before the first atom all of whose hits come after it in `hits`.
    """
    kept, duplicates = _distinct(hits)
    groups = _in_their_place(kept)
    ordered = [sorted(group, key=_by_score) if len(group) > 1 else group for group in groups]
    weights = tuple(max(0.0, group[0][1].score if group[0][1].atom is None else group[0][1].atom_score) for group in ordered)
    return Plan(tuple(_candidates(group, index) for index, group in enumerate(ordered)), weights, duplicates, headed=True)


def arranged(hits: Sequence[Hit]) -> Plan:
    """Shown as `grouped` shows them, but tried by descending score: no atom brings weaker members before stronger hits of others."""
    return replace(grouped(hits), across=True)


def chronological(candidates: Sequence[Candidate]) -> list[Candidate]:
    """By time, what has none at the end; at the same time the better hit first."""
    return sorted(candidates, key=lambda one: (one.moment is None, one.moment or 0, one.rank))


Ranked = tuple[int, Hit]
"""A hit with its place among those given."""


def _by_score(found: Ranked) -> float:
    return -found[1].score


def _distinct(hits: Sequence[Hit]) -> tuple[list[Ranked], tuple[Hit, ...]]:
    """The hits whose text no better one has, and the others."""
    seen: set[str] = set()
    kept: list[Ranked] = []
    duplicates: list[Hit] = []
    for rank, hit in enumerate(hits):
        words = same_words(hit.entry.text)
        if words in seen:
            duplicates.append(hit)
        else:
            seen.add(words)
            kept.append((rank, hit))
    return kept, tuple(duplicates)


def _in_their_place(kept: Sequence[Ranked]) -> list[list[Ranked]]:
    atoms: dict[int, list[Ranked]] = {}
    alone: list[Ranked] = []
    for rank, hit in kept:
        if hit.atom is None:
            alone.append((rank, hit))
        else:
            atoms.setdefault(hit.atom, []).append((rank, hit))
    groups: list[list[Ranked]] = []
    following = iter([*alone, None])
    single = next(following)
    for members in _by_atom_score(atoms):
        while single is not None and single[0] < members[0][0]:
            groups.append([single])
            single = next(following)
        groups.append(members)
    while single is not None:
        groups.append([single])
        single = next(following)
    return groups


def _by_atom_score(atoms: dict[int, list[Ranked]]) -> list[list[Ranked]]:
    scores = {atom: max(hit.atom_score for _, hit in members) for atom, members in atoms.items()}
    tied = Counter(scores.values())
    newest = {atom: _newest(members) if tied[scores[atom]] > 1 else 0 for atom, members in atoms.items()}
    return [atoms[atom] for atom in sorted(atoms, key=lambda atom: (-scores[atom], -newest[atom], atom))]


def _newest(members: Sequence[Ranked]) -> int:
    return max(_updated(hit.entry) for _, hit in members)


def _updated(entry: Entry) -> int:
    when = entry.updated_at or entry.created_at or entry.occurred_at
    return moment(when) if when else 0


def _candidates(found: Sequence[Ranked], group: int) -> tuple[Candidate, ...]:
    return tuple(
        Candidate(hit, rank, group, mended(hit.entry.text).strip(), moment(time) if (time := hit.entry.time) else None)
        for rank, hit in found
    )
