"""The paper's order, the most similar pair first; where a judgement takes long, the pairs that probably come next are judged ahead.

    (u, v) <- the next pair of the proposer
    judge, in threads, (u, v) and the next pairs that share no entry with it or with each other
    carry out what the judge says of (u, v)

A judgement depends on the two contents alone and edits are made strictly in the sequential order, so the result is that of
judging one at a time. A pair that shares an entry with an earlier one is left out, since a deletion or merge of that one
mostly takes it away; so is what a merge will bring, since nobody knows it yet. That bounds the gain: a merge's entry has
to be judged with its near neighbours before anything less similar is carried out.
"""

from __future__ import annotations

from collections.abc import Sequence

from memfold.protocols import Proposer, Vectors
from memfold.refine.agenda import Step
from memfold.refine.docket import Docket
from memfold.refine.propose import MostSimilar
from memfold.types import Entry, Pair

REACH = 4
"""Pairs that are looked at for one that is judged ahead."""


class MostSimilarFirst:
    """The order "cosine", and that of a judge that proposes its own pairs. Implements `agenda.Agenda`."""

    def __init__(self, docket: Docket, proposer: Proposer, ahead: int) -> None:
        self._docket = docket
        self._proposer = proposer
        self._ahead = ahead

    def next(self) -> Sequence[Step] | None:
        pair = self._next_unjudged() if self._docket.room else None
        if pair is None:
            return None
        if self._docket.ready:
            self._judge_ahead(pair)
        decision = self._docket.answer(pair)
        if decision.halt and self._docket.wide and not self._docket.ready:
            self._docket.hurry()
            self._judge_ahead(pair)
        return [(self._docket.current(pair), decision)]

    def remove(self, ids: Sequence[str]) -> None:
        self._proposer.remove(ids)

    def add(self, entries: Sequence[Entry], vectors: Vectors) -> None:
        self._proposer.add(entries, vectors)

    def clear(self) -> None:
        """Nothing is kept besides what was judged."""

    def _next_unjudged(self) -> Pair | None:
        while (pair := self._proposer.next()) is not None:
            if self._docket.seen.key(pair) not in self._docket.seen:
                return pair
        return None

    def _judge_ahead(self, pair: Pair) -> None:
        if not isinstance(self._proposer, MostSimilar):
            return
        self._docket.start(pair)
        taken, left = {pair.a.id, pair.b.id}, self._ahead
        for other in self._proposer.peek(REACH * self._ahead):
            ids = {other.a.id, other.b.id}
            if left and taken.isdisjoint(ids) and self._docket.seen.key(other) not in self._docket.seen:
                self._docket.start(other)
                taken |= ids
                left -= 1
