from datetime import UTC, datetime

import numpy as np
import pytest

from memfold.store.journal import Journal
from memfold.store.sqlite import SqliteStore
from memfold.types import Decision, Edit, Entry, Link, Relink

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)


@pytest.fixture
def path(tmp_path):
    return tmp_path / "agent.db"


@pytest.fixture
def store(path):
    store = SqliteStore(path)
    yield store
    store.close()


@pytest.fixture
def journal(store):
    return Journal(store)


@pytest.fixture
def kitchen(store):
    """Four linked entries with vectors."""
    entries = [
        Entry("a", "The kettle is blue.", links=(Link("c"),)),
        Entry("b", "The kettle is blue and old.", links=(Link("a"),)),
        Entry("c", "The kitchen has a window.", links=(Link("a", "near"), Link("b", "near"))),
        Entry("d", "Oslo is cold in March."),
    ]
    store.set_embedder("test", 4)
    store.add(entries, np.eye(4, dtype=np.float32))
    return entries


def delete(entries, run="r1", seq=1, saved=50):
    """Entry a goes; c pointed to it, b too."""
    a, b, c, *_ = entries
    relinks = (Relink("b", b.links, ()), Relink("c", c.links, (Link("b", "near"),)))
    return Edit(run, seq, "default", (a,), (), relinks, Decision("delete", target="a", reason="b covers a"), 0.9, saved, NOW, kept="b")


def merge(one, other, merged, run="r1", seq=1, saved=30):
    return Edit(run, seq, "default", (one, other), (merged,), (), Decision("merge", merged=merged.text), 0.8, saved, NOW, kept=merged.id)


@pytest.fixture
def edits():
    """Makers of edits over the kitchen: delete(entries), merge(one, other, merged)."""
    return type("Edits", (), {"delete": staticmethod(delete), "merge": staticmethod(merge), "now": NOW})
