"""The figures over the budgets, one line a system."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

PANELS = {
    "evidence_1000": "evidence in 1,000 tokens\nof the nearest entries",
    "words_1000": "answer words in 1,000 tokens\nof the nearest entries",
    "nearest": "evidence among\nthe ten nearest entries",
    "answered": "answer words in\nthe ten nearest entries",
    "survived": "evidence that survives,\nalone or merged",
    "told": "words of the evidence\nstill told in its place",
    "points": "evidence that one entry\nstill tells",
    "all_points": "gold points that one entry\nstill tells",
}
"""Figure to its title, a panel each."""
ACROSS = 4
COLOURS = ("#1b6ca8", "#57a0d3", "#d1495b", "#edae49", "#8d8d8d", "#3d3d3d", "#66a182", "#7a5195")
MARKS = "osD^vxP*"


def draw(rows: Sequence[Mapping[str, Any]], path: Path) -> None:
    """Write the figures of `retention.table` as an image.

    :raises ImportError: matplotlib is not installed.
    """
    import matplotlib as mpl

    mpl.use("Agg")
    import matplotlib.pyplot as plt

    names = list(dict.fromkeys(row["system"] for row in rows if row["system"] != "unrefined"))
    whole = next(row for row in rows if row["system"] == "unrefined")
    figure, grid = plt.subplots(-(-len(PANELS) // ACROSS), ACROSS, figsize=(4 * ACROSS, 8.4), layout="constrained")
    axes = grid.flat
    for axis, (name, title) in zip(axes, PANELS.items(), strict=True):
        if whole[name] is not None:
            axis.axhline(whole[name], color="#bbbbbb", linestyle="--", linewidth=1, label="unrefined")
        for system, colour, mark in zip(names, COLOURS, MARKS, strict=False):
            own = sorted((row["budget"], row[name]) for row in rows if row["system"] == system and row[name] is not None)
            axis.plot([x for x, _ in own], [y for _, y in own], color=colour, marker=mark, markersize=4.5, linewidth=1.5, label=system)
        axis.set(title=title, xlabel="budget, share of the bytes")
        axis.xaxis.set_major_formatter(lambda value, _: f"{value:.0%}")
        axis.set_xticks(sorted({row["budget"] for row in rows if row["system"] != "unrefined"}))
        axis.invert_xaxis()
        axis.grid(alpha=0.25)
        for side in ("top", "right"):
            axis.spines[side].set_visible(False)
    figure.legend(*axes[0].get_legend_handles_labels(), loc="outside lower center", ncols=len(names) + 1, frameon=False)
    figure.savefig(path, dpi=130)
    plt.close(figure)
