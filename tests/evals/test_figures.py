from datetime import datetime

import numpy as np
import pytest
from evals.cache import CachedEmbedder, CountedTokens
from evals.retention import COLUMNS, MEANS, line, table
from evals.stores import Question, Store
from evals.systems import Costs, after, shortest_first, unrefined
from evals.words import content_stems, share

from evals import figures, locomo, plot, systems
from memfold import Decision, Entry, RefineSettings
from memfold.embed import open_embedder
from memfold.types import Edit


@pytest.fixture
def dialogue(sample):
    return locomo.dialogue(sample)


@pytest.fixture
def embedder(tmp_path):
    return CachedEmbedder(open_embedder("hashing"), tmp_path)


@pytest.fixture
def tokens():
    """A token a word, so that sizes can be counted by hand."""
    return CountedTokens(lambda texts: [len(text.split()) for text in texts])


class Planned:
    """An embedder whose vectors are written down: a text is found by its first word."""

    name, dim = "planned", 2

    def __init__(self, **vectors):
        self.vectors = vectors

    def embed(self, texts):
        return np.array([self.vectors[text.split()[0]] for text in texts], np.float32)


def merge(a, b, text, seq=1, **fields):
    merged = Entry(f"m{seq}", text, **fields)
    return Edit("", seq, "default", (a, b), (merged,), (), Decision("merge", merged=text), 0.9, 1, a.occurred_at, kept=merged.id)


def delete(victim, kept, seq=1):
    return Edit("", seq, "default", (victim,), (), (), Decision("delete", target="a"), 0.9, 1, kept.time, kept=kept.id)


def test_words_are_stemmed_without_stop_words_and_numbers_stay():
    assert content_stems("The painters were painting it green: 1,200 euros, 4.5 m") == {"painter", "paint", "green", "1200", "euro", "4.5"}
    assert content_stems("7 May 2023") == {"7", "mai", "2023"}
    assert share(frozenset({"a", "b"}), frozenset({"b", "c"})) == 0.5
    assert share(frozenset(), frozenset()) == 1.0


def test_a_whole_store_keeps_everything(dialogue, embedder, tokens):
    scored = figures.scores(dialogue, unrefined(dialogue), embedder, tokens)
    means = figures.means(scored)
    assert means["survived"] == means["covered"] == means["told"] == 1.0
    assert means["nearest"] == 1.0  # five entries are all among the ten nearest
    assert means["answered"] == 1.0
    assert means["points"] == means["evidence_1000"] == means["words_1000"] == figures.all_points(dialogue, unrefined(dialogue)) == 1.0
    assert scored[3].answered is None  # "yes" is not a content word
    assert [score.survived for score in scored] == [1.0, 1.0, 1.0, None]
    assert figures.by_category(scored)["multi-hop"]["questions"] == 1


def test_a_merge_stands_for_its_turns_and_a_deleted_turn_for_none(dialogue, embedder, tokens):
    shed, kayak, nice, price, cello = dialogue.entries
    first = merge(kayak, price, "Nils: My kayak cost 420 euros", metadata={"times": ["2024-06-03T09:05:00", "2024-07-17T12:40:00"]})
    plan = [first, delete(shed, first.after[0], 2), merge(first.after[0], nice, "Nils: kayak, 420 euros", 3), delete(cello, nice, 4)]
    state = after(dialogue, 0.5, plan, Costs(deletes=1, merges=2))
    assert [entry.id for entry in state.entries] == ["D2:2", "m3"]
    assert state.held == {"D2:2": {"D2:2"}, "m3": {"D1:2", "D2:1", "D1:3"}}
    green, cost, course, water = figures.scores(dialogue, state, embedder, tokens)
    assert (green.survived, green.covered, green.told) == (0.0, 1.0, 0.0)  # its place was taken by m3, which tells nothing of it
    assert (cost.survived, cost.nearest) == (1.0, 1.0)
    kept = {"nil", "kayak"}, {"nil", "kayak", "420", "euro"}
    turns = {"nil", "look", "blue", "kayak", "car"}, {"nil", "kayak", "cost", "420", "euro", "end"}
    assert cost.told == pytest.approx((len(kept[0]) / len(turns[0]) + len(kept[1]) / len(turns[1])) / 2)
    assert cost.answered == 1.0
    assert course.survived == 1.0
    assert water.told is None


def test_a_reader_sees_every_date_of_a_merge():
    assert figures.shown(Entry("a", "tea")) == ": tea"
    merged = Entry("m", "tea", occurred_at=datetime(2024, 6, 3, 9, 5), metadata={"times": ["2024-06-03T10:00", "2024-07-17"]})
    assert figures.shown(merged) == "3 June 2024, 17 July 2024: tea"


def test_deleting_systems_stop_at_the_budget(dialogue, embedder):
    assert [entry.id for entry in shortest_first(dialogue)][:1] == ["D1:3"]
    for name in ("random", "shortest first"):
        for state in (state for run in systems.SYSTEMS[name] for state in run(dialogue, (0.7, 0.4), embedder)):
            assert state.met
            assert state.costs.deletes == 5 - len(state.entries)
    assert systems.at_random(1)(dialogue) == systems.at_random(1)(dialogue)
    assert systems.at_random(1)(dialogue) != systems.at_random(2)(dialogue)


@pytest.mark.parametrize("order", ["cosine", "safest"])
def test_one_run_gives_every_budget_as_runs_of_their_own_would(dialogue, embedder, order):
    judged = systems.judged_by("similarity:0.8", RefineSettings(guards=False, order=order))
    together = judged(dialogue, (0.9, 0.8, 0.6), embedder)
    for state in together:
        (alone,) = judged(dialogue, (state.budget,), embedder)
        assert (alone.entries, alone.held, alone.costs.judged) == (state.entries, state.held, state.costs.judged)


def test_merged_texts_of_a_baseline_are_clipped():
    assert systems.clipped("one two three", 9) == "one two"
    assert systems.clipped("onetwothree", 9) == "onetwothr"
    assert systems.clipped("short", 9) == "short"


def test_the_table_has_a_row_a_system_and_budget(dialogue, embedder, tokens):
    rows = list(table([dialogue, dialogue], ["shortest first", "RuleSim"], (0.7, 0.5), embedder, tokens))
    assert [(row["system"], row["budget"]) for row in rows] == [
        ("unrefined", 1.0), ("shortest first", 0.7), ("shortest first", 0.5), ("RuleSim", 0.7), ("RuleSim", 0.5),
    ]  # fmt: skip
    assert rows[0]["size"] == 1.0
    assert all(row["size"] <= row["budget"] for row in rows if not row["missed"])
    assert line(rows[0]).startswith("| unrefined | 100% | 1.000 |")


def test_a_system_of_several_runs_is_shown_as_their_mean(dialogue, embedder, tokens):
    *_, row = table([dialogue], ["random"], (0.5,), embedder, tokens)
    alone = [run(dialogue, (0.5,), embedder)[0] for run in systems.SYSTEMS["random"]]
    assert len(alone) == 3
    assert row["deletes"] == pytest.approx(sum(state.costs.deletes for state in alone) / 3)
    assert row["questions"] == 4
    every = [score.survived for state in alone for score in figures.scores(dialogue, state, embedder, tokens) if score.survived is not None]
    assert row["survived"] == pytest.approx(sum(every) / 9)
    assert row["size"] == pytest.approx(sum(state.bytes for state in alone) / 3 / systems.limit_of(dialogue, 1))


def test_the_figures_are_drawn_also_where_one_is_missing(dialogue, embedder, tokens, tmp_path):
    rows = list(table([dialogue], ["random", "shortest first"], (0.7, 0.5), embedder, tokens))
    assert set(plot.PANELS) <= set(MEANS) <= set(COLUMNS)
    plot.draw([row | {"all_points": None} for row in rows], tmp_path / "figures.png")
    assert (tmp_path / "figures.png").stat().st_size > 10_000


def test_entries_are_taken_whole_as_long_as_they_fit():
    assert figures.fitting([2, 0, 1, 3], [4, 5, 6, 1], room=11) == [2, 0, 3]  # 6 and 4; 5 does not fit, 1 does
    assert figures.fitting([0, 1], [6, 5], room=11) == [0, 1]
    assert figures.fitting([0, 1], [12, 13], room=11) == []
    assert figures.fitting([], [], room=11) == []


def test_the_nearest_entries_within_a_thousand_tokens(tokens):
    entries = [Entry("a", "alpha " * 600 + "lathe"), Entry("b", "beta " * 500 + "maple"), Entry("c", "gamma " * 300 + "chisel")]
    entries += [Entry("d", "delta " * 100 + "walnut")]
    questions = (Question("what is in the workshop?", "lathe, maple and walnut", ("a", "b"), "tools"),)
    store = Store("shop", tuple(entries), questions, ("a", "b"))
    near = Planned(what=[1, 0], alpha=[0.9, 0], beta=[0.8, 0], gamma=[0.7, 0], delta=[0.6, 0])
    (score,) = figures.scores(store, unrefined(store), near, tokens)
    # Of 602, 502, 302 and 102 tokens (the mark before an undated text is one) alpha fits, beta no more, gamma does, delta no more.
    assert (score.evidence_1000, score.words_1000) == (0.5, pytest.approx(1 / 3))
    assert (score.nearest, score.answered) == (1.0, 1.0)
    near.vectors["alpha"] = [0.1, 0]
    (score,) = figures.scores(store, unrefined(store), near, tokens)  # beta, gamma and delta are 906; alpha comes last
    assert (score.evidence_1000, score.words_1000) == (0.5, pytest.approx(2 / 3))


def test_a_merge_within_a_thousand_tokens_counts_for_all_that_it_was_merged_from(tokens):
    entries = (Entry("a", "alpha lathe"), Entry("b", "beta " * 1100), Entry("c", "gamma chisel"))
    store = Store("shop", entries, (Question("what now?", "lathe", ("a", "b"), "tools"),), ())
    state = after(store, 0.5, [merge(entries[0], entries[1], "alpha lathe")], Costs(merges=1))
    (score,) = figures.scores(store, state, Planned(what=[1, 0], alpha=[0.9, 0], gamma=[0.8, 0]), tokens)
    assert (score.evidence_1000, score.words_1000, score.survived) == (1.0, 1.0, 1.0)
    assert (score.points, score.told) == (0.5, 0.5)  # beta is in no living entry


def test_a_point_stands_where_one_entry_holds_nine_tenths_of_its_words():
    ten = "oak ash elm fir yew box bay fig may tea"
    point = Entry("p", ten)
    assert figures.standing([point], [Entry("x", ten[:-4] + " and more of it")]) == {"p": True}
    assert figures.standing([point], [Entry("x", ten[:-8] + " and more of it"), Entry("y", "may tea")]) == {"p": False}  # 8 and 2
    assert figures.standing([point, Entry("q", "")], []) == {"p": False, "q": True}  # a point without words says nothing to lose
    store = Store("trees", (point, Entry("q", "larch"), Entry("r", "pine")), (), ("p", "q"))
    state = after(store, 0.5, [delete(store.entries[1], point)], Costs(deletes=1))
    assert figures.all_points(store, state) == 0.5
    assert figures.all_points(Store("none", (point,), (), ()), unrefined(store)) == 1.0


def test_tokens_of_a_text_are_counted_once():
    asked = []

    def count(texts):
        asked.extend(texts)
        return [len(text) for text in texts]

    tokens = CountedTokens(count)
    assert tokens.counts(["tea", "kettle", "tea"]) == [3, 6, 3]
    assert tokens.counts(["kettle", "cup"]) == [6, 3]
    assert asked == ["tea", "kettle", "cup"]


def test_the_cache_gives_the_same_vectors_without_asking_again(tmp_path):
    class Counting:
        name, dim = "counting", 4

        def __init__(self):
            self.asked = []

        def embed(self, texts):
            self.asked.extend(texts)
            return np.array([[len(text), 1, 2, 3] for text in texts], np.float32)

    first = CachedEmbedder(Counting(), tmp_path)
    vectors = first.embed(["tea", "kettle", "tea"])
    first.save()
    counting = Counting()
    again = CachedEmbedder(counting, tmp_path)
    assert np.array_equal(again.embed(["tea", "kettle", "tea"]), vectors)
    assert counting.asked == []
    assert again.embed(["new"]).tolist() == [[3, 1, 2, 3]]
    assert again.embed([]).shape == (0, 4)
