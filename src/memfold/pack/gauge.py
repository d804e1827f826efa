"""Counts the tokens of pieces, each text once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import cast

from memfold.protocols import TokenCounter


class Gauge:
    """A counter that remembers what it has counted.

    `costs` are estimates of what pieces add to a text, `total` is the count of the text itself.
    """

    def __init__(self, counter: TokenCounter) -> None:
        self._counter = counter
        self._known: dict[str, int] = {}
        self._lines_apart = cast(int, getattr(counter, "lines_apart", 0))
        self._many = cast("Callable[[Sequence[str]], list[int]] | None", getattr(counter, "count_many", None))

    def costs(self, pieces: Sequence[str]) -> list[int]:
        """The tokens of each piece by itself, in order."""
        new = list(dict.fromkeys(piece for piece in pieces if piece not in self._known))
        if new:
            self._known |= zip(new, self._many(new) if self._many else map(self._counter.count, new), strict=True)
        return [self._known[piece] for piece in pieces]

    def total(self, pieces: Sequence[str], text: str) -> int:
        """The tokens of `text`, which is the pieces joined by nothing; an empty text has none.

        Counted as a whole, but for a counter whose tokens end with the line and pieces that do so too: then it is the sum.
        """
        if not text:
            return 0
        if len(text) <= self._lines_apart and all(piece.endswith("\n") for piece in pieces[:-1]):
            return sum(self.costs(pieces))
        return self._counter.count(text)
