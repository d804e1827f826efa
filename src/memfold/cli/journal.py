"""`memfold log`, `show`, `undo`: what was done to a store, and the way back."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import fields
from typing import TYPE_CHECKING, Any, cast

import click

from memfold.cli.options import Place, StoreCommand, json_option, namespace_option
from memfold.cli.show import clean, console, counted, emit, entry_text, facts, on_one_line, print_edits, size, texts_in

if TYPE_CHECKING:
    from rich.console import Console

    from memfold.memory import Memory
    from memfold.refine.report import Report
    from memfold.store.journal import Run
    from memfold.types import JSON, Edit


@click.command(
    cls=StoreCommand,
    example="memfold log notes.jsonl",
)
@namespace_option
@json_option
def log(place: Place, namespace: str | None, as_json: bool) -> None:
    """The runs so far: number, when, what, state, edits, bytes saved."""
    with place.open() as memory:
        runs = memory.runs(namespace)
    if as_json:
        for run in runs:
            emit(run.as_dict())
        return
    out = console()
    if not runs:
        out.print("no runs yet", soft_wrap=True)
        out.print(f"look at a first plan: {place.command('refine', '--budget', '50%')}", soft_wrap=True)
        return
    _print_runs(out, runs)


def _print_runs(out: Console, runs: Sequence[Run]) -> None:
    from rich.table import Table
    from rich.text import Text

    several = len({run.namespace for run in runs}) > 1
    table = Table(box=None, show_edge=False, padding=(0, 2, 0, 0), header_style="bold")
    for name, right in (("run", False), ("when", False), ("what", False), ("state", False), ("edits", True), ("bytes saved", True)):
        table.add_column(name, justify="right" if right else "left", no_wrap=name != "what", overflow="fold")
    for run in runs:
        what = f"{on_one_line(run.namespace)}: {_what(run)}" if several else _what(run)
        when = run.started_at.astimezone().strftime("%Y-%m-%d %H:%M")
        table.add_row(run.id, when, Text(what), run.state, f"{run.edits:,}", f"{run.saved:,}")
    out.print(table)


def _what(run: Run) -> str:
    """`refine to 50% by embedded-1`."""
    order = ", safest first" if run.settings.get("order") == "safest" else ""
    guards = "" if run.settings.get("guards", True) else ", no guards"
    return on_one_line(f"{run.kind} to {run.settings.get('budget', '?')} by {run.settings.get('judge', '?')}{order}{guards}")


@click.command(
    cls=StoreCommand,
    params=[click.Argument(["run"], metavar="RUN")],
    example="""\
memfold show notes.jsonl r1
memfold show notes.jsonl r1 --edit 3""",
)
@click.option("--edit", "number", type=click.IntRange(min=1), metavar="N", help="One edit: the entries before and after in full.")
@click.option("--all", "whole", is_flag=True, help="Every edit, however many.")
@json_option
def show(place: Place, run: str, number: int | None, whole: bool, as_json: bool) -> None:
    """What a run did: the report and its edits, or one edit in full."""
    out = console()
    with place.open() as memory:
        found = memory.journal.run(run)
        if number is not None:
            edit = memory.journal.edit(run, number)
            if as_json:
                emit({"type": "edit", **edit.as_dict()})
            else:
                _print_edit(out, edit, texts_in(memory, edit.namespace, list(memory.edits(run)))(edit.kept))
            return
        if as_json:
            for edit in memory.edits(run):
                emit({"type": "edit", **edit.as_dict()})
            emit({"type": "run", **found.as_dict()})
            return
        _print_run(out, memory, found, whole)
    out.print(f"one edit in full:  {place.command('show', run)} --edit N", soft_wrap=True)
    out.print(f"take it back:      {place.command('undo', run)}", soft_wrap=True)


def _print_run(out: Console, memory: Memory, run: Run, whole: bool) -> None:
    from memfold.cli.report import print_report

    edits = list(memory.edits(run.id))
    if edits:
        print_edits(out, edits, texts_in(memory, run.namespace, edits), whole=whole, states=True)
    if run.edits > len(edits):
        out.print(f"{counted(run.edits - len(edits), 'edit')} whose texts were freed by compact or erased by forget\n")
    when = run.started_at.astimezone().strftime("%Y-%m-%d %H:%M:%S")
    out.print(facts([("run", f"{run.id}, {_what(run)}, {run.state}, {when}")]))
    if run.report:
        print_report(out, _report(run.report))
    else:
        out.print("it was cut off before its report was written")
    out.print()


def _report(data: Mapping[str, JSON]) -> Report:
    """The report in a journal's row."""
    from memfold.refine.report import Report

    known = {field.name for field in fields(Report)} - {"run"}
    values = {name: value for name, value in cast("dict[str, Any]", data).items() if name in known}
    values["vetoes"] = Counter[str](values.get("vetoes", {}))
    return Report(**values)


def _print_edit(out: Console, edit: Edit, kept: str) -> None:
    decision = edit.decision
    rows = [
        ("edit", f"{edit.seq} of run {edit.run}, {edit.state}, {edit.at.astimezone():%Y-%m-%d %H:%M:%S}"),
        ("action", edit.action + (f" ({decision.relation.replace('_', ' ')})" if decision.relation else "")),
        ("why", f"{clean(decision.reason)} ({decision.judge or 'no judge named'}, confidence {decision.confidence:.2f})"),
        ("cosine", f"{edit.cosine:.4f}"),
        ("saved", size(edit.saved, "bytes")),
    ]
    out.print(facts(rows))
    for title, entries in (("before", edit.before), ("after", edit.after)):
        for entry in entries:
            out.print(f"\n{title}:")
            out.print(entry_text(entry))
    if not edit.after:
        out.print("\nstays:")
        out.print(clean(kept or f"{edit.kept} (edited or gone since)"))
    if edit.relinks:
        out.print(f"\nlinks of {counted(len(edit.relinks), 'neighbour')} moved: {clean(', '.join(relink.id for relink in edit.relinks))}")


@click.command(
    cls=StoreCommand,
    params=[click.Argument(["run"], metavar="RUN")],
    example="""\
memfold undo notes.jsonl r1
memfold undo notes.jsonl r1 --edit 3""",
)
@click.option("--edit", "number", type=click.IntRange(min=1), metavar="N", help="One edit alone.")
@json_option
def undo(place: Place, run: str, number: int | None, as_json: bool) -> None:
    """Take back a run, or one edit of it: the entries return byte for byte.

    Two entries that were taken back with --edit stay apart from then on, whatever a judge says.
    """
    with place.open() as memory:
        undone = memory.undo(run, number)
        entries, total = memory.totals(undone[0].namespace)
    restored = sum(len(edit.before) for edit in undone)
    if as_json:
        for edit in undone:
            emit({"type": "edit", **edit.as_dict()})
        emit({"type": "undo", "run": run, "edits": len(undone), "restored": restored, "entries": entries, "bytes": total})
        return
    out = console()
    what = f"edit {number} of run {run}" if number is not None else f"run {run} ({counted(len(undone), 'edit')})"
    now = f"the store has {size(entries, 'entries')}, {size(total, 'bytes')}"
    out.print(f"took back {what}: {counted(restored, 'entry', 'entries')} restored; {now}")
