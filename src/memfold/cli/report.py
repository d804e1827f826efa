"""The account of a run, for people: before and after, the budget, what was done and what was not, and why."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from memfold.cli.show import STAYS, TextOf, counted, facts, marked, on_one_line, shortened, size

if TYPE_CHECKING:
    from rich.console import Console

    from memfold.refine.estimate import Estimate
    from memfold.refine.report import Held, Report

EXAMPLES = 3
"""Pairs held back that are shown where the budget was missed."""


def print_report(out: Console, report: Report) -> None:
    """The report as a short list of facts."""
    out.print(facts(list(_rows(report))))


def print_estimate(out: Console, estimate: Estimate) -> None:
    """What asking a model would probably take, from a least to a most."""
    few, many = estimate.few, estimate.many
    more = " or more" if few.cut or many.cut else ""

    def span(least: float, most: float, form: str = ",.0f") -> str:
        low, high = sorted((least, most))
        return format(low, form) if format(low, form) == format(high, form) else f"{low:{form}} to {high:{form}}{more}"

    cost = f"{span(*estimate.cost, ',.2f')} by the table of prices" if estimate.cost else "not known: this model has no price (--prices)"
    rows = [
        ("namespace", on_one_line(estimate.namespace)),
        ("judge", estimate.judge),
        ("calls", f"{span(few.calls, many.calls)} ({span(few.merges, many.merges)} of them to write merges)"),
        ("tokens", f"{span(few.tokens_in, many.tokens_in)} in, {span(few.tokens_out, many.tokens_out)} out"),
        ("cost", cost),
        ("minutes", span(*estimate.minutes, ",.1f")),
    ]
    out.print(facts(rows))
    told = "the least if most pairs can be deleted or merged, the most if few can; nothing was asked and nothing was changed"
    out.print(told, soft_wrap=True)


def _rows(report: Report) -> Iterator[tuple[str, str]]:
    yield "namespace", on_one_line(report.namespace)
    yield "before", _amount(report.entries_before, report.bytes_before, report.before, report.unit)
    after = _amount(report.entries_after, report.bytes_after, report.after, report.unit)
    yield "after", after if report.applied else f"{after} (a preview: nothing was changed)"
    share = f", {report.budget.split()[0]} of the {report.taken_in:,} taken in" if "%" in report.budget else ""
    met = "met" if report.met else f"missed by {size(report.missed_by, report.unit)}"
    yield "budget", f"{size(report.limit, report.unit)}{share}: {met}"
    if report.stopped != "met":
        yield "stopped", report.why
    done = f"{counted(report.deletes, 'delete')}, {counted(report.merges, 'merge')}"
    done += f", {report.expired:,} expired" if report.expired else ""
    yield "edits", f"{report.edits:,} ({done})" if report.edits else "none"
    yield "judged", f"{counted(report.judgements, 'pair')} by {report.judge}, {report.preserved:,} kept apart"
    yield from _troubles(report)
    if report.calls or report.tokens or report.cost:
        yield "model", _model(report)
    yield "took", _seconds(report.seconds)
    if report.resumed:
        yield "resumed", f"goes on with run {report.resumed}, which was cut off"
    if report.run:
        yield "run", report.run
    if report.files:
        yield "on disk", _files(report.files, report.bytes_after)


def _model(report: Report) -> str:
    """What was asked of the model, and how many judgements did without."""
    told = f"{counted(report.calls, 'request')}, {size(report.tokens, 'tokens')}" + (f", {report.cost:.4f} in cost" if report.cost else "")
    spared = report.judgements - report.asked_model
    share = f"; {spared / report.judgements:.0%} of the judgements took none" if spared > 0 else ""
    return told + share


def _troubles(report: Report) -> Iterator[tuple[str, str]]:
    if report.vetoes:
        guards = ", ".join(f"{name} {count:,}" for name, count in report.vetoes.most_common())
        yield "vetoed", f"{sum(report.vetoes.values()):,} ({guards})"
    if report.failures:
        yield "failed", f"{counted(report.failures, 'judgement')} gave no usable answer; the pairs are kept apart and asked for again"
    if report.stale:
        yield "stale", f"{counted(report.stale, 'decision')} dropped: somebody else changed an entry meanwhile"
    if report.set_aside:
        yield "set aside", f"{counted(report.set_aside, 'pair')}: earlier runs died while judging them"


def print_held(out: Console, held: Sequence[Held], text_of: TextOf, *, whole: bool) -> None:
    """Living pairs that stay apart against the judge's wish, with the reason; a few, each of another guard, unless `whole`."""
    held = [pair for pair in held if text_of(pair.a) and text_of(pair.b)]
    shown = held if whole else _one_of_each(held)
    if not shown:
        return
    out.print("kept apart against the judge's wish" + ("" if whole else ", for example") + ":")
    for pair in shown:
        room = out.width - 6
        for side, id in (("a", pair.a), ("b", pair.b)):
            out.print(marked(f"{STAYS} {side}", shortened(text_of(id), 2 * room)))
        out.print(marked("", shortened(f"{pair.why}, cosine {pair.cosine:.3f}: {pair.reason}", 3 * room), "italic", wide=3))
    if len(held) > len(shown):
        out.print(f"… and {len(held) - len(shown):,} more (--all shows them)")
    out.print()


def _one_of_each(held: Sequence[Held]) -> list[Held]:
    firsts: dict[str, Held] = {}
    for pair in held:
        firsts.setdefault(pair.why, pair)
    return list(firsts.values())[:EXAMPLES]


def _amount(entries: int, total: int, amount: int, unit: str) -> str:
    told = f"{size(entries, 'entries')}, {size(total, 'bytes')}"
    return f"{told}, {size(amount, unit)}" if unit == "tokens" else told


def _seconds(seconds: float) -> str:
    if seconds < 60:
        return f"{seconds:.1f} s"
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes} min {rest} s"


def _files(files: Mapping[str, int], live: int) -> str:
    """Name and size of each file, a database's helper files counted with it."""
    together: dict[str, int] = {}
    for name, held in files.items():
        whole = name.removesuffix("-wal").removesuffix("-shm")
        together[whole] = together.get(whole, 0) + held
    told = ", ".join(f"{on_one_line(name)} {size(held, 'bytes')}" for name, held in together.items())
    return f"{told}; the entries themselves {size(live, 'bytes')}"
