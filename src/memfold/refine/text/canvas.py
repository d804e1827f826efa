"""A text while its values are being taken out of it, kind by kind: what was taken is not read again."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable

from memfold.refine.text.pattern import Pattern
from memfold.refine.text.value import Value

TAKEN = "\0"
_WORD = Pattern(r"[^\W\d_]+")
_DIGIT = Pattern(r"\d")


class Canvas:
    """`rest` is the text with every taken span blanked; `found` the values, in the order of taking.

    `words` are the text's words in lower case and `has_digit` says whether it holds a digit: what cannot be there need not be looked
    for. `wide` marks a text with characters of Chinese, Japanese or Korean.
    """

    def __init__(self, text: str) -> None:
        self.found: list[Value] = []
        self.write(text.replace(TAKEN, " "))

    def write(self, text: str) -> None:
        """Go on with another wording of the rest."""
        self.rest = text
        self.words = frozenset(_WORD.findall(text.lower()))
        self.has_digit = _DIGIT.search(text) is not None
        self.wide = not text.isascii() and any("\u3040" <= char <= "\ud7af" for char in text)

    def take(self, pattern: Pattern, read: Callable[[re.Match[str]], Iterable[Value] | None]) -> None:
        """Take what the pattern finds and `read` accepts; None from `read` leaves the span for a later kind."""

        def blank(match: re.Match[str]) -> str:
            values = read(match)
            if values is None:
                return match[0]
            self.found.extend(values)
            return TAKEN * len(match[0])

        self.rest = pattern.sub(blank, self.rest)
