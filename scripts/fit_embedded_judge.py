"""Fit the weights of the embedded judge's two scores and write them to src/memfold/refine/judges/weights.py.

    python -m scripts.fit_embedded_judge DATA [--only SOURCE ...] [--cross]

Two logistic regressions with a ridge, by Newton's method. `cover` is fitted on every side of every pair (may this side
go by the label?), `merge` on the pairs that the label keeps whole or merges. Every source counts as its pairs do.

--only takes the sources that may be fitted on (by the beginning of their name). --cross writes nothing: it fits on all
of them but one, source by source, and prints how the judge does on the one left out.
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from datetime import date
from pathlib import Path

import numpy as np
from evals.data import add_data_argument, data_folder
from evals.judge_pairs import Labelled, Score, _row, read_pairs
from numpy.typing import NDArray

from memfold.refine.judges import embedded
from memfold.refine.judges.facts import FactFinder, Facts
from memfold.refine.judges.features import cover_features, merge_features

FITTED = ("authored", "realmem", "memory-graph")
WEIGHTS = Path(__file__).parent.parent / "src/memfold/refine/judges/weights.py"
RIDGE = 2.0
HEAD = (
    '"""Weights of the embedded judge\'s two scores. Written by scripts/fit_embedded_judge.py; '
    'the names are explained in features.py."""\n'
)
Examples = tuple[NDArray[np.float64], NDArray[np.float64], list[str]]


def cover_examples(pairs: Sequence[tuple[Labelled, Facts]]) -> Examples:
    rows = [(cover_features(facts, side), label.may_go(side)) for label, facts in pairs for side in ("a", "b")]
    return as_arrays([features for features, _ in rows], [may_go for _, may_go in rows])


def merge_examples(pairs: Sequence[tuple[Labelled, Facts]]) -> Examples:
    kept = [(merge_features(facts), label.action == "merge") for label, facts in pairs if label.action != "delete"]
    return as_arrays([features for features, _ in kept], [merges for _, merges in kept])


def as_arrays(features: Sequence[Mapping[str, float]], answers: Sequence[bool]) -> Examples:
    names = list(features[0])
    return np.array([[one[name] for name in names] for one in features]), np.array(answers, np.float64), names


def fit(examples: Examples) -> dict[str, float]:
    """Weights by name, and `bias`, of a logistic regression; the ridge acts on standardised features."""
    x, y, names = examples
    mean, spread = x.mean(0), x.std(0)
    spread[spread == 0] = 1.0
    z = np.c_[(x - mean) / spread, np.ones(len(x))]
    ridge = np.diag([RIDGE] * len(names) + [0.0])
    w = np.zeros(len(names) + 1)
    for _ in range(50):
        p = 1 / (1 + np.exp(-(z @ w)))
        step = np.linalg.solve((z * (p * (1 - p))[:, None]).T @ z + ridge, z.T @ (p - y) + ridge @ w)
        w -= step
        if np.abs(step).max() < 1e-9:
            break
    plain = w[:-1] / spread
    weights = {name: round(float(weight), 4) for name, weight in zip(names, plain, strict=True)}
    return {"bias": round(float(w[-1] - plain @ mean), 4)} | weights


def written(name: str, doc: str, weights: Mapping[str, float]) -> str:
    lines = "\n".join(f'    "{feature}": {weight},' for feature, weight in weights.items())
    return f'\n{name}: dict[str, float] = {{\n{lines}\n}}\n"""{doc}"""\n'


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    add_data_argument(parser)
    parser.add_argument("--only", action="append", help=f"sources to fit on (default: {', '.join(FITTED)})")
    parser.add_argument("--cross", action="store_true", help="print the figures on sources left out; write nothing")
    arguments = parser.parse_args()
    allowed = tuple(arguments.only or FITTED)
    finder = FactFinder()
    pairs = [(label, finder.of(label.pair)) for label in read_pairs(data_folder(arguments.data))]
    usable = [one for one in pairs if one[0].source.startswith(allowed)]
    if arguments.cross:
        cross(usable, [one for one in pairs if not one[0].source.startswith(allowed)])
        return
    cover, merge = fit(cover_examples(usable)), fit(merge_examples(usable))
    text = (
        HEAD
        + "\nfrom __future__ import annotations\n"
        + written("COVER", "Logit of: this side may go, the other holds its facts.", cover)
        + written("MERGE", "Logit of: the two read well as one memory.", merge)
    )
    WEIGHTS.write_text(text, "utf-8")
    print(f"{date.today()}: fitted on {len(usable)} pairs of {', '.join(allowed)}; wrote {WEIGHTS}")


def cross(usable: Sequence[tuple[Labelled, Facts]], unseen: Sequence[tuple[Labelled, Facts]]) -> None:
    judged: list[tuple[Labelled, object]] = []
    for source in sorted({label.source for label, _ in usable}):
        rest = [one for one in usable if one[0].source != source]
        judged += judge([one for one in usable if one[0].source == source], fit(cover_examples(rest)), fit(merge_examples(rest)))
    seen = list(judged)
    judged += judge(unseen, fit(cover_examples(usable)), fit(merge_examples(usable))) if unseen else []
    print(_row("left out, of the fitted", Score.of(seen)))  # type: ignore[arg-type]
    print(_row("left out, all", Score.of(judged)))  # type: ignore[arg-type]
    for group in sorted({label.group for label, _ in judged}):
        print(_row(group, Score.of([one for one in judged if one[0].group == group])))  # type: ignore[arg-type]


def judge(pairs: Sequence[tuple[Labelled, Facts]], cover: dict[str, float], merge: dict[str, float]) -> list[tuple[Labelled, object]]:
    embedded.COVER, embedded.TOGETHER = cover, merge
    judge = embedded.EmbeddedJudge()
    return [(label, judge.decide([label.pair])[0]) for label, _ in pairs]


if __name__ == "__main__":
    main()
