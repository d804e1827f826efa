"""BM25 over the postings that a store keeps, counted in one namespace alone.

For each term that an entry has it gets idf . (k1 + 1) / (1 + k1 (1 - b + b . words / mean words)), where
idf = log(1 + (N - df + 1/2) / (df + 1/2)). Within an entry a term counts once: an entry is short, and saying a word twice makes it no
better an answer.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from memfold.config import RetrieveSettings
from memfold.protocols import Shelf
from memfold.retrieve.matrix import Matrix

KEPT = 4_000_000
"""Postings kept in memory at most, 8 bytes each."""

FEW = 50
"""A word that so few entries have is never too common."""

STOP_WORDS = frozenset(
    (
        "a about an and any are as at be been but by can could did do does for from had has have he her hers him his how i if in into "
        "is it its me my of on or our she should so than that the their them then there these they this those to us was we were what "
        "when where which who whom whose why will with would you your der die das und ist ein eine wer was wann wo le la les un une "
        "et est el los las una y es que"
    ).split()
)


@dataclass(frozen=True, slots=True)
class Found:
    """What a question's words found: BM25 of every row, float32, and the rows that hold each term, ascending.

    `all` is what an entry of mean length with all of the words would score.
    """

    scores: NDArray[np.float32]
    rows: dict[str, NDArray[np.intp]]
    all: float

    def words(self, row: int) -> list[str]:
        """The terms that the entry in this row has, in the question's order."""
        return [term for term, rows in self.rows.items() if (at := int(np.searchsorted(rows, row))) < len(rows) and rows[at] == row]


class Keywords:
    """The words of a shelf. What was asked for lately is kept until the next change of the store."""

    def __init__(self, shelf: Shelf, matrix: Matrix, settings: RetrieveSettings) -> None:
        self._shelf = shelf
        self._matrix = matrix
        self._settings = settings
        self._version = -1
        self._rows: dict[str, NDArray[np.intp]] = {}
        self._held = 0
        self._norm = np.zeros(0, np.float32)

    def find(self, text: str) -> Found:
        """Score every entry by the words of a question."""
        terms = self._shelf.terms(text)
        terms = [term for term in terms if term not in STOP_WORDS] or terms
        self._follow()
        total = int(self._matrix.alive.sum())
        rows = {term: found for term in terms if len(found := self._postings(term))}
        common = max(FEW, self._settings.common * total)
        telling = {term: found for term, found in rows.items() if len(found) <= common} or rows
        scores = np.zeros(len(self._matrix), np.float32)
        idfs = {term: float(np.log1p((total - len(found) + 0.5) / (len(found) + 0.5))) for term, found in telling.items()}
        for term, found in telling.items():
            scores[found] += np.float32(idfs[term]) * self._norm[found]
        return Found(scores, telling, sum(idfs.values()))

    def _follow(self) -> None:
        if self._version == self._matrix.version:
            return
        self._version = self._matrix.version
        self._rows.clear()
        self._held = 0
        k1, b = self._settings.saturation, self._settings.length_weight
        words, alive = self._matrix.words, self._matrix.alive
        mean = max(1.0, float(words[alive].sum(dtype=np.int64)) / max(1, int(alive.sum())))
        self._norm = ((k1 + 1) / (1 + k1 * (1 - b + (b / mean) * words))).astype(np.float32)

    def _postings(self, term: str) -> NDArray[np.intp]:
        if term not in self._rows:
            found = self._matrix.rows_at(self._shelf.postings(term))
            self._held += len(found)
            while self._rows and self._held > KEPT:
                self._held -= len(self._rows.pop(next(iter(self._rows))))
            self._rows[term] = found
        return self._rows[term]
