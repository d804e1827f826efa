"""What extraction knows of a text beyond its vector."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Protocol

from memfold.types import Entry, Turn


class Reader(Protocol):
    """Reads what a text states, without a model: what extraction knows of texts beyond their vectors."""

    def values(self, text: str, when: datetime | None) -> frozenset[str]:
        """The numbers, dates, times, names and codes of the text in one form each; relative dates count from `when`."""
        ...

    def lacks(self, text: str, when: datetime | None, sources: Sequence[Turn]) -> list[str]:
        """The values and denials of the text that none of the turns says, as the text writes them; also what it affirms that they deny.

        What a turn's own time and speaker say is said by it.
        """
        ...

    def unsaid(self, text: str, sources: Sequence[Turn]) -> float:
        """The share in [0, 1] of the text's telling words that none of the turns says."""
        ...

    def span(self, text: str, source: str) -> str:
        """The sentences of `source`, to the letter, that say most of the text; "" where they share no telling word."""
        ...

    def says_nothing(self, text: str) -> bool:
        """Whether the text is greeting, thanks, mood or a mere question, so that keeping it keeps no fact."""
        ...

    def is_small_talk(self, text: str) -> bool:
        """Whether the text is greeting, thanks, mood, or a question that speaks of nobody and no number, so states nothing itself."""
        ...

    def date(self, phrase: str, when: datetime | None) -> tuple[datetime | None, str]:
        """The moment that the phrase names, told from `when` and in its zone, and the same as ISO writes it.

        The moment is None where the phrase names a week, month or year, which is then all that is told (`2031-W07`, `2031-02`,
        `2031`); where it names none for certain, that is "" too.
        """
        ...

    def dated(self, text: str, when: datetime | None) -> str:
        """The text with `yesterday`, `last Friday` and the like as the calendar calls them, as far as `when` tells."""
        ...

    def revises(self, new: Entry, old: Entry) -> bool:
        """Whether the new entry says of the same subject a value other than the old one does."""
        ...
