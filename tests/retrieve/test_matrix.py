"""The matrix is always the store's state: after any change, by anybody, with and without a file; and forget reaches the file."""

from __future__ import annotations

import shutil
import sqlite3
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memfold import forget
from memfold.config import RetrieveSettings
from memfold.retrieve import Retriever, open_scorer
from memfold.retrieve import matrix as matrix_module
from memfold.retrieve.copy import read_copy
from memfold.retrieve.matrix import Matrix
from memfold.store.copies import remove_copies
from memfold.store.journal import Journal
from memfold.store.shelf import StoredShelf
from memfold.store.sqlite import SqliteStore
from memfold.types import Entry


@pytest.fixture(params=[None, 20], ids=["memory", "file"])
def file_from(request):
    return request.param


@pytest.fixture(autouse=True)
def little_slack(monkeypatch):
    """Put together anew after a few changes already, so that a test sees it."""
    monkeypatch.setattr(matrix_module, "SLACK", 8)


def shelf(store, namespace="default"):
    return StoredShelf(store, namespace)


def copies(path):
    return sorted(path.parent.glob("*.index/*"))


def current(matrix):
    matrix.prepare()
    with matrix._shelf.snapshot():
        matrix.refresh()
    return matrix


def same(matrix, store, q, namespace="default"):
    """What the matrix holds is what the store holds, product by product."""
    entries, vectors = store.load(namespace)
    places = [store.placed(namespace, entry.id)[0] for entry in entries]
    held = current(matrix)
    products = held.product(q)
    rows = np.flatnonzero(held.embedded)
    found = dict(zip(held.places[rows].tolist(), products[rows].tolist(), strict=True))
    assert found == pytest.approx(dict(zip(places, (vectors @ q).tolist(), strict=True)), abs=1e-5)
    assert int(held.alive.sum()) == store.totals(namespace)[0]
    assert held.rows_at(np.array(sorted(places), np.int64)).tolist() == rows.tolist()
    assert held.exact(rows, q) == pytest.approx(products[rows], abs=1e-5)


def test_what_is_added_changed_and_removed(store, made, file_from):
    matrix, q = Matrix(shelf(store), file_from=file_from), made.vectors(1, seed=9)[0]
    same(matrix, store, q)
    store.add(made.entries(30), made.vectors(30))
    same(matrix, store, q)
    store.add(made.entries(7, 30), made.vectors(7, seed=1))
    same(matrix, store, q)
    store.update(replace(store.get("default", "e3"), text="Drawer 3 is empty."), made.vectors(1, seed=2)[0])
    store.update(replace(store.get("default", "e4"), text="Drawer 4 is empty."))  # loses its vector
    same(matrix, store, q)
    store.remove("default", ["e0", "e33"])
    same(matrix, store, q)
    store.remove("default", [f"e{n}" for n in range(5, 30)])
    same(matrix, store, q)
    store.add(made.entries(40, 50), made.vectors(40, seed=3))
    same(matrix, store, q)


def test_only_what_changed_is_read(store, made, file_from):
    store.add(made.entries(30), made.vectors(30))
    matrix = current(Matrix(shelf(store), file_from=file_from))
    read = []
    matrix._shelf.rows, rows = lambda places: read.append(list(places)) or rows(places), matrix._shelf.rows
    matrix._shelf.pages = None
    store.remove("default", ["e29"])
    store.add(made.entries(1, 30), made.vectors(1, seed=1))
    version = current(matrix).version
    assert read == [[30, 31]]
    current(matrix)
    assert (read, matrix.version) == ([[30, 31]], version)


def test_changes_of_another_namespace_leave_the_rows_alone(store, made, file_from):
    store.add(made.entries(30), made.vectors(30))
    matrix = current(Matrix(shelf(store), file_from=file_from))
    version = matrix.version
    store.add(made.entries(3, namespace="other"), made.vectors(3))
    assert current(matrix).version == version


def test_another_connection_writes(store, path, made, file_from):
    matrix, q = Matrix(shelf(store), file_from=file_from), made.vectors(1, seed=9)[0]
    store.add(made.entries(25), made.vectors(25))
    same(matrix, store, q)
    other = SqliteStore(path)
    other.add(made.entries(5, 25), made.vectors(5, seed=1))
    other.remove("default", ["e1"])
    same(matrix, store, q)
    same(Matrix(shelf(other), file_from=file_from), other, q)
    other.close()


def test_a_transaction_that_is_rolled_back_was_never_there(store, made, file_from):
    matrix, q = Matrix(shelf(store), file_from=file_from), made.vectors(1, seed=9)[0]
    store.add(made.entries(25), made.vectors(25))
    same(matrix, store, q)

    def changed_my_mind():
        with store.connection.writing() as db:
            store.insert(db, Entry("ghost", "A ghost."), vector=made.vectors(1, seed=5)[0])
            same(matrix, store, q)
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        changed_my_mind()
    same(matrix, store, q)
    store.add(made.entries(1, 25), made.vectors(1, seed=6))  # takes the ghost's place in the log
    same(matrix, store, q)


def test_the_log_of_changes_is_bounded_and_who_is_far_behind_reads_all(store, made, file_from):
    matrix, q = Matrix(shelf(store), file_from=file_from), made.vectors(1, seed=9)[0]
    store.add(made.entries(30), made.vectors(30))
    same(matrix, store, q)
    store.add(made.entries(5, 30), made.vectors(5, seed=1))
    with store.connection.writing() as db:
        db.execute("DELETE FROM changes WHERE seq < (SELECT max(seq) FROM changes)")
    assert shelf(store).changed(matrix._mark) is None
    same(matrix, store, q)


def test_another_embedder_begins_anew(store, made, file_from):
    matrix = Matrix(shelf(store), file_from=file_from)
    store.add(made.entries(30), made.vectors(30))
    current(matrix)
    store.set_embedder("wider", 12, drop=True)
    store.put_vectors(range(1, 31), made.vectors(30, dim=12))
    same(matrix, store, made.vectors(1, seed=9, dim=12)[0])


# The file


def test_a_file_is_kept_from_a_size_on(store, path, made):
    store.add(made.entries(19), made.vectors(19))
    current(Matrix(shelf(store), file_from=20))
    assert copies(path) == []
    store.add(made.entries(1, 19), made.vectors(1))
    current(Matrix(shelf(store), file_from=20))
    (copy,) = copies(path)
    assert copy.stat().st_mode & 0o777 == 0o600
    assert "default" not in copy.name


def test_a_second_process_opens_the_file_and_reads_what_came_later(store, path, made):
    store.add(made.entries(40), made.vectors(40))
    current(Matrix(shelf(store), file_from=20))
    written = copies(path)[0].stat()
    store.add(made.entries(2, 40), made.vectors(2, seed=1))
    second = Matrix(shelf(store), file_from=20)
    second._shelf.pages = None  # not read from the store
    same(second, store, made.vectors(1, seed=9)[0])
    assert len(second._base) == 40
    assert copies(path)[0].stat().st_mtime_ns == written.st_mtime_ns


def test_the_file_is_written_anew_when_it_is_far_behind(store, path, made):
    store.add(made.entries(40), made.vectors(40))
    matrix = current(Matrix(shelf(store), file_from=20))
    store.add(made.entries(40, 40), made.vectors(40, seed=1))
    current(matrix)
    current(matrix)
    assert (len(matrix._base), len(matrix._tail)) == (80, 0)


@pytest.mark.parametrize("harm", ["cut", "empty", "garbage", "json", "other store"])
def test_a_file_that_is_not_the_copy_is_not_believed(store, path, made, harm):
    store.add(made.entries(40), made.vectors(40))
    current(Matrix(shelf(store), file_from=20))
    (copy,) = copies(path)
    data = copy.read_bytes()
    harmed = {"cut": data[:-1], "empty": b"", "garbage": bytes(len(data)), "json": b"[]".ljust(4096), "other store": data}
    if harm == "other store":
        store.close()
        for suffix in ("", "-wal", "-shm"):
            path.with_name(path.name + suffix).unlink(missing_ok=True)
        store = SqliteStore(path)
        store.set_embedder("test", 8)
        store.add(made.entries(40), made.vectors(40, seed=7))
    copy.write_bytes(harmed[harm])
    same(Matrix(shelf(store), file_from=20), store, made.vectors(1, seed=9)[0])
    store.close()


def test_a_restored_backup_with_another_history_is_noticed(store, path, tmp_path, made):
    store.add(made.entries(40), made.vectors(40))
    with store.connection.writing():
        pass
    store.connection.db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    shutil.copyfile(path, tmp_path / "backup")
    store.add(made.entries(1, 40), made.vectors(1, seed=1))
    current(Matrix(shelf(store), file_from=20))
    mark = shelf(store).mark()
    store.close()
    for suffix in ("-wal", "-shm"):
        path.with_name(path.name + suffix).unlink(missing_ok=True)
    shutil.copyfile(tmp_path / "backup", path)
    store = SqliteStore(path)
    store.add(made.entries(1, 40), made.vectors(1, seed=2))
    assert shelf(store).mark()[0] == mark[0]
    same(Matrix(shelf(store), file_from=20), store, made.vectors(1, seed=9)[0])
    store.close()


def test_a_folder_that_cannot_be_written_costs_no_answer(store, path, made):
    path.with_name("agent.db.index").mkdir()
    path.with_name("agent.db.index").chmod(0o500)
    store.add(made.entries(30), made.vectors(30))
    same(Matrix(shelf(store), file_from=20), store, made.vectors(1, seed=9)[0])
    path.with_name("agent.db.index").chmod(0o700)


def test_forget_reaches_the_file(store, path, made):
    """The bytes of a forgotten vector are in no file, and the next search is right without it."""
    vectors = made.vectors(40)
    store.add([Entry("p", "Priya rents the blue house."), *made.entries(39)], vectors)
    matrix, q = current(Matrix(shelf(store), file_from=20)), made.vectors(1, seed=9)[0]
    needle = vectors[0].tobytes()
    assert needle in copies(path)[0].read_bytes()
    forget.erase(store, Journal(store), [forget.Change(store.get("default", "p"), None)], ["Priya"])
    assert all(needle not in file.read_bytes() for file in path.parent.rglob("*") if file.is_file())
    same(matrix, store, q)
    assert copies(path)
    assert all(needle not in file.read_bytes() for file in path.parent.rglob("*") if file.is_file())


def test_removing_copies_leaves_other_files(path):
    folder = path.with_name("agent.db.index")
    folder.mkdir()
    (folder / "a.vectors.123").touch()
    (folder / "mine.txt").touch()
    remove_copies(str(path))
    assert [file.name for file in folder.iterdir()] == ["mine.txt"]
    remove_copies(":memory:")


def test_a_store_in_memory_has_no_file(made, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    store = SqliteStore(":memory:")
    store.set_embedder("test", 8)
    store.add(made.entries(30), made.vectors(30))
    same(Matrix(shelf(store), file_from=20), store, made.vectors(1, seed=9)[0])
    assert shelf(store).file is None
    assert list(tmp_path.iterdir()) == []


def test_no_copy_is_nothing(tmp_path, store):
    assert read_copy(tmp_path / "none", shelf(store)) is None


# Anything, in any order


STEPS = st.lists(
    st.tuples(st.sampled_from(["add", "remove", "update", "revector", "ask", "reopen", "scrub"]), st.integers(0, 30)), max_size=25
)


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(steps=STEPS, with_file=st.booleans())
def test_any_history_gives_the_answers_of_the_store(tmp_path_factory, made, steps, with_file):
    path = tmp_path_factory.mktemp("history") / "agent.db"
    store = SqliteStore(path)
    store.set_embedder("test", 8)
    chosen = RetrieveSettings(file_from=6 if with_file else None)
    retriever, q, number = Retriever(shelf(store), chosen), made.vectors(1, seed=9)[0], 0
    for step, value in [*steps, ("ask", 0)]:
        living = [entry.id for entry in store.entries("default")]
        if step == "add":
            count = 1 + value % 9
            store.add(made.entries(count, number), made.vectors(count, seed=number))
            number += count
        elif step == "reopen":
            retriever = Retriever(shelf(store), chosen)
        elif step == "scrub":
            store.scrub()
        elif step == "ask":
            assert [hit.entry.id for hit in retriever.recall(open_scorer("dense"), "", q, limit=4)] == brute(store, q, 4)
        elif living:
            id = living[value % len(living)]
            if step == "remove":
                store.remove("default", [id])
            else:
                text = "Drawer of string." if step == "update" else store.get("default", id).text
                store.update(replace(store.get("default", id), text=text), made.vectors(1, seed=value + 100)[0])
    store.close()


def brute(store, q, limit):
    entries, vectors = store.load("default")
    exact = (vectors.astype(np.float64) * q.astype(np.float64) / np.linalg.norm(q)).sum(axis=1)
    order = np.lexsort((-np.arange(len(entries)), -exact))
    return [entries[row].id for row in order[:limit]]


def test_threads_ask_and_write_at_once(store, made):
    """Every answer is of some state of the store: never an entry that was gone when it was asked, never a wrong vector."""
    store.add(made.entries(60), made.vectors(60))
    retriever, q = Retriever(shelf(store), RetrieveSettings(file_from=20)), made.vectors(1, seed=9)[0]

    def work(number):
        if number % 3 == 0:
            store.add(made.entries(2, 60 + 2 * number), made.vectors(2, seed=number + 1))
            store.remove("default", [f"e{number}"])
        hits = retriever.recall(open_scorer("hybrid"), "thread buttons", q, limit=20)
        return number % 3 == 0 and f"e{number}" in {hit.entry.id for hit in hits}

    with ThreadPoolExecutor(4) as threads:
        assert not any(threads.map(work, range(30)))
    same(retriever.matrix, store, q)


# The store's side


def test_an_older_database_is_brought_up(path, made):
    """Words are indexed anew, by their stems, and the log begins."""
    store = SqliteStore(path)
    store.set_embedder("test", 8)
    odd = Entry("odd", "Half \ud83d a smile, sailing.")
    store.add([odd, *made.entries(3)], made.vectors(4))
    store.close()
    db = sqlite3.connect(path)
    for table in ("entries", "vectors"):
        for event in ("insert", "update", "delete"):
            db.execute(f"DROP TRIGGER IF EXISTS {table}_{event}")
    db.execute("DROP TABLE changes")
    db.execute("DROP TABLE words")
    db.execute("CREATE VIRTUAL TABLE words USING fts5(text, content='', tokenize='unicode61 remove_diacritics 2')")
    db.execute("PRAGMA user_version = 5")
    db.commit()
    db.close()
    store = SqliteStore(path)
    assert [entry.id for entry, _ in store.search("sailed", "default")] == ["odd"]
    same(Matrix(shelf(store), file_from=None), store, made.vectors(1, seed=9)[0])
    store.remove("default", ["odd"])
    assert store.search("sailed", "default") == []
    store.close()


def test_numbers_of_words(store):
    store.add([Entry("a", "one two three"), Entry("b", "word " * 300), Entry("c", "…"), Entry("d", "上海 trip")])
    assert shelf(store).rows([1, 2, 3, 4]).words.tolist() == [3, 300, 0, 3]
