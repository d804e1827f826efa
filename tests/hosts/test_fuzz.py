"""Arbitrary bytes give entries or our own error; any sequence of removals can be taken back byte for byte."""

from __future__ import annotations

import json
import os
from dataclasses import replace

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memfold.errors import BadEntry, MemfoldError
from memfold.hosts import HOSTS, JsonlFields, JsonlHost, open_host
from memfold.hosts.blocks import as_line, block_lines, one_line
from memfold.hosts.forget import occurrences, total, without
from memfold.hosts.jsonstring import literal_lines, quoted, splice_inside, unquoted
from memfold.hosts.jsontext import Style, array_of, dump, lines_of, load, object_of, patch
from memfold.types import Entry

QUICK = settings(
    max_examples=int(os.environ.get("MEMFOLD_EXAMPLES", "40")),
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)

names = st.sampled_from(
    ["text", "content", "id", "name", "observations", "entityType", "from", "to", "relationType", "created_at", "user_id", "x"]
)
scalars = (
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=12) | st.sampled_from(["2026-01-01", "a\nb", "\ud800", "é/"])
)
values = st.recursive(
    scalars, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(names | st.text(max_size=3), inner, max_size=4), max_leaves=12
)
objects = st.dictionaries(names, values, max_size=6)
styles = st.builds(Style, st.booleans(), st.booleans(), st.sampled_from([",", ", ", ",  "]), st.sampled_from([":", ": "]))
pieces = st.one_of(
    st.binary(max_size=30),
    st.builds(lambda value, style: dump(value, style).encode(), objects, styles),
    st.sampled_from(
        [
            b"\n",
            b"\r\n",
            b"{",
            b"}",
            b"[",
            b"]",
            b'"',
            b"\\",
            b"\x00",
            b"\xef\xbb\xbf",
            b"\xff\xfe",
            b"prose",
            b'{"memfold": "export", "version": 1}\n',
        ]
    ),
)
blobs = st.lists(pieces, max_size=8).map(b"".join)
graph_lines = st.one_of(
    st.builds(
        lambda n, o, more: {"name": n, "observations": o, **more},
        st.sampled_from("ABÉ"),
        st.lists(st.text(max_size=6) | values, max_size=5),
        objects,
    ),
    st.just({"from": "A", "to": "B", "relationType": "knows"}),
)
block_texts = st.lists(
    st.sampled_from(["# H", "## I", "", "- one", "- two", "  - in", "para", "Label:", "```", "| a | b |", "|---|---|", "é\u2028x", "\r"])
    | st.text(max_size=8),
    max_size=9,
)
agents = st.builds(
    lambda texts, labels: {
        "agents": [],
        "blocks": [{"label": label, "value": "\n".join(t)} for t, label in zip(texts, labels, strict=False)],
    },
    st.lists(block_texts, max_size=3),
    st.lists(st.sampled_from(["a", "b", "c"]), min_size=3, max_size=3),
)


@pytest.mark.parametrize("kind", [*HOSTS, "any"])
@QUICK
@given(raw=blobs)
def test_any_bytes(kind, raw, tmp_path):
    path = tmp_path / "file"
    path.write_bytes(raw)
    try:
        host = HOSTS[kind](path) if kind != "any" else open_host(os.fspath(path))
        base = host.read()
    except MemfoldError as error:
        assert len(str(error)) > 30  # noqa: PT017
        return
    assert host.render(base.entries, base).raw == raw
    host.erase("a", base)
    half = host.render(base.entries[::2], base)
    path.write_bytes(half.raw)
    assert [entry.text for entry in half.entries] == [entry.text for entry in base.entries[::2]]
    assert host.render(base.entries, base).raw == raw


def _jsonl(lines, style):
    return "jsonl", "\n".join(dump({**value, "text": f"t{n}"}, style) for n, value in enumerate(lines)).encode()


def _mcp(lines, style):
    return "mcp", "".join(dump({"name": "Z", "observations": ["z"]}, style) + "\n" for _ in "z").encode() + "\n".join(
        dump(value, style) for value in lines
    ).encode()


def _letta(value, style, nested):
    text = dump(value, style)
    for _ in range(nested):
        text = dump(text, replace(style, ascii=not style.ascii))
    return "letta", text.encode()


stores = st.one_of(
    st.builds(_jsonl, st.lists(objects.map(lambda o: {k: v for k, v in o.items() if k not in ("id", "text")}), max_size=6), styles),
    st.builds(_mcp, st.lists(graph_lines, max_size=4), styles),
    st.builds(_letta, agents, styles, st.integers(0, 2)),
)


@QUICK
@given(store=stores, data=st.data())
def test_removals_changes_and_the_way_back(store, data, tmp_path):
    kind, raw = store
    path = tmp_path / "file"
    path.write_bytes(raw)
    host = JsonlHost(path, JsonlFields(text="text")) if kind == "jsonl" else HOSTS[kind](path)
    base = host.read()
    keep = data.draw(st.lists(st.booleans(), min_size=len(base.entries), max_size=len(base.entries)))
    texts = data.draw(st.lists(st.text(max_size=20), min_size=len(base.entries), max_size=len(base.entries)))
    live: list[Entry] = []
    for entry, kept, text in zip(base.entries, keep, texts, strict=True):
        changed = replace(host.combine(entry, entry, replace(entry, text=text)), id=entry.id)
        live.append(entry if kept else changed)
    live = live[:: data.draw(st.sampled_from([1, 2, -1]))]
    try:
        state = host.render(live, base)
    except BadEntry:
        assert kind == "letta"  # noqa: PT017 -- a text without a letter has no line
        return
    path.write_bytes(state.raw)
    fresh = host.read()
    assert [entry.text for entry in fresh.entries] == [entry.text for entry in state.entries]
    assert host.render(fresh.entries, fresh).raw == state.raw
    assert host.render(base.entries, base).raw == raw


@QUICK
@given(old=values, new=values, style=styles)
def test_patch_says_the_new_value(old, new, style):
    source = dump(old, style)
    assert patch(source, old, old, style) == source
    assert _unordered(load(patch(source, old, new, Style.of(source, style)))) == _unordered(new)


def _unordered(value) -> str:
    return json.dumps(value, sort_keys=True)


@QUICK
@given(old=objects, key=names, new=values, style=styles)
def test_patch_keeps_the_other_members(old, key, new, style):
    source = dump(old, style)
    changed = patch(source, old, {**old, key: new}, style)
    for member, name in zip(object_of(source, style).items, old, strict=True):
        assert name == key or member in changed


@QUICK
@given(value=values, style=styles)
def test_series_give_their_source_back(value, style):
    source = " " + dump(value, style) + "\n"
    if isinstance(value, (dict, list)):
        series = object_of(source, style) if isinstance(value, dict) else array_of(source, style)
        assert series.join(list(enumerate(series.items))) == source
    lines = lines_of(source + source)
    assert lines.join(list(enumerate(lines.items))) == source + source


@QUICK
@given(text=st.text(), style=styles)
def test_literal_lines(text, style):
    literal = dump(text, style)
    series = literal_lines(literal)
    assert series.join(list(enumerate(series.items))) == literal
    assert [unquoted(item) for item in series.items] == text.replace("\r\n", "\n").split("\n")


@QUICK
@given(parts=st.lists(st.text(max_size=8), min_size=3, max_size=3), new=st.text(max_size=8), style=styles)
def test_splice_inside_a_literal(parts, new, style):
    head, old, tail = parts
    literal = dump(head + old + tail, style)
    changed = splice_inside(literal, [(len(head), len(head) + len(old), new)])
    assert load(changed) == load(dump(head, style)[:-1] + quoted(new, style) + dump(tail, style)[1:])
    assert splice_inside(literal, []) == literal


@QUICK
@given(text=st.text(max_size=30), mark=st.sampled_from(["", "- ", "  * ", "1. "]))
def test_a_line_of_a_block_reads_back(text, mark):
    line = as_line(mark, one_line(text))
    if line is not None:
        assert [each.text for each in block_lines([line])] == [one_line(text)]
        assert "\n" not in line


@QUICK
@given(value=values, needle=st.sampled_from(["text", "x", "é", "1", "a"]))
def test_without_leaves_none_in_containers(value, needle):
    rest = without(value, needle)
    if isinstance(rest, (dict, list)):
        assert total(rest, needle) == 0
    assert occurrences(json.dumps(rest), needle) >= 0
