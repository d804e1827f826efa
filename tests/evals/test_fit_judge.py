"""Fitting: the exported arrays are the fitted model."""

from dataclasses import replace

import numpy as np
import pytest
from evals.judge_pairs import read_pairs
from scripts.fit_embedded_judge import OWN, Examples, fit, left_out, plain_trees
from sklearn.ensemble import HistGradientBoostingClassifier


@pytest.fixture(scope="module")
def examples():
    pairs = [label for label in read_pairs(OWN) if label.source in ("own/points", "own/notes", "own/observations")]
    return Examples.of(pairs[::6])


def test_our_pairs_are_sound():
    pairs = read_pairs(OWN)
    assert len({label.pair.a.id for label in pairs}) == len(pairs) == 988
    for label in pairs:
        assert label.target in (("a", "b") if label.action == "delete" else ("",))
        assert {"a_covers_b": "b", "b_covers_a": "a"}.get(label.relation, label.target) == label.target


def test_plain_trees_give_what_the_library_gives():
    rng = np.random.default_rng(0)
    x = rng.normal(size=(400, 5))
    y = x[:, 0] + x[:, 1] * x[:, 2] + rng.normal(size=400) > 0
    boosted = HistGradientBoostingClassifier(max_iter=20, max_leaf_nodes=6, random_state=0).fit(x, y)
    trees = plain_trees(boosted)
    assert trees.sum(x) + float(np.ravel(boosted._baseline_prediction)[0]) == pytest.approx(boosted.decision_function(x), abs=1e-4)


def test_a_fitted_score_orders_what_it_was_fitted_on(examples):
    model = fit(examples)
    margins = model.cover.margin(examples.a)
    may_go = np.array([label.may_go("a") for label in examples.pairs])
    assert margins[may_go].mean() > margins[~may_go].mean() + 1
    assert model.names == examples.names


def test_a_fold_is_judged_by_a_model_that_never_saw_it(examples, monkeypatch):
    seen = []
    monkeypatch.setattr("scripts.fit_embedded_judge.fit", lambda part: seen.append({label.source for label in part.pairs}))
    outs = [out for out, _ in left_out(examples, [("own/points",), ("own/notes",)])]
    assert seen == [{"own/notes", "own/observations"}, {"own/points", "own/observations"}]
    sources = [label.source for label in examples.pairs]
    assert [int(out.sum()) for out in outs] == [sources.count("own/points"), sources.count("own/notes")]


def test_a_merge_learns_nothing_from_times(examples):
    days = examples.names.index("days_apart")
    telling = examples.a.copy()
    telling[:, days] = [label.action == "merge" for label in examples.pairs]
    told = fit(replace(examples, a=telling, b=telling))
    telling[:, days] = 9.0
    assert told.merge.margin(telling).tolist() == fit(replace(examples, b=examples.a)).merge.margin(examples.a).tolist()
