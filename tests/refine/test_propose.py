"""The proposer against the definition: arg max over all living, unproposed pairs, ties by id."""

import itertools
from dataclasses import replace
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memfold.refine import propose
from memfold.refine.propose import MostSimilar, exact_cosines, quantise
from memfold.types import Entry


def unit(vectors):
    norms = np.linalg.norm(vectors, axis=1, keepdims=True)
    return (vectors / np.where(norms > 0, norms, 1)).astype(np.float32)


def entries_of(ids):
    return [Entry(id, f"text {id}") for id in ids]


def housed(entries, homes, random):
    """The entries, spread over some homes."""
    return [replace(entry, home=f"home {random.integers(homes)}") for entry in entries]


class BruteForce:
    """The same interface by the definition: every pair compared at every step."""

    def __init__(self, entries, vectors, floor):
        self.rows = {}
        self.homes = {}
        self.add(entries, vectors)
        self.done = set()
        self.floor = floor

    def next(self):
        best = None
        for a, b in itertools.combinations(sorted(self.rows), 2):
            cosine = float(exact_cosines(self.rows[a][None], self.rows[b])[0])
            allowed = self.homes[a] == self.homes[b] and (a, b) not in self.done and cosine >= self.floor
            if allowed and (best is None or (-cosine, a, b) < best):
                best = (-cosine, a, b)
        if best is not None:
            self.done.add(best[1:])
        return best

    def peek(self, count):
        before, pairs = set(self.done), [self.next() for _ in range(count)]
        self.done = before
        return pairs

    def remove(self, ids):
        for id in ids:
            del self.rows[id]

    def add(self, entries, vectors):
        self.rows |= {entry.id: row for entry, row in zip(entries, quantise(vectors), strict=True)}
        self.homes |= {entry.id: entry.home for entry in entries}


@settings(max_examples=150, deadline=None)
@given(
    seed=st.integers(0, 2**32 - 1),
    n=st.integers(0, 13),
    dim=st.sampled_from([2, 3, 8]),
    row=st.sampled_from([1, 2, 8]),
    block=st.integers(1, 6),
    groups=st.sampled_from([2, 4, 256]),
    crowd=st.sampled_from([1, 3, 64]),
    floor=st.sampled_from([-1.0, 0.0, 0.4]),
    crowded=st.booleans(),
    homes=st.sampled_from([1, 1, 3]),
)
def test_proposes_what_the_definition_says(seed, n, dim, row, block, groups, crowd, floor, crowded, homes):
    random = np.random.default_rng(seed)
    vectors = random.normal(size=(n, dim))
    if crowded and n:  # many equal vectors: ties are broken by id
        vectors = vectors[random.integers(0, max(1, n // 3), n)]
    vectors = unit(vectors)
    entries = housed(entries_of(f"{i:02d}" for i in random.permutation(n)), homes, random)
    with patch.multiple(propose, ROW=row, BLOCK=block, GROUPS=groups, CROWD=crowd):
        ours, reference = MostSimilar(entries, vectors, floor=floor), BruteForce(entries, vectors, floor)
        looks = np.random.default_rng(seed + 1)
        for step in itertools.count():
            if looks.random() < 0.4:  # looking ahead, or giving a pair back, changes nothing
                seen = [(-pair.cosine, pair.a.id, pair.b.id) for pair in ours.peek(looks.integers(0, 5))]
                assert seen == reference.peek(len(seen))
            pair, expected = ours.next(), reference.next()
            if pair is not None and looks.random() < 0.3:
                ours.put_back(pair)
                reference.done.discard(expected[1:])
                continue
            assert (None if pair is None else (-pair.cosine, pair.a.id, pair.b.id)) == expected
            if pair is None:
                return
            draw = random.random()
            if draw < 0.3:
                gone, new = [pair.a.id], []
            elif draw < 0.6:
                gone, new = [pair.a.id, pair.b.id], housed(entries_of([f"m{step}"]), homes, random)
            else:
                continue
            fresh = unit(random.normal(size=(len(new), dim)))
            for proposer in (ours, reference):
                proposer.remove(gone)
                proposer.add(new, fresh)


def test_a_pair_given_back_is_not_that_of_an_entry_that_came_again_under_the_id():
    entries = entries_of("ab")
    proposer = MostSimilar(entries, unit(np.array([[1.0, 0.0], [1.0, 0.1]])))
    proposer.put_back(proposer.next())
    proposer.remove(["b"])
    changed = Entry("b", "another text")
    proposer.add([changed], unit(np.array([[0.0, 1.0]])))
    assert proposer.next().b is changed
    assert proposer.next() is None


def test_pairs_judged_before_are_passed_over():
    entries = entries_of("abc")
    vectors = unit(np.array([[1.0, 0.0], [1.0, 0.1], [0.9, 0.3]]))
    first = MostSimilar(entries, vectors).next()
    assert first is not None
    known = {first.a.id, first.b.id}
    rest = MostSimilar(entries, vectors, known=lambda id, ids: [{id, other} == known for other in ids])
    proposed = [rest.next(), rest.next(), rest.next()]
    assert proposed[2] is None
    assert known not in [{pair.a.id, pair.b.id} for pair in proposed[:2]]


def test_many_equal_vectors_hold_memory_linear():
    n = 600
    proposer = MostSimilar(entries_of(f"{i:03d}" for i in range(n)), np.tile(unit(np.ones((1, 4))), (n, 1)))
    assert sum(len(row) for row in proposer._rows) <= n * propose.ROW
    pairs = [proposer.next() for _ in range(n)]
    assert [(p.a.id, p.b.id) for p in pairs[:3]] == [("000", "001"), ("000", "002"), ("000", "003")]


def test_the_cosine_of_float16_vectors_is_exact():
    random = np.random.default_rng(1)
    rows = quantise(unit(random.normal(size=(50, 384))))
    whole = exact_cosines(rows, rows[0])
    for i in random.permutation(50):
        shuffled = random.permutation(384)
        alone = exact_cosines(rows[i : i + 1][:, shuffled], rows[0][shuffled])[0]
        assert alone == whole[i]  # to the last bit, in any order of summation and any batch


def test_zero_vectors_are_similar_to_nothing():
    proposer = MostSimilar(entries_of("ab"), np.zeros((2, 3), np.float32))
    pair = proposer.next()
    assert pair is not None
    assert pair.cosine == 0.0


def test_entries_without_vectors_are_refused():
    with pytest.raises(ValueError, match="2 entries but 1 vectors"):
        MostSimilar(entries_of("ab"), np.ones((1, 3), np.float32))
