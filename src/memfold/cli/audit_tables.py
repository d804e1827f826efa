"""An audit as tables that fit the terminal."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import count
from typing import TYPE_CHECKING

from memfold.cli.show import counted, marked, on_one_line, shortened, size

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

    from memfold.audit import Audit, Copies, Forecast, Growth, Suspects

ROWS = 12
"""Most lines of growth."""
BAR = 24
FRAMES = {
    "value": ("same frame, other value", "facts of their own, which similarity alone would merge away"),
    "word": ("same frame, one other word", "another thing, or another wording"),
}


def print_audit(out: Console, audit: Audit, title: str, examples: int) -> None:
    """Totals, growth, copies, suspects and the forecast, one below the other."""
    tokens = "" if audit.tokens is None else f", {size(audit.tokens, 'tokens')} ({audit.counter})"
    out.print(f"{on_one_line(title)}: {size(audit.entries, 'entries')}, {size(audit.bytes, 'bytes')}{tokens}", style="bold")
    if not audit.entries:
        return
    _print_growth(out, audit.growth)
    _print_copies(out, "exact copies", audit.exact, audit.bytes, examples)
    _print_copies(out, "near copies", audit.near, audit.bytes, examples)
    for difference, (title, meaning) in FRAMES.items():
        _print_suspects(out, title, meaning, [group for group in audit.suspects if group.difference == difference], examples)
    if audit.cosines.median is not None:
        _heading(out, "nearest neighbours", f"half of the entries have one at a cosine of {audit.cosines.median:.2f} or more")
    if audit.grouping is not None:
        from memfold.audit.text import told

        _heading(out, "atoms", told(audit.grouping))
    _print_forecast(out, audit.forecast, audit.floor)


def _print_growth(out: Console, growth: Growth) -> None:
    if not growth.points:
        _heading(out, "growth", "no entry states a time")
        return
    _heading(out, "growth", f"at the end of each {growth.bucket}")
    table = _table(growth.bucket, "", "entries", "bytes")
    table.columns[1].justify = "left"
    step = -(-len(growth.points) // ROWS)
    most = growth.points[-1].bytes or 1
    for point in growth.points[::-1][::step][::-1]:  # the last one always
        bar = "█" * round(BAR * point.bytes / most)
        table.add_row(point.start.isoformat(), bar, f"{point.entries:,}", f"{point.bytes:,}")
    out.print(table)
    if growth.undated:
        out.print(f"and {size(growth.undated, 'entries')} without a time, {size(growth.undated_bytes, 'bytes')}")


def _print_copies(out: Console, title: str, groups: Sequence[Copies], total: int, examples: int) -> None:
    if not groups:
        _heading(out, title, "none")
        return
    spare, entries = sum(group.spare for group in groups), sum(len(group.ids) for group in groups)
    share = f"{spare / total:.0%} of all" if total else ""
    _heading(out, title, f"{counted(len(groups), 'group')} of {size(entries, 'entries')}, {size(spare, 'bytes')} to spare ({share})")
    for group in groups[:examples]:
        texts = list(dict.fromkeys(on_one_line(text) for text in group.texts))
        out.print(marked(f"{len(group.ids)} x", shortened(texts[0], out.width - 8)))
        for text in texts[1:3]:
            out.print(marked(" " * len(f"{len(group.ids)} x"), shortened(text, out.width - 8), "dim"))
    _more(out, len(groups) - examples)


def _print_suspects(out: Console, title: str, meaning: str, groups: Sequence[Suspects], examples: int) -> None:
    if not groups:
        _heading(out, title, "none")
        return
    _heading(out, title, f"{counted(len(groups), 'group')} of {size(sum(len(group.ids) for group in groups), 'entries')}")
    out.print(meaning, style="dim")
    for group in groups[:examples]:
        values = " | ".join(", ".join(values) or "(none)" for values in group.values)
        out.print(marked(" ", shortened(group.frame, out.width - 4)))
        out.print(marked("   ", shortened(values, out.width - 8), "dim"))
    _more(out, len(groups) - examples)


def _print_forecast(out: Console, forecast: Sequence[Forecast], floor: float) -> None:
    if not forecast:
        return
    _heading(out, "what a budget would probably take", "an estimate")
    table = _table("budget", "bytes", "to go", "exact", "near", "judge", "no pair", "pairs", "down to")
    for step in forecast:
        parts = [f"{part / step.over:.0%}" if step.over else "-" for part in (step.exact, step.near, step.judgement, step.missing)]
        cosine = "" if step.cosine is None else f"{step.cosine:.2f}"
        table.add_row(f"{step.share:.0%}", f"{step.limit:,}", f"{step.over:,}", *parts, f"{step.pairs:,}", cosine)
    out.print(table)
    told = "the smaller side of each pair, the most similar first: exact and near are copies, on the others a judge decides; no pair: "
    out.print(f"{told}nothing similar is left (cosine under {floor:g})", style="dim")


def _table(*columns: str) -> Table:
    from rich.table import Table

    table = Table(box=None, show_edge=False, padding=(0, 2, 0, 0), header_style="dim")
    for number, name in zip(count(), columns, strict=False):
        table.add_column(name, justify="right" if number else "left", no_wrap=True)
    return table


def _heading(out: Console, title: str, told: str) -> None:
    from rich.text import Text

    out.print()
    out.print(Text.assemble((title, "bold"), f": {told}"))


def _more(out: Console, left: int) -> None:
    if left > 0:
        out.print(f"… and {counted(left, 'group')} more (--examples N shows more)", style="dim")
