"""`memfold import`, `export`, `compact`, `demo`: entries into a database and out of it, room on the disk, a sample."""

from __future__ import annotations

import io
import os
import shlex
import shutil
import sys
from datetime import timedelta
from pathlib import Path

import click

from memfold.cli.options import ExampleCommand, Place, StoreCommand, as_duration, json_option, namespace_option
from memfold.cli.progress import Interrupt, Meter
from memfold.cli.show import console, counted, emit, size


@click.command(
    "import",
    cls=StoreCommand,
    params=[click.Argument(["files"], nargs=-1, required=True, metavar="FILE...")],
    example="""\
memfold import agent.db notes.jsonl --text-field memory
memfold import agent.db mcp:memory.jsonl --namespace ada""",
)
@click.option("--namespace", metavar="N", help="Put all entries into this namespace.")
@json_option
def import_(place: Place, files: tuple[str, ...], namespace: str | None, as_json: bool) -> None:
    """Read the entries of other stores into a Memfold database, which is made if it is not there.

    A FILE is JSONL, an MCP memory file, a Letta agent file or a Memfold export; it stays as it is.
    """
    with Interrupt() as interrupt, Meter(interrupt) as meter, place.open(create=True, on_progress=meter.told) as memory:
        for file in files:
            count = memory.import_file(file, fields=place.fields(), namespace=namespace)
            meter.clear()
            if not as_json:
                console().print(f"{file}: {size(count, 'entries')}", soft_wrap=True)
            else:
                emit({"type": "import", "file": file, "entries": count})
        entries, total = memory.totals()
    if as_json:
        emit({"type": "store", "store": place.store, "entries": entries, "bytes": total})
    else:
        console().print(f"{place.store} has {size(entries, 'entries')}, {size(total, 'bytes')}", soft_wrap=True)


@click.command(
    cls=StoreCommand,
    params=[click.Argument(["file"], default="-", metavar="[FILE]")],
    example="""\
memfold export agent.db backup.jsonl
memfold export agent.db | wc -c""",
)
@click.option("--force", is_flag=True, help="Replace FILE if it is there.")
@namespace_option
@json_option
def export(place: Place, file: str, force: bool, namespace: str | None, as_json: bool) -> None:
    """Write the entries as JSONL, one entry a line, to FILE, or to stdout (-)."""
    if file != "-" and Path(file).exists() and not force:
        raise click.UsageError(f"{file} is there already; give another name, or --force to replace it")
    with place.open() as memory:
        if file != "-" and any(Path(file).resolve() == path.resolve() for path in memory.opened.files()):
            raise click.UsageError(f"{file} is the store itself; give another name")
        if file == "-":
            sink = io.TextIOWrapper(sys.stdout.buffer, "utf-8", newline="\n")
            count = memory.export(sink, namespace)
            sink.flush()
            sink.detach()
        else:
            partial = Path(f"{file}.part")
            try:
                with partial.open("w", encoding="utf-8", newline="\n") as stream:
                    count = memory.export(stream, namespace)
                    stream.flush()
                    os.fsync(stream.fileno())
                partial.replace(file)
            finally:
                partial.unlink(missing_ok=True)
    if as_json and file != "-":
        emit({"type": "export", "file": file, "entries": count})
    else:
        click.echo(f"{size(count, 'entries')} written to {'stdout' if file == '-' else file}", err=True)


@click.command(
    cls=StoreCommand,
    example="memfold compact agent.db --older-than 30d",
)
@click.option("--older-than", callback=as_duration, metavar="T", help="Only runs that ended so long ago: 30d, 12h, 2w.")
@click.option("--yes", "-y", is_flag=True, help="Do not ask first.")
@json_option
def compact(place: Place, older_than: timedelta | None, yes: bool, as_json: bool) -> None:
    """Free the journal's before-images, and the room that they take; those edits can no longer be taken back.

    Without --older-than, of all runs.
    """
    with place.open() as memory:
        edits = sum(run.edits for run in memory.runs())
        if edits and older_than is None and not yes and sys.stdin.isatty():
            click.confirm(f"up to {counted(edits, 'edit')} can then no longer be taken back; go on?", abort=True, err=True)
        disk = memory.disk_bytes()
        freed, _ = memory.compact(memory.clock() - older_than if older_than is not None else None)
        after = memory.disk_bytes()
        entries, live = memory.totals()
    if as_json:
        emit({"type": "compact", "freed": freed, "disk_before": disk, "disk_after": after, "entries": entries, "bytes": live})
        return
    out = console()
    out.print(f"freed the before-images of {counted(freed, 'edit')}" + ("; they can no longer be taken back" if freed else ""))
    out.print(f"on disk: {disk:,} -> {size(after, 'bytes')}; the entries themselves: {size(entries, 'entries')}, {size(live, 'bytes')}")


@click.command(
    cls=ExampleCommand,
    example="""\
memfold demo
memfold refine memfold-demo/assistant.jsonl --budget 60%""",
)
@click.argument("folder", default="memfold-demo", type=click.Path(file_okay=False), metavar="[FOLDER]")
@json_option
def demo(folder: str, as_json: bool) -> None:
    """Copy a sample store, the memories of a household's assistant, to a folder, to try things on."""
    path = Path(folder) / "assistant.jsonl"
    if path.exists():
        raise click.UsageError(f"{path} is there already; give another folder: memfold demo FOLDER")
    path.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(Path(__file__).with_name("sample.jsonl"), path)
    if as_json:
        emit({"type": "demo", "path": str(path)})
        return
    out = console()
    out.print(f"a sample store lies in {path}; try:", soft_wrap=True)
    for words in (["audit"], ["refine", "--budget", "60%"], ["refine", "--budget", "60%", "--apply"], ["log"]):
        out.print("  " + shlex.join(["memfold", words[0], str(path), *words[1:]]), soft_wrap=True)
