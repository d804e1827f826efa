from datetime import datetime

import pytest

from memfold.refine.guards import GuardSettings, check
from memfold.types import Decision, Entry, Pair


@pytest.fixture
def veto():
    """The name of the guard that vetoes the deletion of the first text in favour of the second; "" where none does."""

    def ask(victim, kept, *, victim_at=None, kept_at=None, relation="", settings=GuardSettings()):
        pair = Pair(Entry("a", victim, occurred_at=victim_at), Entry("b", kept, occurred_at=kept_at), 0.9)
        return check(pair, Decision("delete", "a", relation), settings).veto

    return ask


@pytest.fixture
def merge_veto():
    """The name of the guard that vetoes a merge of two texts; "" where none does."""

    def ask(one, other, merged, *, at=None, settings=GuardSettings(), **fields):
        times = at or (None, None)
        a = Entry("a", one, occurred_at=times[0], **fields.get("a", {}))
        b = Entry("b", other, occurred_at=times[1], **fields.get("b", {}))
        return check(Pair(a, b, 0.9), Decision("merge", merged=merged), settings).veto

    return ask


@pytest.fixture
def day():
    return lambda month, number: datetime(2025, month, number, 9, 0)
