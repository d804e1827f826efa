"""What the commands share: the STORE and how it is read, namespaces, budgets, durations."""

from __future__ import annotations

import inspect
import re
import shlex
from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields
from datetime import timedelta
from typing import TYPE_CHECKING, Any, TypeVar

import click
from click.core import ParameterSource

from memfold.errors import BudgetError

if TYPE_CHECKING:
    from memfold.budget import Budget
    from memfold.hosts import JsonlFields
    from memfold.memory import Memory, Progress

_F = TypeVar("_F", bound=Callable[..., Any])

STORE_HELP = "STORE is a path or URL: agent.db, notes.jsonl, mcp:memory.jsonl, letta:agent.af."


class ExampleCommand(click.Command):
    """A command whose help ends in examples, one a line."""

    def __init__(self, name: str | None, *, example: str, **settings: Any) -> None:
        super().__init__(name, **settings)
        self.example = example

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the examples as they are to be typed."""
        with formatter.section("Example" if "\n" not in self.example else "Examples"):
            for line in self.example.splitlines():
                formatter.write(f"  {line}\n")


@dataclass(frozen=True, slots=True)
class Place:
    """A STORE as it was named on the command line, with the options that say how to read it."""

    store: str
    embedder: str
    text_field: str | None
    id_field: str | None
    time_field: str | None
    namespace_field: str | None

    def fields(self) -> JsonlFields | None:
        """The names of a JSONL file's fields, None where none was given."""
        from memfold.hosts import JsonlFields

        named = (self.text_field, self.id_field, self.time_field, self.namespace_field)
        return None if all(name is None for name in named) else JsonlFields(*named)

    def open(self, *, create: bool = False, reembed: bool = False, on_progress: Progress | None = None) -> Memory:
        """Open the store; use it in a `with` block."""
        from memfold.memory import Memory

        fields = self.fields() if not create else None
        return Memory.open(self.store, embedder=self.embedder, create=create, fields=fields, reembed=reembed, on_progress=on_progress)

    def command(self, name: str, *words: str) -> str:
        """A command on this store as one would type it, read in the same way."""
        given = [(option, getattr(self, option)) for option in _STORE_OPTIONS if option != "embedder" or name in _EMBEDDING]
        options = [word for name, value in given if value not in (None, _DEFAULTS.get(name)) for word in (_flag(name), str(value))]
        return shlex.join(["memfold", name, self.store, *words, *options])


_STORE_OPTIONS: dict[str, str] = {
    "embedder": "Who makes the vectors: minilm (in the package), openai:MODEL, hashing (words alone, for tests).",
    "text_field": "JSONL: the field that holds the text, dots for nested ones (payload.text).",
    "id_field": "JSONL: the field that holds the id; '' for none.",
    "time_field": "JSONL: the field that holds the time; '' for none.",
    "namespace_field": "JSONL: the field that says whose memory it is; '' for none.",
}
_DEFAULTS = {"embedder": "minilm"}
_EMBEDDING = ("audit", "refine", "import", "observe")
"""Commands that make vectors."""


class StoreCommand(ExampleCommand):
    """A command over a STORE: its first argument, the options that say how to read it, and both as one `place`."""

    def __init__(self, name: str | None, *, params: list[click.Parameter] | None = None, **settings: Any) -> None:
        options = [
            click.Option([_flag(option)], metavar="NAME", default=_DEFAULTS.get(option), show_default=option in _DEFAULTS, help=help)
            for option, help in _STORE_OPTIONS.items()
        ]
        super().__init__(name, params=[click.Argument(["store"], metavar="STORE"), *(params or []), *options], **settings)
        self.help = f"{inspect.cleandoc(self.help or '')}\n\n{STORE_HELP}"

    def invoke(self, ctx: click.Context) -> Any:
        """Give the callback a `Place` for the words that name the store."""
        ctx.params["place"] = Place(**{field.name: ctx.params.pop(field.name) for field in fields(Place)})
        return super().invoke(ctx)


def json_option(function: _F) -> _F:
    """`--json`, as `as_json`."""
    return click.option("--json", "as_json", is_flag=True, help="One JSON object a line on stdout; everything else on stderr.")(function)


def namespace_option(function: _F) -> _F:
    """`--namespace`."""
    return click.option("--namespace", metavar="N", help="Whose memory; needed where a store holds several.")(function)


def every_namespace_option(function: _F) -> _F:
    """`--namespace` and `--all-namespaces`, the latter as `every`."""
    whole = click.option("--all-namespaces", "every", is_flag=True, help="Each namespace in turn, by itself.")
    return namespace_option(whole(function))


def chosen(memory: Memory, namespace: str | None, every: bool) -> Sequence[str]:
    """The namespaces to work on.

    :raises click.UsageError: none was named and there are several, or the named one is not there.
    """
    known = memory.namespaces()
    listed = ", ".join(known[:20]) + (f" and {len(known) - 20} more" if len(known) > 20 else "")
    if namespace is not None and every:
        raise click.UsageError("give either --namespace or --all-namespaces")
    if namespace is not None:
        if namespace not in known:
            there = f"the store has {listed}" if known else "the store is empty"
            raise click.UsageError(f"there is no namespace {namespace!r}; {there}")
        return [namespace]
    if len(known) > 1 and not every:
        raise click.UsageError(f"the store has {len(known)} namespaces: {listed}; name one with --namespace, or take --all-namespaces")
    return known or ["default"]


def typed(ctx: click.Context, *, leave_out: Sequence[str] = ()) -> list[str]:
    """The options of this command that stood on the command line, those that name the store excepted, to be typed again."""
    words: list[str] = []
    for param in ctx.command.params:
        name = param.name or ""
        given = ctx.get_parameter_source(name) is ParameterSource.COMMANDLINE
        if isinstance(param, click.Option) and given and name not in (*leave_out, *_STORE_OPTIONS):
            words += [param.opts[0]] if param.is_flag else [param.opts[0], str(ctx.params[name])]
    return words


def as_budget(ctx: click.Context, param: click.Parameter, value: str) -> Budget:
    """An option's text as a budget.

    :raises click.BadParameter: it cannot be understood.
    """
    from memfold.budget import Budget

    try:
        return Budget.parse(value)
    except BudgetError as error:
        raise click.BadParameter(str(error)) from error


def as_duration(ctx: click.Context, param: click.Parameter, value: str | None) -> timedelta | None:
    """An option's text as a stretch of time: `30d`, `12h`, `2w`, `45m`, `90s`.

    :raises click.BadParameter: it cannot be understood.
    """
    if value is None:
        return None
    written = re.fullmatch(r"(\d+(?:\.\d+)?)\s*([smhdw])", value.strip().lower())
    if written is None:
        raise click.BadParameter(f"cannot read the duration {value!r}: write a number with s, m, h, d or w, like 30d")
    try:
        return timedelta(**{_UNITS[written[2]]: float(written[1])})
    except OverflowError as error:
        raise click.BadParameter(f"the duration {value!r} is longer than any store is old") from error


_UNITS = {"s": "seconds", "m": "minutes", "h": "hours", "d": "days", "w": "weeks"}


def _flag(option: str) -> str:
    return "--" + option.replace("_", "-")
