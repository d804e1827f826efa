from __future__ import annotations

import tracemalloc

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memfold.audit.neighbours import find_neighbours
from memfold.protocols import Vectors


def unit(rows: int, dim: int = 6, seed: int = 0) -> Vectors:
    vectors = np.random.default_rng(seed).standard_normal((rows, dim)).astype(np.float32)
    return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


def brute(vectors: Vectors, homes: list[str], floor: float) -> dict[tuple[int, int], float]:
    return {
        (a, b): float(vectors[a] @ vectors[b])
        for a in range(len(vectors))
        for b in range(a + 1, len(vectors))
        if homes[a] == homes[b] and float(vectors[a] @ vectors[b]) >= floor
    }


@settings(max_examples=40, deadline=None)
@given(st.lists(st.sampled_from(["", "x", "y"]), max_size=40), st.integers(0, 5), st.sampled_from([-1.0, 0.123, 0.6]))
def test_all_pairs_of_a_home_and_no_others(homes: list[str], seed: int, floor: float) -> None:
    vectors = unit(len(homes), seed=seed)
    found = find_neighbours(vectors, homes, floor=floor, per_row=100)
    got = {(int(a), int(b)): float(c) for a, b, c in zip(found.a, found.b, found.cosine, strict=True)}
    assert got == pytest.approx(brute(vectors, homes, floor), abs=1e-5)
    assert list(found.cosine) == sorted(found.cosine, reverse=True)


def test_a_crowded_row_keeps_its_nearest() -> None:
    vectors = np.abs(unit(60, dim=3))
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    found = find_neighbours(vectors, [""] * 60, floor=-1, per_row=4)
    pairs = set(zip(found.a.tolist(), found.b.tolist(), strict=True))
    assert len(pairs) <= 60 * 4
    for row in range(60):
        cosines = vectors @ vectors[row]
        cosines[row] = -2
        assert all((min(row, n), max(row, n)) in pairs for n in np.argsort(-cosines)[:4].tolist())


def test_blocks_do_not_show(monkeypatch: pytest.MonkeyPatch) -> None:
    vectors = unit(97)
    whole = find_neighbours(vectors, [""] * 97, floor=0.3, per_row=50)
    monkeypatch.setattr("memfold.audit.neighbours._CELLS", 97 * 10)
    parts = find_neighbours(vectors, [""] * 97, floor=0.3, per_row=50)
    assert np.array_equal(whole.a, parts.a)
    assert np.array_equal(whole.b, parts.b)
    assert np.allclose(whole.best, parts.best)


def test_best_is_nan_only_for_those_alone_at_home() -> None:
    vectors = unit(3)
    found = find_neighbours(vectors, ["x", "y", "x"], floor=2, per_row=5)
    assert len(found.a) == 0
    assert np.isnan(found.best).tolist() == [False, True, False]
    assert found.best[0] == pytest.approx(float(vectors[0] @ vectors[2]), abs=1e-6)


def test_memory_does_not_grow_with_the_square(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("memfold.audit.neighbours._CELLS", 50_000)

    def peak(rows: int) -> int:
        vectors = unit(rows, dim=16)
        tracemalloc.start()
        find_neighbours(vectors, [""] * rows, floor=0.95, per_row=8)
        most = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        return most

    assert peak(2_000) < 2.5 * peak(1_000)
