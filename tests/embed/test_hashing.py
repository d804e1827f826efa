from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from memfold.embed import HashingEmbedder

EMBEDDER = HashingEmbedder()


def test_vectors_are_the_same_everywhere() -> None:
    """Pinned, since stores and recorded runs keep these vectors: a change needs a new number in the name."""
    vector = HashingEmbedder(8).embed(["The ferry leaves at 7:40."])[0]
    assert HashingEmbedder(8).name == "hashing-8-1"
    assert vector == pytest.approx([0.391198, -0.4607601, 0.3130294, 0.3825915, 0.034781, -0.3130294, -0.4607601, -0.2807201], abs=1e-6)


@given(st.text(st.characters(exclude_categories=["Cs"]), max_size=40), st.text(st.characters(exclude_categories=["Cs"]), max_size=40))
def test_different_texts_have_different_vectors(one: str, other: str) -> None:
    first, second = EMBEDDER.embed([one, other])
    assert (one == other) == bool((first == second).all())


def test_shared_words_and_spelling_give_similarity() -> None:
    moved, moves, printer = EMBEDDER.embed(["Vera moved to Oslo in May.", "vera moves to Oslo in june", "The printer lacks toner"])
    assert moved @ moves > 0.5
    assert abs(moved @ printer) < 0.25


def test_unrelated_texts_are_nearly_orthogonal() -> None:
    vectors = EMBEDDER.embed([f"{chr(97 + n) * 5} {chr(110 + n) * 7}" for n in range(12)])
    cosines = (vectors @ vectors.T)[np.triu_indices(12, 1)]
    assert np.abs(cosines).max() < 0.35


def test_a_long_text_is_read_to_its_end() -> None:
    text = "all work and no play " * 12_000
    one, other = EMBEDDER.embed([text, text[:-1] + "makes"])
    assert (one != other).any()
    assert one @ other > 0.95


@pytest.mark.parametrize("dim", [8, 9, 64, 1000])
def test_dimensions(dim: int) -> None:
    assert HashingEmbedder(dim).embed(["a", ""]).shape == (2, dim)


def test_too_few_dimensions_are_refused() -> None:
    with pytest.raises(ValueError, match="at least 8"):
        HashingEmbedder(7)
