"""Bases, their 8-bit form and what they take."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memfold.atoms import AtomSettings, charged_bytes, nominal_bytes, open_clusterer
from memfold.atoms.basis import thin_basis
from memfold.atoms.exact import member_cosines, quantise, sum_cosine
from memfold.atoms.int8 import Int8Columns


def gaussian(seed: int, *shape: int) -> np.ndarray:
    return np.random.default_rng(seed).standard_normal(shape)


@given(st.integers(0, 10_000), st.integers(1, 30), st.integers(1, 12), st.integers(1, 20))
@settings(max_examples=60, deadline=None)
def test_basis_is_the_thin_svd(seed: int, n: int, rank: int, dim: int) -> None:
    x = gaussian(seed, n, dim)
    basis = thin_basis(x, rank)
    values = np.linalg.svd(x)[1]
    assert basis.shape == (dim, min(rank, n, dim))
    assert basis.T @ basis == pytest.approx(np.eye(basis.shape[1]), abs=1e-5)
    assert np.linalg.norm(x @ basis, axis=0) == pytest.approx(values[: basis.shape[1]], abs=1e-4)
    assert basis[:, 0] @ x.sum(axis=0) >= -1e-5


@given(st.integers(0, 10_000), st.integers(2, 8))
@settings(max_examples=40, deadline=None)
def test_basis_does_not_depend_on_the_order(seed: int, n: int) -> None:
    x = gaussian(seed, n, 16)
    one, other = thin_basis(x, 8), thin_basis(x[::-1], 8)
    assert one @ one.T == pytest.approx(other @ other.T, abs=1e-5)


def test_numerical_rank_bounds_the_columns() -> None:
    x = gaussian(1, 2, 10)
    assert thin_basis(np.concatenate([x, x, x]), 8).shape == (10, 2)
    assert thin_basis(np.zeros((3, 10)), 8).shape == (10, 0)


@given(st.integers(0, 10_000), st.integers(2, 64), st.integers(1, 8))
@settings(max_examples=60, deadline=None)
def test_int8_errs_within_its_bound(seed: int, dim: int, rank: int) -> None:
    columns = np.linalg.qr(gaussian(seed, dim, min(rank, dim)))[0].astype(np.float32)
    stored = Int8Columns.of(columns)
    assert stored.codes.dtype == np.int8
    error = np.abs(stored.floats() - columns)
    assert (error <= stored.scales / 2 + 1e-6).all()
    worst = np.linalg.norm(stored.floats() - columns, axis=0)  # the largest over unit q
    assert (worst <= stored.bound()).all()
    assert (np.linalg.norm(stored.unit_floats() - columns, axis=0) <= 2 * stored.bound()).all()
    assert np.linalg.norm(stored.unit_floats(), axis=0) == pytest.approx(np.ones(columns.shape[1]), abs=1e-6)


def test_int8_clusterer_gives_what_is_stored() -> None:
    x = gaussian(2, 30, 24)
    x = (x[:3].repeat(10, axis=0) + 0.3 * x).astype(np.float32)
    x /= np.linalg.norm(x, axis=1, keepdims=True)
    ids = [str(row) for row in range(30)]
    plain, basis, everything = (open_clusterer("rsm", AtomSettings(0.7, int8=form)) for form in ("", "basis", "all"))
    assert plain.add(ids, x) == basis.add(ids, x) == everything.add(ids, x)
    assert np.array_equal(plain.centroids(), basis.centroids())
    assert not np.array_equal(plain.centroids(), everything.centroids())
    assert not np.array_equal(plain.leading(), basis.leading())
    assert np.abs(plain.leading() - basis.leading()).max() < 0.01
    assert np.linalg.norm(basis.leading(), axis=1) == pytest.approx(np.ones(len(basis.numbers())), abs=1e-6)


@pytest.mark.parametrize(
    ("atoms", "columns", "dim", "form", "kilobytes"),
    [
        (34, 130, 4096, "", 2624),
        (34, 130, 4096, "basis", 1064),
        (34, 67, 4096, "", 1616),
        (34, 67, 4096, "basis", 812),
        (1600, 0, 4096, "", 25600),
        (1105, 0, 384, "", 1657.5),
        (40, 76, 384, "", 174.0),
        (60, 125, 384, "", 277.5),
        (34, 130, 4096, "all", 656),
    ],
)
def test_sizes_are_those_of_tables_16_and_18(atoms: int, columns: int, dim: int, form, kilobytes: float) -> None:
    assert nominal_bytes(atoms, columns, dim, form) == kilobytes * 1024


def test_charged_bytes_count_the_columns_that_there_are() -> None:
    clusterer = open_clusterer("rsm", AtomSettings(0.9, rank=2))
    clusterer.add(list("abcd"), np.array([[1, 0, 0], [1, 0.1, 0], [1, 0, 0.1], [0, 1, 0]], np.float32))
    assert [atom.basis.shape[1] for atom in clusterer.atoms()] == [2, 1]
    assert charged_bytes(clusterer.atoms()) == nominal_bytes(2, 3, 3) == 60
    assert charged_bytes([]) == 0


@given(st.integers(0, 10_000))
@settings(max_examples=30, deadline=None)
def test_exact_cosines_depend_on_no_order(seed: int) -> None:
    x = quantise(gaussian(seed, 9, 40) / 7)
    order = np.random.default_rng(seed).permutation(40)
    assert np.array_equal(member_cosines(x, x[0]), member_cosines(x[:, order], x[0, order]))
    total, shuffled = x.sum(axis=0, dtype=np.float64), x[::-1].astype(np.float64)[:, order].sum(axis=0)
    assert sum_cosine(total, x[3]) == sum_cosine(shuffled, x[3, order])
    assert sum_cosine(x[2].astype(np.float64), x[3]) == member_cosines(x[2:3], x[3])[0]
