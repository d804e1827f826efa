"""One refinement of one namespace, put together: entries and vectors, the algorithm, its ledger, the journal, the host's file."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from memfold.budget import Budget
from memfold.config import ModelSettings, RefineSettings
from memfold.embed import open_counter
from memfold.errors import StoreChanged, UnknownEntry
from memfold.protocols import Judge, TokenCounter
from memfold.refine import Measures, Refinement, Report, Review, order_of
from memfold.refine.guards import GuardSettings
from memfold.refine.seen import Seen
from memfold.store.judged import EVERY_JUDGE, JudgedPairs
from memfold.store.lease import lease
from memfold.store.ledger import PreviewLedger, RunLedger
from memfold.types import Edit, Entry, Pair

if TYPE_CHECKING:
    from memfold.memory import Memory
    from memfold.refine.estimate import Estimate


@dataclass(frozen=True, slots=True)
class Job:
    """What is to be done: see `Memory.refine`."""

    namespace: str
    budget: Budget
    judge: Judge
    settings: RefineSettings
    guard_settings: GuardSettings
    review: Review | None = None
    on_step: Callable[[Report], None] | None = None
    counter: TokenCounter | None = None

    @property
    def scope(self) -> str:
        """What the outcome of a judgement depends on beside the two texts: judgements are remembered under it."""
        return f"{self.judge.name} {self.guard_settings if self.settings.guards else 'no guards'}"


def previewed(memory: Memory, job: Job) -> Report:
    """The plan. Nothing is changed; what a costly judge says is kept beside the store, so that doing it does not pay again."""
    if job.judge.costly and memory.opened.mirror is not None:
        memory.opened.mirror.persist()
    order_of(job.judge, job.settings)
    return _run(memory, job)


def refined(memory: Memory, job: Job) -> Report:
    """The plan carried out, under the namespace's lease, as one run of the journal."""
    if memory.opened.mirror is not None:
        memory.opened.mirror.persist()
    order = order_of(job.judge, job.settings)
    with lease(memory.opened.store.connection, job.namespace):
        interrupted = [run for run in memory.journal.runs(job.namespace) if run.state == "running"]
        kept = {"budget": str(job.budget), "judge": job.judge.name, "guards": job.settings.guards, "order": order}
        kept |= {"window": job.settings.window} if order == "window" else {}
        run = memory.journal.begin(job.namespace, "refine", kept, memory.clock())
        report = _run(memory, job, run, interrupted[-1].id if interrupted else "")
        _bring_home(memory, report)
    if report.edits:
        memory.recaller(job.namespace).atoms.current()
    return report


def estimated(memory: Memory, job: Job, priced: str, model: ModelSettings) -> Estimate:
    """What the job would probably ask of its judge's model: played through with stand-ins, nothing asked and nothing changed."""
    from memfold.llm import estimate_cost
    from memfold.refine.estimate import LIMIT, Estimate, minutes, stand_ins

    few, many = stand_ins(job.judge, open_counter("wordpiece").count)
    for (stand_in, tally), guards in ((few, False), (many, job.settings.guards)):
        playing = replace(job.settings, guards=guards, order="cosine", max_judgements=LIMIT)
        tally.cut = _run(memory, replace(job, judge=stand_in, settings=playing)).stopped == "max_judgements"
    tallies = few[1], many[1]
    least, most = (estimate_cost(priced, tally.tokens_in, tally.tokens_out, model) for tally in tallies)
    took = minutes(tallies[0], job.settings, model), minutes(tallies[1], job.settings, model)
    return Estimate(job.namespace, job.judge.name, *tallies, (least.amount, most.amount) if least.known else None, took)


def taken_back(memory: Memory, run: str, edit: int | None) -> list[Edit]:
    """See `Memory.undo`."""
    namespace, mirror = memory.journal.run(run).namespace, memory.opened.mirror
    with lease(memory.opened.store.connection, namespace):
        undone = memory.journal.undo(run, edit)
        if edit is not None:
            _keep_apart(memory, undone[0])
        try:
            if mirror is not None:
                mirror.push()
        except StoreChanged:
            memory.journal.mark(undone, "applied")
            raise
    return undone


def _keep_apart(memory: Memory, edit: Edit) -> None:
    """Two sides that a person parted stay so, whatever a judge says."""
    sides = list(edit.before)
    if len(sides) == 1:
        try:
            sides.append(memory.opened.store.get(edit.namespace, edit.kept))
        except UnknownEntry:
            return
    judged = JudgedPairs(memory.opened.store.connection, edit.namespace, EVERY_JUDGE)
    judged.add([Seen(judged.keys(), sides).key(Pair(sides[0], sides[1], 0))])


def _run(memory: Memory, job: Job, run: str = "", resumed: str = "") -> Report:
    """The algorithm over the namespace's entries; without a `run` nothing is changed."""
    memory.embed_missing(job.namespace)
    entries, vectors = memory.opened.store.load(job.namespace)
    measures = _measures(memory, job)
    report = _account(memory, job, entries, measures, run)
    report.resumed = resumed
    judged = JudgedPairs(memory.opened.store.connection, job.namespace, job.scope)
    mirror = memory.opened.mirror
    sync = job.judge.costly
    with RunLedger(memory.journal, judged, run, sync=sync) if run else PreviewLedger(memory.journal, judged) as ledger:
        return Refinement(
            judge=job.judge,
            embedder=memory.embedder,
            ledger=ledger,
            report=report,
            measures=measures,
            clock=memory.clock,
            settings=job.settings,
            guard_settings=job.guard_settings,
            combine=mirror.host.combine if mirror else None,
            review=job.review,
            on_step=job.on_step,
        ).run(entries, vectors)


def _account(memory: Memory, job: Job, entries: Sequence[Entry], measures: Measures, run: str) -> Report:
    """The report of a run that has not begun: what there is, and what is allowed."""
    sizes = [measures.of(entry) for entry in entries]
    size, total = sum(size for size, _ in sizes), sum(size for _, size in sizes)
    taken_in = size + _saved(memory, job, measures)
    return Report(
        namespace=job.namespace,
        judge=job.judge.name,
        unit=job.budget.unit,
        budget=str(job.budget),
        limit=job.budget.limit(taken_in),
        taken_in=taken_in,
        before=size,
        entries_before=len(entries),
        bytes_before=total,
        applied=bool(run),
        run=run,
    )


def _saved(memory: Memory, job: Job, measures: Measures) -> int:
    """What earlier runs saved, in the budget's unit (tokens: as far as the before-images are still there)."""
    saved_bytes, saved_entries = memory.journal.saved(job.namespace)
    if job.budget.unit == "tokens":
        edits = (e for run in memory.journal.runs(job.namespace) for e in memory.journal.edits(run.id) if e.state == "applied")
        return sum(sum(map(measures.budget, e.before)) - sum(map(measures.budget, e.after)) for e in edits)
    return saved_entries if job.budget.unit == "entries" else saved_bytes


def _measures(memory: Memory, job: Job) -> Measures:
    size_of = memory.size_of
    if job.budget.unit == "tokens":
        tokens = job.counter or open_counter("wordpiece")
        return Measures(lambda entry: tokens.count(entry.text), size_of)
    return Measures((lambda entry: 1) if job.budget.unit == "entries" else size_of, size_of)


def _bring_home(memory: Memory, report: Report) -> None:
    """Close a run: the host's file gets the new state, the journal the report; a file that moved on takes the edits back."""
    try:
        if memory.opened.mirror is not None:
            memory.opened.mirror.push()
            memory.ahead = False
    except StoreChanged:
        if report.edits:
            memory.journal.undo(report.run)
        raise
    with memory.opened.store.connection.reading() as db:
        db.execute("PRAGMA wal_checkpoint(TRUNCATE)")  # the sizes are those that stay
    report.files = {path.name: path.stat().st_size for path in memory.opened.files()}
    state = report.stopped if report.stopped in ("interrupted", "waiting", "spent", "unreachable") else "finished"
    memory.journal.finish(report.run, report.as_dict(), memory.clock(), state)
