"""An audit as a picture: growth, nearest neighbours, forecast. Needs the extra `plot`."""

# pyright: reportUnknownMemberType=false
# (matplotlib's own annotations leave **kwargs untyped)

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING

from memfold.audit.result import Audit, Forecast, Growth
from memfold.errors import MissingExtra

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_INK, _PALE = "#2b2d42", "#d9dce3"
_LINES = ("#1b6ca8", "#d1495b", "#2e8b57", "#edae49", "#6a4c93", "#00798c")
_KINDS = {"exact": ("exact copies", "#2e8b57"), "near": ("near copies", "#8fc9a3"), "judgement": ("needs a judge", "#edae49")}
_MISSING = ("no pair left", "#d1495b")
_MOST = len(_LINES)
_EPOCH = date(1970, 1, 1).toordinal()
"""Where matplotlib's days begin."""


def plot(audits: Mapping[str, Audit], path: str | Path) -> Path:
    """Draw the audits, by namespace, into one picture; the form follows the suffix of `path` (png, svg, pdf).

    :raises MissingExtra: matplotlib is not installed.
    :raises ValueError: matplotlib knows no such form.
    """
    try:
        from matplotlib.figure import Figure
    except ImportError as error:
        raise MissingExtra("a plot", "plot") from error
    figure = Figure(figsize=(13, 4.6), dpi=144, layout="constrained")
    growth, cosines, forecast = figure.subplots(1, 3)
    entries, size = sum(a.entries for a in audits.values()), sum(a.bytes for a in audits.values())
    spaces = f" in {len(audits)} namespaces" if len(audits) > 1 else ""
    figure.suptitle(f"{entries:,} entries, {_written(size)}{spaces}", fontsize=13, color=_INK, fontweight="bold")
    for axes in (growth, cosines, forecast):
        _plain(axes)
    _growth(growth, audits)
    _cosines(cosines, list(audits.values()))
    _forecast(forecast, list(audits.values()))
    figure.savefig(path)
    return Path(path)


def _plain(axes: Axes) -> None:
    axes.spines[["top", "right"]].set_visible(False)
    axes.spines[["left", "bottom"]].set_color(_INK)
    axes.tick_params(colors=_INK, labelsize=9)
    axes.grid(axis="y", color=_PALE, linewidth=0.8)
    axes.set_axisbelow(True)


def _growth(axes: Axes, audits: Mapping[str, Audit]) -> None:
    """Bytes over time, a line a namespace; beyond six namespaces the smaller ones are left out, and the title says so."""
    from matplotlib.dates import AutoDateLocator, ConciseDateFormatter

    dated = {name: audit for name, audit in audits.items() if audit.growth.points}
    shown = sorted(dated, key=lambda name: (-dated[name].bytes, name))[:_MOST]
    unit, scale = _unit(max((dated[name].growth.points[-1].bytes for name in shown), default=0))
    for name, color in zip(shown, _LINES, strict=False):
        days = _edges(dated[name].growth)
        sizes = [0, *(point.bytes / scale for point in dated[name].growth.points)]
        axes.plot(days, sizes, color=color, linewidth=2, marker="o", markersize=3, label=name)
        if len(shown) == 1:
            axes.fill_between(days, sizes, color=color, alpha=0.12)
    axes.set_title("Growth" + (f" (the largest {_MOST} of {len(dated)})" if len(dated) > _MOST else ""), fontsize=11, color=_INK)
    axes.set_ylabel(f"size ({unit})", color=_INK)
    axes.set_ylim(bottom=0)
    if shown:
        locator = AutoDateLocator(minticks=3, maxticks=7)
        axes.xaxis.set_major_locator(locator)
        axes.xaxis.set_major_formatter(ConciseDateFormatter(locator, show_offset=False))
        axes.set_xlabel(_when(dated.values(), sum(audit.growth.undated for audit in audits.values())), color=_INK)
    else:
        _nothing(axes, "no entry has a time")
    if len(shown) > 1:
        axes.legend(fontsize=8, frameon=False, loc="upper left")


def _when(dated: Iterable[Audit], undated: int) -> str:
    """The label of the axis of time: from when to when, and how many entries are not in the picture."""
    starts = [point.start for audit in dated for point in audit.growth.points]
    left_out = f"\n({undated:,} entries without a time are left out)" if undated else ""
    return f"written down, {min(starts):%d %b %Y} to {max(starts):%d %b %Y}{left_out}"


def _edges(growth: Growth) -> list[int]:
    """Where each bucket begins, and where the last one ends, in matplotlib's days."""
    starts = [point.start.toordinal() - _EPOCH for point in growth.points]
    return [*starts, starts[-1] + (starts[-1] - starts[-2] if len(starts) > 1 else 1)]


def _cosines(axes: Axes, audits: Sequence[Audit]) -> None:
    """How close the nearest neighbour of each entry is, over all namespaces."""
    axes.set_title("Nearest neighbour of each entry", fontsize=11, color=_INK)
    axes.set_xlabel("cosine", color=_INK)
    axes.set_ylabel("entries", color=_INK)
    if not any(sum(audit.cosines.counts) for audit in audits):
        _nothing(axes, "no entry has a neighbour")
        return
    edges = audits[0].cosines.edges
    heights = [sum(column) for column in zip(*(audit.cosines.counts for audit in audits), strict=True)]
    middles = [(low + high) / 2 for low, high in zip(edges, edges[1:], strict=False)]
    near = audits[0].near_cosine
    colors = [_KINDS["near"][1] if middle >= near else _LINES[0] for middle in middles]
    axes.bar(middles, heights, width=[0.92 * (high - low) for low, high in zip(edges, edges[1:], strict=False)], color=colors)
    axes.axvline(near, color=_INK, linewidth=1, linestyle=":")
    axes.annotate(
        f"near copies\nare above {near:g}", (near, 1.0), (-5, -2), xycoords=("data", "axes fraction"), textcoords="offset points",
        ha="right", va="top", fontsize=8, color=_INK,
    )  # fmt: skip
    axes.set_xlim(edges[0], edges[-1])
    axes.set_ylim(top=1.18 * max(heights))


def _forecast(axes: Axes, audits: Sequence[Audit]) -> None:
    """For each budget: what has to go, by what it is. The cosine reached stands over the bar."""
    axes.set_title("What a smaller budget would take (estimate)", fontsize=11, color=_INK)
    axes.set_xlabel("budget (share of the bytes)", color=_INK)
    columns = list(zip(*(audit.forecast for audit in audits), strict=True))
    unit, scale = _unit(max((sum(f.over for f in column) for column in columns), default=0))
    axes.set_ylabel(f"to go ({unit})", color=_INK)
    if not columns:
        _nothing(axes, "no budget was asked for")
        return
    places = list(range(len(columns)))
    base = [0.0] * len(columns)
    parts = [(label, color, [sum(getattr(f, kind) for f in column) for column in columns]) for kind, (label, color) in _KINDS.items()]
    for label, color, sizes in [*parts, (*_MISSING, [sum(f.missing for f in column) for column in columns])]:
        heights = [size / scale for size in sizes]
        axes.bar(places, heights, bottom=base, width=0.66, color=color, label=label)
        base = [low + height for low, height in zip(base, heights, strict=True)]
    for place, top, column in zip(places, base, columns, strict=True):
        axes.annotate(_reached(column), (place, top), (0, 3), textcoords="offset points", ha="center", fontsize=8, color=_INK)
    axes.set_xticks(places, [f"{column[0].share:.0%}" for column in columns])
    axes.set_ylim(top=1.3 * max(base) or 1)
    axes.legend(fontsize=8, frameon=False, loc="upper left", ncols=2, title="over the bars: lowest cosine touched", title_fontsize=8)


def _reached(column: Sequence[Forecast]) -> str:
    touched = [f.cosine for f in column if f.cosine is not None]
    return f"{min(touched):.2f}" if touched else ""


def _nothing(axes: Axes, why: str) -> None:
    axes.text(0.5, 0.5, why, transform=axes.transAxes, ha="center", va="center", color=_INK)


def _unit(most: float) -> tuple[str, int]:
    for unit, scale in (("GB", 10**9), ("MB", 10**6), ("kB", 10**3)):
        if most >= scale:
            return unit, scale
    return "bytes", 1


def _written(size: int) -> str:
    unit, scale = _unit(size)
    return f"{size / scale:,.1f} {unit}" if scale > 1 else f"{size} bytes"
