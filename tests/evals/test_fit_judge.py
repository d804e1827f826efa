"""Fitting: the exported arrays are the fitted model."""

from dataclasses import replace

import numpy as np
import pytest
from evals.stored_pairs import read_stored_pairs
from scripts.fit_embedded_judge import Examples, fit, kinds, left_out, plain_trees, stores
from sklearn.ensemble import HistGradientBoostingClassifier


@pytest.fixture(scope="module")
def examples():
    pairs = [label for label in read_stored_pairs() if label.group in ("worlds/points", "worlds/notes", "worlds/turns")]
    return Examples.of(pairs[::12])


def test_plain_trees_give_what_the_library_gives():
    rng = np.random.default_rng(0)
    x = rng.normal(size=(400, 5))
    y = x[:, 0] + x[:, 1] * x[:, 2] + rng.normal(size=400) > 0
    boosted = HistGradientBoostingClassifier(max_iter=20, max_leaf_nodes=6, random_state=0).fit(x, y)
    trees = plain_trees(boosted)
    assert trees.sum(x) + float(np.ravel(boosted._baseline_prediction)[0]) == pytest.approx(boosted.decision_function(x), abs=1e-4)


def test_a_fitted_score_orders_what_it_was_fitted_on(examples):
    model = fit(examples)
    margins = model.cover.margin(examples.a, examples.lost_a)
    may_go = np.array([label.may_go("a") for label in examples.pairs])
    assert margins[may_go].mean() > margins[~may_go].mean() + 1
    assert model.names == examples.names


def test_words_that_carry_facts_are_worth_more_than_words_of_cheer(examples):
    worth = fit(Examples.of([label for label in read_stored_pairs() if label.group == "worlds/turns"][::3])).cover.worth
    assert max(worth["thank"], worth["proud"]) > 0 > min(worth["two"], worth["march"])


def test_a_fold_is_judged_by_a_model_that_never_saw_it(examples, monkeypatch):
    seen = []
    monkeypatch.setattr("scripts.fit_embedded_judge.fit", lambda part: seen.append({label.group for label in part.pairs}))
    list(left_out(examples, kinds(examples)))
    assert seen == [{"worlds/points", "worlds/turns"}, {"worlds/notes", "worlds/points"}, {"worlds/notes", "worlds/turns"}]


def test_folds_of_stores_share_no_store_and_leave_none_out(examples):
    folds = stores(examples)
    assert np.sum(folds, axis=0).tolist() == [1] * len(examples.pairs)
    held = [{label.store for label, chosen in zip(examples.pairs, fold, strict=True) if chosen} for fold in folds]
    assert sum(map(len, held)) == len({label.store for label in examples.pairs})


def test_a_merge_learns_nothing_from_how_far_apart_the_two_were(examples):
    gap = examples.names.index("days_apart")
    telling = examples.a.copy()
    telling[:, gap] = [label.action == "merge" for label in examples.pairs]
    told = fit(replace(examples, a=telling, b=telling))
    other = telling.copy()
    other[:, gap] = 9.0
    assert told.merge.margin(telling).tolist() == told.merge.margin(other).tolist()
