"""A text while its values are being taken out of it, kind by kind: what was taken is not read again."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable

from memfold.refine.text.pattern import Pattern
from memfold.refine.text.value import Value

TAKEN = "\0"
_WORD = Pattern(r"[^\W\d_]+")
DIGIT = Pattern(r"\d")
_WIDE = Pattern("[\u3040-\ud7af]")
_NO_LETTERS = {code: " " for code in range(128) if not chr(code).isalpha()}


def letters(text: str) -> frozenset[str]:
    """The runs of letters in a text, in lower case."""
    lowered = text.lower()
    return frozenset(lowered.translate(_NO_LETTERS).split() if lowered.isascii() else _WORD.findall(lowered))


class Canvas:
    """`rest` is the text with every taken span blanked; `found` the values, in the order of taking.

    `words` are the text's words in lower case, `chars` its characters, `has_digit` and `has_year` say whether it holds a digit, and
    what may be a year: what cannot be there need not be looked for. `wide` marks a text with characters of Chinese, Japanese or Korean.
    """

    def __init__(self, text: str) -> None:
        self.found: list[Value] = []
        self.rest = ""
        self.words = self.chars = frozenset[str]()
        self.has_digit = self.has_year = self.wide = False
        self.write(text.replace(TAKEN, " "))

    def write(self, text: str) -> None:
        """Go on with another wording of the rest."""
        if text == self.rest:
            return
        self.rest = text
        self.words = letters(text)
        self.chars = frozenset(text)
        self.has_digit = not self.chars.isdisjoint("0123456789")
        self.has_year = self.has_digit and ("19" in text or "20" in text)
        self.wide = not text.isascii() and _WIDE.search(text) is not None

    def take(self, pattern: Pattern, read: Callable[[re.Match[str]], Iterable[Value] | None]) -> None:
        """Take what the pattern finds and `read` accepts; None from `read` leaves the span for a later kind."""

        def blank(match: re.Match[str]) -> str:
            values = read(match)
            if values is None:
                return match[0]
            self.found.extend(values)
            return TAKEN * len(match[0])

        self.rest = pattern.sub(blank, self.rest)
