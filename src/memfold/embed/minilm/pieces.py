"""Text to word pieces, with the bundled tokenizer. Linear in the text, and in bounded memory for texts of any length."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from tokenizers import Tokenizer

TOKENIZER = Path(__file__).parent / "tokenizer.json"

SEGMENT = 50_000
"""Characters that go to the tokenizer in one piece; longer texts are cut at white space and read part by part."""
BATCH = 400_000
"""Characters that go to the tokenizer in one call."""

Pieces = NDArray[np.int32]

_LAST_SPACE = re.compile(r"\s\S*\Z")


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
    parts: list[list[Pieces]] = [[] for _ in texts]
    for owners, segments in _calls(texts):
        encodings = bundled_tokenizer().encode_batch_fast(segments, add_special_tokens=False)
        for owner, encoding in zip(owners, encodings, strict=True):
            parts[owner].append(np.array(encoding.ids, np.int32))
    return [part[0] if len(part) == 1 else np.concatenate(part) for part in parts]


def count_pieces(texts: Sequence[str]) -> list[int]:
    """The number of word pieces of each text, in order; special tokens are not counted."""
    counts = [0] * len(texts)
    for owners, segments in _calls(texts):
        encodings = bundled_tokenizer().encode_batch_fast(segments, add_special_tokens=False)
        for owner, encoding in zip(owners, encodings, strict=True):
            counts[owner] += len(encoding)
    return counts


def _calls(texts: Iterable[str]) -> Iterator[tuple[list[int], list[str]]]:
    """The texts' segments in calls of at most `BATCH` characters or so, each segment with the index of its text."""
    owners: list[int] = []
    segments: list[str] = []
    size = 0
    for owner, text in enumerate(texts):
        for segment in _segments(text):
            owners.append(owner)
            segments.append(segment)
            size += len(segment)
            if size >= BATCH:
                yield owners, segments
                owners, segments, size = [], [], 0
    if segments:
        yield owners, segments


def _segments(text: str) -> Iterator[str]:
    """The text in parts of at most `SEGMENT` characters, cut at white space where the last tenth of a part has some."""
    if len(text) <= SEGMENT:
        yield text
        return
    start = 0
    while start < len(text):
        end = start + SEGMENT
        if end < len(text):
            space = _LAST_SPACE.search(text, end - SEGMENT // 10, end)
            end = space.start() if space else end
        yield text[start:end]
        start = end
