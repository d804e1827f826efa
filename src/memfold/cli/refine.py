"""`memfold refine`: the plan, or with --apply its execution, and the report."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import click

from memfold.cli.judges import JudgeChoice, judge_options
from memfold.cli.models import STOPPED, WAITING, tell_files
from memfold.cli.options import Place, StoreCommand, as_budget, chosen, every_namespace_option, json_option, typed
from memfold.cli.progress import Interrupt, Meter
from memfold.cli.show import console, emit, print_edits, texts_in

if TYPE_CHECKING:
    from memfold.budget import Budget
    from memfold.config import Order, RefineSettings
    from memfold.memory import Memory
    from memfold.refine.guards import GuardSettings
    from memfold.refine.report import Report, Stopped

MET, MISSED, INTERRUPTED = 0, 3, 130
GO_ON: tuple[Stopped, ...] = ("interrupted", "waiting", "spent", "unreachable")
"""Why a run may have ended before it was done."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """What was asked for on the command line."""

    budget: Budget
    apply: bool
    judge: JudgeChoice
    max_judgements: int | None
    max_edits: int | None
    max_seconds: float | None
    guards: bool
    order: Order | None
    ahead: int | None
    window: int | None
    review: bool
    whole: bool
    as_json: bool

    @property
    def settings(self) -> RefineSettings:
        """The bounds of the run."""
        from memfold.config import RefineSettings

        settings = RefineSettings(self.max_judgements, self.max_edits, self.max_seconds, self.guards, order=self.order)
        window = 0 if self.window is None and self.judge.model.in_files else self.window
        ahead = settings.ahead if self.ahead is None else self.ahead
        return replace(settings, ahead=ahead, window=settings.window if window is None else window)

    @property
    def guard_settings(self) -> GuardSettings:
        """How strict the guards are."""
        from memfold.refine.guards import GuardSettings

        return GuardSettings(updates=self.judge.updates)

    @property
    def checked(self) -> GuardSettings | None:
        """The guards that a merge of a model has to pass; None where there are none."""
        return self.guard_settings if self.guards else None


@click.command(
    cls=StoreCommand,
    example="""\
memfold refine notes.jsonl --budget 50%
memfold refine notes.jsonl --budget 50% --apply
memfold refine agent.db --budget "300 entries" --all-namespaces --apply --json""",
)
@click.option("--budget", callback=as_budget, required=True, metavar="B", help="50% (of all taken in), 200KB, '300 entries', '20k tokens'.")
@click.option("--apply", is_flag=True, help="Do it; without this, only look.")
@judge_options
@click.option("--estimate", is_flag=True, help="Only tell what asking the model would probably take; asks nothing, changes nothing.")
@every_namespace_option
@click.option("--max-judgements", type=click.IntRange(min=1), metavar="N", help="Stop after so many pairs judged.")
@click.option("--max-edits", type=click.IntRange(min=1), metavar="N", help="Stop after so many edits.")
@click.option("--max-seconds", type=click.FloatRange(min=0), metavar="S", help="Stop after so many seconds.")
@click.option("--no-guards", is_flag=True, help="Let the judge decide alone: facts may be lost.")
@click.option(
    "--order",
    type=click.Choice(["cosine", "window", "safest"]),
    help="The next edit: of the most similar pair; the same with several pairs before the judge at once; or the least likely to lose a "
    "fact. Left out, what the judge prefers.",
)
@click.option(
    "--ahead",
    type=click.IntRange(min=0),
    metavar="N",
    help="In the orders cosine and safest, judgements of a model that are asked for before their turn (default: 8). Changes no result.",
)
@click.option(
    "--window",
    type=click.IntRange(min=0),
    metavar="W",
    help="In the order window, pairs before the judge at once (default: 16); 0 is as many as are useful, the default with batch files.",
)
@click.option("--review", is_flag=True, help="Ask before each edit: yes, no, edit, all of this kind, quit (with --apply).")
@click.option("--reembed", is_flag=True, help="Make all vectors anew where another embedder made them.")
@click.option("--all", "whole", is_flag=True, help="Show every edit of the plan, however many.")
@json_option
def refine(
    place: Place,
    budget: Budget,
    apply: bool,
    judge: JudgeChoice,
    estimate: bool,
    namespace: str | None,
    every: bool,
    max_judgements: int | None,
    max_edits: int | None,
    max_seconds: float | None,
    no_guards: bool,
    order: Order | None,
    ahead: int | None,
    window: int | None,
    review: bool,
    reembed: bool,
    whole: bool,
    as_json: bool,
) -> None:
    """Bring a store inside a budget without losing a fact.

    Without --apply nothing is changed: you see what would go, pair by pair, and why. A fact outranks the budget: where
    nothing is left to delete or merge, the run stops and says by how much the budget was missed (exit code 3). A run whose
    model's replies are still to come ends between two edits (4), as does one whose model cannot be reached or has spent its budget (5);
    the same command goes on with it.
    """
    if review and not apply:
        raise click.UsageError("--review makes each edit as soon as you say yes, so it needs --apply; to look only, leave it out")
    bounds = max_judgements, max_edits, max_seconds
    wanted = Wanted(budget, apply, judge, *bounds, not no_guards, order, ahead, window, review, whole, as_json)
    if estimate:
        _estimate(place, namespace, every, wanted)
        return
    reports: list[Report] = []
    with Interrupt() as interrupt, Meter(interrupt) as meter, place.open(reembed=reembed, on_progress=meter.told) as memory:
        if memory.ahead and not apply:
            click.echo(f"an interrupted run has edits that {place.store} does not show yet; --apply goes on with it", err=True)
        for name in chosen(memory, namespace, every):
            report = _run(memory, name, wanted, interrupt, meter)
            meter.clear()
            reports.append(report)
            _print(memory, report, place, wanted)
            if report.stopped in ("interrupted", "spent", "unreachable"):
                break
    raise click.exceptions.Exit(_code(reports))


def _run(memory: Memory, namespace: str, wanted: Wanted, interrupt: Interrupt, meter: Meter) -> Report:
    from memfold.cli.review import Reviewer
    from memfold.refine.judges import open_judge

    reviewer = Reviewer(interrupt, meter.clear, err=wanted.as_json) if wanted.review else None
    model = wanted.judge.model.open(memory.replies) if wanted.judge.asks else None
    report = memory.refine(
        namespace,
        budget=wanted.budget,
        apply=wanted.apply,
        judge=open_judge(wanted.judge.spec, wanted.judge.asking(model, wanted.checked)),
        settings=wanted.settings,
        guard_settings=wanted.guard_settings,
        review=reviewer,
        on_step=(lambda report: interrupt.check()) if reviewer else meter.step,
    )
    meter.clear()
    tell_files(model)
    return report


def _estimate(place: Place, namespace: str | None, every: bool, wanted: Wanted) -> None:
    """Tell what the model would probably be asked for, namespace by namespace."""
    from memfold.cli.report import print_estimate
    from memfold.refine.estimate import Unasked
    from memfold.refine.judges import open_judge

    if not wanted.judge.asks:
        raise click.UsageError("--estimate is for judges that ask a model: add --judge llm, or --judge cascade")
    asking = wanted.judge.asking(Unasked(wanted.judge.model.spec), wanted.checked)
    with Interrupt(), place.open() as memory:
        for name in chosen(memory, namespace, every):
            told = memory.estimate(
                name,
                budget=wanted.budget,
                judge=open_judge(wanted.judge.spec, asking),
                settings=wanted.settings,
                guard_settings=wanted.guard_settings,
                priced=wanted.judge.model.spec,
                model=wanted.judge.model.settings,
            )
            if wanted.as_json:
                emit({"type": "estimate", **told.as_dict()})
            else:
                print_estimate(console(), told)


def _code(reports: Iterable[Report]) -> int:
    """The exit code: what ended a run early, else whether the budget is met in every namespace."""
    stopped = {report.stopped for report in reports}
    early: dict[Stopped, int] = {"interrupted": INTERRUPTED, "unreachable": STOPPED, "spent": STOPPED, "waiting": WAITING}
    for reason, code in early.items():
        if reason in stopped:
            return code
    return MET if all(report.met for report in reports) else MISSED


def _print(memory: Memory, report: Report, place: Place, wanted: Wanted) -> None:
    if wanted.as_json:
        for edit in memory.edits(report.run) if report.run else report.plan:
            emit({"type": "edit", **edit.as_dict()})
        for held in report.held:
            emit({"type": "held", "a": held.a, "b": held.b, "cosine": held.cosine, "why": held.why, "reason": held.reason})
        emit({"type": "report", **report.as_dict()})
        return
    from memfold.cli.report import print_held, print_report

    out = console()
    text_of = texts_in(memory, report.namespace, report.plan)
    if report.plan:
        print_edits(out, report.plan, text_of, whole=wanted.whole)
    if report.held and (wanted.whole or not report.met):
        print_held(out, report.held, text_of, whole=wanted.whole)
    print_report(out, report)
    out.print()
    out.print(_next(report, place, wanted), soft_wrap=True)


def _next(report: Report, place: Place, wanted: Wanted) -> str:
    """What to type next."""
    if report.applied:
        if not report.edits:
            return "nothing was changed" if report.stopped not in GO_ON else "nothing was changed yet; the same command goes on"
        look = place.command("show", report.run)
        return f"look:  {look}\nundo:  {place.command('undo', report.run)}   (one edit alone: --edit N)"
    if report.stopped in GO_ON:
        return "a part of the plan; the same command goes on"
    if not report.edits:
        return "within the budget: nothing to do" if report.met else "nothing to do: no edit is safe here"
    return "do it:  " + place.command("refine", *typed(click.get_current_context(), leave_out=("apply", "whole", "as_json")), "--apply")
