"""Texts as every embedder takes them: a sequence of strings that can be written as UTF-8."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

SEGMENT = 50_000
"""Characters that a tokenizer gets at a time; longer texts are read part by part, so that memory stays bounded."""

_LAST_SPACE = re.compile(r"\s\S*\Z")
_SURROGATE = re.compile("[\ud800-\udfff]")


def clean_texts(texts: Sequence[str]) -> list[str]:
    """The texts in their order, lone surrogates replaced by U+FFFD (pairs of surrogates become their character).

    :raises TypeError: one string was given instead of a sequence of strings, or an item is not a string.
    """
    if isinstance(texts, str):
        raise TypeError("embed takes a sequence of texts, not one text: wrap it in a list")
    return [clean_text(text) for text in texts]


def clean_text(text: str) -> str:
    """The text with every surrogate mended as `clean_texts` says."""
    if text.isascii() or not _SURROGATE.search(text):
        return text
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def segments(text: str, most: int = SEGMENT) -> Iterator[str]:
    """The text in parts of at most `most` characters that join to the text again.

    A part ends before the last white space of its last tenth; where that has none, after `most` characters.
    """
    start = 0
    while len(text) - start > most:
        space = _LAST_SPACE.search(text, start + most - most // 10, start + most)
        end = space.start() if space else start + most
        yield text[start:end]
        start = end
    yield text[start:]
