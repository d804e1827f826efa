"""Atoms kept with the store: in step with its entries, equal after loading, never mixed, and gone when the entry is."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from memfold import forget
from memfold.atoms import AtomSettings, open_clusterer
from memfold.errors import DuplicateId
from memfold.protocols import Clusterer, Vectors
from memfold.store.atoms import StoredAtoms
from memfold.store.journal import Journal
from memfold.store.sqlite import SqliteStore
from memfold.types import Entry

DIM = 8


def make(name: str = "rsm", **chosen) -> Clusterer:
    return open_clusterer(name, AtomSettings(join_cosine=0.8, rank=3, **chosen))


def vectors(count: int, seed: int = 0, dim: int = DIM) -> Vectors:
    random = np.random.default_rng(seed)
    rows = random.standard_normal((4, dim))[random.integers(4, size=count)] + 0.5 * random.standard_normal((count, dim))
    return (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)


def entries(count: int, start: int = 0, namespace: str = "default") -> list[Entry]:
    return [Entry(f"e{number}", f"The drawer {number} holds buttons.", namespace=namespace) for number in range(start, start + count)]


@pytest.fixture
def store(store: SqliteStore) -> SqliteStore:
    store.set_embedder("test", DIM)
    return store


def groups(clusterer: Clusterer) -> list[tuple[int, tuple[str, ...]]]:
    return [(atom.id, atom.members) for atom in clusterer.atoms()]


def same(one: Clusterer, other: Clusterer) -> None:
    assert groups(one) == groups(other)
    assert np.array_equal(one.centroids(), other.centroids())
    assert np.array_equal(one.leading(), other.leading())


def rows(store: SqliteStore) -> int:
    with store.connection.reading() as db:
        return db.execute("SELECT count(*) FROM atom_members").fetchone()[0]


def test_loaded_is_what_was_added(store: SqliteStore) -> None:
    atoms, x = StoredAtoms(store, "default", make), vectors(40)
    joined = [number for entry, row in zip(entries(40), x, strict=True) for number in atoms.add([entry], row[None])]
    plain = make()
    assert plain.add([entry.id for entry in entries(40)], x) == joined
    same(plain, atoms.current())
    same(plain, StoredAtoms(store, "default", make).current())
    assert rows(store) == 40


def test_entries_that_came_another_way_join_in_order(store: SqliteStore) -> None:
    x = vectors(30)
    store.add(entries(20), x[:20])
    atoms = StoredAtoms(store, "default", make)
    assert len(atoms.current().atoms()) > 0
    store.add(entries(10, 20), x[20:])
    plain = make()
    plain.add([entry.id for entry in entries(30)], x)
    same(plain, atoms.current())
    assert atoms.current() is atoms.current()


def test_an_add_writes_only_what_changed(store: SqliteStore) -> None:
    atoms, x = StoredAtoms(store, "default", make), vectors(200)
    atoms.add(entries(199), x[:199])
    before = store.connection.db.total_changes
    atoms.add([entries(200)[199]], x[199:])
    # the entry, its vector, its row and two writes of the counters; the rest is the full-text index's own
    assert store.connection.db.total_changes - before <= 12


def test_removed_and_edited_entries_leave_and_edited_ones_join_anew(store: SqliteStore) -> None:
    atoms, x = StoredAtoms(store, "default", make), vectors(40)
    atoms.add(entries(40), x)
    before = dict.fromkeys(id for _, members in groups(atoms.current()) for id in members)
    where = {id: atoms.current().atom_of(id) for id in before}
    store.remove("default", ["e3", "e4"])
    store.update(replace(entries(6)[5], text="The drawer 5 holds thread."), -x[5])
    assert rows(store) == 37
    current = atoms.current()
    assert (current.atom_of("e3"), current.atom_of("e4")) == (None, None)
    assert current.atom_of("e5") is not None
    assert current.atom_of("e5") != where["e5"]
    assert all(current.atom_of(id) == atom for id, atom in where.items() if id not in ("e3", "e4", "e5"))
    same(current, StoredAtoms(store, "default", make).current())
    plain = make()
    kept = [number for number in range(40) if number not in (3, 4, 5)]
    plain.restore([f"e{number}" for number in kept], x[kept], [where[f"e{number}"] for number in kept], 0)
    for atom in plain.atoms():  # removal is as if it had never been
        now = next(other for other in current.atoms() if other.id == atom.id)
        if "e5" not in now.members:
            assert np.array_equal(now.centroid, atom.centroid)
            assert np.array_equal(now.basis, atom.basis)


def test_replaced_vector_is_a_new_one(store: SqliteStore) -> None:
    atoms, x = StoredAtoms(store, "default", make), vectors(10)
    atoms.add(entries(10), x)
    with store.connection.reading() as db:
        n = db.execute("SELECT n FROM entries WHERE id = 'e2'").fetchone()[0]
    store.put_vectors([n], -x[2:3])
    assert atoms.current().centroids()[list(atoms.current().numbers()).index(atoms.current().atom_of("e2"))] @ x[2] < 0


def test_forgotten_entries_leave_no_trace(store: SqliteStore, path) -> None:
    atoms, x = StoredAtoms(store, "default", make), vectors(12)
    told = [*entries(11), Entry("zebedee-1", "Zebedee keeps a tortoise.")]
    atoms.add(told, x)
    change = forget.changed(told[-1], "zebedee")
    assert change is not None
    forget.erase(store, Journal(store), [change], ["zebedee"])
    assert rows(store) == 11
    assert atoms.current().atom_of("zebedee-1") is None
    assert not [id for _, members in groups(atoms.current()) for id in members if "zebedee" in id]
    vector = x[-1].astype(np.float16).tobytes()
    for file in path.parent.iterdir():
        content = file.read_bytes()
        assert b"zebedee" not in content.lower()
        assert vector not in content


def test_states_are_not_mixed(store: SqliteStore) -> None:
    x = vectors(30)
    one, other = StoredAtoms(store, "default", make), StoredAtoms(store, "default", lambda: make("cent-merge"))
    one.add(entries(30), x)
    assert groups(other.current())
    guest = StoredAtoms(store, "guest", make)
    guest.add(entries(3, namespace="guest"), x[:3])
    assert [id for _, members in groups(guest.current()) for id in members] == ["e0", "e1", "e2"]
    assert rows(store) == 63
    plain = make()
    plain.add([entry.id for entry in entries(30)], x)
    same(plain, one.current())
    one.drop()
    assert rows(store) == 33
    same(plain, one.current())


def test_another_embedder_begins_anew(store: SqliteStore) -> None:
    atoms, x = StoredAtoms(store, "default", make), vectors(20)
    atoms.add(entries(20), x)
    store.set_embedder("other", 5, drop=True)
    assert groups(atoms.current()) == []
    with store.connection.reading() as db:
        places = [row[0] for row in db.execute("SELECT n FROM entries ORDER BY n")]
    store.put_vectors(places, vectors(20, seed=4, dim=5))
    plain = make()
    plain.add([entry.id for entry in entries(20)], vectors(20, seed=4, dim=5))
    assert [members for _, members in groups(plain)] == [members for _, members in groups(atoms.current())]


def test_two_processes_see_each_others_entries(store: SqliteStore, path) -> None:
    x = vectors(30)
    second = SqliteStore(path)
    here, there = StoredAtoms(store, "default", make), StoredAtoms(second, "default", make)
    for number, entry in enumerate(entries(30)):
        (here if number % 2 else there).add([entry], x[number][None])
    same(here.current(), there.current())
    plain = make()
    plain.add([entry.id for entry in entries(30)], x)
    same(plain, here.current())
    second.close()


def test_failed_and_rolled_back_adds_leave_nothing(store: SqliteStore) -> None:
    atoms, x = StoredAtoms(store, "default", make), vectors(20)
    atoms.add(entries(10), x[:10])
    before = groups(atoms.current())
    with pytest.raises(DuplicateId):
        atoms.add([*entries(2, 10), entries(1)[0]], x[10:13])
    assert groups(atoms.current()) == before
    with pytest.raises(DuplicateId), store.connection.writing() as db:  # noqa: PT012
        atoms.add(entries(5, 10), x[10:15])
        store.insert(db, entries(1)[0])
    assert groups(atoms.current()) == before
    assert atoms.add(entries(5, 10), x[15:20])
    same(atoms.current(), StoredAtoms(store, "default", make).current())


@pytest.mark.parametrize(("name", "chosen"), [("oja", {}), ("fifo", {"max_atoms": 6}), ("k-means", {"max_atoms": 3})])
def test_clusterers_with_more_state_are_fed_anew(store: SqliteStore, name: str, chosen: dict) -> None:
    atoms, x = StoredAtoms(store, "default", lambda: make(name, **chosen)), vectors(20)
    atoms.add(entries(20), x)
    store.remove("default", ["e19"])
    plain = make(name, **chosen)
    plain.add([entry.id for entry in entries(19)], x[:19])
    same(plain, atoms.current())
    assert rows(store) == 0


def test_empty_namespace_has_no_atoms(store: SqliteStore) -> None:
    atoms = StoredAtoms(store, "default", make)
    assert groups(atoms.current()) == []
    assert atoms.add([], vectors(0)) == []
