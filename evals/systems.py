"""The systems that are compared: each brings a store to smaller and smaller budgets.

A judge's run to the smallest budget passes through every larger one, since neither a judge nor an order looks at the budget: it is
made once, as a preview, and cut where each budget was met. `held` says which of the entries that a store began with an entry stands for.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import TypeAlias

from evals.cache import CachedEmbedder
from evals.stores import Store
from memfold import Decision, Entry, Memory, Pair, RefineSettings, Report
from memfold.protocols import Judge
from memfold.refine.judges import open_judge
from memfold.store.size import entry_bytes
from memfold.types import Edit


@dataclass(slots=True)
class Costs:
    """What reaching a budget took."""

    judged: int = 0
    deletes: int = 0
    merges: int = 0
    vetoes: dict[str, int] = field(default_factory=dict[str, int])
    seconds: float = 0.0
    judging: float = 0.0
    """Seconds of `seconds` inside the judge."""
    embedding: float = 0.0
    """Seconds of `seconds` inside the embedder; nothing for texts that it has seen in an earlier run."""


@dataclass(frozen=True, slots=True)
class State:
    """A store at one budget.

    :param limit: bytes allowed.
    :param held: id of a living entry -> ids of the first entries that it is, or was merged from.
    :param left_to: a deleted entry, or one that is no more -> the entry that stayed in its place, alive or not.
    """

    budget: float
    limit: int
    entries: tuple[Entry, ...]
    held: Mapping[str, frozenset[str]]
    left_to: Mapping[str, str]
    costs: Costs

    @property
    def bytes(self) -> int:
        return sum(map(entry_bytes, self.entries))

    @property
    def met(self) -> bool:
        return self.bytes <= self.limit


System: TypeAlias = Callable[[Store, Sequence[float], CachedEmbedder], list[State]]


NOW = datetime(2026, 1, 1, tzinfo=UTC)
"""The time of every edit: runs of one input are alike."""
CLIP = 2000
"""Characters of a merged text that the baselines keep: the authors' prompts show a model no more of any text."""


def judged_by(judge: str, settings: RefineSettings, clip: int | None = None) -> System:
    """MemRefine with a judge, in the order and with the guards of the settings.

    :param clip: merged texts are cut to so many characters, at a space.
    """

    def run(store: Store, budgets: Sequence[float], embedder: CachedEmbedder) -> list[State]:
        with Memory.open(":memory:", embedder=embedder, clock=lambda: NOW) as memory:
            memory.add(store.entries)
            return _refined(memory, store, budgets, embedder, TimedJudge(open_judge(judge), clip), settings)

    return run


def _refined(
    memory: Memory, store: Store, budgets: Sequence[float], embedder: CachedEmbedder, judge: TimedJudge, settings: RefineSettings
) -> list[State]:
    limits = {budget: limit_of(store, budget) for budget in budgets}
    reached: dict[float, Costs] = {}
    before, began = embedder.seconds, time.perf_counter()

    def costs(report: Report) -> Costs:
        seconds, embedding = time.perf_counter() - began, embedder.seconds - before
        return Costs(report.judgements, report.deletes, report.merges, dict(report.vetoes), seconds, judge.seconds, embedding)

    def note(report: Report) -> None:
        for budget, limit in limits.items():
            if budget not in reached and report.after <= limit:
                reached[budget] = costs(report)

    report = memory.refine(budget=min(limits.values()), judge=judge, settings=settings, on_step=note)
    last = costs(report)
    return [after(store, budget, report.plan, reached.get(budget, last)) for budget in budgets]


class TimedJudge:
    """A judge with a clock, and with an upper limit for merged texts."""

    def __init__(self, judge: Judge, clip: int | None = None) -> None:
        self._judge, self._clip = judge, clip
        self.name, self.floor, self.costly = judge.name, judge.floor, judge.costly
        self.proposer = getattr(judge, "proposer", None)
        self.order = getattr(judge, "order", None)
        self.seconds = 0.0

    def decide(self, pairs: Sequence[Pair]) -> list[Decision]:
        began = time.perf_counter()
        decisions = self._judge.decide(pairs)
        self.seconds += time.perf_counter() - began
        return decisions if self._clip is None else [replace(made, merged=clipped(made.merged, self._clip)) for made in decisions]


def clipped(text: str, limit: int) -> str:
    """The text, cut at the last space within the limit."""
    return text if len(text) <= limit else text[:limit].rpartition(" ")[0] or text[:limit]


def after(store: Store, budget: float, plan: Sequence[Edit], costs: Costs) -> State:
    """The store after as many edits of a plan as the costs count."""
    living = {entry.id: entry for entry in store.entries}
    held = {entry.id: frozenset([entry.id]) for entry in store.entries}
    left_to: dict[str, str] = {}
    for edit in plan[: costs.deletes + costs.merges]:
        first = frozenset[str]().union(*(held.pop(entry.id) for entry in edit.before))
        for entry in edit.before:
            del living[entry.id]
        for entry in edit.after:
            living[entry.id], held[entry.id] = entry, first
        for relink in edit.relinks:
            living[relink.id] = replace(living[relink.id], links=relink.after)
        stays = edit.after[0].id if edit.after else edit.kept
        left_to.update(dict.fromkeys([entry.id for entry in edit.before], stays))
        if not edit.after:
            left_to.update(dict.fromkeys(first, stays))
    return State(budget, limit_of(store, budget), tuple(living.values()), held, left_to, costs)


def keep_by(order: Callable[[Store], Sequence[Entry]]) -> System:
    """Deletes entries in a given order until the budget is met."""

    def run(store: Store, budgets: Sequence[float], embedder: CachedEmbedder) -> list[State]:
        return [_kept(store, budget, order(store)) for budget in budgets]

    return run


def _kept(store: Store, budget: float, order: Sequence[Entry]) -> State:
    size, limit = sum(map(entry_bytes, store.entries)), limit_of(store, budget)
    gone: set[str] = set()
    for entry in order:
        if size <= limit:
            break
        gone.add(entry.id)
        size -= entry_bytes(entry)
    kept = tuple(entry for entry in store.entries if entry.id not in gone)
    return State(budget, limit, kept, {entry.id: frozenset([entry.id]) for entry in kept}, {}, Costs(deletes=len(gone)))


def unrefined(store: Store) -> State:
    """All of it."""
    return _kept(store, 1.0, ())


def limit_of(store: Store, budget: float) -> int:
    """Bytes allowed at a share of the store."""
    return int(budget * sum(map(entry_bytes, store.entries)))


def at_random(seed: int = 0) -> Callable[[Store], Sequence[Entry]]:
    """A seeded order."""
    return lambda store: random.Random(f"{seed} {store.name}").sample(store.entries, len(store.entries))


def shortest_first(store: Store) -> Sequence[Entry]:
    """The smallest entry first; on a tie the older."""
    return sorted(store.entries, key=entry_bytes)


BARE = RefineSettings(guards=False, order="cosine")
SYSTEMS: dict[str, tuple[System, ...]] = {
    "embedded, cosine": (judged_by("embedded", RefineSettings(order="cosine")),),
    "embedded, safest": (judged_by("embedded", RefineSettings(order="safest")),),
    "embedded:0.3, safest": (judged_by("embedded:0.3", RefineSettings(order="safest")),),
    **{f"embedded@window:{width}": (judged_by("embedded", RefineSettings(order="window", window=width)),) for width in (1, 8, 32, 128)},
    "embedded, no guards": (judged_by("embedded", BARE),),
    "RuleSim": (judged_by("similarity:0.8", BARE, CLIP),),
    "RulePR": (judged_by("pagerank:0.8", BARE, CLIP),),
    "random": tuple(keep_by(at_random(seed)) for seed in range(3)),
    "shortest first": (keep_by(shortest_first),),
}
"""By the name in the tables; a system of several is shown as their mean. The paper's baselines (RuleSim, RulePR) run without guards."""
