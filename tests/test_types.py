import json
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memfold.errors import BadEntry
from memfold.store.size import entry_bytes, entry_json
from memfold.types import Decision, Edit, Entry, Link, Relink, Source

TEXT = st.text(max_size=20)
TIMES = st.none() | st.datetimes(timezones=st.none() | st.just(UTC))
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | TEXT, lambda inner: st.lists(inner) | st.dictionaries(TEXT, inner), max_leaves=5
)
ENTRIES = st.builds(
    Entry,
    id=TEXT,
    text=st.text(st.characters()),  # lone surrogates included
    namespace=st.sampled_from(["default", "ada", "ben"]),
    kind=st.sampled_from(["turn", "event", "detail", "fact"]),
    home=TEXT,
    keywords=st.lists(TEXT).map(tuple),
    links=st.lists(st.builds(Link, TEXT, TEXT)).map(tuple),
    occurred_at=TIMES,
    created_at=TIMES,
    updated_at=TIMES,
    importance=st.floats(0, 1),
    pinned=st.booleans(),
    sources=st.lists(st.builds(Source, TEXT, TEXT)).map(tuple),
    metadata=st.dictionaries(TEXT, VALUES, max_size=3),
    revision=st.integers(0, 99),
)
DECISIONS = st.builds(
    Decision, st.sampled_from(["delete", "merge", "preserve"]), merged=TEXT, reason=TEXT, keywords=st.lists(TEXT).map(tuple)
)


@given(ENTRIES)
def test_an_entry_survives_its_json(entry):
    assert Entry.from_dict(json.loads(json.dumps(entry.as_dict()))) == entry
    assert Entry.from_dict(json.loads(entry_json(entry))) == entry


@given(ENTRIES, st.lists(ENTRIES, max_size=2), DECISIONS)
def test_an_edit_survives_its_json(entry, after, decision):
    relinks = (Relink("n", (Link("a"), Link("b", "near")), (Link("c"),)),)
    edit = Edit("r1", 3, "ada", (entry,), tuple(after), relinks, decision, 0.75, 12, datetime(2026, 1, 2, tzinfo=UTC), "applied", "z")
    assert Edit.from_dict(json.loads(json.dumps(edit.as_dict()))) == edit


def test_size_is_the_utf8_length_of_the_json_without_escapes():
    assert entry_json(Entry("1", "né")) == '{"id": "1", "text": "né"}'
    assert entry_bytes(Entry("1", "né")) == len('{"id": "1", "text": "né"}'.encode())
    assert entry_bytes(Entry("1", "住")) == entry_bytes(Entry("1", "")) + 3
    assert entry_bytes(Entry("1", "\ud800")) == entry_bytes(Entry("1", "")) + 3


@pytest.mark.parametrize(
    ("data", "told"),
    [
        ({"text": "x"}, "'id'"),
        ({"id": "1"}, "'text'"),
        ({"id": 1, "text": "x"}, "'id'"),
        ({"id": "1", "text": None}, "'text'"),
        ({"id": "1", "text": "x", "mood": "good"}, "mood"),
        ({"id": "1", "text": "x", "kind": "note"}, "kind 'note'"),
        ({"id": "1", "text": "x", "created_at": "yesterday"}, "wrong form"),
        ({"id": "1", "text": "x", "links": 5}, "wrong form"),
        ({"id": "1", "text": "x", "metadata": 5}, "wrong form"),
    ],
)
def test_a_bad_entry_says_what_is_wrong(data, told):
    with pytest.raises(BadEntry, match=told):
        Entry.from_dict(data)


def test_the_digest_sees_what_a_judge_sees():
    entry = Entry("1", "tea", metadata={"a": 1})
    assert entry.digest() == Entry("2", "tea", pinned=True, revision=4).digest()
    for other in (Entry("1", "Tea"), Entry("1", "tea", home="x"), Entry("1", "tea", created_at=datetime(2026, 1, 1))):
        assert other.digest() != entry.digest()


def test_a_veto_keeps_what_the_judge_wanted():
    vetoed = Decision("delete", target="a", reason="b covers it").vetoed("values", "4417 would be lost")
    assert (vetoed.action, vetoed.target, vetoed.proposed, vetoed.veto) == ("preserve", "", "delete", "values")
    assert "4417" in vetoed.reason
    assert "b covers it" in vetoed.reason


def test_swapping_sides_twice_changes_nothing():
    decision = Decision("delete", target="a", relation="b_covers_a")
    assert decision.swapped() == Decision("delete", target="b", relation="a_covers_b")
    assert decision.swapped().swapped() == decision
