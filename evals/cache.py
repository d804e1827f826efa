"""An embedder that remembers its vectors in a file between runs, with the seconds that the others cost; and counts of tokens."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable, Sequence
from hashlib import blake2b
from pathlib import Path

import numpy as np

from memfold.protocols import Embedder, Vectors

FOLDER = Path(tempfile.gettempdir()) / "memfold-evals"


class CachedEmbedder:
    """Another embedder, with a memory. It holds hashes of texts and their vectors, never a text.

    :param folder: where the vectors are kept, one file an embedder.
    """

    def __init__(self, embedder: Embedder, folder: Path = FOLDER) -> None:
        self._embedder = embedder
        self.name = embedder.name
        self.dim = embedder.dim
        self.seconds = 0.0
        """Time that the embedder itself took."""
        self._path = folder / f"{blake2b(self.name.encode(), digest_size=6).hexdigest()}-{self.dim}.npz"
        self._vectors: dict[bytes, Vectors] = {}
        self._new = 0
        if self._path.exists():
            with np.load(self._path) as kept:
                self._vectors = {key.tobytes(): vector for key, vector in zip(kept["keys"], kept["vectors"], strict=True)}

    def embed(self, texts: Sequence[str]) -> Vectors:
        keys = [blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest() for text in texts]
        missing = {key: text for key, text in zip(keys, texts, strict=True) if key not in self._vectors}
        if missing:
            began = time.perf_counter()
            self._vectors.update(zip(missing, self._embedder.embed(list(missing.values())), strict=True))
            self.seconds += time.perf_counter() - began
            self._new += len(missing)
        return np.array([self._vectors[key] for key in keys], np.float32).reshape(len(texts), self.dim)

    def save(self) -> None:
        """Write what is new."""
        if self._new:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            keys = np.array([np.frombuffer(key, np.uint8) for key in self._vectors])
            part = self._path.with_suffix(".part.npz")
            np.savez(part, keys=keys, vectors=np.array(list(self._vectors.values()), np.float32))
            part.replace(self._path)
            self._new = 0


class CountedTokens:
    """A counter of tokens that counts each text once.

    :param count_many: texts -> tokens of each, in order.
    """

    def __init__(self, count_many: Callable[[Sequence[str]], list[int]]) -> None:
        self._count_many = count_many
        self._known: dict[str, int] = {}

    def counts(self, texts: Sequence[str]) -> list[int]:
        """Tokens of each text, in order."""
        missing = list(dict.fromkeys(text for text in texts if text not in self._known))
        self._known.update(zip(missing, self._count_many(missing), strict=True))
        return [self._known[text] for text in texts]
