"""A store of any size whose texts and vectors look like a real one's: topics, threads within them, and near-duplicates.

Nothing here comes from a data set. Every text ends in its number, and the vectors lie in one file in that order, so the
embedder double finds a text's vector without holding texts or vectors in memory.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path

import numpy as np

from memfold import Entry
from memfold.protocols import Vectors

DIM = 384
ENTRIES_PER_TOPIC = 100
ENTRIES_PER_THREAD = 6
DUPLICATES = 0.2
"""Share of entries that say nearly the same as their thread: what shares the near-duplicates have in real stores."""

PEOPLE = "Ada Bram Chiara Dmitri Esra Femi Goran Hana Ilse Jorge Kaito Lena Mina Nils Olga Pavel Quinn Rosa Sami Tuva".split()
THINGS = (
    "kettle|ferry ticket|garden shed|cello|sourdough starter|router|running club|insurance form|balcony|sketchbook|"
    "camping stove|language course|dentist|tax return|kayak|bookshelf|bike chain|choir|allotment|passport"
).split("|")
VERBS = "fixed|ordered|lost|asked about|planned|finished|compared|postponed|talked about|sold|borrowed|photographed".split("|")
PLACES = "in the harbour|at the office|near the station|on the island|at home|by the lake|in the old town|at the market".split("|")
REASONS = (
    "because the old one broke|so that the weekend stays free|and will tell the others|although it cost more than expected|"
    "and wants a reminder next week|since nobody else had time|and was glad about it|but would do it differently next time"
).split("|")


def vectors(n: int, seed: int = 0) -> Vectors:
    """Unit vectors, shape (n, 384), float32: a common direction, a topic, a thread, and what is the entry's own."""
    random = np.random.default_rng(seed)
    topics, threads = max(1, n // ENTRIES_PER_TOPIC), max(1, n // ENTRIES_PER_THREAD)
    topic_of_thread = random.integers(0, topics, threads)
    thread = random.integers(0, threads, n)
    own = np.where(random.random(n) < DUPLICATES, 0.15, random.uniform(0.6, 1.0, n)).astype(np.float32)
    common, topic, within = _directions(random, 1), _directions(random, topics), _directions(random, threads)
    out = 0.3 * common + 0.35 * topic[topic_of_thread[thread]] + 0.55 * within[thread] + own[:, None] * _directions(random, n)
    return out / np.linalg.norm(out, axis=1, keepdims=True)


def entries(n: int, seed: int = 0) -> Iterator[Entry]:
    """`n` entries of about 150 bytes of text each, with dates over two years."""
    random = np.random.default_rng(seed)
    start = datetime(2024, 1, 1, 8, tzinfo=UTC)
    for number in range(n):
        person, thing, verb, place, reason = (words[random.integers(len(words))] for words in (PEOPLE, THINGS, VERBS, PLACES, REASONS))
        other = PEOPLE[random.integers(len(PEOPLE))]
        minutes = random.integers(2, 90)
        text = f"{person} {verb} the {thing} {place} together with {other}, {reason}; it took {minutes} minutes. Note {number}"
        yield Entry(f"e{number:06d}", text, occurred_at=start + timedelta(minutes=50 * number), created_at=start)


class Table:
    """The embedder of such a store: the vector of a text is looked up by the number at its end.

    :param path: the vectors as `numpy.save` wrote them; read as needed.
    """

    name = "table"
    dim = DIM

    def __init__(self, path: Path) -> None:
        self._vectors: Vectors = np.load(path, mmap_mode="r")

    def embed(self, texts: Sequence[str]) -> Vectors:
        numbers = [int(text.rpartition(" ")[2]) for text in texts]
        return np.array(self._vectors[numbers], np.float32).reshape(len(texts), DIM)


def _directions(random: np.random.Generator, n: int) -> Vectors:
    drawn = random.standard_normal((n, DIM), dtype=np.float32)
    return drawn / np.linalg.norm(drawn, axis=1, keepdims=True)
