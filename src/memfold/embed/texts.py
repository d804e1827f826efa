"""Texts as every embedder takes them: a sequence of strings that can be written as UTF-8."""

from __future__ import annotations

import re
from collections.abc import Sequence

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
