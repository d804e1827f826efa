"""The rendered string never exceeds its budget, whatever counts, whatever is said, whatever writes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta, timezone

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memfold.config import PackSettings
from memfold.errors import BudgetError
from memfold.pack import Frame, Group, Line, Template, open_packer, open_template
from memfold.pack.content import mended
from memfold.protocols import TokenCounter
from memfold.types import Context, Entry, Hit

HitMaker = Callable[..., Hit]
SPECS = ["markdown", "plain", "json", "xml", "chat", "chat:system"]


@dataclass(frozen=True)
class Glued:
    """A template that ends no piece with a line, so that every border is one at which tokens may join."""

    name: str = "glued"

    def head(self, frame: Frame) -> str:
        return "m"

    def heading(self, group: Group) -> str:
        return f"g{group.number}{'!' * (group.count % 7)}"

    def line(self, line: Line) -> str:
        return line.text if line.first else f"e{line.text}"

    def foot(self, frame: Frame) -> str:
        return "" if frame.grouped else "end" * 5


TEMPLATES: list[Template] = [*(open_template(spec) for spec in SPECS), Glued()]
TIMES = st.one_of(
    st.none(),
    st.datetimes(),
    st.datetimes(min_value=datetime(2020, 1, 1), max_value=datetime(2024, 1, 1)),
    st.datetimes().map(lambda when: when.replace(tzinfo=timezone(timedelta(hours=14)))),
)


@st.composite
def hits_of(draw: st.DrawFn, hostile: Sequence[str]) -> list[Hit]:
    prose = st.lists(st.sampled_from(["the", "shed", "is", "locked.", "Ana", "has 3 keys!", "\n", "家里有猫。"]), max_size=40).map(" ".join)
    texts = draw(st.lists(st.one_of(prose, st.sampled_from(hostile), st.text(max_size=30)), max_size=14))
    found: list[Hit] = []
    for number, text in enumerate(texts):
        atom = draw(st.one_of(st.none(), st.integers(0, 4)))
        entry = Entry(f"e{number}", text, occurred_at=draw(TIMES))
        found.append(Hit(entry, draw(st.floats(-1, 1)), atom=atom, atom_score=(atom or 0) / 4))
    return found


SETTINGS = st.builds(
    PackSettings,
    packer=st.sampled_from(["grouped", "flat"]),
    share=st.sampled_from(["none", "proportional"]),
    headings=st.sampled_from(["many", "all"]),
    max_atoms=st.one_of(st.none(), st.integers(0, 4)),
    max_entries=st.one_of(st.none(), st.integers(0, 8)),
)
MANY = settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])


def assert_holds(context: Context, hits: Sequence[Hit], counter: TokenCounter, limits: PackSettings) -> None:
    assert context.tokens == (counter.count(context.text) if context.text else 0)
    assert context.tokens <= context.max_tokens
    assert bool(context.text) == bool(context.packed)
    assert bool(context.text) != bool(context.note)
    assert sorted([id(hit) for hit in context.packed] + [id(out.hit) for out in context.left_out]) == sorted(map(id, hits))
    assert {out.reason for out in context.left_out} <= {"budget", "duplicate", "limit"}
    assert limits.max_entries is None or len(context.packed) <= limits.max_entries
    assert limits.max_atoms is None or len({hit.atom for hit in context.packed} - {None}) <= limits.max_atoms
    assert set(context.clipped) <= {hit.entry.id for hit in context.packed}
    context.text.encode()


@MANY
@given(data=st.data(), limits=SETTINGS, template=st.sampled_from(TEMPLATES), max_tokens=st.integers(0, 400))
def test_holds(
    data: st.DataObject, limits: PackSettings, template: Template, max_tokens: int, counter: TokenCounter, hostile: list[str]
) -> None:
    hits = data.draw(hits_of(hostile))
    context = open_packer(settings=limits).pack(hits, max_tokens, counter, template)
    assert_holds(context, hits, counter, limits)
    assert context == open_packer(settings=limits).pack(hits, max_tokens, counter, template)


@MANY
@given(data=st.data(), limits=SETTINGS, spec=st.sampled_from(["markdown", "plain"]), max_tokens=st.integers(0, 300))
def test_nothing_that_would_fit_is_left_out(
    data: st.DataObject, limits: PackSettings, spec: str, max_tokens: int, wordpiece: TokenCounter, hostile: list[str]
) -> None:
    """With a counter that adds up over lines, an entry left out for the budget does not fit beside those that are in (flat packer)."""
    hits = data.draw(hits_of(hostile))
    limits = PackSettings(max_entries=limits.max_entries, max_atoms=limits.max_atoms)
    packer = open_packer("flat", limits)
    context = packer.pack(hits, max_tokens, wordpiece, open_template(spec))
    if context.clipped or not context.text:
        return
    for out in context.left_out:
        if out.reason == "budget":
            text = mended(out.hit.entry.text).strip()
            assert context.tokens + wordpiece.count(open_template(spec).line(Line(out.hit, text, first=False))) > max_tokens


@pytest.mark.parametrize("max_tokens", range(60, 75))
def test_borders_that_cost_are_found_out(max_tokens: int, hit: HitMaker, counters: Sequence[TokenCounter]) -> None:
    bordering = next(counter for counter in counters if counter.name == "bordering")
    hits = [hit(f"e{number}", f"Shelf {number} is full.", 1 - number / 100) for number in range(30)]
    context = open_packer("flat").pack(hits, max_tokens, bordering)
    assert context.tokens == bordering.count(context.text)
    assert max_tokens - 7 < context.tokens <= max_tokens


def test_borders_that_save_are_made_use_of(hit: HitMaker, counters: Sequence[TokenCounter]) -> None:
    """Six characters a line count as one by themselves, ten of them as six: by the estimates 37 would go in."""
    tens = next(counter for counter in counters if counter.name == "tens")
    context = open_packer("flat").pack([hit(f"e{n}", f"x{n:04d}", 1 - n / 1000) for n in range(100)], 40, tens, Glued())
    assert len(context.packed) > 55


def test_a_large_budget_takes_everything(counter: TokenCounter, hostile: list[str], hit: HitMaker) -> None:
    hits = [hit(f"e{number}", text) for number, text in enumerate(hostile)]
    for packer in ("grouped", "flat"):
        context = open_packer(packer).pack(hits, 10**8, counter)
        left = {out.reason for out in context.left_out}
        assert left == ({"duplicate", "budget"} if counter.name == "everything" else {"duplicate"})


@pytest.mark.parametrize("template", ["markdown", "json", "chat"])
def test_long_contexts_are_counted_as_a_whole(template: str, hit: HitMaker, wordpiece: TokenCounter) -> None:
    """The bundled counter reads texts of over 50,000 characters in parts, which may cut a word in two."""
    hits = [hit(f"e{n}", f"{n} {'ab' * 4000}.") for n in range(30)]
    context = open_packer(settings=PackSettings(template=template)).pack(hits, 10**6, wordpiece)
    assert len(context.text) > 200_000
    assert context.tokens == wordpiece.count(context.text)


@pytest.mark.parametrize("score", [float("inf"), float("nan"), -1.0, 1e308])
def test_scores_beyond_reason(score: float, hit: HitMaker, words: TokenCounter) -> None:
    hits = [hit(f"e{n}", f"shelf {n}", score, atom=n % 3, atom_score=score) for n in range(9)]
    context = open_packer(settings=PackSettings(share="proportional")).pack(hits, 30, words)
    assert 0 < context.tokens <= 30


def test_no_tokens_no_text(counter: TokenCounter, hit: HitMaker) -> None:
    context = open_packer().pack([hit("a", "x")], 0, counter)
    assert (context.text, context.tokens, context.note) == ("", 0, "max_tokens is 0")
    assert [out.reason for out in context.left_out] == ["budget"]


def test_nothing_found(counter: TokenCounter) -> None:
    context = open_packer().pack([], 100, counter)
    assert (context.text, context.tokens, context.note, context.counter) == ("", 0, "nothing was found", counter.name)


def test_too_little_for_anything(wordpiece: TokenCounter, hit: HitMaker) -> None:
    context = open_packer().pack([hit("a", "The shed is locked.")], 9, wordpiece)
    assert (context.text, context.tokens) == ("", 0)
    assert "no entry fits into 9 tokens" in context.note


def test_negative_numbers_are_refused(words: TokenCounter) -> None:
    with pytest.raises(BudgetError, match="max_tokens is -1"):
        open_packer().pack([], -1, words)
    with pytest.raises(BudgetError, match="max_entries is -2"):
        open_packer(settings=PackSettings(max_entries=-2))
    with pytest.raises(BudgetError, match="max_atoms is -1"):
        open_packer("flat", PackSettings(max_atoms=-1))
