"""Counters of tokens, for budgets that are given in tokens."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from functools import cached_property
from importlib import import_module
from importlib.util import find_spec
from typing import Any, Protocol

from memfold.embed.minilm.pieces import count_pieces
from memfold.embed.texts import SEGMENT, clean_text, segments
from memfold.errors import MissingExtra, UnknownName
from memfold.protocols import TokenCounter


class WordPieceCounter:
    """Word pieces of the bundled tokenizer.

    For most text they are more than a language model's tokens, so a budget errs on the safe side.
    """

    @property
    def name(self) -> str:
        return "wordpiece"

    @property
    def lines_apart(self) -> int:
        """A word piece ends with its line; a longer text is read in parts, whose borders may lie elsewhere. See `TokenCounter`."""
        return SEGMENT

    def count(self, text: str) -> int:
        """Word pieces of the text, without the marks at its ends; 0 for a text without visible characters."""
        return count_pieces([clean_text(text)])[0]

    def count_many(self, texts: Sequence[str]) -> list[int]:
        """`count` of each text, in order; much faster than one by one."""
        return count_pieces([clean_text(text) for text in texts])


class _Encoding(Protocol):
    def encode_ordinary(self, text: str) -> list[int]: ...


class BPECounter:
    """Tokens of OpenAI's byte pair encodings, offline: `o200k` (GPT-4o and later) and `cl100k` (GPT-4)."""

    def __init__(self, name: str) -> None:
        """:raises MissingExtra: bpe-openai is not installed."""
        if find_spec("bpe_openai") is None:
            raise MissingExtra(f"the token counter {name!r}", "tokens")
        self._name = name

    @property
    def name(self) -> str:
        return self._name

    def count(self, text: str) -> int:
        """Tokens of the text; names of control tokens in it are text like any other.

        A text is read in parts of 50,000 characters, each of which may add one token to the exact count.
        """
        return sum(len(self._encoding.encode_ordinary(segment)) for segment in segments(clean_text(text)))

    def count_many(self, texts: Sequence[str]) -> list[int]:
        """`count` of each text, in order."""
        return [self.count(text) for text in texts]

    @cached_property
    def _encoding(self) -> _Encoding:
        with warnings.catch_warnings():
            # Its import reads files in a way that Python calls deprecated.
            warnings.simplefilter("ignore", DeprecationWarning)
            package: Any = import_module("bpe_openai")
        return package.get_encoding(f"{self._name}_base")


COUNTERS: dict[str, Callable[[], TokenCounter]] = {
    "wordpiece": WordPieceCounter,
    "o200k": lambda: BPECounter("o200k"),
    "cl100k": lambda: BPECounter("cl100k"),
}


def open_counter(name: str = "wordpiece") -> TokenCounter:
    """The counter of this name, see `COUNTERS`.

    :raises UnknownName: there is none of this name. :raises MissingExtra: it needs a package that is not installed.
    """
    if name not in COUNTERS:
        raise UnknownName("token counter", name, COUNTERS)
    return COUNTERS[name]()
