"""Memfold's own export."""

from __future__ import annotations

import io
from dataclasses import replace
from datetime import datetime

import pytest

from memfold.errors import BadEntry, DuplicateId, NotAStore
from memfold.hosts import ExportHost, write_export
from memfold.store.size import entry_json
from memfold.types import Entry, Link

ENTRIES = (
    Entry("a", "Tea é.", occurred_at=datetime(2026, 1, 2), metadata={"x": [1, None]}),
    Entry("b", "Coffee.", links=(Link("a"), Link("zz")), keywords=("hot",)),
    Entry("a", "Other.", namespace="ann", pinned=True),
)


def host(tmp_path, content: str) -> ExportHost:
    path = tmp_path / "e.jsonl"
    path.write_text(content)
    return ExportHost(path)


def exported(entries=ENTRIES) -> str:
    out = io.StringIO()
    assert write_export(entries, out) == len(entries)
    return out.getvalue()


def test_what_is_written_is_read(tmp_path):
    assert host(tmp_path, exported()).read().entries == ENTRIES
    assert exported().splitlines()[1] == entry_json(ENTRIES[0])


def test_lone_surrogates_do_not_break_the_file(tmp_path):
    odd = Entry("s", "a\ud800b")
    assert host(tmp_path, exported([odd])).read().entries == (odd,)


def test_links_to_what_went_go_too(tmp_path):
    the = host(tmp_path, exported())
    base = the.read()
    state = the.render(base.entries[1:], base)
    assert state.entries[0].links == (Link("zz"),)
    assert the.render(base.entries, base).raw == base.raw


def test_an_empty_file_gets_its_header(tmp_path):
    the = host(tmp_path, "")
    state = the.render(ENTRIES, the.read())
    assert state.raw.decode() == exported()
    assert ExportHost(tmp_path / "e.jsonl").read().entries == ()


def test_a_changed_entry(tmp_path):
    the = host(tmp_path, exported().replace(", ", ",  "))
    base = the.read()
    state = the.render([replace(base.entries[0], text="New"), *base.entries[1:]], base)
    assert state.raw.splitlines()[2:] == base.raw.splitlines()[2:]
    assert host(tmp_path, state.raw.decode()).read().entries[0].text == "New"


HEADER = exported(())


@pytest.mark.parametrize(
    ("content", "error", "says"),
    [
        ('{"text": "a"}\n', NotAStore, "no Memfold export.*jsonl:"),
        ('{"memfold": "export", "version": 9}\n', NotAStore, "version 9.*upgrade"),
        (HEADER + '{"id": "a"}\n', BadEntry, "line 2.*'text'"),
        (HEADER + '{"id": "a", "text": "b", "home": 1}\n', BadEntry, "line 2: 'home'"),
        (HEADER + '{"id": "a", "text": "b", "zz": 1}\n', BadEntry, "line 2.*zz"),
        (HEADER + '{"id": "a", "te', BadEntry, "line 2 is not JSON.*interrupted"),
        (HEADER + '["a"]\n', BadEntry, "line 2 holds no object"),
        (HEADER + '{"id": "a", "text": "b"}\n\n{"id": "a", "text": "c"}\n', DuplicateId, "lines 2 and 4"),
    ],
)
def test_bad_exports(tmp_path, content, error, says):
    with pytest.raises(error, match=says):
        host(tmp_path, content).read()
