"""Questions and what they find: each scorer's order, its reasons, filters, ties, links, scripts without spaces."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

import numpy as np
import pytest

from memfold.errors import BadParameter, UnknownName
from memfold.retrieve import SCORERS, Filter, Retriever, inquiry, open_scorer
from memfold.store.shelf import StoredShelf
from memfold.types import Entry


def ids(hits):
    return [hit.entry.id for hit in hits]


def ask(retriever, scorer, text="", vector=None, **more):
    return retriever.recall(open_scorer(scorer), text, vector, **more)


def test_dense_goes_by_cosine_and_says_so(retriever, made):
    hits = ask(retriever, "dense", "", made.towards(1), limit=3)
    assert ids(hits) == ["ferry", "late", "boat"]
    assert [hit.why for hit in hits] == ["cosine 0.98", "cosine 0.74", "cosine 0.51"]
    assert hits[0].score == pytest.approx(1 / np.sqrt(1.04), abs=1e-3)


def test_a_question_of_any_length_is_taken_as_a_direction(retriever, made):
    assert ask(retriever, "dense", "", 3 * made.towards(1)) == ask(retriever, "dense", "", made.towards(1))


def test_words_are_found_by_their_stems_and_named(retriever):
    (hit,) = ask(retriever, "bm25", "Who was sailing in the boats?")
    assert hit.entry.id == "boat"
    assert hit.why.startswith("words: sailing, boats (bm25 ")


def test_what_has_no_word_of_the_question_is_no_hit(retriever):
    assert ask(retriever, "bm25", "telescope") == []


def test_a_question_of_stop_words_alone_still_finds(retriever):
    assert "ferry" in ids(ask(retriever, "bm25", "at the"))


@pytest.mark.parametrize(("question", "found"), [("上海", "city"), ("您住在静安区哪里", "city"), ("ข้าวผัด", "rice")])
def test_scripts_without_spaces(retriever, question, found):
    assert ids(ask(retriever, "bm25", question)) == [found]
    assert ids(ask(retriever, "hybrid", question, limit=1)) == [found]


def test_hybrid_lets_words_decide_between_near_cosines(retriever, made):
    near_late = made.towards(1, 0.6)
    assert ids(ask(retriever, "dense", "the ferry", near_late, limit=2)) == ["late", "ferry"]
    best = ask(retriever, "hybrid", "the ferry", near_late, limit=1)[0]
    assert best.entry.id == "ferry"
    assert best.why.startswith("cosine 0.94; words: ferry (bm25 ")


def test_hybrid_without_a_vector_goes_by_words_and_without_words_by_cosine(retriever, made):
    assert ids(ask(retriever, "hybrid", "oats")) == ["oats"]
    q = made.towards(0.5, 1)
    assert ask(retriever, "hybrid", "zzz", q) == ask(retriever, "dense", "zzz", q)


def test_rrf_adds_the_ranks(retriever, made):
    hits = ask(retriever, "rrf", "wooden boat", made.towards(1), limit=2)
    assert ids(hits) == ["boat", "ferry"]
    assert hits[0].score == pytest.approx(1 / 13 + 1 / 11)
    assert hits[0].why.endswith("place 1")


def test_atoms_are_filled_in_where_there_are_some(retriever, harbour, made):
    hits = {hit.entry.id: hit for hit in ask(retriever, "dense", "", made.towards(1))}
    assert hits["ferry"].atom == hits["late"].atom != hits["oats"].atom
    assert hits["ferry"].atom_score == hits["late"].atom_score > 0.7
    plain = Retriever(StoredShelf(harbour, "default"))
    assert [(hit.atom, hit.atom_score) for hit in ask(plain, "dense", "", made.towards(1), limit=1)] == [(None, 0.0)]


@pytest.mark.parametrize("scorer", ["v1", "centroid"])
def test_of_the_best_atoms_the_members(harbour, made, scorer):
    hits = ask(made.open(harbour, atoms=1), scorer, "", made.towards(0.2, 1), limit=1)
    assert ids(hits) == ["boat"]
    assert hits[0].why.startswith("atom ")
    assert "cosine 0." in hits[0].why


def test_v1_scores_atoms_by_the_size_of_the_product(harbour, made):
    q = made.towards(0, 0, -1)
    assert ids(ask(made.open(harbour, atoms=1), "v1", "", q, limit=1)) == ["oats"]
    assert ids(ask(made.open(harbour, atoms=1), "centroid", "", q, limit=1)) != ["oats"]


def test_more_atoms_are_opened_where_the_best_hold_too_few(harbour, made):
    assert len(ask(made.open(harbour, atoms=1), "v1", "", made.towards(1), limit=6)) == 6


@pytest.mark.parametrize("scorer", ["v1", "centroid"])
def test_scorers_of_atoms_need_atoms(harbour, made, scorer):
    with pytest.raises(BadParameter, match="needs atoms"):
        ask(Retriever(StoredShelf(harbour, "default")), scorer, "", made.towards(1))


def test_an_unknown_scorer_is_told_with_the_known():
    with pytest.raises(UnknownName, match="hybrid"):
        open_scorer("psychic")


def test_the_other_namespace_never_shows(retriever, harbour, made):
    assert "somebody" not in str([ask(retriever, name, "ferry of somebody", made.towards(1)) for name in SCORERS])
    before = ask(retriever, "bm25", "ferry")[0].score
    harbour.add(made.entries(30, namespace="other"), made.vectors(30))
    assert ask(retriever, "bm25", "ferry")[0].score == before


def test_all_namespaces_can_be_asked(harbour):
    hits = Retriever(StoredShelf(harbour, None)).recall(open_scorer("bm25"), "ferry")
    assert {(hit.entry.namespace, hit.entry.id) for hit in hits} == {("default", "ferry"), ("other", "ferry")}


# Filters


@pytest.mark.parametrize(
    ("filter", "wanted"),
    [
        (Filter(kinds=("event", "turn")), {"ferry", "oats"}),
        (Filter(since=datetime(2031, 5, 1, 9)), {"ferry", "late", "boat"}),
        (Filter(since=datetime(2031, 5, 1, 9), until=datetime(2031, 5, 2, 9)), {"ferry"}),
        (Filter(until=datetime(2031, 6, 1, tzinfo=UTC)), {"ferry", "late"}),
        (Filter(metadata={"by": "crew"}), {"late"}),
        (Filter(metadata={"by": "crew", "deck": 3}), set()),
        (Filter(metadata={"absent": None}), set()),
        (Filter(without=frozenset({"ferry", "city", "nobody"})), {"late", "boat", "oats", "rice"}),
        (Filter(accept=lambda entry: entry.id > "m"), {"oats", "rice"}),
        (Filter(kinds=("fact",), accept=lambda entry: not entry.links), {"late", "city", "rice"}),
    ],
)
@pytest.mark.parametrize("scorer", ["dense", "hybrid", "v1", "rrf"])
def test_filters_hold(retriever, made, filter, wanted, scorer):
    assert set(ids(ask(retriever, scorer, "", made.towards(1), filter=filter))) == wanted


@pytest.mark.parametrize("scorer", SCORERS)
def test_filters_hold_before_the_cut(store, made, scorer):
    """The only entry that is wanted is the least like the question among hundreds."""
    vectors = np.array([made.towards(1, n / 400) for n in range(400)])
    store.add([Entry(f"e{n}", "drawer", kind="turn" if n < 399 else "event") for n in range(400)], vectors)
    retriever = made.open(store)
    assert ids(ask(retriever, scorer, "drawer", made.towards(1), limit=2, filter=Filter(kinds=("event",)))) == ["e399"]
    seen = frozenset(f"e{n}" for n in range(398))
    assert set(ids(ask(retriever, scorer, "drawer", made.towards(1), limit=2, filter=Filter(without=seen)))) == {"e398", "e399"}


# Ties, limits


@pytest.mark.parametrize("scorer", ["dense", "bm25", "hybrid"])
def test_ties_go_to_the_one_stored_last(store, made, scorer):
    store.add([Entry(f"e{n}", "The same words.") for n in range(300)], np.tile(made.towards(1, 1), (300, 1)))
    hits = ask(made.open(store), scorer, "same words", made.towards(1), limit=3)
    assert ids(hits) == ["e299", "e298", "e297"]
    assert len({hit.score for hit in hits}) == 1


@pytest.mark.parametrize("scorer", SCORERS)
@pytest.mark.parametrize("limit", [0, 1, 100])
def test_limits(retriever, made, scorer, limit):
    assert len(ask(retriever, scorer, "ferry", made.towards(1), limit=limit)) <= limit


@pytest.mark.parametrize("scorer", SCORERS)
def test_an_empty_namespace_has_no_hits(harbour, made, scorer):
    assert ask(made.open(harbour, "nobody"), scorer, "ferry", made.towards(1)) == []


def test_entries_without_a_vector_are_found_by_words_alone(harbour, made):
    harbour.add([Entry("bare", "A lighthouse without a vector.")])
    retriever = made.open(harbour)
    assert ids(ask(retriever, "hybrid", "lighthouse", made.towards(1), limit=1)) == ["ferry"]  # cosine 0.98 against the words' 0.4
    (bare,) = (hit for hit in ask(retriever, "hybrid", "lighthouse", made.towards(1)) if hit.entry.id == "bare")
    assert bare.why.startswith("words: lighthouse")
    assert "bare" not in ids(ask(retriever, "dense", "lighthouse", made.towards(1)))


# Links, re-ranking


def test_linked_entries_come_after_their_source(retriever, made):
    hits = ask(retriever, "bm25", "ferry", limit=1, linked=5)
    assert ids(hits) == ["ferry", "late"]
    assert hits[1].why == "linked from ferry: updates"
    assert hits[1].score == hits[0].score
    hits = ask(retriever, "bm25", "wooden boat oats", limit=2, linked=5)
    assert ids(hits) == ["boat", "ferry", "oats"]
    assert hits[1].why == "linked from boat"


def test_linked_entries_pass_the_filter_and_their_number_is_bound(retriever):
    assert ids(ask(retriever, "bm25", "ferry", limit=1, linked=5, filter=Filter(kinds=("event",)))) == ["ferry"]
    assert ids(ask(retriever, "bm25", "ferry boat", linked=1)) in (["ferry", "late", "boat"], ["boat", "ferry", "late"])
    assert ids(ask(retriever, "bm25", "ferry", limit=1)) == ["ferry"]


def test_a_reranker_has_the_last_word(harbour, made):
    class Shortest:
        name = "shortest"

        def scores(self, question, entries):
            return [-len(entry.text) for entry in entries]

    retriever = Retriever(StoredShelf(harbour, "default"), reranker=Shortest())
    hits = ask(retriever, "dense", "", made.towards(1), limit=1)
    assert ids(hits) == ["city"]
    assert "; shortest -10.00 (was place " in hits[0].why


@pytest.mark.parametrize(
    ("filter", "wanted"),
    [
        (Filter(kinds=("event",)), {"ferry"}),
        (Filter(kinds=("fact",), metadata={"by": "crew"}), {"late"}),
        (Filter(since=datetime(2031, 6, 1, 23, tzinfo=timezone(timedelta(hours=23)))), {"boat"}),
        (Filter(until=datetime(2031, 5, 1, 9, 0, 1)), {"ferry"}),
        (Filter(since=datetime.min, until=datetime.max), {"ferry", "late", "boat"}),
        (Filter(metadata={"by": "cook"}), {"oats"}),
        (Filter(metadata={'odd"key': "é"}), {"odd"}),
        (Filter(metadata={"deck": 2}), {"late"}),
    ],
)
def test_a_narrow_filter_finds_the_few_among_thousands(harbour, made, monkeypatch, filter, wanted):
    """The store rules most out without reading them, and never one too many."""
    monkeypatch.setattr(inquiry, "PATIENCE", 256)
    harbour.add([Entry("odd", "Odd fields.", kind="turn", metadata={'odd"key': "é"})], made.towards(0, 1)[None])
    crowd = [Entry(f"n{n}", "crowd", kind="detail") for n in range(700)]
    harbour.add(crowd, np.tile(made.towards(1), (700, 1)))
    retriever = made.open(harbour)
    read = []
    retriever._shelf.entries, entries = lambda places: read.extend(places) or entries(places), retriever._shelf.entries
    assert set(ids(ask(retriever, "dense", "", made.towards(1), filter=filter))) == wanted
    told_by_reading = not filter.narrows or filter.metadata.keys() & {'odd"key'}
    assert told_by_reading or len(read) < 150
