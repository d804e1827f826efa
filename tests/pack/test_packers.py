"""What goes in, in which order, and what is said of the rest."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace

import pytest

from memfold.config import PackSettings
from memfold.errors import UnknownName
from memfold.pack import PACKERS, Frame, Group, Line, open_packer
from memfold.protocols import TokenCounter
from memfold.types import Context, Hit

HitMaker = Callable[..., Hit]


@dataclass(frozen=True)
class Bare:
    """A template of a user's own: its words can be counted by hand."""

    name: str = "bare"

    def head(self, frame: Frame) -> str:
        return "grouped\n" if frame.grouped else "flat\n"

    def heading(self, group: Group) -> str:
        return "apart\n" if group.apart else f"group-{group.number}/{group.count}\n"

    def line(self, line: Line) -> str:
        return f"{line.text}\n"

    def foot(self, frame: Frame) -> str:
        return ""


def packed(context: Context) -> list[str]:
    return [hit.entry.id for hit in context.packed]


def left(context: Context) -> dict[str, str]:
    return {out.hit.entry.id: out.reason for out in context.left_out}


def words_of(count: int, first: str = "w") -> str:
    return " ".join([first] * count)


@pytest.fixture
def two_atoms(hit: HitMaker) -> list[Hit]:
    return [
        hit("b2", "beds dug", 0.9, at="2024-05-03", atom=2, atom_score=0.6),
        hit("a1", "van sold", 0.8, at="2024-05-02", atom=1, atom_score=0.9),
        hit("a2", "van bought", 0.7, at="2024-05-01", atom=1, atom_score=0.9),
        hit("b1", "beans sown", 0.6, at="2024-05-04", atom=2, atom_score=0.6),
        hit("a3", "van washed", 0.5, atom=1, atom_score=0.9),
    ]


def test_atoms_by_their_score_members_by_time(two_atoms: list[Hit], words: TokenCounter) -> None:
    context = open_packer("grouped").pack(two_atoms, 100, words, Bare())
    assert context.text == "grouped\ngroup-1/3\nvan bought\nvan sold\nvan washed\ngroup-2/2\nbeds dug\nbeans sown\n"
    assert packed(context) == ["a2", "a1", "a3", "b2", "b1"]
    assert (context.tokens, context.max_tokens, context.counter, context.left_out) == (13, 100, "words", ())


def test_members_are_chosen_by_score(two_atoms: list[Hit], words: TokenCounter) -> None:
    context = open_packer("grouped").pack(two_atoms, 6, words, Bare())
    assert packed(context) == ["a2", "a1"]
    assert left(context) == {"b2": "budget", "b1": "budget", "a3": "budget"}


def test_flat_goes_by_score_without_headings(two_atoms: list[Hit], words: TokenCounter) -> None:
    context = open_packer("flat").pack(two_atoms[::-1], 100, words, Bare())
    assert context.text == "flat\nbeds dug\nvan sold\nvan bought\nbeans sown\nvan washed\n"


def test_headings_are_charged(two_atoms: list[Hit], words: TokenCounter) -> None:
    assert packed(open_packer("grouped").pack(two_atoms, 8, words, Bare())) == ["a2", "a1", "a3"]
    assert packed(open_packer("grouped").pack(two_atoms, 12, words, Bare())) == ["a2", "a1", "a3", "b2"]
    assert packed(open_packer("flat").pack(two_atoms, 11, words, Bare())) == ["b2", "a1", "a2", "b1", "a3"]


def test_ties_go_to_the_atom_that_changed_last_then_to_the_lower_id(hit: HitMaker, words: TokenCounter) -> None:
    hits = [
        hit("c", "three", updated="2024-01-01", atom=3, atom_score=0.5),
        hit("b", "two", updated="2024-01-01", atom=2, atom_score=0.5),
        hit("a", "one", updated="2024-02-01T00:00+00:00", atom=9, atom_score=0.5),
        hit("d", "four", atom=1, atom_score=0.5),
    ]
    assert packed(open_packer("grouped").pack(hits, 100, words, Bare())) == ["a", "b", "c", "d"]


def test_a_hit_without_atom_is_a_group_of_its_own_in_its_place(hit: HitMaker, words: TokenCounter) -> None:
    hits = [
        hit("x", "alone-1", 0.9),
        hit("a1", "one", 0.8, atom=1, atom_score=0.7),
        hit("y", "alone-2", 0.7),
        hit("b1", "two", 0.6, atom=2, atom_score=0.8),
        hit("a2", "three", 0.5, atom=1, atom_score=0.7),
        hit("z", "alone-3", 0.4),
    ]
    context = open_packer("grouped").pack(hits, 100, words, Bare())
    assert context.text == "grouped\napart\nalone-1\nalone-2\ntwo\ngroup-1/2\none\nthree\napart\nalone-3\n"
    every = open_packer("grouped", PackSettings(headings="all")).pack(hits, 100, words, Bare())
    assert every.text.split() == ("grouped group-1/1 alone-1 group-2/1 alone-2 group-3/1 two group-4/2 one three group-5/1 alone-3".split())


def test_without_a_group_of_several_there_is_no_heading(hit: HitMaker, words: TokenCounter) -> None:
    hits = [hit("a", "one", 0.9, atom=1, atom_score=0.1), hit("b", "two", 0.8), hit("c", "three", 0.7, atom=2, atom_score=0.9)]
    assert open_packer("grouped").pack(hits, 100, words, Bare()).text == "flat\ntwo\nthree\none\n"


@pytest.mark.parametrize("packer", PACKERS)
def test_duplicates_are_dropped_whatever_their_white_space(packer: str, hit: HitMaker, words: TokenCounter) -> None:
    hits = [hit("a", "The van\nis  sold.", 0.9, atom=1), hit("b", " The van is sold. ", 0.8, atom=2), hit("c", "the van is sold.", 0.7)]
    context = open_packer(packer).pack(hits, 100, words, Bare())
    assert sorted(packed(context)) == ["a", "c"]
    assert left(context) == {"b": "duplicate"}


def test_limits(two_atoms: list[Hit], words: TokenCounter) -> None:
    context = open_packer("grouped", PackSettings(max_atoms=1)).pack(two_atoms, 100, words, Bare())
    assert packed(context) == ["a2", "a1", "a3"]
    assert left(context) == {"b1": "limit", "b2": "limit"}
    context = open_packer("flat", PackSettings(max_entries=2)).pack(two_atoms, 100, words, Bare())
    assert packed(context) == ["b2", "a1"]
    assert left(context) == {"a2": "limit", "b1": "limit", "a3": "limit"}
    for nothing in (PackSettings(max_entries=0), PackSettings(max_atoms=0)):
        context = open_packer("flat", nothing).pack(two_atoms, 100, words, Bare())
        assert (context.text, context.note) == ("", "the limits on atoms and entries let nothing in")
        assert set(left(context).values()) == {"limit"}


def test_hits_without_atoms_do_not_count_as_atoms(hit: HitMaker, words: TokenCounter) -> None:
    hits = [hit("x", "one", 0.9), hit("y", "two", 0.8), hit("a", "three", 0.7, atom=1)]
    assert packed(open_packer("grouped", PackSettings(max_atoms=1)).pack(hits, 100, words, Bare())) == ["x", "y", "a"]


def test_an_atom_whose_entries_do_not_fit_takes_no_place_of_an_atom(hit: HitMaker, words: TokenCounter) -> None:
    hits = [hit("a", words_of(50), 0.9, atom=1, atom_score=0.9), hit("b", "short", 0.8, atom=2, atom_score=0.8)]
    assert packed(open_packer("grouped", PackSettings(max_atoms=1)).pack(hits, 20, words, Bare())) == ["b"]


@pytest.fixture
def greedy(hit: HitMaker) -> list[Hit]:
    first = [hit(f"a{n}", words_of(5, f"a{n}"), 0.9 - n / 100, atom=1, atom_score=0.6) for n in range(8)]
    return first + [hit(f"b{n}", words_of(5, f"b{n}"), 0.5 - n / 100, atom=2, atom_score=0.3) for n in range(8)]


def test_without_shares_the_best_atom_takes_all(greedy: list[Hit], words: TokenCounter) -> None:
    assert packed(open_packer("grouped").pack(greedy, 42, words, Bare())) == [f"a{n}" for n in range(8)]


def test_shares_go_by_score_and_what_is_left_rolls_over(greedy: list[Hit], words: TokenCounter) -> None:
    sharing = PackSettings(share="proportional")
    context = open_packer("grouped", sharing).pack(greedy, 33, words, Bare())
    assert packed(context) == ["a0", "a1", "a2", "a3", "b0", "b1"]
    few = [greedy[0], *greedy[8:]]
    assert packed(open_packer("grouped", sharing).pack(few, 33, words, Bare())) == ["a0", "b0", "b1", "b2", "b3", "b4"]
    many = [*greedy[:8], greedy[8]]
    assert packed(open_packer("grouped", sharing).pack(many, 40, words, Bare())) == [f"a{n}" for n in range(6)] + ["b0"]


def test_shares_of_scores_that_are_none(hit: HitMaker, words: TokenCounter) -> None:
    hits = [hit(f"{atom}{n}", words_of(5, f"{atom}-{n}"), 0.5, atom=atom, atom_score=-0.5) for atom in (1, 2) for n in range(4)]
    context = open_packer("grouped", PackSettings(share="proportional")).pack(hits, 25, words, Bare())
    assert sorted(packed(context)) == ["10", "11", "20", "21"]


def test_one_giant_first(hit: HitMaker, wordpiece: TokenCounter) -> None:
    giant = hit("giant", words_of(900, "crate"), 0.9)
    small = [hit(f"s{n}", f"Shelf {n}: " + words_of(35, "jar"), 0.8 - n / 100) for n in range(5)]
    for packer in PACKERS:
        context = open_packer(packer).pack([giant, *small], 300, wordpiece)
        assert packed(context) == ["s0", "s1", "s2", "s3", "s4"]
        assert left(context) == {"giant": "budget"}
        assert context.clipped == ()


def test_only_the_giant_is_clipped_at_the_end_of_a_sentence(hit: HitMaker, wordpiece: TokenCounter) -> None:
    sentences = [f"Crate number {n} holds jam, 2.5 kg of it." for n in range(100)]
    context = open_packer().pack([hit("giant", " ".join(sentences), 0.9)], 300, wordpiece)
    assert context.clipped == ("giant",)
    assert packed(context) == ["giant"]
    assert context.tokens <= 300
    shown = context.text.split("\n")[1].removeprefix("- ").removesuffix(" […]")
    assert " ".join(sentences).startswith(shown)
    assert shown.endswith("kg of it.")
    longer = context.text.replace(" […]", " " + sentences[shown.count("Crate")] + " […]")
    assert wordpiece.count(longer) > 300


@pytest.mark.parametrize(
    ("text", "end"),
    [
        ("家里有三只猫。" * 200, "。 […]"),
        (words_of(900, "crate"), "crate […]"),
        ("猫" * 900, "猫 […]"),
        ("def f():\n    return 1\n" * 200, "return 1 […]"),
    ],
)
def test_other_texts_are_clipped_where_they_can_be(text: str, end: str, hit: HitMaker, wordpiece: TokenCounter) -> None:
    context = open_packer(settings=PackSettings(template="plain")).pack([hit("g", text)], 100, wordpiece)
    assert context.clipped == ("g",)
    assert 60 < context.tokens <= 100
    assert context.text.split("\nEnd ")[0].endswith(end)


def test_what_cannot_be_clipped_leaves_the_context_empty(hit: HitMaker, characters: TokenCounter) -> None:
    context = open_packer().pack([hit("a", "x" * 900)], 100, characters)
    assert (context.text, context.clipped) == ("", ())
    assert "no entry fits into 100 tokens" in context.note
    assert left(context) == {"a": "budget"}


def test_the_clipped_entry_is_the_first(hit: HitMaker, words: TokenCounter) -> None:
    hits = [
        hit("a", f"One two. {words_of(50)}", 0.5, atom=1, atom_score=0.1),
        hit("b", f"Six seven. {words_of(60)}", 0.4, atom=2, atom_score=0.2),
    ]
    grouped = open_packer("grouped").pack(hits, 10, words, Bare())
    assert (grouped.text, grouped.clipped, left(grouped)) == ("flat\nSix seven. […]\n", ("b",), {"a": "budget"})
    flat = open_packer("flat").pack(hits, 10, words, Bare())
    assert (flat.text, flat.clipped) == ("flat\nOne two. […]\n", ("a",))


def test_entries_without_time_come_last_and_zones_are_compared(hit: HitMaker, words: TokenCounter) -> None:
    hits = [
        hit("none", "n", 0.9, atom=1),
        hit("late", "l", 0.8, at="2024-05-01T23:00-05:00", atom=1),
        hit("early", "e", 0.7, at="2024-05-02T01:00+02:00", atom=1),
        hit("naive", "m", 0.6, at="2024-05-02T00:00", atom=1),
        hit("first", "f", 0.5, at="0001-01-01T00:00+14:00", atom=1),
    ]
    assert packed(open_packer("grouped").pack(hits, 100, words, Bare())) == ["first", "early", "naive", "late", "none"]


def test_arranged_chooses_by_score_and_shows_as_grouped_does(hit: HitMaker, words: TokenCounter) -> None:
    hits = [
        hit("a", "one one", 0.9, atom=1, at="2024-05-02T00:00"),
        hit("b", "two two", 0.8, atom=2, at="2024-05-01T00:00"),
        hit("c", "three three", 0.7, atom=1, at="2024-05-01T00:00"),
    ]
    hits = [replace(one, atom_score=0.9 if one.atom == 1 else 0.8) for one in hits]
    chosen = {name: packed(open_packer(name, PackSettings(headings="many")).pack(hits, 6, words, Bare())) for name in PACKERS}
    assert chosen == {"grouped": ["c", "a"], "arranged": ["a", "b"], "flat": ["a", "b"]}
    whole = {name: packed(open_packer(name).pack(hits, 100, words, Bare())) for name in PACKERS}
    assert whole["arranged"] == whole["grouped"] == ["c", "a", "b"]


def test_names() -> None:
    assert set(PACKERS) == {"grouped", "arranged", "flat"}
    assert [open_packer(name).name for name in PACKERS] == ["grouped", "arranged", "flat"]
    assert open_packer(settings=PackSettings(packer="flat")).name == "flat"
    with pytest.raises(UnknownName, match="unknown packer 'round'; known: grouped, arranged, flat"):
        open_packer("round")


@dataclass
class Tally:
    """A counter that keeps account of the characters that it was given, with tokens that reach over lines or not."""

    lines_apart: int
    name: str = "tally"
    seen: list[str] = field(default_factory=list[str])

    def count(self, text: str) -> int:
        self.seen.append(text)
        return len(text.split())


@pytest.mark.parametrize(("lines_apart", "recounts"), [(10**6, 0), (0, 4)])
def test_each_text_is_counted_once_and_the_whole_a_few_times(lines_apart: int, recounts: int, hit: HitMaker) -> None:
    hits = [
        hit(f"e{n}", f"entry-{n} {words_of(n % 30 + 1)}", 1 - n / 500, at="2024-05-01", atom=n % 40, atom_score=(n % 40) / 40)
        for n in range(400)
    ]
    counter = Tally(lines_apart)
    context = open_packer("grouped").pack(hits, 2000, counter)
    assert 1950 < context.tokens <= 2000
    texts = sum(len(one.entry.text) + 40 for one in hits)
    assert sum(map(len, counter.seen)) <= texts + recounts * len(context.text) + 40 * 60 * 3
    for one in hits:
        assert sum(f"entry-{one.entry.id[1:]} " in text for text in counter.seen if text.startswith("- ")) == 1
