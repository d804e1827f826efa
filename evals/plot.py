"""The figures over the budgets, one line a system."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

PANELS = {
    "survived": "evidence turns that survive,\nalone or merged",
    "told": "evidence turns' words\nstill told",
    "nearest": "evidence turns among\nthe ten nearest entries",
    "answered": "answer words in\nthe ten nearest entries",
}
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
    figure, axes = plt.subplots(1, len(PANELS), figsize=(4 * len(PANELS), 4.4), layout="constrained")
    for axis, (name, title) in zip(axes, PANELS.items(), strict=True):
        axis.axhline(whole[name], color="#bbbbbb", linestyle="--", linewidth=1, label="unrefined")
        for system, colour, mark in zip(names, COLOURS, MARKS, strict=False):
            own = sorted((row["budget"], row[name]) for row in rows if row["system"] == system)
            axis.plot(*zip(*own, strict=True), color=colour, marker=mark, markersize=4.5, linewidth=1.5, label=system)
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
