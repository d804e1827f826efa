"""What a template is told, and what it answers: the small protocol by which a context gets its form."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from memfold.types import Hit


@dataclass(frozen=True, slots=True)
class Frame:
    """What stands around the whole context.

    :param mark: 8 hexadecimal digits that occur in none of the texts; who writes a memory cannot know them.
    :param grouped: whether headings stand between the entries; without any, `heading` is never asked for.
    """

    mark: str
    grouped: bool


@dataclass(frozen=True, slots=True)
class Group:
    """What a heading tells.

    :param place: 0 for the first group of the context, 1 for the next; a template that closes groups closes the one before at place > 0.
    :param number: 1 for the first group that has entries that belong together, and so on; 0 where `apart`.
    :param count: entries of it in this context.
    :param since: the earliest time of these entries, as its entry states it; None where none has one.
    :param until: the latest.
    :param apart: entries that stand each for itself, gathered between two groups.
    """

    place: int
    number: int
    count: int
    since: datetime | None = None
    until: datetime | None = None
    apart: bool = False


@dataclass(frozen=True, slots=True)
class Line:
    """One entry as it is shown.

    :param text: the entry's text, surrogates mended, blanks at both ends gone; cut where it had to be. Use this, not `hit.entry.text`.
    :param first: nothing stands before it in its group (or in the context, where that is not grouped).
    """

    hit: Hit
    text: str
    first: bool


class Template(Protocol):
    """Gives a context its form. The context is `head`, then for each group its `heading` and its `line`s, then `foot`, joined by nothing.

    All four must be pure: the same argument gives the same string. A piece that ends in a line feed is counted once, whatever
    comes after it. Entries are data that anybody may have written: a template of your own has to see to it that `text`
    cannot pose as something else, see `docs/packing.md`.
    """

    @property
    def name(self) -> str: ...

    def head(self, frame: Frame) -> str: ...

    def heading(self, group: Group) -> str: ...

    def line(self, line: Line) -> str: ...

    def foot(self, frame: Frame) -> str: ...
