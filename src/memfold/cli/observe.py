"""`memfold observe`: conversations in, memories out."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Literal, TypeVar

import click

from memfold.cli.models import FAILED, STOPPED, WAITING, ModelChoice, model_options, tell_files
from memfold.cli.options import Place, StoreCommand, json_option
from memfold.cli.progress import Interrupt, Meter
from memfold.cli.show import clean, console, counted, emit, on_one_line

if TYPE_CHECKING:
    from memfold.config import ExtractSettings
    from memfold.extract import Observation, Outcome, Prompts
    from memfold.memory import Memory
    from memfold.types import Session

_T = TypeVar("_T")

INTERRUPTED = 130
STEPS = ("completeness", "verification", "relations", "anchoring")
_SHOWN = 5
"""Rejected claims of a session that are shown without --all."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """What was asked for on the command line."""

    namespace: str
    format: str
    only: tuple[str, ...]
    most: int | None
    whole: bool
    as_json: bool


@click.command(
    cls=StoreCommand,
    params=[click.Argument(["files"], nargs=-1, required=True, metavar="FILE...", type=click.Path(exists=True, dir_okay=False))],
    example="""\
memfold observe agent.db chat.json
memfold observe agent.db chat.txt --namespace ada --model gpt-5-mini
memfold observe agent.db chats.jsonl --model qwen3:8b --base-url http://localhost:11434/v1
memfold observe agent.db conversations.json --model batch:requests""",
)
@click.option("--namespace", default="default", show_default=True, metavar="N", help="Whose memory they become.")
@click.option("--format", metavar="F", default="", help="messages, chatgpt, locomo, halumem, jsonl or text; left out, seen from the file.")
@click.option("--only-session", "only", multiple=True, metavar="ID", help="Only the session with this id; may be given again.")
@click.option("--max-sessions", "most", type=click.IntRange(min=1), metavar="N", help="Only the first so many sessions of each file.")
@click.option("--without", multiple=True, type=click.Choice(STEPS), help="Leave a step out; may be given again.")
@click.option(
    "--entailment",
    type=click.Choice(["model", "local"]),
    default="model",
    show_default=True,
    help="Who checks doubted claims: the model, or values and vectors.",
)
@click.option(
    "--window", type=click.IntRange(min=200), metavar="N", help="Tokens of a session that go into one request; longer ones are split."
)
@click.option(
    "--prompts",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    metavar="FOLDER",
    help="Prompts of your own, as draft.txt, events.txt, verify.txt, probe.txt, support.txt.",
)
@model_options
@click.option("--all", "whole", is_flag=True, help="Show every entry and every rejected claim.")
@json_option
def observe(
    place: Place,
    files: tuple[str, ...],
    namespace: str,
    format: str,
    only: tuple[str, ...],
    most: int | None,
    without: tuple[str, ...],
    entailment: Literal["model", "local"],
    window: int | None,
    prompts: Path | None,
    model: ModelChoice,
    whole: bool,
    as_json: bool,
) -> None:
    """Take conversations into a Memfold database, which is made if it is not there.

    With --model, what is worth remembering is written down, checked against the turns, dated and linked; every claim that is turned
    away is shown with the reason. Without a model the turns are kept as they are, but for greetings and the like.

    A conversation is taken in once. A session that failed (exit code 1), waits for replies (4) or could not be asked about (5) is taken
    in by the same command later.
    """
    if not model and (without or prompts or entailment == "local"):
        raise click.UsageError("--without, --prompts and --entailment are about what a model says: name one with --model")
    from memfold.config import ExtractSettings
    from memfold.extract import Prompts

    settings = ExtractSettings(entailment=entailment, **{step: False for step in without})
    settings = replace(settings, window=window) if window else settings
    wanted = Wanted(namespace, format, only, most, whole, as_json)
    reports: list[Observation] = []
    with Interrupt() as interrupt, Meter(interrupt) as meter, place.open(create=True, on_progress=meter.told) as memory:
        for file in files:
            reports.append(_observe(memory, file, wanted, model, settings, Prompts.load(prompts) if prompts else None, interrupt, meter))
            meter.clear()
            if reports[-1].stopped:
                break
        entries, size = memory.totals(namespace)
    _print_report(reports, place, wanted, entries, size)
    raise click.exceptions.Exit(_code(reports))


def _observe(
    memory: Memory,
    file: str,
    wanted: Wanted,
    model: ModelChoice,
    settings: ExtractSettings,
    prompts: Prompts | None,
    interrupt: Interrupt,
    meter: Meter,
) -> Observation:
    def told(outcome: Outcome) -> None:
        interrupt.check()
        meter.clear()
        _print_outcome(file, outcome, wanted)

    interrupt.waiting = bool(model)  # a model may take minutes; what it answered is kept
    asked = model.open(memory.replies) if model else None
    try:
        chosen = _chosen(file, wanted)
        return memory.observe(chosen, wanted.namespace, model=asked, settings=settings, prompts=prompts, on_session=told)
    finally:
        interrupt.waiting = False
        meter.clear()
        tell_files(asked)


def _chosen(file: str, wanted: Wanted) -> Iterator[Session]:
    """The sessions of a file that were asked for.

    :raises click.UsageError: none has the id.
    """
    from memfold.extract.formats import read_sessions

    left = set(wanted.only)
    known: list[str] = []
    for n, session in enumerate(read_sessions(file, wanted.format)):
        if wanted.most is not None and n >= wanted.most:
            return
        known.append(session.id)
        if not wanted.only or session.id in wanted.only:
            left.discard(session.id)
            yield session
    if left:
        listed = ", ".join(known[:10]) + (f" and {len(known) - 10} more" if len(known) > 10 else "")
        raise click.UsageError(f"{file} has no session {', '.join(sorted(left))}; it has {listed}")


def _print_outcome(file: str, outcome: Outcome, wanted: Wanted) -> None:
    if wanted.as_json:
        emit({"type": "session", "file": file, **outcome.as_dict()})
        return
    out = console()
    told = f", {outcome.reason}" if outcome.reason else ""
    if outcome.state == "stored":
        told = f", {counted(len(outcome.entries), 'entry', 'entries')}, {counted(len(outcome.edges), 'link')}"
        told += f", {counted(len(outcome.rejected), 'claim')} rejected" if outcome.rejected else ""
    out.print(on_one_line(f"{outcome.session}: {outcome.state}{told}"), soft_wrap=True)
    for entry in outcome.entries if wanted.whole else ():
        out.print(clean(f"  + {entry.text}"), soft_wrap=True)
    for claim in _some(outcome.rejected, wanted.whole):
        out.print("  - " + on_one_line(f"{claim.text or '(nothing)'} [{claim.step}: {claim.reason}]"), soft_wrap=True)
    if len(outcome.rejected) > _SHOWN and not wanted.whole:
        out.print(f"    and {len(outcome.rejected) - _SHOWN} more; --all shows them")
    for note in _some(outcome.notes, wanted.whole):
        out.print("  note: " + on_one_line(note), soft_wrap=True)


def _some(items: Sequence[_T], whole: bool) -> Sequence[_T]:
    return items if whole else items[:_SHOWN]


def _print_report(reports: Sequence[Observation], place: Place, wanted: Wanted, entries: int, size: int) -> None:
    from memfold.extract import Observation

    last = reports[-1]
    outcomes = [outcome for report in reports for outcome in report.outcomes]
    total = Observation(last.namespace, last.model, outcomes, last.stopped, last.reason)
    if wanted.as_json:
        emit({"type": "report", "store": place.store, **total.as_dict(), "store_entries": entries, "store_bytes": size})
        return
    out = console()
    out.print()
    out.print(clean(str(total)), soft_wrap=True)
    out.print(f"namespace {on_one_line(wanted.namespace)} has {counted(entries, 'entry', 'entries')}, {size:,} bytes", soft_wrap=True)


def _code(reports: Iterable[Observation]) -> int:
    """The exit code: what ended the run, else whether a session failed."""
    codes = {"interrupted": INTERRUPTED, "waiting": WAITING, "spent": STOPPED, "unreachable": STOPPED}
    stopped = next((report.stopped for report in reports if report.stopped), "")
    if stopped:
        return codes[stopped]
    return FAILED if any(report.states["failed"] for report in reports) else 0
