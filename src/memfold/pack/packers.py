"""The packers: which plan they follow is all in which they differ."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

from memfold.config import PackSettings
from memfold.errors import BudgetError
from memfold.fence import shared_mark
from memfold.pack.clip import clipped
from memfold.pack.fill import Filling
from memfold.pack.gauge import Gauge
from memfold.pack.page import Template
from memfold.pack.plan import Plan
from memfold.pack.sheet import Sheet, Written
from memfold.pack.templates import open_template
from memfold.protocols import TokenCounter
from memfold.types import Context, Hit, LeftOut

DEFAULTS = PackSettings()


class Packer(Protocol):
    """Hits to a context."""

    @property
    def name(self) -> str: ...

    def pack(self, hits: Sequence[Hit], max_tokens: int, counter: TokenCounter, template: Template | None = None) -> Context:
        """The best context of these hits whose text takes at most `max_tokens`, counted by `counter` over the whole text.

        :param hits: best first.
        :param template: the form of the text; None is the one of the packer's settings.
        :raises BudgetError: `max_tokens` is negative.
        """
        ...


class PlannedPacker:
    """A packer that follows a plan: its groups one after the other, their members one after the other, whatever fits."""

    def __init__(self, name: str, plan: Callable[[Sequence[Hit]], Plan], settings: PackSettings = DEFAULTS) -> None:
        """:raises BudgetError: a limit is negative."""
        for limit, value in (("max_atoms", settings.max_atoms), ("max_entries", settings.max_entries)):
            if value is not None and value < 0:
                raise BudgetError(f"{limit} is {value}; give 0 or more, or None for no limit")
        self._name = name
        self._plan = plan
        self._settings = settings

    @property
    def name(self) -> str:
        return self._name

    def pack(self, hits: Sequence[Hit], max_tokens: int, counter: TokenCounter, template: Template | None = None) -> Context:
        """See `Packer.pack`."""
        if max_tokens < 0:
            raise BudgetError(f"max_tokens is {max_tokens}; give 0 or more")
        if not hits or not max_tokens:
            note = "max_tokens is 0" if hits else "nothing was found"
            return Context("", 0, max_tokens, counter.name, left_out=tuple(LeftOut(hit, "budget") for hit in hits), note=note)
        settings = self._settings
        plan = self._plan(hits)
        template = template or open_template(settings.template, settings.times)
        mark = shared_mark(one.text for one in plan.walk())
        sheet = Sheet(plan, template, Gauge(counter), mark, settings)
        filled = Filling(sheet, max_tokens, settings).fill()
        asked = _Asked(hits, max_tokens, counter.name, plan, filled.limited)
        return asked.context(filled.written) if filled.written else _clipped(sheet, asked)


@dataclass(frozen=True, slots=True)
class _Asked:
    """What was asked for; with what was written it makes a context."""

    hits: Sequence[Hit]
    max_tokens: int
    counter: str
    plan: Plan
    limited: frozenset[int]

    def context(self, written: Written | None, clipped: tuple[str, ...] = (), note: str = "") -> Context:
        """The context of what was written, empty where nothing was."""
        shown = written.shown if written else ()
        packed = {one.rank for one in shown}
        tried = {one.rank for one in self.plan.walk()}
        left_out = tuple(
            LeftOut(hit, "duplicate" if rank not in tried else "limit" if rank in self.limited else "budget")
            for rank, hit in enumerate(self.hits)
            if rank not in packed
        )
        text, tokens = (written.text, written.tokens) if written else ("", 0)
        return Context(text, tokens, self.max_tokens, self.counter, tuple(one.hit for one in shown), left_out, clipped, note)


def _clipped(sheet: Sheet, asked: _Asked) -> Context:
    """The first candidate alone, cut; or an empty context that says why."""
    first = next((one for one in sheet.plan.walk() if one.rank not in asked.limited), None)
    if first is None:
        return asked.context(None, note="the limits on atoms and entries let nothing in")
    tried: dict[str, Written] = {}

    def fits(text: str) -> bool:
        tried[text] = sheet.write_cut(first, text)
        return tried[text].tokens <= asked.max_tokens

    text = clipped(first.text, fits)
    if text is None:
        around = sheet.frame_cost()
        return asked.context(
            None, note=f"no entry fits into {asked.max_tokens} tokens; what stands around the entries alone takes {around}"
        )
    return asked.context(tried[text], (first.hit.entry.id,))
