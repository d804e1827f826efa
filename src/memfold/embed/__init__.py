"""Texts to vectors. An embedder is anything that keeps `protocols.Embedder`; these come with Memfold:

| name           | class            | what it is                                                                    |
|----------------|------------------|-------------------------------------------------------------------------------|
| `minilm`       | `MiniLM`         | all-MiniLM-L6-v2, bundled: offline, no key, 384 numbers (the default)         |
| `openai:MODEL` | `OpenAIEmbedder` | a model at an OpenAI-compatible endpoint; needs the extra `openai`            |
| `hashing[:DIM]`| `HashingEmbedder`| no model: shared spelling gives similarity; for tests                         |

All give unit vectors, so that the product of two is their cosine; the same text gives the same vector in any batch; and a text that
is longer than a model reads at once is read in windows, never cut silently. `memfold.testing.embedder` checks this of
any embedder, yours too. `open_counter` gives the counters for budgets in tokens.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from memfold.embed.hashing import HashingEmbedder
from memfold.embed.minilm import MiniLM
from memfold.embed.openai import OpenAIEmbedder
from memfold.embed.tokens import COUNTERS, BPECounter, TiktokenCounter, TokenizerCounter, WordPieceCounter, open_counter
from memfold.errors import UnknownName
from memfold.protocols import Embedder

__all__ = [
    "COUNTERS",
    "EMBEDDERS",
    "BPECounter",
    "HashingEmbedder",
    "MiniLM",
    "OpenAIEmbedder",
    "TiktokenCounter",
    "TokenizerCounter",
    "WordPieceCounter",
    "open_counter",
    "open_embedder",
]

Factory: TypeAlias = Callable[[str, str | None, int | None], Embedder | None]


def _minilm(rest: str, base_url: str | None, threads: int | None) -> Embedder | None:
    return None if rest else MiniLM(threads=threads)


def _openai(rest: str, base_url: str | None, threads: int | None) -> Embedder | None:
    return OpenAIEmbedder(rest, base_url=base_url) if rest else None


def _hashing(rest: str, base_url: str | None, threads: int | None) -> Embedder | None:
    if not rest:
        return HashingEmbedder()
    return HashingEmbedder(int(rest)) if rest.isdecimal() and int(rest) >= 8 else None


EMBEDDERS: dict[str, Factory] = {"minilm": _minilm, "openai:MODEL": _openai, "hashing[:DIM]": _hashing}
"""Name to factory. It takes what follows the colon, the base URL and the threads, and gives None if it cannot read the former."""


def open_embedder(name: str = "minilm", *, base_url: str | None = None, threads: int | None = None) -> Embedder:
    """The embedder of this name, as in the table above; nothing is loaded and no request is made before it is used.

    :param base_url: the endpoint of `openai:MODEL`; the others have none.
    :param threads: cores that `minilm` uses; by default all that this process may use.
    :raises UnknownName: there is none of this name. :raises MissingExtra: it needs a package that is not installed.
    """
    kind, _, rest = name.partition(":")
    for pattern, factory in EMBEDDERS.items():
        if kind == pattern.partition(":")[0].partition("[")[0]:
            embedder = factory(rest, base_url, threads)
            if embedder is not None:
                return embedder
    raise UnknownName("embedder", name, EMBEDDERS)
