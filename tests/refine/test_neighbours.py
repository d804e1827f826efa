"""The lists against the definition: the k nearest living of the same home, ties by id, however the store became so."""

import itertools
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memfold.refine import neighbours
from memfold.refine.neighbours import Neighbours
from memfold.refine.propose import exact_cosines, quantise
from memfold.types import Entry


def unit(vectors):
    norms = np.linalg.norm(vectors, axis=1, keepdims=True)
    return (vectors / np.where(norms > 0, norms, 1)).astype(np.float32)


def by_definition(store, count, floor):
    """All pairs by id, given id -> (entry, vector)."""
    pairs = {}
    for id, (entry, vector) in store.items():
        keyed = []
        for other, (there, row) in store.items():
            cosine = float(exact_cosines(quantise(row)[None], quantise(vector))[0])
            if other != id and there.home == entry.home and cosine >= floor:
                keyed.append((-cosine, other < id, other))
        pairs |= {(min(id, other), max(id, other)): -minus for minus, _, other in sorted(keyed)[:count]}
    return pairs


def listed(lists):
    """What the lists hold, by id."""
    low, high, cosines = lists.pairs()
    found = [lists.pair(*near) for near in zip(low.tolist(), high.tolist(), strict=True)]
    assert [pair.cosine for pair in found] == cosines.tolist()
    assert found == sorted(found, key=lambda pair: (-pair.cosine, pair.a.id, pair.b.id))
    assert all(lists.near(*near) for near in zip(low.tolist(), high.tolist(), strict=True))
    return {(pair.a.id, pair.b.id): pair.cosine for pair in found}


@settings(max_examples=150, deadline=None)
@given(
    seed=st.integers(0, 2**32 - 1),
    n=st.integers(0, 16),
    dim=st.sampled_from([2, 3, 8]),
    count=st.integers(1, 5),
    block=st.integers(1, 5),
    floor=st.sampled_from([-1.0, 0.0, 0.5]),
    crowded=st.booleans(),
    homes=st.sampled_from([1, 1, 3]),
)
def test_lists_are_those_of_the_living_and_changes_are_told(seed, n, dim, count, block, floor, crowded, homes):
    random = np.random.default_rng(seed)
    vectors = random.normal(size=(n, dim))
    if crowded and n:
        vectors = vectors[random.integers(0, max(1, n // 3), n)]
    vectors = unit(vectors)
    entries = [Entry(f"{i:02d}", "x", home=f"home {random.integers(homes)}") for i in random.permutation(n)]
    store = {entry.id: (entry, vector) for entry, vector in zip(entries, vectors, strict=True)}
    with patch.multiple(neighbours, BLOCK=block):
        lists = Neighbours(entries, vectors, count=count, floor=floor)
        before = by_definition(store, count, floor)
        assert listed(lists) == before
        for step in range(12):
            if store and random.random() < 0.7:
                ids = [str(id) for id in random.permutation(sorted(store))[: random.integers(1, 3)]]
                for id in ids:
                    del store[id]
                told = lists.remove(ids)
            else:
                new = [Entry(f"new {step} {i}", "x", home=f"home {random.integers(homes)}") for i in range(random.integers(0, 3))]
                rows = unit(random.normal(size=(len(new), dim)))
                if crowded and len(store) and len(new):
                    rows[:] = next(iter(store.values()))[1]
                store |= {entry.id: (entry, row) for entry, row in zip(new, rows, strict=True)}
                told = lists.add(new, rows)
            now = by_definition(store, count, floor)
            assert listed(lists) == now
            pairs = [lists.pair(*near) for near in told]
            assert {(pair.a.id, pair.b.id) for pair in pairs} >= now.keys() - before.keys()
            assert {(pair.a.id, pair.b.id) for pair in pairs} <= now.keys()
            before = now


def test_memory_is_linear():
    n = 3000
    random = np.random.default_rng(0)
    lists = Neighbours([Entry(str(i), "x") for i in range(n)], unit(random.normal(size=(n, 16))), count=8)
    arrays = [value for name in vars(lists) if isinstance(value := getattr(lists, name), np.ndarray)]
    assert sum(array.nbytes for array in arrays) <= n * (16 * 6 + 16 * 12 + 32)
    for i in range(1000):
        lists.remove([str(i)])
        lists.add([Entry(f"new {i}", "x")], unit(random.normal(size=(1, 16))))
    assert len(lists._gone) <= 1.25 * len(lists)


def test_the_order_of_the_entries_does_not_matter():
    random = np.random.default_rng(3)
    vectors = unit(random.normal(size=(6, 4))[random.integers(0, 6, 40)])
    entries = [Entry(f"{i:02d}", "x") for i in range(40)]
    expected = listed(Neighbours(entries, vectors, count=3))
    for _ in range(3):
        order = random.permutation(40)
        assert listed(Neighbours([entries[i] for i in order], vectors[order], count=3)) == expected


def test_of_equal_entries_each_is_near_to_few():
    lists = Neighbours([Entry(f"{i:02d}", "x") for i in range(30)], np.tile(unit(np.ones((1, 4))), (30, 1)), count=3)
    assert len(listed(lists)) == 30 * 3
    assert len(lists.remove(["11"])) == 3


def test_zero_vectors_and_a_lone_entry():
    assert listed(Neighbours([Entry("a", "x")], np.ones((1, 2), np.float32), count=3)) == {}
    assert listed(Neighbours([Entry("a", "x"), Entry("b", "x")], np.zeros((2, 2), np.float32), count=3)) == {("a", "b"): 0.0}
    assert list(itertools.chain(*map(np.ndarray.tolist, Neighbours([], np.zeros((0, 2), np.float32), count=1).pairs()))) == []


@pytest.mark.parametrize(("rows", "count", "told"), [(1, 3, "2 entries but 1 vectors"), (2, 0, "at least one")])
def test_what_makes_no_sense_is_refused(rows, count, told):
    with pytest.raises(ValueError, match=told):
        Neighbours([Entry("a", "x"), Entry("b", "x")], np.ones((rows, 2), np.float32), count=count)
