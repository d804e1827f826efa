"""The approximate index: its candidates' cosines are exact, it follows every change, and its file is reached by `forget`."""

from __future__ import annotations

import subprocess
import sys
from importlib.util import find_spec

import numpy as np
import pytest

from memfold import forget
from memfold.config import RetrieveSettings
from memfold.errors import MissingExtra
from memfold.retrieve import Filter, Retriever, approximate, open_scorer
from memfold.store.journal import Journal
from memfold.store.shelf import StoredShelf
from memfold.types import Entry

pytestmark = pytest.mark.skipif(find_spec("usearch") is None, reason="the extra ann is not installed")


def opened(store, **settings):
    return Retriever(StoredShelf(store, "default"), RetrieveSettings(**settings))


def ask(retriever, q, text="", scorer="dense", **more):
    return retriever.recall(open_scorer(scorer), text, q, **more)


def found(hits, wanted):
    """The share of the wanted hits that were found; what was found has the exact score and reason."""
    by_id = {hit.entry.id: hit for hit in wanted}
    shared = [hit for hit in hits if hit.entry.id in by_id]
    assert all(hit == by_id[hit.entry.id] for hit in shared)
    assert [hit.score for hit in hits] == sorted((hit.score for hit in hits), reverse=True)
    return len(shared) / len(wanted)


@pytest.fixture
def drawers(store, made):
    store.add(made.entries(300), made.vectors(300))
    return store


def test_it_finds_what_the_exact_search_finds(drawers, made):
    exact, near = opened(drawers), opened(drawers, approximate_from=100)
    asked = [(q, scorer) for q in made.vectors(20, seed=9) for scorer in ("dense", "hybrid")]
    shares = [found(ask(near, q, "thread", scorer), ask(exact, q, "thread", scorer)) for q, scorer in asked]
    assert sum(shares) / len(shares) >= 0.9


def test_it_follows_the_store(drawers, made):
    exact, near = opened(drawers), opened(drawers, approximate_from=100)
    q = made.vectors(1, seed=9)[0]
    best = [hit.entry.id for hit in ask(near, q)]
    drawers.remove("default", best[:3])
    drawers.update(drawers.get("default", best[3]), -q)
    drawers.add([Entry("new", "A new drawer.")], q[None])
    hits = ask(near, q)
    assert found(hits, ask(exact, q)) >= 0.7
    assert hits[0].entry.id == "new"
    assert not {*best[:4]} & {hit.entry.id for hit in hits}


def test_below_its_size_the_search_is_exact(drawers, made, monkeypatch):
    monkeypatch.setattr(approximate, "_empty", None)
    assert len(ask(opened(drawers, approximate_from=301), made.vectors(1)[0])) == 10


def test_what_is_not_wanted_does_not_use_up_the_candidates(drawers, made):
    near, q = opened(drawers, approximate_from=100, candidates=10), made.vectors(1, seed=9)[0]
    first = [hit.entry.id for hit in ask(near, q, limit=150)]
    hits = ask(near, q, limit=2, filter=Filter(without=frozenset(first)))
    assert len(hits) == 2
    assert not {hit.entry.id for hit in hits} & set(first)
    kinds = Filter(kinds=("event",))
    assert ask(near, q, filter=kinds) == []


def test_the_next_process_reads_it_from_its_file(drawers, made, path, monkeypatch):
    q = made.vectors(1, seed=9)[0]
    ask(opened(drawers, approximate_from=100), q)
    (kept,) = path.parent.glob("*.index/*")
    assert kept.stat().st_mode & 0o777 == 0o600
    drawers.add([Entry("new", "A new drawer.")], q[None])
    monkeypatch.setattr(approximate, "_fill", None)
    assert ask(opened(drawers, approximate_from=100), q)[0].entry.id == "new"


def test_forget_reaches_its_file(store, made, path):
    vectors = made.vectors(300)
    store.add([Entry("p", "Priya rents the blue house."), *made.entries(299)], vectors)
    q = vectors[0]
    near = opened(store, approximate_from=100)
    assert ask(near, q)[0].entry.id == "p"
    needle = q.astype(np.float16).tobytes()
    assert any(needle in file.read_bytes() for file in path.parent.glob("*.index/*"))
    forget.erase(store, Journal(store), [forget.Change(store.get("default", "p"), None)], ["Priya"])
    assert "p" not in {hit.entry.id for hit in ask(near, q)}
    ask(opened(store, approximate_from=100), q)
    assert all(needle not in file.read_bytes() for file in path.parent.rglob("*") if file.is_file())


def test_without_usearch_the_cure_is_told(drawers, made, monkeypatch):
    monkeypatch.setitem(sys.modules, "usearch.index", None)
    with pytest.raises(MissingExtra, match=r"memfold\[ann\]"):
        ask(opened(drawers, approximate_from=100), made.vectors(1)[0])


def test_the_embedder_may_be_loaded_after_it():
    code = "from memfold.retrieve import approximate; approximate._empty(8); from memfold.embed import open_embedder"
    asked = f"{code}; print(open_embedder('minilm').embed(['x']).shape)"
    done = subprocess.run([sys.executable, "-c", asked], capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (0, "(1, 384)\n")
