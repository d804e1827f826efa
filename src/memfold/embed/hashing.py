"""A deterministic embedder without a model, for tests and dry runs: texts that share words or spelling get similar vectors.

It knows nothing of meaning. What it keeps from a real embedder is what code around one relies on: the same text always
gives the same vector, on every machine and in every batch; different texts give different ones; overlap gives similarity.
"""

from __future__ import annotations

import hashlib
import unicodedata
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from memfold.embed.texts import clean_texts
from memfold.protocols import Vectors

GRAMS = (3, 4, 5)
"""Lengths of the character sequences that are counted; the texts' words are padded with one space on each side."""
SELF = 0.1
"""Share of the vector's length that belongs to the exact text alone, so that no two texts share a vector."""
SLAB = 100_000
"""Characters that are hashed at a time, to keep memory small for texts of any length."""

_PRIMES = (0x9E3779B97F4A7C15, 0xBF58476D1CE4E5B9, 0x94D049BB133111EB, 0xD6E8FEB86659FD93, 0xA0761D6478BD642F)


class HashingEmbedder:
    """Character sequences hashed to signed places of a vector of `dim` numbers, and the root of each place's sum."""

    def __init__(self, dim: int = 256) -> None:
        """`dim` is at least 8; small ones make unrelated texts more similar by chance (about 1 / sqrt(dim))."""
        if dim < 8:
            raise ValueError(f"dim must be at least 8, not {dim}")
        self._dim = dim

    @property
    def name(self) -> str:
        return f"hashing-{self._dim}-1"

    @property
    def dim(self) -> int:
        return self._dim

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Unit vectors, shape (len(texts), dim), float32; a text of any length is read as a whole."""
        vectors = np.empty((len(texts), self._dim), np.float32)
        for row, text in enumerate(clean_texts(texts)):
            vectors[row] = self._embed_one(text)
        return vectors

    def _embed_one(self, text: str) -> NDArray[np.float64]:
        shared = self._shared(text)
        length = np.linalg.norm(shared)
        own = _signs(text, self._dim) / np.sqrt(self._dim)
        vector = own if length == 0 else shared / length + SELF * own
        return vector / np.linalg.norm(vector)

    def _shared(self, text: str) -> NDArray[np.float64]:
        """The part of the vector that similar texts have in common; zero for a text without letters, digits or signs."""
        words = unicodedata.normalize("NFKC", text).casefold().split()
        if not words:
            return np.zeros(self._dim)
        codes = np.frombuffer(f" {' '.join(words)} ".encode("utf-32-le"), "<u4")
        sums = np.zeros(self._dim)
        for size in GRAMS:
            for begin in range(0, len(codes) - size + 1, SLAB):
                hashes = _grams(codes[begin : begin + SLAB + size - 1].astype(np.uint64), size)
                signs = np.where(hashes >> np.uint64(63), 1.0, -1.0)
                places = (hashes % np.uint64(self._dim)).astype(np.int64)
                sums += np.bincount(places, weights=signs, minlength=self._dim)
        return np.sign(sums) * np.sqrt(np.abs(sums))


def _grams(codes: NDArray[np.uint64], size: int) -> NDArray[np.uint64]:
    """A 64-bit hash for each run of `size` characters; the arithmetic wraps."""
    count = len(codes) - size + 1
    mixed = np.full(count, size, np.uint64)
    for offset in range(size):
        mixed = (mixed ^ codes[offset : offset + count]) * np.uint64(_PRIMES[offset])
        mixed ^= mixed >> np.uint64(29)
    return mixed


def _signs(text: str, dim: int) -> NDArray[np.float64]:
    """`dim` numbers, each 1 or -1, from the text's hash."""
    digest = hashlib.shake_256(text.encode("utf-8")).digest(-(-dim // 8))
    return np.unpackbits(np.frombuffer(digest, np.uint8))[:dim].astype(np.float64) * 2 - 1
