"""Packing: hits become the text of a prompt that never exceeds its budget of tokens (RSM-full, 1.3 of our reading).

    plan      which hits come into question: exact duplicates go; atoms by their score, their members by theirs (`plan`)
    fill      walk over them; what does not fit is skipped and smaller ones behind it are tried (`fill`)
    sheet     what is chosen is arranged, a group in the order of time under a heading, and written by a template (`sheet`, `templates`)
    gauge     the text as a whole is counted; too long, and the last that came in go (`gauge`, `fill`)
    clip      where nothing fits, the first entry is cut at the end of a sentence (`clip`)

| packer     | what it does                                                                             |
|------------|------------------------------------------------------------------------------------------|
| `grouped`  | the paper's: the best atom takes what it can, then the next; each in the order of time   |
| `arranged` | hits are chosen for themselves, by descending score, and shown as `grouped` shows them (the default) |
| `flat`     | the same candidates by descending score, without headings                                |

Templates (`markdown`, `plain`, `json`, `xml`, `chat`, or one of your own) give the text its form; see `page.Template`. Headings,
dates and everything else that a template writes is charged. `docs/packing.md` tells it in full.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from memfold.config import PackSettings
from memfold.errors import UnknownName
from memfold.pack.packers import DEFAULTS, Packer, PlannedPacker
from memfold.pack.page import Frame, Group, Line, Template
from memfold.pack.plan import arranged, flat, grouped
from memfold.pack.templates import TEMPLATES, open_template

__all__ = [
    "PACKERS",
    "TEMPLATES",
    "Frame",
    "Group",
    "Line",
    "Packer",
    "Template",
    "open_packer",
    "open_template",
]

Opener: TypeAlias = Callable[[PackSettings], Packer]
PACKERS: dict[str, Opener] = {
    "grouped": lambda settings: PlannedPacker("grouped", grouped, settings),
    "arranged": lambda settings: PlannedPacker("arranged", arranged, settings),
    "flat": lambda settings: PlannedPacker("flat", flat, settings),
}


def open_packer(name: str = "", settings: PackSettings = DEFAULTS) -> Packer:
    """The packer of this name; "" is the one that the settings name.

    :raises UnknownName: there is none of this name. :raises BudgetError: a limit of the settings is negative.
    """
    name = name or settings.packer
    if name not in PACKERS:
        raise UnknownName("packer", name, PACKERS)
    return PACKERS[name](settings)
