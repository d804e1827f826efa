"""Threshold curves, by hand."""

from evals.judge_curve import curve, draw
from evals.judge_pairs import Labelled

from memfold.types import Decision, Entry, Pair


def judged(action, target, decided, chosen="", confidence=0.5, sure=True, relation=""):
    pair = Pair(Entry("a", "x"), Entry("b", "y"), 0.9)
    return Labelled(pair, "own", relation, action, target, sure, "en"), Decision(decided, chosen, confidence=confidence)


JUDGED = [
    judged("delete", "a", "delete", "a", 0.95),
    judged("delete", "a", "delete", "b", 0.9),
    judged("preserve", "", "delete", "b", 0.6, sure=False),
    judged("delete", "b", "preserve", "", 0.55),
    judged("merge", "", "merge", "", 0.4),
    judged("preserve", "", "preserve", "", 0.7),
]


def test_a_curve_point_by_point():
    whole, half, most = curve(JUDGED, (0.0, 0.6, 0.92))
    assert (whole.decided, whole.right, whole.deletions, whole.lossy, whole.found) == (1.0, 0.5, 3, 0.6667, 0.3333)
    assert (whole.right_confident, whole.lossy_confident) == (0.6, 0.5)
    assert (half.decided, half.right, half.deletions, half.lossy) == (0.6667, 0.5, 3, 0.6667)
    assert (most.decided, most.right, most.lossy, most.found) == (0.1667, 1.0, 0.0, 0.3333)


def test_nothing_to_share_is_none():
    [point] = curve(JUDGED[-1:], (0.9,))
    assert (point.decided, point.right, point.lossy, point.found) == (0.0, None, None, None)


def test_the_curve_is_drawn(tmp_path):
    draw({"own": JUDGED, "none": []}, tmp_path / "curve.png")
    assert (tmp_path / "curve.png").stat().st_size > 10_000
