"""Entries and vectors for the audit's tests: a bag of words stands in for an embedder."""

from __future__ import annotations

import re
import zlib
from collections.abc import Callable, Sequence

import numpy as np
import pytest

from memfold.protocols import Vectors


@pytest.fixture
def embed() -> Callable[[Sequence[str]], Vectors]:
    """Unit vectors whose cosine grows with the words (and single Chinese characters) that two texts share."""

    def vectors(texts: Sequence[str]) -> Vectors:
        out = np.zeros((len(texts), 512), dtype=np.float32)
        for row, text in enumerate(texts):
            for word in re.findall(r"[\u3400-\u9fff]|[a-z0-9]+", text.casefold()):
                out[row, zlib.crc32(word.encode()) % 512] += 1
        norms = np.linalg.norm(out, axis=1, keepdims=True)
        return np.divide(out, norms, out=out, where=norms > 0)

    return vectors
