"""Print docs/reference/cli.md, made from the commands' own help: `make docs` writes it, a test compares it."""

from __future__ import annotations

import inspect
import re
from collections import Counter
from collections.abc import Iterator

import click

from memfold.cli import SECTIONS, main

HEAD = """\
# Command line

This page is made from the commands' own help (`make docs`), which `memfold COMMAND --help` shows too.

`--json` prints one JSON object a line on stdout, the last one being the report; everything else goes to stderr. `refine` and
`forget` change nothing without `--apply`.

| exit code | meaning |
|---|---|
| 0 | done; for `refine`: the budget is met |
| 1 | it failed, and the message says why and what cures it |
| 2 | wrong usage |
| 3 | `refine`: the budget was missed, and the report says by how much and why |
| 4 | replies of the model are still to come (batch files); the same command goes on when they are there |
| 5 | the model cannot be reached, or its budget of calls, tokens or money is spent; the same command goes on |
| 130 | Ctrl-C; a run then ends between two edits, and the same command goes on with it |
"""


def page() -> Iterator[str]:
    """The lines of the page."""
    commands = {name: command(name) for group in SECTIONS.values() for name in group}
    counts = Counter(row for each in commands.values() for row in options(each))
    shared = [row for row, count in counts.items() if count > len(commands) // 2]
    yield HEAD
    yield "## Options of every STORE\n"
    yield from shared
    yield ""
    for title, group in SECTIONS.items():
        for name in group:
            yield from section(commands[name], title, shared)
    yield "## memfold itself\n"
    yield from options(main)


def command(name: str) -> click.Command:
    """A command by its name."""
    found = main.get_command(click.Context(main), name)
    assert found is not None
    return found


def section(command: click.Command, title: str, shared: list[str]) -> Iterator[str]:
    """One command: what it does, how it is called, its options, examples."""
    yield f"## memfold {command.name}\n"
    yield f"*{title}.* {prose(command.help or '')}\n"
    arguments = " ".join(p.make_metavar(click.Context(command)) for p in command.params if isinstance(p, click.Argument))
    yield f"`memfold {command.name} [OPTIONS] {arguments}`\n"
    rows = options(command)
    if sum(row in shared for row in rows) > len(shared) // 2:
        rows = [row for row in rows if row not in shared] + ["- and [those of every STORE](#options-of-every-store)."]
    yield from rows
    yield ""
    example = getattr(command, "example", "")
    if example:
        lines = re.sub("^", "$ ", inspect.cleandoc(example), flags=re.MULTILINE)
        yield f"<!-- not run: the files are yours -->\n```console\n{lines}\n```\n"


def options(command: click.Command) -> list[str]:
    """One line an option: how it is written, what it does, its default."""
    rows: list[str] = []
    for option in command.params:
        if not isinstance(option, click.Option):
            continue
        names = ", ".join((*option.opts, *option.secondary_opts))
        value = "" if option.is_flag else f" {option.make_metavar(click.Context(command))}"
        default = f" Default: `{option.default}`." if option.show_default and option.default is not None else ""
        rows.append(f"- `{names}{value}`: {option.help or ''}{' Required.' if option.required else ''}{default}")
    return rows


def prose(text: str) -> str:
    """A help text as Markdown, without the line about STORE that every command has."""
    paragraphs = [" ".join(part.split()) for part in text.split("\n\n")]
    return "\n\n".join(part for part in paragraphs if not part.startswith("STORE is a path"))


if __name__ == "__main__":
    click.echo("\n".join(page()).strip())
