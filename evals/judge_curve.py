"""What a judge's confidence is worth: its threshold curves on labelled pairs.

    python -m evals.judge_curve DATA [--judge J] [--no-guards] [--plot PNG] [--json]

At every threshold of confidence: what share of the pairs is decided, how often those decisions are right (and on pairs that the labeller
was sure of), how many deletions there are, what share of them loses a fact, and what share of all that may be deleted is found.
For sources that the embedded judge was not fitted on, `python -m scripts.fit_embedded_judge DATA --cross` prints the same.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from evals.data import add_data_argument, data_folder
from evals.judge_pairs import Labelled, is_lossy, is_right, judge_all, read_pairs, share_of
from memfold.types import Decision

THRESHOLDS = (0.0, 0.5, 0.6, 0.65, 0.7, 0.75, 0.8, 0.85, 0.9, 0.95)


@dataclass(frozen=True, slots=True)
class Point:
    """A judge that abstains below a confidence. Shares in [0, 1], None where there is nothing to share."""

    confidence: float
    decided: float
    right: float | None
    right_confident: float | None
    deletions: int
    lossy: float | None
    lossy_confident: float | None
    found: float | None


def curve(judged: Sequence[tuple[Labelled, Decision]], thresholds: Sequence[float] = THRESHOLDS) -> list[Point]:
    """The curve of the decisions, one point a threshold."""
    deletable = sum(label.action == "delete" for label, _ in judged)
    return [_point(judged, threshold, deletable) for threshold in thresholds]


def _point(judged: Sequence[tuple[Labelled, Decision]], threshold: float, deletable: int) -> Point:
    decided = [one for one in judged if one[1].confidence >= threshold]
    deleted = [one for one in decided if one[1].action == "delete"]
    return Point(
        threshold,
        round(len(decided) / max(1, len(judged)), 4),
        share_of(decided, is_right),
        share_of([one for one in decided if one[0].confident], is_right),
        len(deleted),
        share_of(deleted, is_lossy),
        share_of([one for one in deleted if one[0].confident], is_lossy),
        round(sum(is_right(*one) for one in deleted) / deletable, 4) if deletable else None,
    )


def print_curves(name: str, judged: Sequence[tuple[Labelled, Decision]]) -> None:
    """The curve as a table."""
    print(f"\n{name}: decisions from a confidence on")
    print(f"{'confidence':>10} {'decided':>8} {'right':>7} {'(sure)':>7} {'del.':>6} {'lossy':>7} {'(sure)':>7} {'found':>7}")
    for point in curve(judged):
        shares = (point.decided, point.right, point.right_confident, point.lossy, point.lossy_confident, point.found)
        decided, right, sure, lossy, lossy_sure, found = ("-" if share is None else f"{share:.1%}" for share in shares)
        print(f"{point.confidence:10.2f} {decided:>8} {right:>7} {sure:>7} {point.deletions:6} {lossy:>7} {lossy_sure:>7} {found:>7}")


def draw(judged: Mapping[str, Sequence[tuple[Labelled, Decision]]], path: Path) -> None:
    """The curves as an image, one panel for each set of decisions.

    :raises ImportError: matplotlib is not installed.
    """
    import matplotlib as mpl

    mpl.use("Agg")
    import matplotlib.pyplot as plt

    lines = {
        "decided": ("share decided", "#8d8d8d"),
        "right": ("right", "#1b6ca8"),
        "right_confident": ("right, sure pairs", "#57a0d3"),
        "lossy": ("deletions that lose a fact", "#d1495b"),
        "found": ("deletions found", "#66a182"),
    }
    shown = {name: part for name, part in judged.items() if part}
    figure, axes = plt.subplots(1, len(shown), figsize=(6.2 * len(shown), 4.4), layout="constrained", squeeze=False, sharey=True)
    for axis, (name, part) in zip(axes[0], shown.items(), strict=True):
        points = curve(part, [step / 50 for step in range(50)])
        for field, (label, colour) in lines.items():
            known = [(point.confidence, getattr(point, field)) for point in points if getattr(point, field) is not None]
            axis.plot(*zip(*known, strict=True), color=colour, label=label, linewidth=1.8)
        axis.set(title=name, xlabel="least confidence", ylim=(0, 1), xlim=(0, 0.98))
        axis.yaxis.set_major_formatter(lambda value, _: f"{value:.0%}")
        axis.grid(alpha=0.25)
        for side in ("top", "right"):
            axis.spines[side].set_visible(False)
    figure.legend(*axes[0][0].get_legend_handles_labels(), loc="outside lower center", ncols=len(lines), frameon=False)
    figure.savefig(path, dpi=130)
    plt.close(figure)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m evals.judge_curve", description=(__doc__ or "").partition("\n")[0])
    add_data_argument(parser)
    parser.add_argument("--judge", default="embedded", help="a judge's name (default: embedded)")
    parser.add_argument("--guards", action=argparse.BooleanOptionalAction, default=True, help="the guards may veto (default)")
    parser.add_argument("--plot", type=Path, metavar="PNG", help="draw the curves (needs matplotlib)")
    parser.add_argument("--json", action="store_true", help="one JSON object a point")
    arguments = parser.parse_args()
    judged, _ = judge_all(arguments.judge, read_pairs(data_folder(arguments.data)), arguments.guards)
    if arguments.json:
        print("\n".join(json.dumps(asdict(point)) for point in curve(judged)))
    else:
        print_curves(arguments.judge, judged)
    if arguments.plot:
        draw({arguments.judge: judged}, arguments.plot)


if __name__ == "__main__":
    main()
