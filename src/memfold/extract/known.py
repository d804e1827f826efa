"""What the store holds already: an entry that says of the same thing another value is linked to, never changed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from memfold.config import ExtractSettings
from memfold.extract.outcome import Edge, Outcome
from memfold.extract.screen import plain
from memfold.protocols import Reader, Vectors
from memfold.types import Entry, Link

UPDATES = "updates"
NEAREST = 8
"""Entries of the store that a new one is compared with."""


@dataclass(slots=True)
class Known:
    """The entries of a namespace and their vectors, shape (n, dim); grows with what is stored."""

    entries: list[Entry]
    vectors: Vectors

    def add(self, entries: Sequence[Entry], vectors: Vectors) -> None:
        """These are stored now."""
        self.entries.extend(entries)
        self.vectors = np.concatenate([self.vectors, vectors]) if len(self.vectors) else vectors

    def near(self, vector: np.ndarray, least: float) -> list[Entry]:
        """The most similar entries, from cosine `least` on, nearest first."""
        if not self.entries:
            return []
        cosines = self.vectors @ vector
        order = np.lexsort((np.arange(len(cosines)), -cosines))[:NEAREST]
        return [self.entries[n] for n in order if cosines[n] >= least]


def linked(outcome: Outcome, vectors: Vectors, known: Known, reader: Reader, settings: ExtractSettings) -> Outcome:
    """The outcome with a link `updates` from each entry to the one entry of the store that it revises (the nearest), where there is one."""
    entries: list[Entry] = []
    edges = list(outcome.edges)
    for entry, vector in zip(outcome.entries, vectors, strict=True):
        older = next((old for old in known.near(vector, settings.update_cosine) if _revises(reader, entry, old)), None)
        if older is not None and entry.kind != "turn":
            edges.append(Edge(entry.id, older.id, UPDATES, tuple(source.turn for source in entry.sources)))
            entry = replace(entry, links=(*entry.links, Link(older.id, UPDATES)))
        entries.append(entry)
    return replace(outcome, entries=tuple(entries), edges=tuple(edges))


def _revises(reader: Reader, new: Entry, old: Entry) -> bool:
    return old.kind != "turn" and plain(new.text) != plain(old.text) and reader.revises(new, old)
