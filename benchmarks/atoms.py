"""Atoms: what a question costs over 200 of them, and what an entry costs that joins among 1,000, 10,000 and 100,000.

    python -m benchmarks.atoms [--sizes 1000 10000 100000] [--json]

Scoring is |v1 . q| over atoms of rank 8 with 384 components (RSM-full, Table 13). `naive` is a double loop over atoms and columns
with one numpy product each, `bare` the product of the stacked first columns with the question and nothing else; the targets are at
most 1/50 of the one and 3 times the other.

Joining: entries lie in topics of about eight, every second atom has one member. `bare` is one matrix-vector product over as many float32
rows as there are entries. All of a row is measured in one process, in turns.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Callable, Iterator, Sequence

import numpy as np

from benchmarks.process import Row, peak_megabytes, show
from memfold.atoms import AtomSettings, open_clusterer
from memfold.protocols import Clusterer, Restorable, Vectors

DIM = 384
SCORED = ("atoms", "rank", "naive ms", "bare ms", "scoring ms", "naive / scoring", "scoring / bare")
JOINED = ("entries", "atoms", "one ms", "batch ms", "bare ms", "one / bare", "batch / bare", "MB", "bytes an entry")
ADDED = 256


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--sizes", type=int, nargs="+", default=[1_000, 10_000, 100_000])
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    show(SCORED, scored(), as_json=options.json)
    if not options.json:
        print()
    show(JOINED, joined(options.sizes), as_json=options.json)


def scored(atoms: int = 200, members: int = 10, rounds: int = 300) -> Iterator[Row]:
    """One row: what scoring takes beside the double loop and the bare product, medians over turns."""
    vectors = topics(atoms * members, atoms, noise=0.5, shuffled=False)
    clusterer = open_clusterer("rsm", AtomSettings(0.5, max_members=None))
    assert isinstance(clusterer, Restorable)
    clusterer.restore([str(row) for row in range(len(vectors))], vectors, [row // members for row in range(len(vectors))])
    bases = [atom.basis for atom in clusterer.atoms()]
    stacked = np.array(clusterer.leading())
    q = topics(1, 1, noise=0.0)[0]

    def naive() -> list[float]:
        out = []
        for basis in bases:
            inside = [float(basis[:, column] @ q) for column in range(basis.shape[1])]
            out.append(abs(inside[0]))
        return out

    ways: list[Callable[[], object]] = [naive, lambda: np.abs(stacked @ q), lambda: np.abs(clusterer.leading() @ q)]
    assert np.allclose(naive(), np.abs(clusterer.leading() @ q), atol=1e-5)
    slow, bare, ours = (1e3 * seconds for seconds in in_turns(ways, rounds))
    told = (len(bases), bases[0].shape[1], f"{slow:.3f}", f"{bare:.4f}", f"{ours:.4f}", slow / ours, ours / bare)
    yield dict(zip(SCORED, told, strict=True))


def joined(sizes: Sequence[int]) -> Iterator[Row]:
    """A row a size: milliseconds an entry, one at a time and 256 at once."""
    for size in sizes:
        vectors = topics(size + 2 * ADDED, size // 8, noise=0.75)
        start = peak_megabytes()
        clusterer, place = open_clusterer("rsm", AtomSettings(0.6, max_members=None)), size
        fill(clusterer, vectors[:size])
        held = len(clusterer.numbers())
        one = []
        for _ in range(ADDED):
            began = time.perf_counter()
            clusterer.add([f"e{place}"], vectors[place : place + 1])
            one.append(time.perf_counter() - began)
            place += 1
        began = time.perf_counter()
        clusterer.add([f"e{row}" for row in range(place, place + ADDED)], vectors[place:])
        batch = 1e3 * (time.perf_counter() - began) / ADDED
        peak = peak_megabytes() - start
        single, (bare,) = 1e3 * statistics.median(one), (1e3 * seconds for seconds in in_turns([lambda rows=vectors: rows @ rows[0]], 20))
        shown = (size, held, f"{single:.3f}", f"{batch:.3f}", f"{bare:.3f}", single / bare, batch / bare)
        yield dict(zip(JOINED, (*shown, int(peak), int(1e6 * peak / size)), strict=True))


def fill(clusterer: Clusterer, vectors: Vectors) -> None:
    """Put entries where the write rule would: by the gate for the first of each topic, into it for the rest, without the n^2 products."""
    assert isinstance(clusterer, Restorable)
    count = len(vectors) // 8
    topic = np.arange(len(vectors)) % max(1, count)
    alone = topic >= count // 2  # half of the topics hold together, the members of the others stand alone
    atoms = np.where(alone, count + np.arange(len(vectors)), topic)
    clusterer.restore([f"e{row}" for row in range(len(vectors))], vectors, atoms.tolist())


def topics(count: int, of: int, *, noise: float, shuffled: bool = True) -> Vectors:
    """Unit vectors around `of` centres, in turn or in runs; noise is the length of what is added to a unit centre.

    Components get smaller as those of MiniLM's vectors do along their principal axes: 18 % of the squares lie behind the first 96.
    """
    random = np.random.default_rng(0)
    scale = np.exp(-np.arange(DIM, dtype=np.float32) / 110)
    scale *= np.sqrt(DIM / (scale * scale).sum())
    centres = random.standard_normal((max(1, of), DIM), np.float32) * scale
    centres /= np.linalg.norm(centres, axis=1, keepdims=True)
    which = np.arange(count) % max(1, of) if shuffled else np.arange(count) // max(1, count // of)
    rows = random.standard_normal((count, DIM), np.float32)
    rows *= scale * np.float32(noise / np.sqrt(DIM))
    rows += centres[which]
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    return rows


def in_turns(ways: Sequence[Callable[[], object]], rounds: int) -> list[float]:
    """Median seconds of each, called in turns, another one first in each round, since the one after the naive loop finds a cold cache."""
    taken: list[list[float]] = [[] for _ in ways]
    for number in range(rounds):
        for place in range(len(ways)):
            way = (number + place) % len(ways) if number % 2 else (number - place) % len(ways)
            began = time.perf_counter()
            ways[way]()
            taken[way].append(time.perf_counter() - began)
    return [statistics.median(times) for times in taken]


if __name__ == "__main__":
    main()
