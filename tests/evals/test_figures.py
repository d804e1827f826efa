import numpy as np
import pytest
from evals.cache import CachedEmbedder
from evals.retention import line, table
from evals.systems import Costs, after, shortest_first, unrefined
from evals.words import content_stems, share

from evals import figures, locomo, systems
from memfold import Decision, Entry
from memfold.embed import open_embedder
from memfold.types import Edit


@pytest.fixture
def dialogue(sample):
    return locomo.dialogue(sample)


@pytest.fixture
def embedder(tmp_path):
    return CachedEmbedder(open_embedder("hashing"), tmp_path)


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


def test_a_whole_store_keeps_everything(dialogue, embedder):
    scored = figures.scores(dialogue, unrefined(dialogue), embedder)
    means = figures.means(scored)
    assert means["survived"] == means["covered"] == means["told"] == 1.0
    assert means["nearest"] == 1.0  # five entries are all among the ten nearest
    assert means["answered"] == 1.0
    assert scored[3].answered is None  # "yes" is not a content word
    assert [score.survived for score in scored] == [1.0, 1.0, 1.0, None]
    assert figures.by_category(scored)[1]["questions"] == 1


def test_a_merge_stands_for_its_turns_and_a_deleted_turn_for_none(dialogue, embedder):
    shed, kayak, nice, price, cello = dialogue.entries
    first = merge(kayak, price, "Nils: My kayak cost 420 euros", metadata={"times": ["2024-06-03T09:05:00", "2024-07-17T12:40:00"]})
    plan = [first, delete(shed, first.after[0], 2), merge(first.after[0], nice, "Nils: kayak, 420 euros", 3), delete(cello, nice, 4)]
    state = after(dialogue, 0.5, plan, Costs(deletes=1, merges=2))
    assert [entry.id for entry in state.entries] == ["D2:2", "m3"]
    assert state.held == {"D2:2": {"D2:2"}, "m3": {"D1:2", "D2:1", "D1:3"}}
    green, cost, course, water = figures.scores(dialogue, state, embedder)
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
    merged = Entry("m", "tea", metadata={"times": ["2024-06-03T09:05:00", "2024-06-03T10:00:00", "2024-07-17T12:40:00"]})
    assert figures.shown(merged) == "3 June 2024, 17 July 2024: tea"


def test_deleting_systems_stop_at_the_budget(dialogue, embedder):
    assert [entry.id for entry in shortest_first(dialogue)][:1] == ["D1:3"]
    for name in ("random", "shortest first"):
        for state in systems.SYSTEMS[name](dialogue, (0.7, 0.4), embedder):
            assert state.met
            assert state.costs.deletes == 5 - len(state.entries)
    assert systems.at_random(1)(dialogue) == systems.at_random(1)(dialogue)
    assert systems.at_random(1)(dialogue) != systems.at_random(2)(dialogue)


def test_one_run_gives_every_budget_as_runs_of_their_own_would(dialogue, embedder):
    judged = systems.judged_by("similarity:0.8", guards=False)
    together = judged(dialogue, (0.9, 0.8, 0.6), embedder)
    for state in together:
        (alone,) = judged(dialogue, (state.budget,), embedder)
        assert (alone.entries, alone.held, alone.costs.judged) == (state.entries, state.held, state.costs.judged)


def test_merged_texts_of_a_baseline_are_clipped():
    assert systems.clipped("one two three", 9) == "one two"
    assert systems.clipped("onetwothree", 9) == "onetwothr"
    assert systems.clipped("short", 9) == "short"


def test_the_table_has_a_row_a_system_and_budget(dialogue, embedder):
    rows = list(table([dialogue, dialogue], ["shortest first", "RuleSim"], (0.7, 0.5), embedder))
    assert [(row["system"], row["budget"]) for row in rows] == [
        ("unrefined", 1.0), ("shortest first", 0.7), ("shortest first", 0.5), ("RuleSim", 0.7), ("RuleSim", 0.5),
    ]  # fmt: skip
    assert rows[0]["size"] == 1.0
    assert all(row["size"] <= row["budget"] for row in rows if not row["missed"])
    assert line(rows[0]).startswith("| unrefined | 100% | 1.000 |")


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
