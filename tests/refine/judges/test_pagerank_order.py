"""RulePR's own order of pairs: duplicates first, then low-ranked anchors with their neighbours."""

import numpy as np
import pytest

from memfold.refine.judges.pagerank import PageRankOrder, similarity_links
from memfold.types import Entry, Link


def unit(rows):
    vectors = np.asarray(rows, np.float32)
    return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


def chain():
    """Five entries linked in a row, none similar to another."""
    entries = [Entry(f"e{at}", f"text {at}", links=(Link(f"e{at + 1}"),) if at < 4 else ()) for at in range(5)]
    return entries, unit(np.eye(5))


def ids(pair):
    return pair.a.id, pair.b.id


def test_duplicates_come_first_from_the_most_similar_down():
    entries = [Entry(name, name) for name in "abcd"]
    vectors = unit([[1, 0, 0], [1, 0.1, 0], [0, 0, 1], [0, 0.4, 1]])
    order = PageRankOrder(entries, vectors, tau=0.8)
    assert [ids(order.next()), ids(order.next())] == [("a", "b"), ("c", "d")]


def test_an_anchor_grows_by_its_neighbours_one_by_one():
    hub = Entry("hub", "h", links=tuple(Link(name) for name in ("a", "b", "c")))
    entries = [hub, *(Entry(name, name) for name in "abc")]
    order = PageRankOrder(entries, unit(np.eye(4)), tau=0.8)
    first = order.next()
    assert set(ids(first)) == {"a", "hub"}  # a leaf has the lowest rank, ties by id
    order.remove(list(ids(first)))
    order.add([Entry("m", "a h")], unit([[1, 1, 0, 0]]))
    seen = set()
    while (pair := order.next()) is not None:
        assert "m" in ids(pair) or {"b", "c"} == set(ids(pair))
        seen |= set(ids(pair))
    assert seen == {"m", "b", "c"}


def test_the_highest_ranked_tenth_is_no_anchor():
    entries = [Entry("hub", "h"), *(Entry(f"e{at}", "x", links=(Link("hub"),)) for at in range(9))]
    order = PageRankOrder(entries, unit(np.eye(10)), tau=0.9)
    assert order.ranks["hub"] == max(order.ranks.values())
    assert order._round()[-1] != 0
    assert 0 not in order._round()


def test_every_pair_comes_once_where_all_are_preserved():
    order = PageRankOrder(*chain(), tau=0.8)
    seen = []
    while (pair := order.next()) is not None:
        seen.append(frozenset(ids(pair)))
    assert len(seen) == len(set(seen))
    assert len(seen) <= 10


def test_merging_all_ends_with_one_entry():
    entries, vectors = chain()
    order = PageRankOrder(entries, vectors, tau=0.8)
    alive, count = {entry.id for entry in entries}, 0
    while (pair := order.next()) is not None:
        assert set(ids(pair)) <= alive
        count += 1
        order.remove(list(ids(pair)))
        order.add([Entry(f"m{count}", "merged")], unit([np.ones(5)]))
        alive = alive - set(ids(pair)) | {f"m{count}"}
    assert len(alive) == 1


@pytest.mark.parametrize("count", [0, 1, 2])
def test_tiny_stores(count):
    entries = [Entry(str(at), "x") for at in range(count)]
    order = PageRankOrder(entries, unit(np.eye(max(count, 1)))[:count], tau=0.8)
    assert (order.next() is not None) == (count == 2)
    assert order.next() is None


def test_a_store_without_links_is_linked_to_its_nearest():
    rng = np.random.default_rng(3)
    vectors = unit(rng.normal(size=(40, 8)))
    links = similarity_links(vectors, [f"{at:02}" for at in range(40)])
    for row in range(40):
        nearest = sorted((other for other in range(40) if other != row), key=lambda other: -float(vectors[row] @ vectors[other]))[:5]
        assert set(nearest) <= links[row]
        assert all(row in links[other] for other in links[row])
