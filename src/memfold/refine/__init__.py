"""Refinement: a store becomes a smaller store without losing a fact (MemRefine, Algorithm 1).

    S <- {}
    while size(M) > B and an unjudged pair is left:
        (u, v) <- the most similar pair not in S            propose
        d <- Judge(u, v)                                    judges
        d <- preserve, if a guard vetoes d                  guards
        delete:    remove d.target, prune links to it       working, ledger
        merge:     replace u and v by m = Merge(u, v)
        preserve:  S <- S + {(u, v)}

Which pair is next, and when it is judged, is the order's (`agenda`): "cosine" is the paper's, and judges probable pairs ahead
where that takes long; "window" keeps several disjoint pairs before the judge; "safest" judges all candidates first and makes
the edit that is the least likely to lose a fact.
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
from memfold.refine.agenda import Agenda
from memfold.refine.ahead import MostSimilarFirst
from memfold.refine.docket import THREADS, Docket, Memo
from memfold.refine.propose import MostSimilar
from memfold.refine.report import Held, Report, Stopped
from memfold.refine.safest import LOSSES, Safest, SafestFirst, expected_loss
from memfold.refine.seen import Seen
from memfold.refine.window import Queue, Window, useful
from memfold.refine.working import EXPIRY, Combine, Measures, Working
from memfold.types import Decision, Edit, Entry, Pair

__all__ = ["Combine", "Ledger", "Measures", "Refinement", "Report", "Review", "order_of"]

Review: TypeAlias = Callable[[Pair, Decision, Edit], Decision | None]
"""A person's word on an edit before it is made: the decision to carry out, or None to end the run."""

OwnProposer: TypeAlias = Callable[[Sequence[Entry], Vectors], Proposer]
"""`proposer` of a judge that proposes its own pairs."""


class Ledger(Memo, Queue, Protocol):
    """Where a run carries its edits out and remembers what was judged, and what is before the judge. A preview's does nothing."""

    def keys(self) -> NDArray[np.int64]: ...
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
    _docket: Docket | None = None
    _agenda: Agenda | None = None

    def run(self, entries: Sequence[Entry], vectors: Vectors) -> Report:
        """Algorithm 1. Returns the report; Ctrl-C ends the run between two edits and says so there."""
        began = time.monotonic()
        self._open(entries, vectors)
        stopped: Stopped = "interrupted"
        try:
            self._let_expire()
            while (stopped := self._refine(began)) in ("met", "exhausted") and self._catch_up():
                pass
        except KeyboardInterrupt:
            stopped = "interrupted"
        finally:
            self.docket.close(ask_all=stopped == "waiting")
        if stopped in ("met", "exhausted"):
            self.agenda.clear()
        self.ledger.flush()
        self._measure()
        self.report.stopped = stopped
        self.report.seconds = time.monotonic() - began
        return self.report

    def _refine(self, began: float) -> Stopped:
        while self.working.size > self.report.limit:
            if bound := self._spent(began):
                return bound
            steps = self.agenda.next()
            if steps is None:
                return "exhausted" if self.docket.room else "max_judgements"
            for pair, decision in steps:
                if decision.halt:
                    self.report.halted = decision.reason
                    return decision.halt
                if decision.action == "preserve":
                    self._preserve(pair, decision)
                elif not self._carry_out(pair, decision):
                    return "quit"
            self._tell()
        return "met"

    def _let_expire(self) -> None:
        """Entries whose time is over go first, whatever the budget; those that are pinned stay."""
        now = self.clock()
        for entry in [entry for entry in self.working.entries.values() if entry.has_expired(now) and not entry.pinned]:
            edit = self.working.expiry(entry, run=self.report.run, seq=self.report.edits + 1, now=now)
            try:
                self.ledger.commit(edit, {}, (entry,))
            except StaleDecision:
                self._renew(entry.id)
                continue
            self.working.apply(edit)
            self.agenda.remove([entry.id])
            self._count(edit)

    def _preserve(self, pair: Pair, decision: Decision) -> None:
        """S <- S + {(u, v)}; a failure, or a veto that says nothing of the texts, is not remembered: the next run asks again."""
        self.report.preserved += 1
        if decision.failed:
            self.report.failures += 1
        elif decision.veto not in guards.PASSING:
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
        self.agenda.remove([entry.id for entry in edit.before])
        self.agenda.add(edit.after, vectors)
        self._count(edit)
        return True

    def _plan(self, pair: Pair, decision: Decision) -> Edit | None:
        worth = self.settings.min_saving if self.settings.guards and decision.action == "merge" else 0.0
        return self.working.plan(pair, decision, run=self.report.run, seq=self.report.edits + 1, now=self.clock(), worth=worth)

    def _current(self, pair: Pair) -> Pair:
        """A pair with its entries as they are now: their links may have moved since they were proposed."""
        return replace(pair, a=self.working.entries[pair.a.id], b=self.working.entries[pair.b.id])

    def _count(self, edit: Edit) -> None:
        if edit.decision.judge == EXPIRY:
            self.report.expired += 1
        elif edit.action == "delete":
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
            self.agenda.remove([id])
        current = self.ledger.current(id)
        if current is not None:
            self.working.put(current)
            self.seen.add([current])
            self.agenda.add([current], self.embedder.embed([current.embedding_text]))

    def _open(self, entries: Sequence[Entry], vectors: Vectors) -> None:
        settings = self.settings
        self._working = Working(entries, self.measures, self.combine)
        self._seen = Seen(self.ledger.keys(), entries)
        order = order_of(self.judge, settings)
        width = (settings.window or THREADS) if order == "window" else settings.ahead + 1
        self._docket = Docket(self.judge, self.ledger, self._seen, self.report, settings, self.guard_settings, self._current, width)
        self._agenda = self._ordered(order, self._docket, entries, vectors)

    def _ordered(self, order: Order, docket: Docket, entries: Sequence[Entry], vectors: Vectors) -> Agenda:
        floor, known = self.judge.floor, self.seen
        if order == "safest":
            loss = partial(expected_loss, form=LOSSES[self.settings.loss], size=self.measures.bytes)
            return Safest(
                docket, SafestFirst(entries, vectors, loss=loss, floor=floor, neighbours=self.settings.neighbours, known=known)
            )
        own = cast("OwnProposer | None", getattr(self.judge, "proposer", None))
        if own:
            return MostSimilarFirst(docket, own(entries, vectors), 0)
        proposer = MostSimilar(entries, vectors, floor=floor, known=known)
        if order == "cosine":
            return MostSimilarFirst(docket, proposer, self.settings.ahead)
        return Window(docket, proposer, self.ledger, self.settings.window, useful=self._useful, living=self.working.entries.get)

    def _useful(self) -> int:
        return useful(self.working.size - self.report.limit, self.working.size, len(self.working.entries))

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
        if settings.max_edits is not None and report.edits >= settings.max_edits:
            return "max_edits"
        if settings.max_seconds is not None and time.monotonic() - began >= settings.max_seconds:
            return "max_seconds"
        return None

    @property
    def working(self) -> Working:
        assert self._working is not None
        return self._working

    @property
    def seen(self) -> Seen:
        assert self._seen is not None
        return self._seen

    @property
    def docket(self) -> Docket:
        assert self._docket is not None
        return self._docket

    @property
    def agenda(self) -> Agenda:
        assert self._agenda is not None
        return self._agenda
