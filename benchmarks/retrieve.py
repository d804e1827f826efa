"""Recall at 1,000, 10,000 and 100,000 entries without the question's embedding, beside one bare pass through the matrix.

    python -m benchmarks.retrieve [--sizes 1000 10000 100000] [--approximate] [--json]

A synthetic store in a file. `bare` is one product of the float32 matrix with the question in numpy, measured in turns with the rest; the
target for `hybrid` is at most twice that at 100,000. A question has six words or phrases of the entries' vocabulary and a vector near
an entry's; each question is another one. `after a write` is the first recall after an entry was added, which brings the matrix up to
date and reads the words anew. `open` is a new process's first recall, with the copy in its file where the size has one; `build` the very
first, which writes that file. Each size runs in a process of its own.
"""

from __future__ import annotations

import argparse
import json
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TypeVar

import numpy as np

from benchmarks import synthetic
from benchmarks.process import Row, measured, peak_megabytes, show
from memfold.config import RetrieveSettings
from memfold.protocols import Vectors
from memfold.retrieve import Retriever, open_scorer
from memfold.store.shelf import StoredShelf
from memfold.store.sqlite import SqliteStore

HEADINGS = (
    "entries", "bare ms", "dense ms", "hybrid ms", "hybrid p95", "dense / bare", "hybrid / bare", "after a write ms", "open ms", "build ms",
    "MB", "file MB",
)  # fmt: skip
NEAR = ("entries", "build s", "recall@10", "exact ms", "approximate ms", "times faster", "MB")
ROUNDS = 100
Made = TypeVar("Made")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--sizes", type=int, nargs="+", default=[1_000, 10_000, 100_000])
    parser.add_argument("--approximate", action="store_true", help="the approximate index instead (extra ann)")
    parser.add_argument("--one", type=int, help=argparse.SUPPRESS)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    if options.one is not None:
        print(json.dumps(near(options.one) if options.approximate else exact(options.one)))
    elif options.approximate:
        show(NEAR, rows([options.sizes[-1]], "--approximate"), as_json=options.json)
    else:
        show(HEADINGS, rows(options.sizes), as_json=options.json)


def rows(sizes: Sequence[int], *arguments: str) -> Iterator[Row]:
    for size in sizes:
        yield measured("benchmarks.retrieve", "--one", str(size), *arguments)


def exact(size: int) -> Row:
    """A row: medians in milliseconds."""
    with tempfile.TemporaryDirectory(prefix="memfold-bench-") as folder:
        store, vectors = filled(Path(folder) / "agent.db", size)
        bare_matrix = np.array(vectors[:size])
        texts, questions = asked(vectors)
        start = peak_megabytes()
        build, _ = timed(lambda: recall(Retriever(StoredShelf(store, "default")), "hybrid", texts[0], questions[0]))
        opening, retriever = timed(lambda: opened(store, texts[0], questions[0]))
        ways: list[Callable[[int], object]] = [
            lambda n: bare_matrix @ questions[n],
            lambda n: recall(retriever, "dense", texts[n], questions[n]),
            lambda n: recall(retriever, "hybrid", texts[n], questions[n]),
        ]
        taken = in_turns(ways)
        bare, dense, hybrid = (statistics.median(times) for times in taken)
        writes = [after_a_write(store, retriever, size + n, vectors[size + n], texts[n], questions[n]) for n in range(20)]
        peak, kept = peak_megabytes() - start, sum(file.stat().st_size for file in Path(folder).glob("*.index/*"))
        store.close()
    told = (size, bare, dense, hybrid, statistics.quantiles(taken[2], n=20)[-1], dense / bare, hybrid / bare, statistics.median(writes))
    return dict(zip(HEADINGS, (*told, opening, build, int(peak), int(kept / 1e6)), strict=True))


def near(size: int) -> Row:
    """A row: the approximate index beside the exact search."""
    with tempfile.TemporaryDirectory(prefix="memfold-bench-") as folder:
        store, vectors = filled(Path(folder) / "agent.db", size)
        texts, questions = asked(vectors)
        plain = opened(store, texts[0], questions[0])
        start = peak_megabytes()
        other = Retriever(StoredShelf(store, "default"), RetrieveSettings(approximate_from=0))
        build, _ = timed(lambda: recall(other, "dense", texts[0], questions[0]))
        found = [(set(recall(plain, "dense", "", q)), set(recall(other, "dense", "", q))) for q in questions]
        ways: list[Callable[[int], object]] = [
            lambda n: recall(plain, "dense", "", questions[n]),
            lambda n: recall(other, "dense", "", questions[n]),
        ]
        slow, fast = (statistics.median(times) for times in in_turns(ways))
        peak = peak_megabytes() - start
        store.close()
    share = sum(len(right & held) / len(right) for right, held in found) / len(found)
    return dict(zip(NEAR, (size, build / 1e3, f"{share:.4f}", slow, fast, slow / fast, int(peak)), strict=True))


def filled(path: Path, size: int) -> tuple[SqliteStore, Vectors]:
    """A store of `size` entries, and the vectors of these and a hundred more."""
    store, vectors = SqliteStore(path), synthetic.vectors(size + ROUNDS)
    store.set_embedder("table", synthetic.DIM)
    store.add(synthetic.entries(size), vectors[:size])
    return store, vectors


def asked(vectors: Vectors) -> tuple[list[str], Vectors]:
    """Texts of questions, and their vectors near entries'."""
    random = np.random.default_rng(1)
    words = [*synthetic.PEOPLE, *synthetic.VERBS, *synthetic.THINGS, *synthetic.PLACES]
    texts = [f"When did {' and '.join(words[place] for place in random.integers(len(words), size=6))}?" for _ in range(ROUNDS)]
    rows = vectors[random.integers(len(vectors), size=ROUNDS)] + 0.5 * random.standard_normal((ROUNDS, synthetic.DIM)) / synthetic.DIM**0.5
    return texts, (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)


def opened(store: SqliteStore, text: str, q: Vectors) -> Retriever:
    retriever = Retriever(StoredShelf(store, "default"))
    recall(retriever, "hybrid", text, q)
    return retriever


def recall(retriever: Retriever, scorer: str, text: str, q: Vectors) -> list[str]:
    return [hit.entry.id for hit in retriever.recall(open_scorer(scorer), text, q)]


def after_a_write(store: SqliteStore, retriever: Retriever, number: int, vector: Vectors, text: str, q: Vectors) -> float:
    entry = replace(next(synthetic.entries(1)), id=f"e{number:06d}")
    store.add([entry], vector[None])
    return timed(lambda: recall(retriever, "hybrid", text, q))[0]


def timed(work: Callable[[], Made]) -> tuple[float, Made]:
    """Milliseconds, and what came of it."""
    began = time.perf_counter()
    out = work()
    return 1e3 * (time.perf_counter() - began), out


def in_turns(ways: Sequence[Callable[[int], object]]) -> list[list[float]]:
    """Milliseconds of each way for each question, in turns, in another order each time."""
    taken: list[list[float]] = [[] for _ in ways]
    for number in range(ROUNDS):
        for place in range(len(ways)):
            way = (number + place) % len(ways) if number % 2 else (number - place) % len(ways)
            taken[way].append(timed(lambda way=way, number=number: ways[way](number))[0])
    return taken


if __name__ == "__main__":
    main()
