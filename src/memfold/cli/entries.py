"""`memfold pin`, `unpin`, `forget`: protect an entry from every refinement, or erase it for real."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from memfold.cli.options import Place, StoreCommand, json_option, namespace_option, typed
from memfold.cli.show import GONE, NEW, console, counted, emit, marked, on_one_line, shortened

if TYPE_CHECKING:
    from rich.console import Console

    from memfold.forget import Erasure

SHOWN = 20
"""Entries that are shown without --all."""


@click.command(
    cls=StoreCommand,
    params=[click.Argument(["ids"], nargs=-1, required=True, metavar="ID...")],
    example="memfold pin notes.jsonl m001 m004",
)
@namespace_option
@json_option
def pin(place: Place, ids: tuple[str, ...], namespace: str | None, as_json: bool) -> None:
    """Protect entries: no refinement deletes or merges them."""
    _pin(place, ids, namespace, as_json, pinned=True)


@click.command(
    cls=StoreCommand,
    params=[click.Argument(["ids"], nargs=-1, required=True, metavar="ID...")],
    example="memfold unpin notes.jsonl m001",
)
@namespace_option
@json_option
def unpin(place: Place, ids: tuple[str, ...], namespace: str | None, as_json: bool) -> None:
    """Lift the protection of entries."""
    _pin(place, ids, namespace, as_json, pinned=False)


def _pin(place: Place, ids: tuple[str, ...], namespace: str | None, as_json: bool, *, pinned: bool) -> None:
    with place.open() as memory:
        for entry in [memory.get(id, namespace) for id in ids]:  # all are known before the first is changed
            memory.pin(entry.id, entry.namespace, pinned=pinned)
            if as_json:
                emit({"type": "pin" if pinned else "unpin", "id": entry.id, "namespace": entry.namespace, "pinned": pinned})
            else:
                out = console()
                out.print(shortened(f"{'pinned' if pinned else 'unpinned'} {entry.id}: {entry.text}", out.width))


@click.command(
    cls=StoreCommand,
    params=[click.Argument(["text"], required=False, metavar="[TEXT]")],
    example="""\
memfold forget notes.jsonl "oat milk"
memfold forget notes.jsonl "oat milk" --apply
memfold forget notes.jsonl --id m001 --apply""",
)
@click.option("--id", "id", default="", metavar="ID", help="The entry with this id, whatever it says.")
@click.option("--apply", is_flag=True, help="Do it; without this, only look.")
@click.option("--all", "whole", is_flag=True, help="Show every entry, however many.")
@namespace_option
@json_option
def forget(place: Place, text: str | None, id: str, apply: bool, whole: bool, namespace: str | None, as_json: bool) -> None:
    """Erase for real: all that holds TEXT (in any case), or the entry with an id.

    Without --apply nothing is changed: you see what would go. An entry that also speaks of something else keeps the
    rest. What is erased leaves the entries, the journal, the index and a host's file, and no undo brings it back.
    """
    if bool(text and text.strip()) == bool(id):
        raise click.UsageError("give a TEXT to forget, or the --id of one entry")
    with place.open() as memory:
        erasure = memory.forget(text or "", id=id, namespace=namespace, apply=apply)
    if as_json:
        emit({"type": "forget", **erasure.as_dict()})
    else:
        out = console()
        _print_erasure(out, erasure, whole)
        if erasure.changes and not apply:
            words = [text] if text else []
            again = place.command("forget", *words, *typed(click.get_current_context(), leave_out=("apply", "whole", "as_json")), "--apply")
            out.print(f"do it (no undo brings it back):  {again}", soft_wrap=True)
    if erasure.remaining:
        cure = "take them out with the program that owns the file"
        click.echo(f"error: {counted(erasure.remaining, 'occurrence')} in {place.store} where Memfold may not write; {cure}", err=True)
        raise click.exceptions.Exit(1)


def _print_erasure(out: Console, erasure: Erasure, whole: bool) -> None:
    if not erasure.changes and not erasure.edits:
        out.print(f"nothing holds {on_one_line(erasure.what)!r}")
        return
    shown = erasure.changes if whole else erasure.changes[:SHOWN]
    for change in [] if erasure.applied else shown:
        out.print(shortened(change.before.id, out.width))
        out.print(marked(GONE, shortened(change.before.text, 2 * out.width - 8)))
        if change.after is not None:
            out.print(marked(NEW, shortened(change.after.text, 2 * out.width - 8)))
        out.print()
    if len(erasure.changes) > len(shown) and not erasure.applied:
        out.print(f"… and {len(erasure.changes) - len(shown):,} more (--all shows them)\n")
    removed = sum(change.after is None for change in erasure.changes)
    counts = f"{counted(removed, 'entry', 'entries')} gone, {counted(len(erasure.changes) - removed, 'entry', 'entries')} cut"
    if erasure.applied:
        out.print(f"erased: {counts}, {counted(erasure.edits, 'edit')} of the journal purged")
    else:
        out.print(f"would erase: {counts}, and every trace of it in the journal (a preview: nothing was changed)")
