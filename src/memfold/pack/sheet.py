"""Candidates on paper: arranged in groups, written by a template, counted."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

from memfold.config import PackSettings
from memfold.pack.gauge import Gauge
from memfold.pack.page import Frame, Group, Line, Template
from memfold.pack.plan import Candidate, Plan, chronological


@dataclass(frozen=True, slots=True)
class Written:
    """A context as it would be, with the exact count of its tokens."""

    text: str
    tokens: int
    shown: tuple[Candidate, ...]


class Sheet:
    """Writes and counts what a choice of candidates would look like; each piece is written and counted once."""

    def __init__(self, plan: Plan, template: Template, gauge: Gauge, mark: str, settings: PackSettings) -> None:
        self.plan = plan
        self.gauge = gauge
        self._template = template
        self._mark = mark
        self._headings = settings.headings
        self._lines: dict[tuple[int, bool], str] = {}

    def write(self, chosen: Collection[Candidate]) -> Written:
        """The context of these candidates, in any order."""
        blocks = self._arranged(chosen)
        grouped = any(not block.apart for block in blocks)
        frame = Frame(self._mark, grouped)
        pieces = [self._template.head(frame)]
        number = 0
        for place, block in enumerate(blocks):
            number += not block.apart
            if grouped:
                group = replace(_told(block.members), place=place, number=0 if block.apart else number, apart=block.apart)
                pieces.append(self._template.heading(group))
            pieces += [self._line(candidate, first=index == 0) for index, candidate in enumerate(block.members)]
        pieces.append(self._template.foot(frame))
        text = "".join(pieces)
        shown = tuple(candidate for block in blocks for candidate in block.members)
        return Written(text, self.gauge.total(pieces, text), shown)

    def write_cut(self, candidate: Candidate, text: str) -> Written:
        """The context of this candidate alone, with another text than its own."""
        cut = replace(candidate, text=text)
        self._lines.pop((candidate.rank, True), None)
        return self.write([cut])

    def line_costs(self, candidates: Sequence[Candidate]) -> list[int]:
        """What each candidate's line takes, estimated."""
        return self.gauge.costs([self._line(candidate, first=False) for candidate in candidates])

    def heading_costs(self) -> tuple[int, int]:
        """What the heading over a group takes, and what the one over single entries takes, estimated by those of the largest group."""
        if not self.plan.headed:
            return 0, 0
        largest = max(self.plan.groups, key=len, default=())
        told = replace(_told(largest), place=1, number=len(self.plan.groups))
        group, apart = self.gauge.costs([self._template.heading(one) for one in (told, Group(1, 0, 2, apart=True))])
        return group, apart

    def frame_cost(self) -> int:
        """What stands around the entries, estimated."""
        frame = Frame(self._mark, self.plan.headed)
        return sum(self.gauge.costs([self._template.head(frame), self._template.foot(frame)]))

    def is_headed(self, members: int) -> bool:
        """Whether a group of which so many entries are shown has a heading."""
        return self.plan.headed and members >= (1 if self._headings == "all" else 2)

    def _line(self, candidate: Candidate, *, first: bool) -> str:
        key = candidate.rank, first
        if key not in self._lines:
            self._lines[key] = self._template.line(Line(candidate.hit, candidate.text, first))
        return self._lines[key]

    def _arranged(self, chosen: Collection[Candidate]) -> list[_Block]:
        members: dict[int, list[Candidate]] = {}
        for candidate in sorted(chosen, key=lambda candidate: (candidate.group, -candidate.hit.score, candidate.rank)):
            members.setdefault(candidate.group, []).append(candidate)
        blocks: list[_Block] = []
        for group in members.values():
            if self.is_headed(len(group)):
                blocks.append(_Block(chronological(group), apart=False))
            elif blocks and blocks[-1].apart:
                blocks[-1].members.extend(group)
            else:
                blocks.append(_Block(group, apart=True))
        return blocks


@dataclass(frozen=True, slots=True)
class _Block:
    members: list[Candidate]
    apart: bool


def _told(members: Sequence[Candidate]) -> Group:
    dated = [(one.moment, one.rank, one) for one in members if one.moment is not None]
    if not dated:
        return Group(0, 0, len(members))
    first, last = min(dated)[2], max(dated)[2]
    return Group(0, 0, len(members), first.hit.entry.time, last.hit.entry.time)
