"""`memfold recall` and `memfold context`: what answers a question, and the same packed for a prompt."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any, TypeVar, cast

import click

from memfold.cli.options import Place, StoreCommand, chosen, json_option, namespace_option
from memfold.cli.show import clean, console, emit, on_one_line
from memfold.types import KINDS

if TYPE_CHECKING:
    from memfold.memory import Memory
    from memfold.retrieve import Filter
    from memfold.types import JSON, Context, Hit, Kind

_F = TypeVar("_F", bound=Callable[..., Any])


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked, and of which entries."""

    query: str
    namespace: str | None
    scorer: str
    kinds: tuple[str, ...]
    since: datetime | None
    until: datetime | None
    linked: int

    @property
    def filter(self) -> Filter:
        """What an entry must be."""
        from memfold.retrieve import Filter

        return Filter(kinds=cast("tuple[Kind, ...]", self.kinds), since=self.since, until=self.until)

    def of(self, memory: Memory) -> str:
        """The one namespace that is asked."""
        return chosen(memory, self.namespace, False)[0]


def _as_time(ctx: click.Context, param: click.Parameter, value: str | None) -> datetime | None:
    if value is None:
        return None
    from memfold.hosts.times import parse_time

    time = parse_time(value)
    if time is None:
        raise click.BadParameter(f"cannot read the time {value!r}: write 2031-02-15 or 2031-02-15T08:00")
    return time


def question_options(function: _F) -> _F:
    """The options that say what is asked; the command gets them as one `question: Question`."""

    @namespace_option
    @click.option("--scorer", default="", metavar="S", help="hybrid, dense, bm25, rrf, v1 or centroid; left out, hybrid.")
    @click.option("--kind", "kinds", multiple=True, type=click.Choice(KINDS), help="Only entries of this kind.")
    @click.option("--since", callback=_as_time, metavar="T", help="Only entries of this time or later.")
    @click.option("--until", callback=_as_time, metavar="T", help="Only entries before this time.")
    @click.option("--linked", type=click.IntRange(min=0), default=0, metavar="N", help="Draw in so many entries that hits link to.")
    def gathered(*args: Any, query: str, **given: Any) -> Any:
        fields = {name: given.pop(name) for name in ("namespace", "scorer", "kinds", "since", "until", "linked")}
        return function(*args, question=Question(query, **fields), **given)

    command: Any = gathered
    command.__name__, command.__doc__ = function.__name__, function.__doc__
    command.__click_params__ = [*getattr(function, "__click_params__", []), *command.__click_params__]
    return command


@click.command(
    cls=StoreCommand,
    params=[click.Argument(["query"], metavar="QUERY")],
    example="""\
memfold recall agent.db "Where does Ada work now?"
memfold recall agent.db "Rosa's hens" --limit 3 --since 2031-01-01 --json""",
)
@click.option("--limit", type=click.IntRange(min=1), default=10, show_default=True, metavar="N", help="Hits at most.")
@question_options
@json_option
def recall(place: Place, question: Question, limit: int, as_json: bool) -> None:
    """Find the entries that answer a question best, each with why it was found.

    By meaning and by words, in any script; nothing is sent anywhere. Entries whose time is over are not found.
    """
    with place.open() as memory:
        hits = memory.recall(
            question.query, question.of(memory), limit=limit, scorer=question.scorer, filter=question.filter, linked=question.linked
        )
    if as_json:
        for hit in hits:
            emit(_told(hit))
        return
    out = console()
    for rank, hit in enumerate(hits, 1):
        when = f"{hit.entry.time:%Y-%m-%d}  " if hit.entry.time else ""
        out.print(clean(f"{rank:>2}  {hit.score:.3f}  {when}{on_one_line(hit.entry.id)}"), soft_wrap=True)
        out.print(clean(f"    {on_one_line(hit.entry.text)}"))
        out.print(clean(f"    ({on_one_line(hit.why)})"), style="dim", soft_wrap=True)
    if not hits:
        click.echo("nothing was found", err=True)


@click.command(
    cls=StoreCommand,
    params=[click.Argument(["query"], metavar="QUERY")],
    example="""\
memfold context agent.db "Where does Ada work now?" --max-tokens 500
memfold context agent.db "Rosa's hens" --max-tokens 200 --template xml""",
)
@click.option("--max-tokens", type=click.IntRange(min=0), default=1000, show_default=True, metavar="N", help="The text takes no more.")
@click.option("--packer", default="arranged", show_default=True, metavar="P", help="arranged (the best, by atom), grouped or flat.")
@click.option("--template", default="markdown", show_default=True, metavar="F", help="markdown, plain, json, xml or chat.")
@click.option("--counter", default="wordpiece", show_default=True, metavar="C", help="wordpiece, o200k, tiktoken:NAME, tokenizer:PATH …")
@question_options
@json_option
def context(place: Place, question: Question, max_tokens: int, packer: str, template: str, counter: str, as_json: bool) -> None:
    """Pack what answers a question into a text for a prompt that never exceeds its budget of tokens.

    The text is all that stands on stdout; what was left out is told on stderr, or with --json in full.
    """
    from memfold.config import PackSettings
    from memfold.embed import open_counter

    packing = PackSettings(packer=packer, template=template)
    with place.open() as memory:
        packed = memory.context(
            question.query,
            question.of(memory),
            max_tokens=max_tokens,
            scorer=question.scorer,
            filter=question.filter,
            linked=question.linked,
            counter=open_counter(counter),
            packing=packing,
        )
    if as_json:
        emit({"type": "context", **packed.as_dict()})
        return
    if packed.text:
        click.echo(packed.text)
    click.echo(_summary(packed), err=True)


def _summary(packed: Context) -> str:
    left = sum(out.reason == "budget" for out in packed.left_out)
    told = f"{packed.tokens:,} of {packed.max_tokens:,} tokens by {packed.counter}: {len(packed.packed):,} entries"
    told += f", {left:,} more found that did not fit" if left else ""
    return f"{told}; {packed.note}" if packed.note else told


def _told(hit: Hit) -> dict[str, JSON]:
    return {"type": "hit", "score": hit.score, "why": hit.why, "atom": hit.atom, "entry": hit.entry.as_dict()}
