"""The command line: thin. Each command parses its words, calls `Memory`, and prints.

Importing it loads click alone; the store, the arrays and the tables are loaded by the command that needs them.
"""

from __future__ import annotations

import errno
import io
import sys
from typing import Any

import click

from memfold import __version__
from memfold.cli.audit import audit
from memfold.cli.entries import forget, pin, unpin
from memfold.cli.journal import log, show, undo
from memfold.cli.judge import judge
from memfold.cli.refine import refine
from memfold.cli.stores import compact, demo, export, import_
from memfold.errors import BudgetError, MemfoldError, UnknownName

__all__ = ["main"]

SECTIONS: dict[str, tuple[click.Command, ...]] = {
    "Look": (audit,),
    "Shrink": (refine, judge),
    "Journal": (log, show, undo, compact),
    "Entries": (pin, unpin, forget),
    "Files": (import_, export, demo),
}
INTERRUPTED = 130
COLUMN = 7
"""Width of the longest command."""


class Memfold(click.Group):
    """The group of all commands, in the order of their use; here foreign and own errors become messages and exit codes."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings)
        for commands in SECTIONS.values():
            for command in commands:
                self.add_command(command)

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(self.commands)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List the commands by what they are for."""
        width = formatter.width - 6 - COLUMN
        for title, commands in SECTIONS.items():
            with formatter.section(title):
                formatter.write_dl([(str(command.name).ljust(COLUMN), command.get_short_help_str(width)) for command in commands])

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command; what goes wrong on purpose is one line on stderr."""
        try:
            return super().invoke(ctx)
        except (BudgetError, UnknownName) as error:
            raise click.UsageError(str(error)) from error
        except (MemfoldError, OSError) as error:
            if ctx.params["debug"] or (isinstance(error, OSError) and error.errno == errno.EPIPE):
                raise
            click.echo(f"error: {' '.join(str(error).split())}", err=True)
            ctx.exit(1)
        except KeyboardInterrupt:
            click.echo("interrupted", err=True)
            ctx.exit(INTERRUPTED)


HELP = """Keep a memory store inside its budget, without losing a fact: audit > refine > show > undo.

refine shows its plan and changes nothing until you add --apply; every edit is journaled and can be taken back.

STORE is a path or URL: agent.db, notes.jsonl, mcp:memory.jsonl, letta:agent.af.

\b
Example:
  memfold audit notes.jsonl
  memfold refine notes.jsonl --budget 50%
"""


@click.group(cls=Memfold, help=HELP, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(__version__, prog_name="memfold")
@click.option("--debug", is_flag=True, envvar="MEMFOLD_DEBUG", help="Show the traceback of an error (also: MEMFOLD_DEBUG=1).")
def main(debug: bool) -> None:
    """The command line."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
