"""The command line: thin. Each command parses its words, calls `Memory`, and prints.

Importing it loads click alone; the store, the arrays and the tables are loaded by the command that needs them.
"""

from __future__ import annotations

import errno
import io
import sys
from importlib import import_module
from typing import Any

import click

from memfold import __version__
from memfold.errors import BadParameter, BudgetError, MemfoldError, UnknownName

__all__ = ["main"]

SECTIONS: dict[str, dict[str, str]] = {
    "Remember": {"observe": "Conversations in, memories out."},
    "Recall": {
        "recall": "The entries that answer a question best, and why.",
        "context": "The same packed for a prompt, within a budget of tokens.",
    },
    "Look": {"audit": "What is in a store, and how much of it is redundant."},
    "Shrink": {
        "refine": "Shrink a store to a budget; a preview unless --apply.",
        "judge": "Try a judge on pairs of your own.",
    },
    "Journal": {
        "log": "The runs so far.",
        "show": "What a run did, or one edit in full.",
        "undo": "Take back a run, or one edit of it.",
        "compact": "Free what only undo needs, and its room on disk.",
    },
    "Entries": {
        "pin": "Protect entries from every refinement.",
        "unpin": "Lift that protection.",
        "forget": "Erase for real; a preview unless --apply.",
    },
    "Files": {
        "import": "Read other stores into a Memfold database.",
        "export": "Write the entries as JSONL.",
        "demo": "Copy a sample store, to try things on.",
    },
}
"""The commands by what they are for, in the order of their use, each in a few words."""
HOMES = {
    "context": "recall",
    "log": "journal",
    "show": "journal",
    "undo": "journal",
    "compact": "stores",
    "pin": "entries",
    "unpin": "entries",
    "forget": "entries",
    "import": "stores",
    "export": "stores",
    "demo": "stores",
}
"""The modules of the commands that share one."""
INTERRUPTED = 130
COLUMN = 7
"""Width of the longest command."""


class Memfold(click.Group):
    """The group of all commands, each loaded when it is asked for; here errors become messages and exit codes."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return [name for commands in SECTIONS.values() for name in commands]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in self.list_commands(ctx):
            return None
        home = import_module(f"memfold.cli.{HOMES.get(cmd_name, cmd_name)}")
        return getattr(home, "import_" if cmd_name == "import" else cmd_name)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List the commands by what they are for."""
        for title, commands in SECTIONS.items():
            with formatter.section(title):
                formatter.write_dl([(name.ljust(COLUMN), told) for name, told in commands.items()])

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command; what goes wrong on purpose is one line on stderr."""
        try:
            return super().invoke(ctx)
        except (BadParameter, BudgetError, UnknownName) as error:
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
