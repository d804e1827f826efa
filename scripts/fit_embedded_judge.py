"""Fit the embedded judge's two scores and write them to src/memfold/refine/judges/embedded.npz.

    pip install scikit-learn
    python -m scripts.fit_embedded_judge DATA [--out FILE]
    python -m scripts.fit_embedded_judge DATA --cross [--plot PNG] [--json]

DATA holds files of labelled pairs (`evals/judge_pairs.py` says their form) and the public stores of `evals/stored_pairs.py`; to them
come the pairs and worlds of `evals/pairs`. Fitted is on the sources of `FITTED` alone, which are free for any use. `cover` is fitted on
both sides of every pair (may this side go by the label?), `merge` on the pairs that the label keeps whole or merges. Each is the mean
of gradient-boosted trees, whose shape may not contradict the sign that plain features must have, and of a logistic regression with a
ridge. To `cover` comes what the words are worth that would be lost: another logistic regression, of the stems that only the victim
has. Pairs that the labeller was not sure of weigh half. The times of single written pairs (`WITHOUT_TIMES`) were invented and are left
out: what times mean is learnt from whole stores. `merge` learns whether both are of one day and no more: how many days lie between two
chapters of one matter is another number in every store.

The margins are calibrated (a logistic of the margin) on groups of sources left out in turn, `FOLDS`. --cross prints how the judge does on
what it was not fitted on: each group of `FOLDS`, kinds of text that the judge does not know, by a model of the other groups; each world
and persona of `stores`, new stores of kinds that it knows, by a model of the other stores; and all sources outside `FITTED` by
the model of all.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from evals.data import add_data_argument, data_folder
from evals.judge_curve import draw, print_curves
from evals.judge_pairs import Labelled, print_tables, read_pairs, tables
from evals.stored_pairs import read_stored_pairs
from numpy.typing import NDArray
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.feature_extraction import DictVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.preprocessing import StandardScaler

from memfold.refine import guards
from memfold.refine.judges.embedded import DELETE, EmbeddedJudge
from memfold.refine.judges.facts import FactFinder
from memfold.refine.judges.features import FALLING, RISING, TIMES_UNKNOWN, features, lost
from memfold.refine.judges.model import FILE, Model, Score, Trees, write
from memfold.types import Decision

OWN = Path(__file__).parent.parent / "evals/pairs"
FITTED = ("authored/", "own/", "worlds/", "realmem/", "realmem-turns/", "memory-graph", "letta/", "longmemeval")
WITHOUT_TIMES = ("authored/", "own/")
FOLDS = (
    ("realmem/", "realmem-turns/", "longmemeval"),
    ("memory-graph", "letta/", "worlds/notes"),
    ("authored/",),
    ("own/",),
    ("worlds/turns",),
    ("worlds/observations", "worlds/languages"),
    ("worlds/points", "worlds/assistant"),
    ("worlds/facts",),
)
UNSURE = 0.5
"""Weight of a pair of low confidence."""
TREES = {
    "max_iter": 200,
    "learning_rate": 0.05,
    "max_leaf_nodes": 16,
    "min_samples_leaf": 25,
    "l2_regularization": 3.0,
    "max_features": 0.4,
}
SEED = 0
INVERSE_RIDGE = 0.03
WORTH, WORTH_RIDGE, SEEN = 0.3, 0.1, 8
"""Share of the words' worth in the margin; the inverse of their ridge; victims that must lack a word before it is given a worth."""
Floats = NDArray[np.float64]
Lost: TypeAlias = "list[frozenset[str]]"


@dataclass(frozen=True, slots=True)
class Examples:
    """Labelled pairs as numbers and lost words; `a` and `b` have shape (n, features), seen from either side."""

    pairs: Sequence[Labelled]
    names: tuple[str, ...]
    a: Floats
    b: Floats
    lost_a: Lost
    lost_b: Lost

    @classmethod
    def of(cls, pairs: Sequence[Labelled]) -> Examples:
        finder = FactFinder()
        facts = [finder.of(label.pair) for label in pairs]
        rows = [features(one, timed=not label.source.startswith(WITHOUT_TIMES)) for one, label in zip(facts, pairs, strict=True)]
        a, b = zip(*rows, strict=True)
        numbers = (np.array([list(row.values()) for row in rows]) for rows in (a, b))
        lost_a, lost_b = ([lost(one, side) for one in facts] for side in ("a", "b"))
        return cls(pairs, tuple(a[0]), *numbers, lost_a, lost_b)

    def some(self, chosen: NDArray[np.bool_]) -> Examples:
        places = np.flatnonzero(chosen)
        pairs, lost_a, lost_b = ([part[at] for at in places] for part in (self.pairs, self.lost_a, self.lost_b))
        return replace(self, pairs=pairs, a=self.a[chosen], b=self.b[chosen], lost_a=lost_a, lost_b=lost_b)

    def without_gaps(self) -> Examples:
        """The same without how far apart the two were recorded; whether it was on one day stays."""
        a, b = self.a.copy(), self.b.copy()
        gap = self.names.index("days_apart")
        a[:, gap] = b[:, gap] = TIMES_UNKNOWN["days_apart"]
        return replace(self, a=a, b=b)

    def where(self, sources: Sequence[str]) -> NDArray[np.bool_]:
        """Which pairs are of a source that begins so."""
        return np.array([label.source.startswith(tuple(sources)) for label in self.pairs])

    @property
    def weights(self) -> Floats:
        return np.array([1.0 if label.confident else UNSURE for label in self.pairs])


def fit(examples: Examples) -> Model:
    """Both scores, not calibrated."""
    may_go = np.array([[label.may_go(side) for label in examples.pairs] for side in ("a", "b")])
    cover = replace(fit_score(examples, may_go, signed=True), worth=fit_worth(examples, may_go))
    kept = examples.some(np.array([label.action != "delete" for label in examples.pairs]))
    merges = np.array([label.action == "merge" for label in kept.pairs])
    return Model(examples.names, cover, fit_score(kept.without_gaps(), np.array([merges, merges]), signed=False))


def fit_score(examples: Examples, answers: NDArray[np.bool_], *, signed: bool) -> Score:
    x, y, weights = np.concatenate([examples.a, examples.b]), np.concatenate(answers), np.tile(examples.weights, 2)
    signs = [(name in RISING) - (name in FALLING) for name in examples.names] if signed else None
    boosted = HistGradientBoostingClassifier(**TREES, monotonic_cst=signs, random_state=SEED).fit(x, y, sample_weight=weights)
    scaler = StandardScaler().fit(x)
    linear = LogisticRegression(C=INVERSE_RIDGE, max_iter=5000).fit(scaler.transform(x), y, sample_weight=weights)
    plain = linear.coef_[0] / scaler.scale_
    intercept = float(linear.intercept_[0] - plain @ scaler.mean_)
    bias = float(np.ravel(boosted._baseline_prediction)[0])
    return Score(plain_trees(boosted), bias, plain.round(6), round(intercept, 6), {}, (1.0, 0.0))


def fit_worth(examples: Examples, answers: NDArray[np.bool_]) -> dict[str, float]:
    """What losing each word says of whether its side may go; the words that `SEEN` sides would lose."""
    lost = [*examples.lost_a, *examples.lost_b]
    counts = Counter(word for words in lost for word in words)
    known = sorted(word for word, count in counts.items() if count >= SEEN)
    vectors = DictVectorizer(sort=True).fit([dict.fromkeys(known, 1)])
    x = vectors.transform([dict.fromkeys(words, 1) for words in lost])
    linear = LogisticRegression(C=WORTH_RIDGE, max_iter=5000)
    linear.fit(x, np.concatenate(answers), sample_weight=np.tile(examples.weights, 2))
    return {word: round(WORTH * float(worth), 4) for word, worth in zip(known, linear.coef_[0], strict=True)}


def plain_trees(boosted: Any) -> Trees:
    """The trees of a boosted classifier as the arrays of `model.Trees`: level by level, so that the children of a node are neighbours."""
    roots: list[int] = []
    feature: list[int] = []
    threshold, value = [], []
    left: list[int] = []
    depth = 0
    for [predictor] in boosted._predictors:
        nodes, order, start = predictor.nodes, [0], len(value)
        roots.append(start)
        depth = max(depth, int(nodes["depth"].max()))
        for at in order:
            node, here = nodes[at], len(value)
            leaf = bool(node["is_leaf"])
            feature.append(0 if leaf else int(node["feature_idx"]))
            threshold.append(np.inf if leaf else float(node["num_threshold"]))
            left.append(here if leaf else start + len(order))
            value.append(round(float(node["value"]), 6) if leaf else 0.0)
            if not leaf:
                order += [int(node["left"]), int(node["right"])]
    index = (np.array(part, np.int32) for part in (roots, feature))
    return Trees(*index, np.array(threshold), np.array(left, np.int32), np.array(value), depth)


def kinds(examples: Examples) -> list[NDArray[np.bool_]]:
    """The folds of `FOLDS`: whole kinds of text."""
    return [examples.where(fold) for fold in FOLDS]


def stores(examples: Examples, count: int = 5) -> list[NDArray[np.bool_]]:
    """Folds of whole stores of the fitted sources: worlds, personas, agents, written registers. Every kind of text is in several folds."""
    names = sorted({label.store for label in examples.pairs if label.source.startswith(FITTED)})
    folds = {name: place % count for place, name in enumerate(names)}
    of = np.array([folds.get(label.store, -1) if label.source.startswith(FITTED) else -1 for label in examples.pairs])
    return [of == fold for fold in range(count)]


def left_out(examples: Examples, folds: Iterable[NDArray[np.bool_]]) -> Iterator[tuple[NDArray[np.bool_], Model]]:
    """For every fold of the fitted sources: which pairs it is, and a model of the other folds."""
    free = examples.where(FITTED)
    for out in folds:
        if (out & free).any() and (free & ~out).any():
            yield out, fit(examples.some(free & ~out))


def calibrated(model: Model, examples: Examples, folds: Sequence[tuple[NDArray[np.bool_], Model]]) -> Model:
    """The model with both margins calibrated on the folds that were left out."""
    margins: dict[str, list[tuple[float, bool, float]]] = {"cover": [], "merge": []}
    for out, other in folds:
        part = examples.some(out)
        a, b = other.cover.margin(part.a, part.lost_a), other.cover.margin(part.b, part.lost_b)
        merge = (other.merge.margin(part.a) + other.merge.margin(part.b)) / 2
        for label, at_a, at_b, together, weight in zip(part.pairs, a, b, merge, part.weights, strict=True):
            margins["cover"] += [(at_a, label.may_go("a"), weight), (at_b, label.may_go("b"), weight)]
            if label.action != "delete":
                margins["merge"].append((together, label.action == "merge", weight))
    cover, merge = (replace(getattr(model, name), calibration=_logistic(margins[name])) for name in ("cover", "merge"))
    return replace(model, cover=cover, merge=merge)


def _logistic(margins: Sequence[tuple[float, bool, float]]) -> tuple[float, float]:
    margin, answer, weight = (np.array(column) for column in zip(*margins, strict=True))
    fitted = LogisticRegression(C=1e6).fit(margin[:, None], answer, sample_weight=weight)
    return round(float(fitted.coef_[0, 0]), 4), round(float(fitted.intercept_[0]), 4)


Judged = list[tuple[Labelled, Decision]]


def plain(model: Model) -> Model:
    """The logistic regressions of the features alone, to see what the trees and the words are worth."""
    leaf = np.zeros(1, np.int32)
    none = Trees(leaf, leaf, np.zeros(1), leaf, np.zeros(1), 0)

    def without(score: Score) -> Score:
        return replace(score, trees=none, bias=0.0, weights=2 * score.weights, intercept=2 * score.intercept, worth={})

    return replace(model, cover=without(model.cover), merge=without(model.merge))


def cross(examples: Examples, form: Callable[[Model], Model] = lambda model: model, delete: float = DELETE) -> dict[str, Judged]:
    """The decisions on sources that the judge was not fitted on, by how they were left out.

    :param form: what is made of every fitted model before it is calibrated.
    :param delete: least confidence of a deletion.
    """
    free = examples.where(FITTED)
    unknown_kinds, unknown_stores = (
        [(out, form(model)) for out, model in left_out(examples, folds)] for folds in (kinds(examples), stores(examples))
    )
    model = calibrated(form(fit(examples.some(free))), examples, unknown_kinds)

    def judged(folds: Iterable[tuple[NDArray[np.bool_], Model]]) -> Judged:
        as_shipped = ((out, replace(m, cover=_as(m.cover, model.cover), merge=_as(m.merge, model.merge))) for out, m in folds)
        return [one for out, other in as_shipped for one in _judged(other, examples.some(out), delete)]

    return {
        "fitted sources, stores left out": judged(unknown_stores),
        "fitted sources, kinds of text left out": judged(unknown_kinds),
        "other sources": _judged(model, examples.some(~free), delete) if not free.all() else [],
    }


def _as(score: Score, other: Score) -> Score:
    return replace(score, calibration=other.calibration)


def _judged(model: Model, examples: Examples, delete: float) -> Judged:
    decisions = EmbeddedJudge(model=model, delete=delete).decide([label.pair for label in examples.pairs])
    return [(label, guards.check(label.pair, decision)) for label, decision in zip(examples.pairs, decisions, strict=True)]


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m scripts.fit_embedded_judge", description=(__doc__ or "").partition("\n")[0])
    add_data_argument(parser)
    parser.add_argument("--out", type=Path, default=FILE, help=f"file to write (default: {FILE})")
    parser.add_argument("--cross", action="store_true", help="print the figures on sources left out; write nothing")
    parser.add_argument("--plain", action="store_true", help="with --cross: the logistic regressions alone, without the trees")
    parser.add_argument("--delete", type=float, default=DELETE, metavar="P", help=f"with --cross: deletes from it on ({DELETE})")
    parser.add_argument("--plot", type=Path, metavar="PNG", help="with --cross: draw the threshold curves (needs matplotlib)")
    parser.add_argument("--json", action="store_true", help="with --cross: one JSON object")
    arguments = parser.parse_args()
    data = data_folder(arguments.data)
    examples = Examples.of(read_pairs(data) + read_pairs(OWN) + read_stored_pairs(data))
    if not arguments.cross:
        model = calibrated(fit(examples.some(examples.where(FITTED))), examples, list(left_out(examples, kinds(examples))))
        write(model, arguments.out)
        print(f"fitted on {int(examples.where(FITTED).sum())} pairs; wrote {arguments.out}")
        return
    judged = cross(examples, *([plain] if arguments.plain else []), delete=arguments.delete)
    if arguments.json:
        print(json.dumps({name: tables(part) for name, part in judged.items()}, default=lambda score: score.as_dict()))
        return
    for name, part in judged.items():
        if part:
            print_tables(name, tables(part))
            print_curves(name, part)
    if arguments.plot:
        draw(judged, arguments.plot)


if __name__ == "__main__":
    main()
