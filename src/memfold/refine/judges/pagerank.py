"""RulePR: graph centrality decides (MemRefine B, Rule-based compression, and C.2; a baseline).

Phase 1 takes the pairs with cosine >= tau from the most similar down and keeps the side of higher PageRank. If that
does not meet the budget, phase 2 takes the entries as merge anchors in ascending PageRank, those in the top 10 %
excepted, and merges each with its neighbours, one after the other, into one growing entry; an anchor without
neighbours takes the entry nearest to it. When every anchor had its turn, PageRank is computed anew and a further
round begins. The paper is silent on damping (0.85 here), on links (taken as undirected and unweighted) and on stores
without any (each entry is then linked to the five most similar to it, as A-MEM links them).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from memfold.protocols import Proposer, Vectors
from memfold.refine.judges.similarity import less_specific
from memfold.refine.merging import concatenate
from memfold.refine.propose import MostSimilar, exact_cosines, quantise
from memfold.types import Decision, Entry, Pair, Target

DELETE_COSINE = 0.80
PROTECT = 0.9
"""The percentile of PageRank from which an entry is never a merge anchor."""
DAMPING = 0.85
NEIGHBOURS = 5
"""Links of an entry in a store without links, as A-MEM makes them."""
BLOCK = 256
"""Rows of one block of the product behind the similarity graph."""


class PageRankJudge:
    """Deletes the side of lower PageRank from `delete_cosine` on, and merges what its own proposer brings after that.

    Without a proposer (loose pairs, no graph) all ranks are equal and RuleSim's rule chooses the side.
    """

    floor = -1.0
    costly = False

    def __init__(self, delete_cosine: float = DELETE_COSINE, protect: float = PROTECT) -> None:
        if not -1.0 <= delete_cosine <= 1.0:
            raise ValueError(f"a cosine lies between -1 and 1, found {delete_cosine:g}")
        self.delete_cosine = delete_cosine
        self.protect = protect
        self.name = f"pagerank:{delete_cosine:g}"
        self._order: PageRankOrder | None = None

    def proposer(self, entries: Sequence[Entry], vectors: Vectors) -> Proposer:
        """The order in which this judge wants to see the pairs of a store; it decides by the ranks of the last one."""
        self._order = PageRankOrder(entries, vectors, self.delete_cosine, self.protect)
        return self._order

    def decide(self, pairs: Sequence[Pair]) -> list[Decision]:
        """One decision a pair, in order; never `preserve`."""
        return [self._one(pair) for pair in pairs]

    def _one(self, pair: Pair) -> Decision:
        known: Mapping[str, float] | None = self._order.ranks if self._order else None
        fresh = known is not None and not (pair.a.id in known and pair.b.id in known)
        if pair.cosine < self.delete_cosine or fresh:
            reason = f"merged with its neighbour in the graph, cosine {pair.cosine:.3f}"
            return Decision("merge", merged=concatenate(pair.a, pair.b), reason=reason, judge=self.name)
        a, b = (known[pair.a.id], known[pair.b.id]) if known is not None else (0.0, 0.0)
        target: Target = less_specific(pair.a, pair.b) if a == b else "a" if a < b else "b"
        why = "equal PageRank, the less specific side goes" if a == b else f"the lower PageRank goes ({min(a, b):.2g} < {max(a, b):.2g})"
        reason = f"cosine {pair.cosine:.3f} is at least {self.delete_cosine:g}; {why}"
        return Decision("delete", target=target, reason=reason, judge=self.name)


class PageRankOrder:
    """The pairs of both phases, in their order. Implements `protocols.Proposer`.

    :param entries: distinct ids; `vectors` has shape (len(entries), d).
    :param tau: cosine from which a pair belongs to phase 1.
    :param protect: share of the entries, by ascending PageRank, that may be anchors.

    Memory: the vectors, the links, and in phase 1 what `MostSimilar` holds. A pair is proposed once, so that vetoes cannot
    make it run for ever.
    """

    def __init__(self, entries: Sequence[Entry], vectors: Vectors, tau: float, protect: float = PROTECT) -> None:
        self._similar: MostSimilar | None = MostSimilar(entries, vectors, floor=tau)
        self._protect = protect
        self._entries: list[Entry] = list(entries)
        self._row_of = {entry.id: row for row, entry in enumerate(entries)}
        self._vectors = np.array(vectors, np.float32)
        self._links = stated_links(entries) or similarity_links(self._vectors, [entry.id for entry in entries])
        self.ranks: dict[str, float] = {entry.id: rank for entry, rank in zip(entries, pagerank(self._links).tolist(), strict=True)}
        """PageRank of the store as it came, by id: what phase 1 decides by."""
        self._proposed: set[tuple[int, int]] = set()
        self._pending: set[int] = set()
        self._anchors: list[int] = []
        self._anchor: int | None = None
        self._growing = False
        self._queue: list[int] = []
        self._stirred = True

    def next(self) -> Pair | None:
        if self._similar is not None:
            pair = self._similar.next()
            if pair is not None:
                self._proposed.add(self._key(self._row_of[pair.a.id], self._row_of[pair.b.id]))
                return pair
            self._similar = None
        return self._next_merge()

    def remove(self, ids: Sequence[str]) -> None:
        if self._similar is not None:
            self._similar.remove(ids)
        rows = [self._row_of.pop(id) for id in ids]
        around: set[int] = set()
        for row in rows:
            for other in self._links[row]:
                self._links[other].discard(row)
            around |= self._links[row]
            self._links[row] = set()
        self._pending = around.difference(rows)
        self._growing = self._anchor in rows
        if self._growing:
            self._anchor = None

    def add(self, entries: Sequence[Entry], vectors: Vectors) -> None:
        """New entries. The first one that follows a `remove` takes the links of what was removed, and its turn as anchor."""
        if self._similar is not None:
            self._similar.add(entries, vectors)
        start = len(self._entries)
        self._vectors = _with_rows(self._vectors, start, vectors)
        for row, entry in enumerate(entries, start):
            self._entries.append(entry)
            self._row_of[entry.id] = row
            self._links.append(self._pending)
            for other in self._pending:
                self._links[other].add(row)
            if self._growing:
                self._anchor = row
            self._pending, self._growing = set(), False

    def _next_merge(self) -> Pair | None:
        while self._anchor is not None or self._open_anchor():
            while self._queue and self._anchor is not None:
                other = self._queue.pop(0)
                if self._alive(other) and self._key(self._anchor, other) not in self._proposed:
                    return self._propose(self._anchor, other)
            self._anchor = None
        return None

    def _propose(self, row: int, other: int) -> Pair:
        self._proposed.add(self._key(row, other))
        self._stirred = True
        first, second = sorted((row, other), key=lambda one: self._entries[one].id)
        cosine = cosines_of(self._vectors, [first], second)[0]
        return Pair(self._entries[first], self._entries[second], cosine)

    def _open_anchor(self) -> bool:
        """Choose the next anchor and its neighbours; begin a new round where the last one had something to propose."""
        while self._anchors or self._stirred:
            if not self._anchors:
                self._anchors, self._stirred = self._round(), False
            anchor = self._anchors.pop() if self._anchors else None
            if anchor is None or not self._alive(anchor):
                continue
            self._queue = self._unproposed(anchor, self._nearest_first(anchor, list(self._links[anchor]))) or self._nearest(anchor)
            if self._queue:
                self._anchor = anchor
                return True
        return False

    def _round(self) -> list[int]:
        """The anchors of a round, the one of lowest PageRank last: all living entries but the protected ones."""
        living = sorted(self._row_of.values())
        place = {row: at for at, row in enumerate(living)}
        ranks = pagerank([{place[other] for other in self._links[row]} for row in living])
        ascending = sorted(living, key=lambda row: (ranks[place[row]], self._entries[row].id))
        protected = int(len(living) * (1.0 - self._protect) + 1e-9)
        return ascending[: len(living) - protected][::-1]

    def _unproposed(self, row: int, others: Sequence[int]) -> list[int]:
        return [other for other in others if self._alive(other) and self._key(row, other) not in self._proposed]

    def _nearest(self, row: int) -> list[int]:
        """The living entry most similar to `row` among those not yet proposed with it; none where all were."""
        rough = self._vectors[: len(self._entries)] @ self._vectors[row]
        rough[row] = -2.0
        for wanted in (64, len(rough)):
            near = np.argsort(-rough, kind="stable")[:wanted]
            found = self._unproposed(row, self._nearest_first(row, [other for other in near.tolist() if other != row]))
            if found:
                return found[:1]
        return []

    def _nearest_first(self, row: int, others: Sequence[int]) -> list[int]:
        cosines = cosines_of(self._vectors, others, row)
        ordered = sorted(zip(cosines, others, strict=True), key=lambda pair: (-pair[0], self._entries[pair[1]].id))
        return [other for _, other in ordered]

    def _alive(self, row: int) -> bool:
        return self._row_of.get(self._entries[row].id) == row

    @staticmethod
    def _key(row: int, other: int) -> tuple[int, int]:
        return (row, other) if row < other else (other, row)


def pagerank(links: Sequence[set[int]], *, damping: float = DAMPING, tolerance: float = 1e-12, rounds: int = 500) -> NDArray[np.float64]:
    """PageRank of an undirected, unweighted graph by power iteration; sums to 1, shape (len(links),).

        p <- (1 - damping) / n + damping * (A D^-1 p + dangling / n)

    :param links: the neighbours of each node, both directions present.
    """
    n = len(links)
    if n == 0:
        return np.zeros(0)
    degree = np.array([len(others) for others in links], np.float64)
    source = np.repeat(np.arange(n), degree.astype(np.intp))
    target = np.array([other for others in links for other in sorted(others)], np.intp)
    rank = np.full(n, 1.0 / n)
    for _ in range(rounds):
        share = rank / np.where(degree > 0, degree, 1.0)
        moved = np.bincount(target, weights=share[source], minlength=n) + rank[degree == 0].sum() / n
        new = (1.0 - damping) / n + damping * moved
        done = np.abs(new - rank).sum() < tolerance
        rank = new
        if done:
            break
    return np.asarray(rank.round(12), np.float64)


def stated_links(entries: Sequence[Entry]) -> list[set[int]]:
    """The entries' own links as an undirected graph by row; empty where no entry links to another one of the store."""
    row_of = {entry.id: row for row, entry in enumerate(entries)}
    links: list[set[int]] = [set() for _ in entries]
    for row, entry in enumerate(entries):
        for link in entry.links:
            other = row_of.get(link.target)
            if other is not None and other != row:
                links[row].add(other)
                links[other].add(row)
    return links if any(links) else []


def cosines_of(vectors: Vectors, rows: Sequence[int], row: int) -> list[float]:
    """Cosines of the given rows with one row, the same on every machine."""
    return exact_cosines(quantise(vectors[list(rows)]), quantise(vectors[row])).tolist() if rows else []


def similarity_links(vectors: Vectors, ids: Sequence[str]) -> list[set[int]]:
    """Each row linked to the `NEIGHBOURS` most similar ones, ties by id, as an undirected graph."""
    n = len(vectors)
    links: list[set[int]] = [set() for _ in range(n)]
    wanted = min(NEIGHBOURS + 3, n - 1)
    for low in range(0, n if n > 1 else 0, BLOCK):
        block = vectors[low : low + BLOCK] @ vectors.T
        block[np.arange(len(block)), np.arange(low, low + len(block))] = -2.0
        columns = np.argpartition(-block, wanted - 1, axis=1)[:, :wanted]
        for row, near in enumerate(columns, low):
            cosines = cosines_of(vectors, near.tolist(), row)
            others: list[int] = near.tolist()
            ordered = sorted(zip(cosines, others, strict=True), key=lambda pair: (-pair[0], ids[pair[1]]))
            for _, other in ordered[:NEIGHBOURS]:
                links[row].add(other)
                links[other].add(row)
    return links


def _with_rows(vectors: Vectors, used: int, more: Vectors) -> Vectors:
    """`vectors` with `more` written after the first `used` rows, grown by doubling where it is too short."""
    if used + len(more) > len(vectors):
        grown = np.zeros((max(2 * used, used + len(more), 16), more.shape[1]), np.float32)
        grown[:used] = vectors[:used]
        vectors = grown
    vectors[used : used + len(more)] = more
    return vectors
