"""The paper's order with several judgements outstanding: the width is part of the algorithm, so timing changes nothing.

    Q <- ()                                                                    the pairs that are being judged
    as long as the store is over its budget
        while |Q| < W: Q <- Q + the most similar unjudged pair that shares no entry with a pair of Q
        carry out what the judge says of the oldest pair of Q

W = 1 is the order "cosine". A pair that is passed over because it shares an entry with one of Q is taken up again when that
one is settled, in its turn by cosine. Q is written down with each edit, so a run that was cut off goes on as it would have.

W = 0 is as many as are useful, for files of requests that are answered together: as many pairs as are probably needed to meet
the budget from here,

    W = min(ceil(excess / (YIELD * mean size of an entry)), living entries / SPREAD)
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from itertools import islice
from math import ceil
from typing import Protocol, TypeAlias

from memfold.protocols import Vectors
from memfold.refine.agenda import Step
from memfold.refine.docket import Docket
from memfold.refine.propose import MostSimilar
from memfold.types import Entry, Pair

YIELD = 0.5
"""Entries that a judgement is taken to save, where as many pairs as are useful are judged at once."""
SPREAD = 4
"""Living entries to a pair at most, then: pairs of what is left over, when most entries are taken, are seldom alike."""


Issued: TypeAlias = tuple[str, str, float, int]
"""An outstanding pair as it is written down: two ids, the cosine, the key of the contents."""


class Queue(Protocol):
    """Where the outstanding pairs are written down, oldest first; those that touch an entry that an edit takes go with the edit."""

    def issued(self, width: int) -> Sequence[Issued]: ...
    def issue(self, width: int, pair: Pair, key: int) -> None: ...
    def retire(self, width: int, pairs: Sequence[Pair]) -> None: ...


def useful(excess: int, size: int, living: int) -> int:
    """Pairs that are probably needed to save `excess` of a store of `size` (> 0, same unit) in so many living entries; at least 1."""
    return max(1, min(ceil(excess * living / (YIELD * size)), living // SPREAD)) if excess > 0 else 1


class Window:
    """The order "window". Implements `agenda.Agenda`.

    :param width: W, or 0 for as many as are useful.
    :param useful: how many that are now.
    :param living: an entry by its id, as it is now; None when it is gone.
    """

    def __init__(
        self,
        docket: Docket,
        proposer: MostSimilar,
        queue: Queue,
        width: int,
        *,
        useful: Callable[[], int],
        living: Callable[[str], Entry | None],
    ) -> None:
        self._docket = docket
        self._proposer = proposer
        self._store = queue
        self._width = width
        self._useful = useful
        self._queue: deque[Pair] = deque()
        self._unstarted: list[Pair] = []
        self._busy: set[str] = set()
        self._parked: dict[str, list[Pair]] = {}
        self._given: Pair | None = None
        self._restore(living)

    def next(self) -> Sequence[Step] | None:
        self._settle()
        self._fill()
        if not self._queue:
            return None
        pair = self._queue[0]
        if self._docket.seen.key(pair) in self._docket.seen:  # another pair of the same contents was settled meanwhile
            self._given = self._queue.popleft()
            return []
        decision = self._docket.answer(pair)
        if decision.halt:
            self._docket.hurry()
            self._start()
        else:
            self._given = self._queue.popleft()
        return [(self._docket.current(pair), decision)]

    def remove(self, ids: Sequence[str]) -> None:
        self._proposer.remove(ids)
        for pair in [pair for pair in self._queue if pair.a.id in ids or pair.b.id in ids]:  # somebody else wrote
            self._queue.remove(pair)
            self._free(pair)
        for id in ids:
            self._parked.pop(id, None)

    def add(self, entries: Sequence[Entry], vectors: Vectors) -> None:
        self._proposer.add(entries, vectors)

    def clear(self) -> None:
        """What is outstanding is thrown away."""
        self._settle()
        self._store.retire(self._width, list(self._queue))

    def _settle(self) -> None:
        """The step that was given last is carried out."""
        if self._given is not None:
            self._free(self._given)
            self._given = None

    def _free(self, pair: Pair) -> None:
        """A pair is no longer outstanding: what was passed over because of it may come."""
        self._store.retire(self._width, [pair])
        self._unstarted = [other for other in self._unstarted if other is not pair]
        for id in (pair.a.id, pair.b.id):
            self._busy.discard(id)
            for parked in self._parked.pop(id, ()):
                self._proposer.put_back(parked)

    def _fill(self) -> None:
        width = self._width or self._useful()
        while len(self._queue) < width and len(self._queue) < self._docket.room and (pair := self._proposer.next()) is not None:
            key = self._docket.seen.key(pair)
            if key in self._docket.seen:
                continue
            taken = next((id for id in (pair.a.id, pair.b.id) if id in self._busy), None)
            if taken is None:
                self._store.issue(self._width, pair, key)
                self._issue(pair)
            elif pair.a.id not in self._busy or pair.b.id not in self._busy or not self._is_issued(pair):
                self._parked.setdefault(taken, []).append(pair)
        self._start(when_ready=True)

    def _issue(self, pair: Pair) -> None:
        self._queue.append(pair)
        self._unstarted.append(pair)
        self._busy |= {pair.a.id, pair.b.id}

    def _is_issued(self, pair: Pair) -> bool:
        return any((pair.a.id, pair.b.id) == (other.a.id, other.b.id) for other in self._queue)

    def _start(self, *, when_ready: bool = False) -> None:
        """Have the outstanding pairs judged."""
        if self._unstarted and (self._docket.ready or not when_ready):
            for pair in self._unstarted:
                self._docket.start(pair)
            self._unstarted.clear()

    def _restore(self, living: Callable[[str], Entry | None]) -> None:
        """Go on with what was outstanding when an earlier run ended, as far as it still stands."""
        for first, second, cosine, key in islice(self._store.issued(self._width), self._width or None):
            a, b = living(first), living(second)
            if a is not None and b is not None and self._stands(Pair(a, b, cosine), key):
                self._issue(Pair(a, b, cosine))
            else:
                self._store.retire(self._width, [Pair(Entry(first, ""), Entry(second, ""), cosine)])

    def _stands(self, pair: Pair, key: int) -> bool:
        seen = self._docket.seen
        return self._busy.isdisjoint((pair.a.id, pair.b.id)) and seen.key(pair) == key and key not in seen and pair.a.home == pair.b.home
