import pytest
from hypothesis import given
from hypothesis import strategies as st

from memfold.budget import Budget
from memfold.errors import BudgetError


@pytest.mark.parametrize(
    ("written", "amount", "unit", "share"),
    [
        ("50%", 0.5, "bytes", True),
        (" 12.5 % ", 0.125, "bytes", True),
        ("40% entries", 0.4, "entries", True),
        ("30% tokens", 0.3, "tokens", True),
        ("0", 0, "bytes", False),
        ("1,200", 1200, "bytes", False),
        ("200KB", 200_000, "bytes", False),
        ("200 kb", 200_000, "bytes", False),
        ("1.5MiB", 1_572_864, "bytes", False),
        ("2 bytes", 2, "bytes", False),
        ("300 entries", 300, "entries", False),
        ("1 entry", 1, "entries", False),
        ("20k tokens", 20_000, "tokens", False),
        ("1.5m tokens", 1_500_000, "tokens", False),
        (4096, 4096, "bytes", False),
    ],
)
def test_budgets_as_people_write_them(written, amount, unit, share):
    assert Budget.parse(written) == Budget(amount, unit, share)


@pytest.mark.parametrize("written", ["", "half", "120%", "-5", "20k", "5 apples", "50% apples", "1.2.3", "5 KB MB", "entries", "1e9"])
def test_what_cannot_be_read_is_refused_with_a_cure(written):
    with pytest.raises(BudgetError, match="write a share like 50%"):
        Budget.parse(written)


def test_a_share_is_of_all_that_was_taken_in():
    assert Budget.parse("50%").limit(1001) == 500
    assert Budget.parse("200KB").limit(1001) == 200_000


@given(st.text(max_size=30))
def test_any_text_gives_a_budget_or_a_budget_error(written):
    try:
        budget = Budget.parse(written)
    except BudgetError:
        return
    assert budget.amount >= 0


@given(st.integers(0, 10**12), st.sampled_from(["bytes", "tokens", "entries"]))
def test_the_written_form_is_read_back(amount, unit):
    budget = Budget(float(amount), unit)
    assert Budget.parse(str(budget)) == budget
