"""Safest first: of all edits that a judge would make, the next is the one with the least expected loss.

    C <- the pairs of every living entry with its k nearest, cosine >= floor     neighbours
    judge every pair of C that was not judged                                    Judge, guards
    make the edit of C with the least expected loss,                             LOSSES
        ties by cosine (the larger first), then by ids
    and again: an entry that went makes room in the lists of others, a merge brings pairs of its own

C is a function of the living entries, so a run that was cut off goes on exactly as it would have. Where each entry has
fewer than k neighbours C is all pairs, and the order is exact over them.

Time: n^2 d multiply-adds once for the lists and n * k judgements at most before the first edit, most of the cost with any
judge; about k more for each edit. Memory: see `neighbours`, and the decisions of the pairs that wait, n * k at most.

The order is as good as the judge's confidence: an edit of confidence c is taken to lose a fact with chance 1 - c.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from memfold.config import Loss
from memfold.protocols import Vectors
from memfold.refine.agenda import Step
from memfold.refine.docket import Docket
from memfold.refine.guards import PASSING
from memfold.refine.neighbours import Near, Neighbours
from memfold.refine.propose import Known
from memfold.types import Decision, Entry, Pair

Form: TypeAlias = Callable[[float, int, int], float]
"""(chance that the edit loses a fact, bytes that it removes or rewrites, bytes that it saves, >= 1) -> expected loss."""
Turn: TypeAlias = tuple[float, float, str, str]
"""(expected loss, -cosine, smaller id, larger id): edits are made in ascending order of it."""


def chance(chance: float, at_stake: int, saved: int) -> float:
    """The chance alone: every edit may lose one fact."""
    return chance


def per_byte(chance: float, at_stake: int, saved: int) -> float:
    """Facts lost for a byte saved: fewer, larger edits meet the same budget."""
    return chance / saved


def value(chance: float, at_stake: int, saved: int) -> float:
    """A long text holds more facts than a short one: they are taken to grow with its bytes."""
    return chance * at_stake


def value_per_byte(chance: float, at_stake: int, saved: int) -> float:
    """`value` for a byte saved. A deletion saves what it puts at stake, so it is the chance; a merge rewrites more than it saves."""
    return chance * at_stake / saved


LOSSES: Mapping[Loss, Form] = {"chance": chance, "per byte": per_byte, "value": value, "value per byte": value_per_byte}
"""The forms of the expected loss by name."""


def expected_loss(pair: Pair, decision: Decision, form: Form, size: Callable[[Entry], int]) -> float:
    """What a deletion or merge is expected to lose, in a form of `LOSSES`.

    :param size: bytes of an entry. The size of a merged entry is estimated from its text; links and times are not counted.
    """
    if decision.action == "delete":
        at_stake = saved = size(pair.a if decision.target == "a" else pair.b)
    else:
        at_stake = size(pair.a) + size(pair.b)
        saved = at_stake - size(replace(pair.a, text=decision.merged, keywords=decision.keywords))
    return form(1.0 - decision.confidence, at_stake, max(saved, 1))


class SafestFirst:
    """Gives the pairs to judge, keeps the decisions, and gives the safest first. Implements `protocols.Proposer`.

    Before each `next`, take what `unjudged` gives until it gives nothing, and tell `judged` what was decided.

    :param entries: distinct ids; `vectors` has shape (len(entries), d).
    :param loss: the expected loss of a deletion or merge.
    :param floor: pairs of a lower cosine are no candidates.
    :param neighbours: nearest entries of each that it makes pairs with.
    :param known: tells which pairs were judged `preserve` in earlier runs, so that a store without news is passed over quickly.
    """

    def __init__(
        self,
        entries: Sequence[Entry],
        vectors: Vectors,
        *,
        loss: Callable[[Pair, Decision], float],
        floor: float = -1.0,
        neighbours: int = 32,
        known: Known | None = None,
    ) -> None:
        self._loss = loss
        self._lists = Neighbours(entries, vectors, count=neighbours, floor=floor)
        low, high, _ = self._lists.pairs()
        self._first = np.stack([low, high], axis=1)
        if known:
            self._first = self._first[~_known_pairs(self._first, [entry.id for entry in entries], known)]
        self._taken = 0
        self._later: list[tuple[float, str, str, Near]] = []
        self._waiting: dict[Near, tuple[Turn, Decision]] = {}
        self._failed: set[Near] = set()
        self._heap: list[tuple[Turn, Near]] = []

    def unjudged(self, most: int) -> list[Pair]:
        """Up to `most` candidates without a decision, the most similar first, those that came with an edit after the others."""
        found: dict[Near, Pair] = {}
        while len(found) < most and (near := self._next_unjudged()) is not None:
            if near not in self._waiting and near not in self._failed and self._lists.near(*near):
                found[near] = self._lists.pair(*near)
        return list(found.values())

    def judged(self, pair: Pair, decision: Decision) -> None:
        """A decision, as the guards let it pass. What is preserved is the caller's to remember; other pairs are not given again."""
        near = self._rows(pair)
        if decision.action != "preserve":
            turn = (self._loss(pair, decision), -pair.cosine, pair.a.id, pair.b.id)
            self._waiting[near] = turn, decision
            heapq.heappush(self._heap, (turn, near))
        elif decision.failed or decision.veto in PASSING:
            self._failed.add(near)

    def next(self) -> Pair | None:
        """The candidate whose edit loses least, see `decision`; None when none waits."""
        while self._heap:
            _, near = heapq.heappop(self._heap)
            if near in self._waiting and self._lists.near(*near):
                return self._lists.pair(*near)
            if not self._lists.lives(*near):
                self._waiting.pop(near, None)  # else others are nearer now, and `_enter` brings it back when they are gone
        return None

    def decision(self, pair: Pair) -> Decision:
        """The decision of the pair that `next` gave, to be carried out now or never."""
        return self._waiting.pop(self._rows(pair))[1]

    def remove(self, ids: Sequence[str]) -> None:
        """These entries are gone; others come nearer in their place."""
        self._enter(self._lists.remove(ids))

    def add(self, entries: Sequence[Entry], vectors: Vectors) -> None:
        """New entries: their pairs are candidates."""
        self._enter(self._lists.add(entries, vectors))

    def _enter(self, pairs: Iterable[Near]) -> None:
        """Candidates that were none a moment ago: judged before, or to be judged."""
        for near in pairs:
            if near in self._waiting:
                heapq.heappush(self._heap, (self._waiting[near][0], near))
            else:
                pair = self._lists.pair(*near)
                heapq.heappush(self._later, (-pair.cosine, pair.a.id, pair.b.id, near))

    def _next_unjudged(self) -> Near | None:
        if self._taken < len(self._first):
            low, high = self._first[self._taken].tolist()
            self._taken += 1
            return low, high
        return heapq.heappop(self._later)[-1] if self._later else None

    def _rows(self, pair: Pair) -> Near:
        low, high = sorted((self._lists.row_of[pair.a.id], self._lists.row_of[pair.b.id]))
        return low, high


class Safest:
    """The order "safest": all candidates are judged, then the edit of least loss is made. Implements `agenda.Agenda`.

    Candidates whose replies are still to come do not keep the others from being asked: all requests are written before the run ends.
    """

    def __init__(self, docket: Docket, order: SafestFirst) -> None:
        self._docket = docket
        self._order = order
        self._waiting: Step | None = None

    def next(self) -> Sequence[Step] | None:
        pairs = self._order.unjudged(self._docket.batch)
        if pairs:
            return self._judge(pairs)
        if self._waiting:
            return [self._waiting]
        while (pair := self._order.next()) is not None:
            if self._docket.seen.key(pair) not in self._docket.seen:  # another pair of the same contents may have been preserved
                return [(self._docket.current(pair), self._order.decision(pair))]
        return None

    def remove(self, ids: Sequence[str]) -> None:
        self._order.remove(ids)

    def add(self, entries: Sequence[Entry], vectors: Vectors) -> None:
        self._order.add(entries, vectors)

    def clear(self) -> None:
        """Nothing is kept besides what was judged."""

    def _judge(self, pairs: Sequence[Pair]) -> list[Step]:
        """The steps that come of judging candidates: those that are preserved, and last one that halts."""
        seen = self._docket.seen
        asked = [self._docket.current(pair) for pair in pairs if seen.key(pair) not in seen]
        steps = list(zip(asked, self._docket.decide(asked), strict=True))
        for pair, decision in steps:
            if decision.halt == "waiting":
                self._waiting = pair, decision
            elif not decision.halt:
                self._order.judged(pair, decision)
        halted = [step for step in steps if step[1].halt not in ("", "waiting")]
        return [step for step in steps if step[1].action == "preserve" and not step[1].halt] + halted[:1]


def _known_pairs(pairs: NDArray[np.int64], ids: Sequence[str], known: Known) -> NDArray[np.bool_]:
    """Which pairs of rows were judged before, asked a row at a time; shape (len(pairs),)."""
    found = np.zeros(len(pairs), np.bool_)
    order = np.argsort(pairs[:, 0], kind="stable")
    for places in np.split(order, np.flatnonzero(np.diff(pairs[order, 0])) + 1) if len(pairs) else ():
        row: int = pairs[places[0], 0].item()
        others: list[int] = pairs[places, 1].tolist()
        found[places] = known(ids[row], [ids[other] for other in others])
    return found
