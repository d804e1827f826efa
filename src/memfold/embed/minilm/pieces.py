"""Text to word pieces, with the bundled tokenizer. Linear in the text, and in bounded memory for texts of any length."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from memfold.embed.texts import segments

if TYPE_CHECKING:
    from tokenizers import Tokenizer

TOKENIZER = Path(__file__).parent / "tokenizer.json"

BATCH = 400_000
"""Characters that go to the tokenizer in one call."""

Pieces = NDArray[np.int32]


@cache
def bundled_tokenizer() -> Tokenizer:
    """The bundled tokenizer: no truncation, no padding, no special tokens. Read once a process."""
    from tokenizers import Tokenizer

    return Tokenizer.from_file(str(TOKENIZER))


@cache
def continuations() -> NDArray[np.bool_]:
    """For each piece of the vocabulary, whether it continues a word (`##ing`)."""
    vocabulary = bundled_tokenizer().get_vocab()
    flags = np.zeros(len(vocabulary), bool)
    flags[[number for piece, number in vocabulary.items() if piece.startswith("##")]] = True
    return flags


def word_pieces(texts: Sequence[str]) -> list[Pieces]:
    """The word pieces of each text, in order, as numbers of the vocabulary; special tokens are not added."""
    read: list[list[Pieces]] = [[] for _ in texts]
    for owners, parts in _calls(texts):
        encodings = bundled_tokenizer().encode_batch_fast(parts, add_special_tokens=False)
        for owner, encoding in zip(owners, encodings, strict=True):
            read[owner].append(np.array(encoding.ids, np.int32))
    return [pieces[0] if len(pieces) == 1 else np.concatenate(pieces) for pieces in read]


def count_pieces(texts: Sequence[str]) -> list[int]:
    """The number of word pieces of each text, in order; special tokens are not counted."""
    counts = [0] * len(texts)
    for owners, parts in _calls(texts):
        encodings = bundled_tokenizer().encode_batch_fast(parts, add_special_tokens=False)
        for owner, encoding in zip(owners, encodings, strict=True):
            counts[owner] += len(encoding)
    return counts


def _calls(texts: Iterable[str]) -> Iterator[tuple[list[int], list[str]]]:
    """The texts' segments in calls of at most `BATCH` characters or so, each segment with the index of its text."""
    owners: list[int] = []
    parts: list[str] = []
    size = 0
    for owner, text in enumerate(texts):
        for segment in segments(text):
            owners.append(owner)
            parts.append(segment)
            size += len(segment)
            if size >= BATCH:
                yield owners, parts
                owners, parts, size = [], [], 0
    if parts:
        yield owners, parts
