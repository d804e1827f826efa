from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memfold.audit.duplicates import connected, normal, same


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("Thanks!", "thanks"),
        ("The  van is\nblue.", "the van is blue"),
        ("１２ Eier", "12 eier"),
        ("Straße", "STRASSE"),
        ("好的。", "好的"),
        ("wait…", "Wait..."),
    ],
)
def test_case_spacing_width_and_final_stops_do_not_part_copies(a: str, b: str) -> None:
    assert normal(a) == normal(b)


@pytest.mark.parametrize(("a", "b"), [("You come.", "You come?"), ("3.20 m", "320 m"), ("Ana's cup", "Anas cup"), ("a, b", "a b")])
def test_what_may_matter_parts_copies(a: str, b: str) -> None:
    assert normal(a) != normal(b)


@given(st.text())
def test_normal_is_stable(text: str) -> None:
    assert normal(normal(text)) == normal(text)


def test_same_keeps_order_and_single_ones() -> None:
    assert same(["b", "a", "b", "c"]) == [[0, 2], [1], [3]]


@given(st.lists(st.tuples(st.integers(0, 11), st.integers(0, 11))))
def test_connected_is_the_closure_of_the_pairs(pairs: list[tuple[int, int]]) -> None:
    count = 12
    groups = connected(count, pairs)
    place = {n: k for k, group in enumerate(groups) for n in group}
    assert all(place[a] == place[b] for a, b in pairs if a != b)
    reach = [{n} for n in range(count)]
    for _ in range(count):
        for a, b in pairs:
            reach[a] |= reach[b]
            reach[b] |= reach[a]
    assert groups == sorted([sorted(group) for group in {frozenset(r) for r in reach} if len(group) > 1])
