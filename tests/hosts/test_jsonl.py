"""JSONL under any field names."""

from __future__ import annotations

import json
import tracemalloc
from dataclasses import replace
from datetime import UTC, datetime

import pytest

from memfold.errors import BadEntry, DuplicateId, NotAStore
from memfold.hosts import JsonlFields, JsonlHost, keep_ids
from memfold.types import Entry


def host(tmp_path, content: str | bytes, **fields) -> JsonlHost:
    path = tmp_path / "m.jsonl"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return JsonlHost(path, JsonlFields(**fields))


def read(tmp_path, content: str | bytes, **fields) -> tuple[Entry, ...]:
    return host(tmp_path, content, **fields).read().entries


def test_fields_are_found(tmp_path):
    (entry,) = read(tmp_path, '{"uuid": "u1", "memory": "Tea.", "timestamp": "2026-01-02T03:04:05", "userId": "ann", "x": [1]}')
    assert entry == Entry("u1", "Tea.", namespace="ann", occurred_at=datetime(2026, 1, 2, 3, 4, 5), metadata={"x": [1]})


@pytest.mark.parametrize("name", ["text", "content", "memory", "observation", "message", "fact", "summary"])
def test_usual_names_of_the_text(tmp_path, name):
    assert [entry.text for entry in read(tmp_path, json.dumps({"n": 1, name: "Tea."}))] == ["Tea."]


def test_the_text_is_the_field_that_is_filled(tmp_path):
    assert [entry.text for entry in read(tmp_path, '{"text": "", "content": "a"}\n{"text": null, "content": "b"}')] == ["a", "b"]


def test_named_fields_may_be_nested(tmp_path):
    line = '{"payload": {"body": {"t": "Tea."}, "rank": 1}, "meta": {"who": 7}}'
    the = host(tmp_path, line, text="payload.body.t", namespace="meta.who")
    base = the.read()
    (entry,) = base.entries
    assert (entry.text, entry.namespace) == ("Tea.", "7")
    assert entry.metadata == {"payload": {"rank": 1}, "meta": {"who": 7}}
    assert the.render([replace(entry, text="Coffee.")], base).raw.decode() == line.replace("Tea", "Coffee")


def test_a_key_with_a_dot_in_it(tmp_path):
    line = '{"a.b": "Tea.", "n": 1}'
    the = host(tmp_path, line, text="a.b")
    base = the.read()
    assert base.entries[0].metadata == {"n": 1}
    assert the.render([replace(base.entries[0], text="x")], base).raw == b'{"a.b": "x", "n": 1}'


def test_nested_text_is_found(tmp_path):
    (entry,) = read(tmp_path, '{"id": 5, "payload": {"content": "Tea.", "created_at": 1700000000}}')
    assert (entry.id, entry.text) == ("5", "Tea.")
    assert entry.created_at == datetime(2023, 11, 14, 22, 13, 20, tzinfo=UTC)


def test_one_user_anywhere_makes_walls(tmp_path):
    entries = read(tmp_path, '{"text": "a"}\n{"text": "b", "user_id": "ann"}\n{"text": "c", "user_id": null}')
    assert [entry.namespace for entry in entries] == ["default", "ann", "default"]


def test_a_time_that_cannot_be_read_stays_where_it_is(tmp_path):
    a, b = read(tmp_path, '{"text": "a", "date": "8 May, 2023"}\n{"text": "b", "date": "in spring"}')
    assert a.occurred_at == datetime(2023, 5, 8)
    assert b.occurred_at is None
    assert b.metadata == {"date": "in spring"}


def test_an_object_as_text_is_its_json(tmp_path):
    the = host(tmp_path, '{"text": {"a": 1}, "n": 1}', text="text")
    base = the.read()
    assert base.entries[0].text == '{"a": 1}'
    assert the.render([replace(base.entries[0], text="Tea.")], base).raw == b'{"text": "Tea.", "n": 1}'


def test_ids_without_a_field_are_hashes_with_ordinals(tmp_path):
    a, b, c = read(tmp_path, '{"text": "a"}\n{"text": "b"}\n{"text": "a"}\n')
    assert len(a.id) == 12
    assert c.id == f"{a.id}-2"
    assert b.id not in (a.id, c.id)


def test_an_id_that_only_some_have_is_not_the_id(tmp_path):
    a, b = read(tmp_path, '{"text": "a", "id": "1"}\n{"text": "b"}')
    assert a.metadata == {"id": "1"}
    assert len(a.id) == len(b.id) == 12


def test_duplicate_ids_name_both_lines(tmp_path):
    lines = '{"id": "m", "text": "a"}\n\n{"id": "n", "text": "b"}\n{"id": "m", "text": "c"}'
    with pytest.raises(DuplicateId, match=r"lines 1 and 4 .*'m'.*--id-field"):
        read(tmp_path, lines)
    assert len(read(tmp_path, lines, id="")) == 3


def test_the_same_id_of_two_users(tmp_path):
    entries = read(tmp_path, '{"id": "1", "text": "a", "user_id": "x"}\n{"id": "1", "text": "b", "user_id": "y"}')
    assert {(entry.namespace, entry.id) for entry in entries} == {("x", "1"), ("y", "1")}


@pytest.mark.parametrize(
    ("line", "written"),
    [
        ('{"text":"x \\u00e9","n":1.50,"deep":{"b":[1,  2],"a":"\\/"}}', '"\\u00fc\\/z"'),
        ('{ "n" : 1.50 , "text" : "x é" , "u" : "\\u00e9" }', '"ü/z"'),
        ('{"deep": {"k": 1e3}, "text": "x", "big": 12345678901234567890.0}', '"\\u00fc/z"'),
        ('{"deep":{"k":1e3},"text":"x","big":12345678901234567890.0}', '"ü/z"'),
    ],
)
def test_a_changed_text_changes_nothing_else(tmp_path, line, written):
    the = host(tmp_path, f"{line}\n", text="text")
    base = the.read()
    state = the.render([replace(base.entries[0], text="ü/z")], base)
    old = line[line.index('"x') :].partition('"')[2].partition('"')[0]
    assert state.raw.decode() == line.replace(f'"{old}"', written) + "\n"


def test_a_new_entry_follows_the_order_and_style_of_the_others(tmp_path):
    lines = '{"n":1,"memory":"a","createdAt":1700000000000,"id":"1"}\n'
    the = host(tmp_path, lines)
    base = the.read()
    new = Entry("m", "b é", created_at=datetime(2024, 1, 1, tzinfo=UTC), metadata={"n": 2})
    assert the.render([*base.entries, new], base).raw.decode() == lines + '{"n":2,"memory":"b é","createdAt":1704067200000,"id":"m"}\n'


def test_a_restored_entry_has_its_old_line_also_on_a_newer_base(tmp_path):
    lines = '{"id": 3, "text": "a", "date": "8 May, 2023", "user_id": 9}\n{"id": 4, "text": "b", "date": "9 May, 2023", "user_id": 9}\n'
    the = host(tmp_path, lines)
    base = the.read()
    reduced = the.render(base.entries[1:], base)
    assert the.render(base.entries, reduced).raw.decode() == lines


def test_merging_keeps_what_both_know(tmp_path):
    old = '{"id": 1, "text": "a", "date": "2 Jan 2026", "x": 1, "y": "old"}\n'
    new = '{"id": 2, "text": "b", "date": "3 Feb 2026", "y": "new", "z": 3}\n'
    the = host(tmp_path, old + new)
    base = the.read()
    a, b = base.entries
    for time, date in ((b.occurred_at, "3 Feb 2026"), (a.occurred_at, "2 Jan 2026"), (datetime(2026, 5, 6), "2026-05-06T00:00:00")):
        united = {**a.metadata, **b.metadata}
        for given in ({}, united):
            merged = the.combine(b, a, Entry("m1", "a and b", occurred_at=time, metadata=given))
            written = {"id": "m1", "text": "a and b", "date": date, "x": 1, "y": "new", "z": 3}
            assert json.loads(the.render([merged], base).raw) == written


def test_ids_are_kept_over_a_rewrite(tmp_path):
    the = host(tmp_path, '{"text": "a"}\n{"text": "b"}\n{"text": "b"}\n')
    base = the.read()
    a, b, c = base.entries
    merged = the.combine(a, b, Entry("merged", "a and b"))
    state = the.render([merged, c], base)
    the.replace(base, state)
    fresh = the.read()
    assert [entry.id for entry in fresh.entries] != ["merged", c.id]
    assert [entry.id for entry in keep_ids(fresh.entries, [merged, c])] == ["merged", c.id]
    assert the.render([merged, c], fresh).raw == fresh.raw


def test_lines_end_as_they_did(tmp_path):
    raw = b'{"text": "a\xe2\x80\xa8b"}\r\n\r\n{"text": "c"}\n{"text": "d"}'
    the = host(tmp_path, raw)
    base = the.read()
    assert [entry.text for entry in base.entries] == ["a\u2028b", "c", "d"]
    assert the.render(base.entries[:2], base).raw == b'{"text": "a\xe2\x80\xa8b"}\r\n\r\n{"text": "c"}'
    assert the.render(base.entries[2:], base).raw == b'\r\n{"text": "d"}'


def test_erase_drops_fields_and_counts_what_must_stay(tmp_path):
    the = host(tmp_path, '{"id": "joe-1", "text": "a", "by": "Joe", "deep": {"who": ["jo\\u0065", "ann"], "n": 1}}\n')
    state, remaining = the.erase("JOE", the.read())
    assert state.raw == b'{"id": "joe-1", "text": "a", "deep": {"who": ["ann"], "n": 1}}\n'
    assert remaining == 1
    assert state.entries[0].metadata == {"deep": {"who": ["ann"], "n": 1}}


def test_an_array_in_a_file(tmp_path):
    source = '[\n  {"text": "a"},\n  {"text": "b"},\n  {"text": "c"}\n]\n'
    the = host(tmp_path, source)
    base = the.read()
    assert [entry.text for entry in base.entries] == ["a", "b", "c"]
    assert [entry.text for entry in the.iter_entries()] == ["a", "b", "c"]
    assert the.render(base.entries[1:], base).raw.decode() == '[\n  {"text": "b"},\n  {"text": "c"}\n]\n'
    assert json.loads(the.render([], base).raw) == []


def test_streaming_gives_the_same_and_holds_little(tmp_path):
    line = json.dumps({"text": "word " * 200, "user_id": "ann"})
    the = host(tmp_path, "\n".join(line for _ in range(5_000)) + "\n")
    assert list(the.iter_entries()) == list(the.read().entries)
    tracemalloc.start()
    count = sum(1 for _ in the.iter_entries())
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert count == 5_000
    assert peak < 2_500_000 < the.path.stat().st_size


def test_a_line_of_ten_megabytes(tmp_path):
    text = "ab " * 3_500_000
    the = host(tmp_path, json.dumps({"text": text}) + '\n{"text": "b"}\n')
    base = the.read()
    assert base.entries[0].text == text
    assert the.render(base.entries[1:], base).raw == b'{"text": "b"}\n'
    assert len(next(the.iter_entries()).text) == len(text)


@pytest.mark.parametrize(
    ("content", "error", "says"),
    [
        ('{"text": "a"}\n{"text": "b", "n"', BadEntry, "ends in the middle of line 2.*interrupted.*head -n 1"),
        ('{"text": "a"}\n{"text" "b"}\n{"text": "c"}\n', BadEntry, "line 2 is not JSON.*text"),
        ('{"text": "a"}\n[1, 2]\n', BadEntry, "line 2 is no object: .\\[1, 2\\]"),
        ('{"text": "a"}\nnull\n', BadEntry, "line 2 is no object: .null"),
        ('{"text": "a"}\n{"note": "b"}\n', BadEntry, "line 2 has no text in 'text'; fields there: 'note'.*--text-field"),
        ('{\n  "text": "a"\n}\n', BadEntry, "over several lines.*jq -c"),
        ("# Notes\n- tea\n", NotAStore, "not JSONL"),
        ('{"n": 1}\n', NotAStore, "no field looks like a text; fields there: 'n'.*--text-field"),
        ('[{"text": "a"}, 3]', NotAStore, "array of something else"),
        ('[{"text": "a"}', NotAStore, "array but is none"),
        ('{"text": ' + "[" * 5000 + "]" * 5000 + "}\n", BadEntry, "nested deeper"),
        ('{"text": "a", "n": ' + "9" * 5000 + "}\n", BadEntry, "line 1 is not JSON"),
        (b'{"text": "a"}\n{"text": "caf\xe9"}\n', NotAStore, "line 2.*iconv"),
    ],
)
def test_bad_input_is_named_with_its_cure(tmp_path, content, error, says):
    the = host(tmp_path, content)
    for attempt in (the.read, lambda: list(the.iter_entries())):
        with pytest.raises(error, match=f"(?s){says}"):
            attempt()
    assert the.path.read_bytes() == (content if isinstance(content, bytes) else content.encode())


@pytest.mark.parametrize(
    ("fields", "says"),
    [
        ({"text": "body"}, "no line has the field 'body'; fields there: 'text', 'n'.*--text-field"),
        ({"id": "key"}, "'key'.*--id-field"),
        ({"time": "t.x"}, "'t.x'.*--time-field"),
        ({"namespace": "who"}, "'who'.*--namespace-field"),
    ],
)
def test_no_such_field(tmp_path, fields, says):
    with pytest.raises(BadEntry, match=says):
        read(tmp_path, '{"text": "a", "n": 1}', **fields)


def test_a_named_id_must_be_on_every_line(tmp_path):
    with pytest.raises(BadEntry, match="line 2 has no id in 'id'"):
        read(tmp_path, '{"id": 1, "text": "a"}\n{"text": "b"}', id="id")


@pytest.mark.parametrize("content", ["", "\n\n", "[]", " \n"])
def test_an_empty_store(tmp_path, content):
    the = host(tmp_path, content)
    base = the.read()
    assert base.entries == ()
    assert list(the.iter_entries()) == []
    new = the.render([Entry("m", "a", created_at=datetime(2026, 1, 1))], base)
    assert [entry.text for entry in host(tmp_path, new.raw).read().entries] == ["a"]
