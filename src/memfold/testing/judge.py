"""What every judge must keep, as checks for ours and for yours. Needs no test framework; with pytest:

    import pytest
    from memfold.testing.judge import CHECKS

    @pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
    def test_my_judge(check):
        check(MyJudge())

A check returns nothing, or raises AssertionError with what is wrong. `check_judge` runs them all. A judge that costs money
pays for about a hundred pairs.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import TypeAlias

from memfold.protocols import Judge
from memfold.types import Decision, Entry, Pair

Check: TypeAlias = Callable[[Judge], None]

EARLY, LATE = datetime(2026, 1, 5, tzinfo=UTC), datetime(2026, 3, 9, tzinfo=UTC)
TEXTS = (
    ("Karl serviced the boiler in May.", "The boiler was serviced by Karl in May."),
    ("Rosa keeps 12 hens in the yard.", "Rosa keeps 12 hens and sells the eggs on Fridays."),
    ("Ana's locker code is 4417.", "Ben's locker code is 4471."),
    ("Iris is allergic to peanuts.", "Iris is not allergic to peanuts."),
    ("Thanks, that helps!", "The ferry to the island leaves at 7:40."),
    ("小林住在东京，养了一只猫。", "小林住在东京，在图书馆工作。"),
    ("Mona rents a flat in Graz.", "The printer is out of toner again."),
)
ODD_TEXTS = ("", " \n\t", "\x00", "\ud800", "🦄", "\u202eright to left\u202c", "x" * 5000, "{}\\'\"`%s\u2028", "ประชุมเลื่อนไปวันศุกร์")


def pairs(cosine: float = 0.85) -> list[Pair]:
    """Small pairs of all sorts, the second side later than the first."""
    return [
        Pair(Entry(f"a{at}", one, created_at=EARLY), Entry(f"b{at}", other, created_at=LATE), cosine)
        for at, (one, other) in enumerate(TEXTS)
    ]


def check_name_and_floor(judge: Judge) -> None:
    """The name is a text that stays, and the floor a cosine."""
    before = judge.name
    _decide(judge, pairs()[:1])
    _require(before.strip() != "", f"the name is {before!r}")
    _require(judge.name == before, f"the name changed by judging from {before!r} to {judge.name!r}")
    _require(-1.0 <= judge.floor <= 1.0, f"the floor {judge.floor} is no cosine")


def check_no_pairs(judge: Judge) -> None:
    """No pairs, no decisions."""
    _require(judge.decide([]) == [], "no pairs gave decisions")


def check_form(judge: Judge) -> None:
    """A delete has a side, a merge has a text, and every decision has a reason of one line and a confidence in [0, 1]."""
    for cosine in (0.2, 0.85):
        _decide(judge, pairs(cosine))


def check_order(judge: Judge) -> None:
    """Decision i belongs to pair i, whatever stands beside it."""
    asked = pairs()
    together = _decide(judge, asked)
    _require(_decide(judge, asked[::-1]) == together[::-1], "the decisions do not follow the order of the pairs")
    alone = [_decide(judge, [pair])[0] for pair in asked]
    _require(alone == together, "a pair alone and among others got different decisions")


def check_swapped_sides(judge: Judge) -> None:
    """With its sides exchanged, a pair gets the same action, and the same entry goes."""
    for pair in pairs():
        decision = _decide(judge, [pair])[0]
        other = _decide(judge, [replace(pair, a=pair.b, b=pair.a)])[0]
        _require(other.action == decision.action, f"{pair.a.text!r}: {decision.action}, with the sides exchanged {other.action}")
        _require(other.target == decision.swapped().target, f"{pair.a.text!r}: another entry goes when the sides are exchanged")
        _require(other.merged == decision.merged, f"{pair.a.text!r}: another text comes when the sides are exchanged")


def check_floor(judge: Judge) -> None:
    """Below its floor, a judge preserves every pair: such pairs are not shown to it."""
    if judge.floor <= -1.0:
        return
    for pair, decision in zip(pairs(judge.floor - 0.01), _decide(judge, pairs(judge.floor - 0.01)), strict=True):
        _require(decision.action == "preserve", f"{pair.a.text!r}: {decision.action} below the floor {judge.floor}")


def check_odd_texts(judge: Judge) -> None:
    """No text makes a judge raise."""
    odd = [Pair(Entry("a", one), Entry("b", other), 0.85) for one, other in zip(ODD_TEXTS, ODD_TEXTS[1:], strict=False)]
    _decide(judge, odd)


CHECKS: tuple[Check, ...] = (
    check_name_and_floor,
    check_no_pairs,
    check_form,
    check_order,
    check_swapped_sides,
    check_floor,
    check_odd_texts,
)


def check_judge(judge: Judge) -> None:
    """All checks.

    :raises AssertionError: the first that fails, with what is wrong.
    """
    for check in CHECKS:
        check(judge)


def _decide(judge: Judge, asked: Sequence[Pair]) -> list[Decision]:
    """The decisions, their form checked."""
    decisions = judge.decide(asked)
    _require(len(decisions) == len(asked), f"{len(asked)} pairs gave {len(decisions)} decisions")
    for pair, decision in zip(asked, decisions, strict=True):
        where = f"{pair.a.text[:40]!r} and {pair.b.text[:40]!r}"
        _require(decision.action in ("delete", "merge", "preserve"), f"{where}: the action is {decision.action!r}")
        sides = ("a", "b") if decision.action == "delete" else ("",)
        _require(decision.target in sides, f"{where}: {decision.action} with the target {decision.target!r}")
        merges = decision.action == "merge"
        _require(merges or not decision.merged, f"{where}: {decision.action} with a merged text")
        _require(not decision.failed or decision.action == "preserve", f"{where}: a failure that does not preserve")
        _require(bool(decision.reason.strip()) and len(decision.reason.splitlines()) == 1, f"{where}: the reason is {decision.reason!r}")
        _require(0.0 <= decision.confidence <= 1.0, f"{where}: the confidence is {decision.confidence}")
    return decisions


def _require(holds: bool, wrong: str) -> None:
    if not holds:
        raise AssertionError(wrong)
