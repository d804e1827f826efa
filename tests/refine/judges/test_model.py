"""The embedded judge's scores as plain arrays: trees, weights, calibration, file."""

from dataclasses import replace

import numpy as np
import pytest

from memfold.refine.judges.facts import FactFinder
from memfold.refine.judges.features import FALLING, RISING, features
from memfold.refine.judges.manner import Manner, rarity
from memfold.refine.judges.model import Model, Score, Trees, bundled, read, write
from memfold.types import Entry, Pair

# Two trees over two features: one splits at 0.5 and again at 2, the other is a single leaf.
TREES = Trees(
    roots=np.array([0, 5], np.int32),
    feature=np.array([0, 0, 1, 0, 0, 0], np.int32),
    threshold=np.array([0.5, np.inf, 2.0, np.inf, np.inf, np.inf]),
    left=np.array([1, 1, 3, 3, 4, 5], np.int32),
    value=np.array([0.0, -1.0, 0.0, 2.0, 5.0, 0.25]),
    depth=2,
)
SCORE = Score(TREES, bias=0.5, weights=np.array([1.0, -2.0]), intercept=0.25, worth={}, calibration=(2.0, -1.0))
ROWS = np.array([[0.5, 9.0], [0.6, 2.0], [0.6, 2.1]])


def test_a_row_falls_through_the_trees():
    assert TREES.sum(ROWS).tolist() == [-0.75, 2.25, 5.25]


def test_the_margin_is_the_mean_of_both_parts_and_calibrated_after():
    margin = SCORE.margin(ROWS[:1])
    assert margin.tolist() == [(0.5 - 0.75 + 0.25 + 0.5 - 18.0) / 2]
    assert SCORE.probability(np.array([0.5])).tolist() == [0.5]
    assert SCORE.probability(np.array([-1e9, 1e9])) == pytest.approx([0.0, 1.0], abs=1e-9)


def test_a_lost_word_that_tells_something_lowers_the_margin():
    worthy = replace(SCORE, worth={"marathon": -0.75, "lovely": 0.25})
    plain = SCORE.margin(ROWS).tolist()
    lost = [frozenset({"marathon", "lovely"}), frozenset({"unknown"}), frozenset()]
    assert worthy.margin(ROWS, lost).tolist() == [plain[0] - 0.5, plain[1], plain[2]]


def test_a_row_gets_the_same_margin_in_any_batch():
    rows = np.random.default_rng(3).normal(size=(200, len(bundled().names)))
    words = sorted(bundled().cover.worth)
    lost = [frozenset(words[at : at + 9]) for at in range(200)]
    together = bundled().cover.margin(rows, lost)
    assert [bundled().cover.margin(rows[i : i + 1], lost[i : i + 1])[0] for i in range(200)] == together.tolist()


def test_a_model_comes_back_from_its_file(tmp_path):
    path = tmp_path / "model.npz"
    write(Model(("one", "other"), replace(SCORE, worth={"plan": -0.5}), SCORE), path)
    back = read(path)
    assert back.cover.worth == {"plan": -0.5}
    assert back.merge.worth == {}
    assert back.names == ("one", "other")
    assert back.merge.margin(ROWS).tolist() == SCORE.margin(ROWS).tolist()
    assert back.cover.calibration == SCORE.calibration


def pair_features(a, b):
    return features(FactFinder().of(Pair(Entry("a", a), Entry("b", b), 0.8)))


def test_the_bundled_model_was_fitted_on_these_features():
    assert bundled().names == tuple(pair_features("Rosa keeps hens.", "Ben keeps bees.")[0])
    assert set(bundled().names) >= FALLING | RISING


def test_features_of_a_pair_seen_from_its_sides():
    here, there = pair_features("Rosa keeps 12 hens in Oslo.", "Rosa keeps hens.")
    assert list(here) == list(there)
    assert here["numbers"] > there["numbers"] == 0
    assert here["back_numbers"] == there["numbers"]
    assert here["shared"] == there["shared"]
    assert (here["days_apart"], here["same_time"]) == (-1.0, 0.5)  # no times known


def test_rare_words_are_rare():
    assert rarity("the") == 0 < rarity("village") < rarity("lantern") < rarity("kiluwan") == 1.0
    assert rarity("lanterns") == rarity("lantern")  # an ending is no other word


def test_the_manner_of_talk_and_of_a_note():
    talk = Manner.of("Ana: You're so right! Are you okay?", "You're so right! Are you okay?")
    note = Manner.of("[Budget] Paid 1,400 to Holm because the roof leaked.", "Paid 1,400 to Holm because the roof leaked.")
    assert (talk.cries, talk.asking, note.heading) == (1, 0.5, "budget")
    assert talk.you > 0 == note.you
    assert note.weight > talk.weight
    assert (note.digits, note.names, note.past) == (4, 1, 1)
