"""Texts to vectors, and texts to numbers of tokens."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

Vectors = NDArray[np.float32]
Vector = NDArray[np.float32]
"""Shape (d,)."""


class Embedder(Protocol):
    """Texts to vectors."""

    @property
    def name(self) -> str:
        """Model and version, as stored beside the vectors: vectors of different names are never compared."""
        ...

    @property
    def dim(self) -> int:
        """Length of a vector."""
        ...

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Unit vectors, shape (len(texts), dim), float32. The same text gives the same vector in any batch.

        An empty sequence gives shape (0, dim). Texts longer than the model's window are embedded as a whole (the
        implementation says how), never cut silently.
        """
        ...


class TokenCounter(Protocol):
    """Counts the tokens of a text.

    A counter may also have `count_many(texts) -> list[int]`, `count` of each text where that is faster than one by one, and
    `lines_apart: int`: in a text of up to so many characters no token reaches over a line feed, so that
    `count(a + b) == count(a) + count(b)` whenever `a` ends in one. Without it 0, that is: never.
    """

    @property
    def name(self) -> str: ...

    def count(self, text: str) -> int: ...
