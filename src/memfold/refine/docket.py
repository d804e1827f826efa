"""The pairs that are before the judge: asked ahead in threads where a judgement is costly, remembered, guarded, accounted for.

A judgement depends on the two contents alone, so it does not matter when it is made. What is asked ahead is written down as
soon as it is answered, in whatever order the answers come; it counts when `answer` takes it.

When a process dies while one pair is being judged, the crash is laid to that pair; with several outstanding it is laid to none.
The run that goes on then judges one at a time until it is past as many pairs as were outstanding, so that the pair that kills
is found out by the second death and set aside after the third.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from typing import Protocol

from memfold.config import RefineSettings
from memfold.protocols import Judge
from memfold.refine import guards
from memfold.refine.report import Report
from memfold.refine.seen import Seen
from memfold.types import Decision, Pair

ALWAYS = ("pinned", "protected", "home")
"""Guards that hold even where the paper's baselines run without: they are about the store, not about facts."""
BATCH = 64
"""Pairs that are judged at once where all candidates are judged before the first edit."""
THREADS = 64
"""Judgements that are made at the same time at most."""


class Memo(Protocol):
    """What a ledger remembers of judgements. `recall` and `record` are called from several threads."""

    def begin(self, key: int, alone: bool = True) -> bool: ...
    def recall(self, key: int) -> Decision | None: ...
    def record(self, key: int, decision: Decision) -> None: ...


@dataclass(slots=True)
class Docket:
    """Asks a judge about pairs, at most `width` at a time.

    :param current: gives a pair with its entries as they are now.
    :param width: judgements that may be outstanding; 1 asks for each when it is needed, in the caller's thread.
    """

    judge: Judge
    memo: Memo
    seen: Seen
    report: Report
    settings: RefineSettings
    guard_settings: guards.GuardSettings
    current: Callable[[Pair], Pair]
    width: int = 1
    _alone: int = 0
    _outstanding: dict[int, Future[Decision]] = field(default_factory=dict[int, "Future[Decision]"])
    _looked: set[int] = field(default_factory=set[int])
    _pool: ThreadPoolExecutor | None = None

    def __post_init__(self) -> None:
        if self.report.resumed:
            self._alone = min(self.width, THREADS)

    @property
    def room(self) -> int:
        """Judgements that may still be asked for; 0 at the limit."""
        limit = self.settings.max_judgements
        return max(0, limit - self.report.judgements) if limit is not None else 2**31

    @property
    def batch(self) -> int:
        """Pairs to be given to `decide` at once. One where a crash must be laid to a pair, as after a run that died."""
        if self.judge.costly:
            most = 1 if self._alone else min(self.width, THREADS)
        else:
            most = 1 if self.report.resumed else BATCH
        return min(most, self.room)

    @property
    def wide(self) -> bool:
        """Whether pairs are judged ahead at all."""
        return self.judge.costly and self.width > 1

    @property
    def ready(self) -> bool:
        """Whether pairs may be judged ahead now."""
        return self.wide and not self._alone

    def start(self, pair: Pair) -> None:
        """Have a pair judged that will be needed later, where that takes long and its answer is not known yet."""
        if not self.ready or self.room <= len(self._outstanding):
            return
        pair = self.current(pair)
        key = self.seen.key(pair)
        if key in self._looked:
            return
        self._looked.add(key)
        if self.memo.recall(key) is None and self.memo.begin(key, alone=False):
            self._pool = self._pool or ThreadPoolExecutor(min(self.width, THREADS), thread_name_prefix="judge")
            self._outstanding[key] = self._pool.submit(self._judged, pair, key, self.seen.flipped(pair))

    def answer(self, pair: Pair) -> Decision:
        """What becomes of a pair: the judge's decision, as far as the guards let it pass. With `halt`, there is none yet."""
        pair = self.current(pair)
        key = self.seen.key(pair)
        if key not in self._outstanding:
            return self._decide([pair])[0]
        decision = self._outstanding[key].result()
        del self._outstanding[key]
        self._account(decision)
        return self._guarded(pair, decision.swapped() if self.seen.flipped(pair) else decision)

    def decide(self, pairs: Sequence[Pair]) -> list[Decision]:
        """One decision a pair, in order."""
        for pair in pairs if len(pairs) > 1 else ():
            self.start(pair)
        return [self.answer(pair) for pair in pairs] if self.wide else self._decide([self.current(pair) for pair in pairs])

    def hurry(self) -> None:
        """Nothing can be carried out any more: what waits for its turn to be judged alone may be asked for now."""
        self._alone = 0

    def close(self, *, ask_all: bool = False) -> None:
        """Wait for what was asked and not needed. It is paid for, and remembered.

        :param ask_all: also ask what no thread was free for, so that all requests are written down.
        """
        if self._pool is not None:
            self._pool.shutdown(wait=True, cancel_futures=not ask_all)
            self._pool = None
        while self._outstanding:
            _, future = self._outstanding.popitem()
            if not future.cancelled() and future.exception() is None:  # what nobody needs may fail
                self._account(future.result(), used=False)

    def _judged(self, pair: Pair, key: int, flipped: bool) -> Decision:
        """Ask, and remember: the sides in the order in which decisions are kept."""
        made = self.judge.decide([pair])[0]
        decision = made.swapped() if flipped else made
        if not (decision.failed or decision.halt):
            self.memo.record(key, decision)
        return decision

    def _decide(self, pairs: Sequence[Pair]) -> list[Decision]:
        known = [self._known(pair, alone=len(pairs) == 1) for pair in pairs]
        asked = [pair for pair, decision in zip(pairs, known, strict=True) if decision is None]
        answers = iter(self.judge.decide(asked) if asked else ())
        decided: list[Decision] = []
        for pair, decision in zip(pairs, known, strict=True):
            if decision is None:
                decision = next(answers)
                self._alone = max(0, self._alone - 1)
                self._account(decision)
                if self.judge.costly and not (decision.failed or decision.halt):
                    self.memo.record(self.seen.key(pair), decision.swapped() if self.seen.flipped(pair) else decision)
            decided.append(self._guarded(pair, decision))
        return decided

    def _known(self, pair: Pair, *, alone: bool) -> Decision | None:
        """The decision of a pair that the judge need not be asked about: set aside, or paid for before but not carried out."""
        key = self.seen.key(pair)
        if not (self.memo.begin(key) if alone else self.memo.begin(key, alone=False)):
            self.report.set_aside += 1
            return Decision("preserve", veto="set aside", reason="earlier runs died while this pair was being judged")
        decision = self.memo.recall(key) if self.judge.costly else None
        return decision.swapped() if decision and self.seen.flipped(pair) else decision

    def _guarded(self, pair: Pair, decision: Decision) -> Decision:
        """The decision, as far as the guards let it pass. Of two sides that say the same, the one that may go goes."""
        if decision.halt:
            return decision
        only = None if self.settings.guards else ALWAYS
        checked = guards.check(pair, decision, self.guard_settings, only=only)
        if checked.veto in guards.PASSING and decision.action == "delete" and decision.relation == "same":
            other = replace(decision, target="b" if decision.target == "a" else "a")
            turned = guards.check(pair, other, self.guard_settings, only=only)
            return checked if turned.veto else turned
        return checked

    def _account(self, decision: Decision, *, used: bool = True) -> None:
        report = self.report
        report.calls += decision.calls
        report.tokens += decision.tokens
        report.cost += decision.cost
        report.waiting += decision.halt == "waiting"
        if not decision.halt:
            report.judgements += used
            report.unused += not used
            report.asked_model += decision.calls > 0
