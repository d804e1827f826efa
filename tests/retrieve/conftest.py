from __future__ import annotations

from datetime import UTC, datetime

import numpy as np
import pytest

from memfold.atoms import AtomSettings, open_clusterer
from memfold.config import RetrieveSettings
from memfold.retrieve import Retriever
from memfold.store.atoms import StoredAtoms
from memfold.store.shelf import StoredShelf
from memfold.store.sqlite import SqliteStore
from memfold.types import Entry, Link

DIM = 8


def towards(*parts: float) -> np.ndarray:
    """A unit vector, shape (8,), with these components first."""
    vector = np.zeros(DIM, np.float32)
    vector[: len(parts)] = parts
    return vector / np.linalg.norm(vector)


NINE, NEXT, JUNE = datetime(2031, 5, 1, 9), datetime(2031, 5, 2, 9), datetime(2031, 6, 1, tzinfo=UTC)
HARBOUR = [
    Entry("ferry", "The ferry leaves the harbour at nine.", kind="event", occurred_at=NINE, links=(Link("late", "updates"),)),
    Entry("late", "It was moved to ten.", occurred_at=NEXT, metadata={"by": "crew", "deck": 2}),
    Entry("boat", "Edda sails a wooden boat.", kind="fact", occurred_at=JUNE, links=(Link("ferry"), Link("gone"))),
    Entry("oats", "Breakfast is oats with plums.", kind="turn", metadata={"by": "cook"}),
    Entry("city", "我住在上海的静安区。", kind="fact"),
    Entry("rice", "ฉันชอบกินข้าวผัดกุ้ง", kind="fact"),
]
VECTORS = np.array([towards(1, 0.2), towards(1, 0.9), towards(0.6, 1), towards(0, 0, 1), towards(0, 0, 0, 1), towards(0, 0, 0, 0, 1)])


@pytest.fixture
def path(tmp_path):
    return tmp_path / "agent.db"


@pytest.fixture
def store(path):
    store = SqliteStore(path)
    store.set_embedder("test", DIM)
    yield store
    store.close()


@pytest.fixture
def harbour(store):
    """Six entries, two of one atom, in a namespace of their own, beside one of another."""
    store.add([Entry("ferry", "The ferry of somebody else.", namespace="other")], VECTORS[:1])
    store.add(HARBOUR, VECTORS)
    return store


@pytest.fixture
def retriever(harbour):
    return opened(harbour)


def opened(store, namespace="default", **settings):
    atoms = StoredAtoms(store, namespace, lambda: open_clusterer("rsm", AtomSettings(join_cosine=0.8)))
    return Retriever(StoredShelf(store, namespace), RetrieveSettings(**settings), clusterer=atoms.current)


@pytest.fixture
def made():
    """Makers: `open(store, namespace, **settings)` a retriever, `towards(*parts)` a unit vector, `entries(n)`, `vectors(n)`."""

    def entries(count, start=0, namespace="default"):
        texts = {n: f"Drawer {n} holds {'buttons' if n % 3 else 'thread'}." for n in range(start, start + count)}
        return [Entry(f"e{n}", text, namespace=namespace) for n, text in texts.items()]

    def vectors(count, seed=0, dim=DIM):
        rows = np.random.default_rng(seed).standard_normal((count, dim)).astype(np.float32)
        rows = (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float16).astype(np.float32)
        return rows

    names = {"open": opened, "towards": towards, "entries": entries, "vectors": vectors}
    return type("Made", (), {name: staticmethod(maker) for name, maker in names.items()})
