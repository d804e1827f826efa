"""The value of a short note is its fact, whatever it is filed under."""

import pytest

from memfold.refine.guards import check
from memfold.types import Decision, Entry, Pair


def after(gone, kept, action="delete", merged=""):
    return check(Pair(Entry("a", gone), Entry("b", kept), 0.8), Decision(action, "a" if action == "delete" else "", merged=merged))


@pytest.mark.parametrize(
    ("gone", "kept"),
    [
        ("Mona: Likes chess", "Mona: Harbour pilot"),
        ("Risk: Frost in the pump house: Impact: Medium", "Risk: Frost in the pump house: Probability: Low (twice in ten years)"),
        ("Feature: Tide alarm: Status: Proposed", "Feature: Tide alarm: Use case: A short look at the status of the quay"),
        ("Tide search: Cost: O(a × b) → O(a + b)", "Tide search: Effect: O(a × b) cost, slow for a long coast"),
        ("Milestone: Second pump: Status: In Progress", "Milestone: Second pump: Target date: 2031-01-15"),
    ],
)
def test_a_value_that_stands_nowhere_else_is_kept(gone, kept):
    assert after(gone, kept).veto


@pytest.mark.parametrize(
    ("gone", "kept"),
    [
        ("Order 7: Deposit: From: Cash", "Order 7: Deposit: Type: Cash deposit"),
        ("Pump 4: Changes made:", "Pump 4: the seal changed from rubber to brass"),
        ("Mona: ok, thanks!", "Mona: I moved to Oslo in May."),
        ("Mona: brb, coffee", "Mona: I moved to Oslo in May."),
    ],
)
def test_what_says_nothing_of_its_own_may_go(gone, kept):
    assert after(gone, kept).veto != "field"


def test_two_values_of_one_field_without_a_later_side_stay_apart():
    open_, fixed = "Bug: Leaking gauge: Status: Open", "Bug: Leaking gauge: Status: Fixed"
    assert after(open_, fixed, "merge", "Bug: Leaking gauge: Status: Fixed. Open").veto == "field"
