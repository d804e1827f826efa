"""What a run does next: pairs and their decisions, in an order."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, TypeAlias

from memfold.protocols import Vectors
from memfold.types import Decision, Entry, Pair

Step: TypeAlias = tuple[Pair, Decision]
"""A pair with its entries as they are now, and what becomes of it."""


class Agenda(Protocol):
    """An order of edits. The loop carries out each step before it asks for the next, and tells what the edit changed."""

    def next(self) -> Sequence[Step] | None:
        """The steps to be carried out now, none where there was only something to judge; None when nothing is left, or no room to judge.

        A step with `halt` in its decision is the last: the pair stays on the agenda, for the run that goes on with it.
        """
        ...

    def remove(self, ids: Sequence[str]) -> None:
        """These entries are gone."""
        ...

    def add(self, entries: Sequence[Entry], vectors: Vectors) -> None:
        """New entries, shape of vectors (len(entries), dim)."""
        ...

    def clear(self) -> None:
        """The run is over, and nothing is left to go on with."""
        ...
