"""What the commands print: lines of JSON, texts made safe for a terminal, and tables."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING, TextIO, cast

import click

if TYPE_CHECKING:
    from rich.console import Console, RenderableType
    from rich.table import Table
    from rich.text import Text

    from memfold.memory import Memory
    from memfold.types import JSON, Edit, Entry

TextOf = Callable[[str], str]
"""Id -> text, for the sides of a pair that an edit leaves alone."""

GONE, STAYS, NEW = "-", "=", "+"
LEGEND = f"{GONE} goes   {STAYS} stays   {NEW} comes in their place"
HEAD, TAIL = 12, 8
"""Edits of a long plan that are shown without --all: the first, and the last."""
MARKS = {GONE: "red", STAYS: "dim", NEW: "green"}

_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")
"""What could move the cursor, turn the writing around or not be written at all. Tabs and line ends are not among them."""


def emit(data: Mapping[str, JSON]) -> None:
    """Print one object as one line of JSON; with escapes where stdout cannot take the characters."""
    line = json.dumps(data, ensure_ascii=False)
    try:
        line.encode(getattr(sys.stdout, "encoding", None) or "utf-8")
    except UnicodeEncodeError:
        line = json.dumps(data)
    click.echo(line)


def console(*, err: bool = False) -> Console:
    """A console that prints texts as they are: no markup, no highlighting; colours only on a terminal."""
    from rich.console import Console

    stream = sys.stderr if err else sys.stdout
    file = stream if stream.isatty() else cast("TextIO", _Trimmed(stream))
    return Console(file=file, markup=False, highlight=False, emoji=False)


class _Trimmed:
    """A stream without the spaces by which tables fill their lines."""

    def __init__(self, stream: TextIO) -> None:
        self.stream = stream
        self.encoding = stream.encoding

    def write(self, text: str) -> int:
        return self.stream.write(re.sub(r" +(?=\n|$)", "", text))

    def flush(self) -> None:
        self.stream.flush()

    def isatty(self) -> bool:
        return False


def clean(text: str) -> str:
    r"""The text with control characters as `\x1b`, so that no entry can play with the terminal."""
    return _CONTROL.sub(lambda found: f"\\x{ord(found[0]):02x}" if ord(found[0]) < 256 else f"\\u{ord(found[0]):04x}", text)


def on_one_line(text: str) -> str:
    """The text, clean, without line ends and repeated spaces."""
    return clean(" ".join(text.split()))


def shortened(text: str, cells: int) -> str:
    """The start of a text on one line, at most `cells` columns of a terminal wide (a Chinese character takes two)."""
    from rich.cells import cell_len, set_cell_size

    line = on_one_line(text)
    return line if cell_len(line) <= cells else set_cell_size(line, max(cells - 1, 0)).rstrip() + "…"


def counted(count: int, one: str, many: str = "") -> str:
    """`1 edit`, `1,200 edits`."""
    return f"{count:,} {one if count == 1 else many or one + 's'}"


def size(amount: int, unit: str) -> str:
    """`12,000 bytes`, `1 entry`."""
    return counted(amount, {"bytes": "byte", "tokens": "token", "entries": "entry"}[unit], unit)


def texts_in(memory: Memory, namespace: str, edits: Sequence[Edit]) -> TextOf:
    """The text of an entry as the edits hold it, or else the store; "" where neither does."""
    from memfold.errors import UnknownEntry

    held = {entry.id: entry.text for edit in edits for entry in (*edit.before, *edit.after)}

    @cache
    def text_of(id: str) -> str:
        if id in held:
            return held[id]
        try:
            return memory.get(id, namespace).text
        except UnknownEntry:
            return ""

    return text_of


def sides(edit: Edit, text_of: TextOf) -> list[tuple[str, str]]:
    """The texts of an edit, each with its mark and the side (a or b) by which the judge's reason calls it, as they are shown."""
    if edit.after:
        gone = [(f"{GONE} {side}", entry.text) for side, entry in zip("ab", edit.before, strict=False)]
        return gone + [(NEW, entry.text) for entry in edit.after]
    victim, kept = edit.before[0].text, text_of(edit.kept)
    sides = ("b", "a") if edit.decision.target == "b" else ("a", "b")
    if not edit.kept:
        return [(f"{GONE} {sides[0]}", victim)]
    told = "(the same text)" if kept == victim else kept or "(edited or gone since)"
    return [(f"{GONE} {sides[0]}", victim), (f"{STAYS} {sides[1]}", told)]


def print_edits(out: Console, edits: Sequence[Edit], text_of: TextOf, *, whole: bool, states: bool = False) -> None:
    """The edits as a table; of many the first and the last (the least similar), unless `whole`."""
    cut = len(edits) - HEAD - TAIL
    if whole or cut <= 0:
        parts = [edits]
    else:
        parts = [edits[:HEAD], edits[-TAIL:]]
    for number, part in enumerate(parts):
        if number:
            out.print(f"… and {cut:,} more (--all shows them)\n")
        out.print(edits_table(part, text_of, width=out.width, states=states))


def edits_table(edits: Sequence[Edit], text_of: TextOf, *, width: int, states: bool = False) -> Table:
    """One row an edit: number, action, cosine, bytes saved, and the texts one below the other with the reason.

    :param states: say in which state an edit is where it is not in force.
    """
    from rich.table import Table

    number = max((len(f"{edit.seq}") for edit in edits), default=1)
    saved = max((len(f"{edit.saved:,}") for edit in edits), default=1)
    room = max(20, width - (number + 2) - 8 - 8 - (max(saved, 5) + 2))
    table = Table(box=None, show_edge=False, padding=(0, 2, 0, 0), header_style="bold")
    table.add_column("#", justify="right", no_wrap=True)
    table.add_column("edit", no_wrap=True)
    table.add_column("cosine", justify="right", no_wrap=True)
    table.add_column("bytes", justify="right", no_wrap=True)
    table.add_column(LEGEND, overflow="fold", ratio=1)
    for edit in edits:
        state = f" ({edit.state})" if states and edit.state != "applied" else ""
        texts = _stacked(sides(edit, text_of), f"{_reason(edit)}{state}", room)
        table.add_row(f"{edit.seq}", edit.action, f"{edit.cosine:.3f}", f"-{edit.saved:,}", texts)
    return table


def _stacked(lines: Sequence[tuple[str, str]], reason: str, room: int) -> RenderableType:
    from rich.console import Group
    from rich.padding import Padding

    shown = [marked(mark, shortened(text, (4 if mark == NEW else 2) * (room - 4)), wide=3) for mark, text in lines]
    return Group(*shown, Padding(marked("", shortened(reason, 3 * (room - 4)), "italic", wide=3), (0, 0, 1, 0)))


def marked(mark: str, text: str, style: str = "", *, wide: int = 1) -> Table:
    """A text behind its mark, which takes at least `wide` columns; the text's further lines are indented below its first."""
    from rich.table import Table
    from rich.text import Text

    table = Table.grid(padding=(0, 1, 0, 0))
    table.add_column(no_wrap=True, min_width=wide)
    table.add_column(overflow="fold")
    colour = MARKS.get(mark[:1], "")
    table.add_row(Text(mark, colour), Text(clean(text), style or colour))
    return table


def _reason(edit: Edit) -> str:
    """Where and why: the home of what goes where its text does not tell it, the judge's reason, its confidence where it has one."""
    victim = edit.before[0]
    home = f"in {victim.home}: " if victim.home and not victim.text.startswith(victim.home) else ""
    sure = f" (confidence {edit.decision.confidence:.2f})" if edit.decision.confidence < 1 else ""
    return f"{home}{edit.decision.reason or 'no reason given'}{sure}"


def entry_text(entry: Entry) -> Text:
    """An entry in full: its text, then what else it holds as JSON."""
    from rich.text import Text

    rest = {key: value for key, value in entry.as_dict().items() if key not in ("text", "namespace")}
    return Text.assemble(clean(entry.text), "\n", (clean(json.dumps(rest, ensure_ascii=False)), "dim"))


def facts(rows: Sequence[tuple[str, str]]) -> Table:
    """Names and what they are, in two columns."""
    from rich.table import Table
    from rich.text import Text

    table = Table.grid(padding=(0, 2, 0, 0))
    table.add_column(style="dim", no_wrap=True)
    table.add_column(overflow="fold")
    for name, value in rows:
        table.add_row(name, Text(value))
    return table
