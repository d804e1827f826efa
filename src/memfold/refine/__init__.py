"""Refinement: a store becomes a smaller store without losing a fact (MemRefine, Algorithm 1).

    S <- {}
    while size(M) > B and an unjudged pair is left:
        (u, v) <- the most similar pair not in S            propose
        d <- Judge(u, v)                                    judges
        d <- preserve, if a guard vetoes d                  guards
        delete:    remove d.target, prune links to it       working, ledger
        merge:     replace u and v by m = Merge(u, v)
        preserve:  S <- S + {(u, v)}

In the order "safest" all candidates are judged first, and (u, v) is the pair whose edit is the least likely to lose a fact.
A fact outranks the budget: when no pair is left the loop stops, and the report says by how much it missed.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial
from typing import Protocol, TypeAlias, cast

import numpy as np
from numpy.typing import NDArray

from memfold.config import ORDERS, Order, RefineSettings
from memfold.errors import BadParameter, StaleDecision, UnknownName
from memfold.protocols import Embedder, Judge, Proposer, Vectors
from memfold.refine import guards
from memfold.refine.propose import MostSimilar
from memfold.refine.report import Held, Report, Stopped
from memfold.refine.safest import LOSSES, SafestFirst, expected_loss
from memfold.refine.seen import Seen
from memfold.refine.working import Combine, Measures, Working
from memfold.types import Decision, Edit, Entry, Pair

__all__ = ["Combine", "Ledger", "Measures", "Refinement", "Report", "Review", "order_of"]

Review: TypeAlias = Callable[[Pair, Decision, Edit], Decision | None]
"""A person's word on an edit before it is made: the decision to carry out, or None to end the run."""

ALWAYS = ("pinned", "home")
"""Guards that hold even where the paper's baselines run without: they are about the store, not about facts."""
BATCH = 64
"""Pairs that are judged at once where all candidates are judged before the first edit."""
OwnProposer: TypeAlias = Callable[[Sequence[Entry], Vectors], Proposer]
"""`proposer` of a judge that proposes its own pairs."""


class Ledger(Protocol):
    """Where a run carries its edits out and remembers what was judged. A preview's does nothing."""

    def keys(self) -> NDArray[np.int64]: ...
    def begin(self, key: int) -> bool: ...
    def recall(self, key: int) -> Decision | None: ...
    def record(self, key: int, decision: Decision) -> None: ...
    def preserve(self, key: int) -> None: ...
    def commit(self, edit: Edit, vectors: Mapping[str, np.ndarray], unchanged: Sequence[Entry]) -> None: ...
    def current(self, id: str) -> Entry | None: ...
    def revisions(self) -> Mapping[str, int] | None: ...
    def flush(self) -> None: ...


def order_of(judge: Judge, settings: RefineSettings) -> Order:
    """The order of a run: the one asked for, else the one that the judge names in an attribute `order`, else the paper's.

    :raises UnknownName: there is no such order, or no such loss. :raises BadParameter: the judge proposes its own pairs.
    """
    order = settings.order or cast("Order | None", getattr(judge, "order", None)) or "cosine"
    if order not in ORDERS:
        raise UnknownName("order", order, ORDERS)
    if settings.loss not in LOSSES:
        raise UnknownName("loss", settings.loss, LOSSES)
    if settings.order and getattr(judge, "proposer", None):
        raise BadParameter(f"{judge.name} proposes its pairs in an order of its own; leave out the order {order}")
    return order


@dataclass(slots=True)
class Refinement:
    """One run over the entries of one namespace. `run()` is the algorithm; the methods below are its steps.

    :param report: the account to fill, with the sizes before and the limit in it.
    :param vectors: shape (len(entries), dim), unit rows.
    """

    judge: Judge
    embedder: Embedder
    ledger: Ledger
    report: Report
    measures: Measures
    clock: Callable[[], datetime]
    settings: RefineSettings = RefineSettings()
    guard_settings: guards.GuardSettings = guards.GuardSettings()
    combine: Combine | None = None
    review: Review | None = None
    on_step: Callable[[Report], None] | None = None
    _working: Working | None = None
    _seen: Seen | None = None
    _proposer: Proposer | None = None
    _safest: SafestFirst | None = None

    def run(self, entries: Sequence[Entry], vectors: Vectors) -> Report:
        """Algorithm 1. Returns the report; Ctrl-C ends the run between two edits and says so there."""
        began = time.monotonic()
        self._open(entries, vectors)
        try:
            while (stopped := self._refine(began)) in ("met", "exhausted") and self._catch_up():
                pass
        except KeyboardInterrupt:
            stopped: Stopped = "interrupted"
        self.ledger.flush()
        self._measure()
        self.report.stopped = stopped
        self.report.seconds = time.monotonic() - began
        return self.report

    def _refine(self, began: float) -> Stopped:
        while self.working.size > self.report.limit:
            if bound := self._spent(began):
                return bound
            if self._safest and self._judge_ahead(self._safest):
                continue
            pair = self.proposer.next()
            if pair is None:
                return "exhausted" if self._room() else "max_judgements"
            if self.seen.key(pair) in self.seen:
                continue
            pair = self._current(pair)
            decision = self._safest.decision(pair) if self._safest else self._decide([pair])[0]
            if decision.action == "preserve":
                self._preserve(pair, decision)
            elif not self._carry_out(pair, decision):
                return "quit"
            self._tell()
        return "met"

    def _judge_ahead(self, order: SafestFirst) -> bool:
        """Judge the next candidates of an order that must know all decisions before one is carried out. False when none is left."""
        pairs = order.unjudged(self._room())
        if not pairs:
            return False
        asked = [self._current(pair) for pair in pairs if self.seen.key(pair) not in self.seen]
        for pair, decision in zip(asked, self._decide(asked), strict=True):
            order.judged(pair, decision)
            if decision.action == "preserve":
                self._preserve(pair, decision)
        self._tell()
        return True

    def _decide(self, pairs: Sequence[Pair]) -> list[Decision]:
        """What becomes of pairs: the judge's decisions, as far as the guards let them pass."""
        known = [self._known(pair) for pair in pairs]
        asked = [pair for pair, decision in zip(pairs, known, strict=True) if decision is None]
        answers = iter(self.judge.decide(asked) if asked else ())
        only = None if self.settings.guards else ALWAYS
        decided: list[Decision] = []
        for pair, decision in zip(pairs, known, strict=True):
            if decision is None:
                decision = next(answers)
                self._account(pair, decision)
            decided.append(guards.check(pair, decision, self.guard_settings, only=only))
        return decided

    def _known(self, pair: Pair) -> Decision | None:
        """The decision of a pair that the judge need not be asked about: set aside, or paid for before."""
        key = self.seen.key(pair)
        if not self.ledger.begin(key):
            self.report.set_aside += 1
            return Decision("preserve", veto="set aside", reason="earlier runs died while this pair was being judged")
        return self._recall(pair, key) if self.judge.costly else None

    def _account(self, pair: Pair, decision: Decision) -> None:
        self.report.judgements += 1
        self.report.tokens += decision.tokens
        self.report.cost += decision.cost
        if self.judge.costly and not decision.failed:
            self.ledger.record(self.seen.key(pair), decision.swapped() if self.seen.flipped(pair) else decision)

    def _recall(self, pair: Pair, key: int) -> Decision | None:
        """A decision that was paid for but not carried out: in a preview, or before the process died."""
        decision = self.ledger.recall(key)
        return decision.swapped() if decision and self.seen.flipped(pair) else decision

    def _preserve(self, pair: Pair, decision: Decision) -> None:
        """S <- S + {(u, v)}; a failure is not remembered, so that the next run asks again."""
        self.report.preserved += 1
        if decision.failed:
            self.report.failures += 1
        else:
            self.seen.preserve(self.seen.key(pair))
            self.ledger.preserve(self.seen.key(pair))
        if decision.veto and decision.veto != "set aside":
            self.report.vetoes[decision.veto] += 1
        if decision.veto or decision.failed:
            why = decision.veto or "failed"
            self.report.hold(Held(pair.a.id, pair.b.id, pair.cosine, why, decision.reason))

    def _carry_out(self, pair: Pair, decision: Decision) -> bool:
        """Make the edit; a result that is no smaller, or that the reviewer refuses, preserves. False ends the run."""
        edit = self._plan(pair, decision)
        if edit is not None and self.review:
            answer = self.review(pair, decision, edit)
            if answer is None:
                return False
            if answer != decision:
                decision = answer
                edit = self._plan(pair, decision) if decision.action != "preserve" else None
        if edit is None:
            if decision.action != "preserve":
                decision = decision.vetoed("no saving", "the result would be no smaller, or hardly")
            self._preserve(pair, decision)
            return True
        vectors = self.embedder.embed([entry.embedding_text for entry in edit.after])
        try:
            self.ledger.commit(edit, dict(zip((e.id for e in edit.after), vectors, strict=True)), (pair.a, pair.b))
        except StaleDecision as error:
            self._forgo(pair, str(error))
            return True
        self.working.apply(edit)
        self.seen.add(edit.after)
        self.proposer.remove([entry.id for entry in edit.before])
        self.proposer.add(edit.after, vectors)
        self._count(edit)
        return True

    def _plan(self, pair: Pair, decision: Decision) -> Edit | None:
        worth = self.settings.min_saving if self.settings.guards and decision.action == "merge" else 0.0
        return self.working.plan(pair, decision, run=self.report.run, seq=self.report.edits + 1, now=self.clock(), worth=worth)

    def _current(self, pair: Pair) -> Pair:
        """The pair with its entries as they are now: their links may have moved since they were proposed."""
        return replace(pair, a=self.working.entries[pair.a.id], b=self.working.entries[pair.b.id])

    def _count(self, edit: Edit) -> None:
        if edit.action == "delete":
            self.report.deletes += 1
        else:
            self.report.merges += 1
        if not self.report.applied:
            self.report.plan.append(edit)

    def _forgo(self, pair: Pair, why: str) -> None:
        """Somebody else wrote while the judge thought: drop the decision, and take both entries as they are now."""
        self.report.stale += 1
        self.report.hold(Held(pair.a.id, pair.b.id, pair.cosine, "stale", why))
        for entry in (pair.a, pair.b):
            self._renew(entry.id)

    def _catch_up(self) -> bool:
        """Take in what others wrote during the run. Returns whether there was anything."""
        revisions = self.ledger.revisions()
        if revisions is None:
            return False
        living = self.working.entries
        changed = [id for id, revision in revisions.items() if id not in living or living[id].revision != revision]
        gone = [id for id in living if id not in revisions]
        for id in changed + gone:
            self._renew(id)
        return bool(changed or gone)

    def _renew(self, id: str) -> None:
        if id in self.working.entries:
            self.working.drop(id)
            self.proposer.remove([id])
        current = self.ledger.current(id)
        if current is not None:
            self.working.put(current)
            self.seen.add([current])
            self.proposer.add([current], self.embedder.embed([current.embedding_text]))

    def _open(self, entries: Sequence[Entry], vectors: Vectors) -> None:
        self._working = Working(entries, self.measures, self.combine)
        self._seen = Seen(self.ledger.keys(), entries)
        own = cast("OwnProposer | None", getattr(self.judge, "proposer", None))
        self._safest = None
        if order_of(self.judge, self.settings) == "safest":
            loss = partial(expected_loss, form=LOSSES[self.settings.loss], size=self.measures.bytes)
            near, floor = self.settings.neighbours, self.judge.floor
            self._safest = SafestFirst(entries, vectors, loss=loss, floor=floor, neighbours=near, known=self._seen)
            self._proposer = self._safest
        elif own:
            self._proposer = own(entries, vectors)
        else:
            self._proposer = MostSimilar(entries, vectors, floor=self.judge.floor, known=self._seen)

    def _tell(self) -> None:
        if self.on_step:
            self._measure()
            self.on_step(self.report)

    def _measure(self) -> None:
        self.report.after = self.working.size
        self.report.bytes_after = self.working.bytes
        self.report.entries_after = len(self.working.entries)

    def _spent(self, began: float) -> Stopped | None:
        settings, report = self.settings, self.report
        if not self._safest and not self._room():
            return "max_judgements"  # what is judged ahead is still carried out
        if settings.max_edits is not None and report.edits >= settings.max_edits:
            return "max_edits"
        if settings.max_seconds is not None and time.monotonic() - began >= settings.max_seconds:
            return "max_seconds"
        return None

    def _room(self) -> int:
        """Pairs that may be judged at once. One where a crash must be laid to a pair, as after a run that died; 0 at the limit."""
        most = 1 if self.judge.costly or self.report.resumed else BATCH
        limit = self.settings.max_judgements
        return most if limit is None else max(0, min(most, limit - self.report.judgements))

    @property
    def working(self) -> Working:
        assert self._working is not None
        return self._working

    @property
    def seen(self) -> Seen:
        assert self._seen is not None
        return self._seen

    @property
    def proposer(self) -> Proposer:
        assert self._proposer is not None
        return self._proposer
