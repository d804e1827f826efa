import json
import sqlite3
import subprocess
import sys
import threading
from dataclasses import replace
from datetime import UTC, datetime

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memfold.errors import DuplicateId, EmbedderMismatch, NotAStore, ReadOnlyStore, StoreFull, UnknownEntry
from memfold.store.migrations import MIGRATIONS
from memfold.store.size import entry_bytes, entry_json
from memfold.store.sqlite import SqliteStore
from memfold.types import Entry


def test_what_is_stored_comes_back_equal_and_in_order(store):
    entries = [Entry(f"e{i % 7}", f"text {i}", namespace=f"n{i // 7}", metadata={"i": i, "odd": ["ü", None]}) for i in range(2500)]
    assert store.add(entries) == 2500
    assert list(store.entries()) == entries
    assert list(store.entries("n3")) == entries[21:28]
    assert store.totals() == (2500, sum(map(entry_bytes, entries)))
    assert store.totals("n3") == (7, sum(map(entry_bytes, entries[21:28])))
    assert store.namespaces() == sorted({entry.namespace for entry in entries})


def test_the_stored_json_is_what_is_measured(store, path):
    entry = Entry("1", "Zoë lives in 東京", created_at=datetime(2026, 1, 2, tzinfo=UTC))
    store.add([entry])
    (data, size) = sqlite3.connect(path).execute("SELECT data, bytes FROM entries").fetchone()
    assert data == entry_json(entry)
    assert size == len(data.encode())


def test_lone_surrogates_and_nul_survive(store):
    entries = [Entry("s", "half \ud83d of a pair"), Entry("n", "a\x00b")]
    store.add(entries)
    assert list(store.entries()) == entries
    store.update(replace(entries[0], text="whole"))
    store.remove("default", ["n"])
    assert [entry.text for entry in store.entries()] == ["whole"]


def test_a_taken_id_stores_nothing(store):
    store.add([Entry("a", "one")])
    with pytest.raises(DuplicateId, match="'a'"):
        store.add([Entry("b", "two"), Entry("a", "three")])
    assert [entry.id for entry in store.entries()] == ["a"]
    store.add([Entry("a", "same id elsewhere", namespace="other")])
    assert store.get("other", "a").text == "same id elsewhere"


def test_an_update_keeps_creation_and_place_and_raises_the_revision(store):
    created = datetime(2026, 1, 2, tzinfo=UTC)
    store.add([Entry("a", "one", created_at=created), Entry("b", "two")])
    new = store.update(Entry("a", "one more"), now=datetime(2026, 2, 2, tzinfo=UTC))
    assert (new.created_at, new.revision) == (created, 1)
    assert [entry.id for entry in store.entries()] == ["a", "b"]
    assert store.get("default", "a") == new


def test_unknown_ids_are_told(store):
    for call in (lambda: store.get("default", "x"), lambda: store.remove("default", ["x"]), lambda: store.update(Entry("x", "y"))):
        with pytest.raises(UnknownEntry, match="no entry 'x'"):
            call()


# Search


def test_words_are_found_in_their_namespace_only(store):
    store.add([Entry("1", "Ada drinks green tea"), Entry("2", "Ben drinks coffee"), Entry("3", "green tea", namespace="other")])
    assert [entry.id for entry, _ in store.search("green TEA", "default")] == ["1"]
    assert [entry.id for entry, _ in store.search("drinks tea", "default")] == ["1", "2"]
    before = store.search("tea", "default")
    store.add([Entry(str(i), "tea", namespace="other") for i in range(10, 60)])
    assert store.search("tea", "default") == before  # not even the score tells of another namespace


def test_scripts_without_spaces_are_found_by_two_characters(store):
    store.add(
        [Entry("1", "我上个月搬到了巴黎"), Entry("2", "她住在柏林"), Entry("3", "来月、東京へ引っ越します"), Entry("4", "วันนี้อากาศดีมาก")]
    )
    for text, id in (("巴黎", "1"), ("柏林", "2"), ("東京", "3"), ("引っ越", "3"), ("อากาศ", "4")):
        assert [entry.id for entry, _ in store.search(text, "default")] == [id]
    assert store.search("上海", "default") == []


def test_search_follows_updates_and_removals(store):
    store.add([Entry("1", "red kettle"), Entry("2", "red door")])
    store.update(Entry("1", "blue kettle"))
    assert [entry.id for entry, _ in store.search("red", "default")] == ["2"]
    store.remove("default", ["2"])
    assert store.search("red", "default") == []


@settings(max_examples=60, deadline=None)
@given(st.text(max_size=30), st.text(max_size=30))
def test_any_text_can_be_stored_and_asked_for(text, question):
    store = SqliteStore(":memory:")
    store.add([Entry("1", text)])
    store.search(question, "default")
    store.remove("default", ["1"])
    assert store.search(text, "default") == []
    store.close()


# Vectors


def test_vectors_keep_float16_and_order(store, kitchen):
    entries, vectors = store.load("default")
    assert entries == kitchen
    assert vectors.dtype == np.float32
    assert np.array_equal(vectors, np.eye(4))


def test_a_changed_text_has_no_vector_until_it_gets_one(store, kitchen):
    store.update(replace(kitchen[1], text="The kettle is red."))
    store.update(replace(kitchen[2], pinned=True))
    ((n, entry),) = store.without_vector("default")
    assert entry.text == "The kettle is red."
    store.put_vectors([n, 999], np.full((2, 4), 0.5, np.float32))  # a place that is gone is passed over
    assert list(store.without_vector()) == []
    assert np.array_equal(store.load("default")[1][1], np.full(4, 0.5))


def test_vectors_of_another_embedder_are_refused_until_dropped(store, kitchen):
    store.set_embedder("test", 4)
    with pytest.raises(EmbedderMismatch, match="test .4 dimensions.*--reembed"):
        store.set_embedder("other", 8)
    store.set_embedder("other", 8, drop=True)
    assert len(list(store.without_vector())) == 4


# Files


def test_a_foreign_database_is_refused_and_left_alone(path):
    foreign = sqlite3.connect(path)
    foreign.execute("CREATE TABLE songs (title)")
    foreign.commit()
    foreign.close()
    before = path.read_bytes()
    with pytest.raises(NotAStore, match="not Memfold's"):
        SqliteStore(path)
    assert path.read_bytes() == before


def test_text_is_not_a_database(path):
    path.write_text("hello " * 1000)
    with pytest.raises(NotAStore, match="not a readable SQLite database"):
        SqliteStore(path)


def test_a_missing_store_says_how_to_make_one(path):
    with pytest.raises(NotAStore, match="memfold import"):
        SqliteStore(path, create=False)
    assert not path.exists()


def test_a_newer_form_is_refused(store, path):
    store.connection.db.execute(f"PRAGMA user_version = {len(MIGRATIONS) + 1}")
    store.close()
    with pytest.raises(NotAStore, match="newer Memfold"):
        SqliteStore(path)


def test_a_folder_that_is_not_there(tmp_path):
    with pytest.raises(ReadOnlyStore, match="cannot be opened"):
        SqliteStore(tmp_path / "no" / "where.db")


def test_a_full_disk_loses_nothing(store):
    store.add([Entry("a", "kept")])
    pages = store.connection.db.execute("PRAGMA page_count").fetchone()[0]
    store.connection.db.execute(f"PRAGMA max_page_count = {pages + 2}")
    with pytest.raises(StoreFull, match="Free some space"):
        store.add([Entry(str(i), "x" * 1000) for i in range(200)])
    assert [entry.id for entry in store.entries()] == ["a"]


def test_several_processes_write_one_file(store, path):
    script = (
        "import sys; from memfold.store.sqlite import SqliteStore; from memfold.types import Entry\n"
        "store = SqliteStore(sys.argv[1])\n"
        "for i in range(40): store.add([Entry(f'{sys.argv[2]}-{i}', 'text')])\n"
    )
    writers = [subprocess.Popen([sys.executable, "-c", script, str(path), name]) for name in "abc"]
    assert [writer.wait() for writer in writers] == [0, 0, 0]
    assert len({entry.id for entry in store.entries()}) == 120


def test_several_threads_share_one_store(store):
    errors = []

    def work(name):
        try:
            for i in range(30):
                store.add([Entry(f"{name}-{i}", "text")])
                list(store.entries())
        except Exception as error:
            errors.append(error)

    threads = [threading.Thread(target=work, args=(name,)) for name in "abcd"]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert errors == []
    assert store.totals()[0] == 120


def test_two_processes_may_create_the_same_file_at_once(path):
    script = "import sys; from memfold.store.sqlite import SqliteStore; SqliteStore(sys.argv[1]).close()"
    makers = [subprocess.Popen([sys.executable, "-c", script, str(path)]) for _ in range(4)]
    assert [maker.wait() for maker in makers] == [0] * 4
    SqliteStore(path).close()


def test_exported_bytes_equal_the_measured_size(store):
    store.add([Entry("a", "één"), Entry("b", "twee", pinned=True)])
    lines = [entry_json(entry) for entry in store.entries()]
    assert sum(len(line.encode()) for line in lines) == store.totals()[1]
    assert [json.loads(line)["id"] for line in lines] == ["a", "b"]
