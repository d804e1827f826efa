"""What goes in: a walk over the candidates by estimates, and a choice that is counted as a whole before it stands.

Counters need not add up: tokens reach over the border of two pieces, and a counter may do as it likes. So estimates only propose. What is
proposed is written and counted; if it is too long, the last that came in go, as many as the estimates say at first, then by
halving; if there is room left, the walk goes on with what had not fitted.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import inf

from memfold.config import PackSettings
from memfold.pack.plan import Candidate
from memfold.pack.sheet import Sheet, Written

REFILLS = 3
"""How often the walk goes on with the room that was left."""
LONE = 16
"""How many candidates are tried by themselves where no choice of several fits."""


@dataclass(frozen=True, slots=True)
class Filled:
    """The choice that fits, None where none does; and whom a limit kept out rather than the budget."""

    written: Written | None
    limited: frozenset[int]


class Filling:
    """Fills one sheet up to `max_tokens`. Every text that it returns was counted."""

    def __init__(self, sheet: Sheet, max_tokens: int, settings: PackSettings) -> None:
        self._sheet = sheet
        self._max_tokens = max_tokens
        self._settings = settings
        self._walk = list(sheet.plan.walk())
        self._costs = dict(zip((one.rank for one in self._walk), sheet.line_costs(self._walk), strict=True))
        self._headings = sheet.heading_costs()

    def fill(self) -> Filled:
        """Walk, count, give back or go on, until nothing more goes in."""
        room = self._max_tokens - self._sheet.frame_cost()
        proposed = self._propose([], room, set())
        best, kept = self._longest(proposed, 0)
        if best is None:
            best, kept = self._lone(proposed)
        if best is not None:
            best, kept = self._refill(best, kept, proposed)
        return Filled(best, frozenset(self._limited(kept)))

    def _refill(self, best: Written, kept: list[Candidate], proposed: list[Candidate]) -> tuple[Written, list[Candidate]]:
        """Go on with the room that the count left."""
        refused = {one.rank for one in proposed} - {one.rank for one in kept}
        for _ in range(REFILLS):
            more = self._propose(kept, self._max_tokens - best.tokens, refused)
            if len(more) == len(kept):
                break
            longer, longest = self._longest(more, len(kept))
            refused |= {one.rank for one in more[len(longest) :]}
            if longer is not None:
                best, kept = longer, longest
        return best, kept

    def _longest(self, proposed: list[Candidate], known: int) -> tuple[Written | None, list[Candidate]]:
        """The longest beginning of the proposed that fits and has more than `known`, as far as halving finds it.

        :param known: this many fit, they need not be counted again.
        """
        fits, best = known, None
        try_next, too_many = len(proposed), len(proposed) + 1
        while fits < try_next < too_many:
            written = self._sheet.write(proposed[:try_next])
            over = written.tokens - self._max_tokens
            if over <= 0:
                fits, best = try_next, written
                if fits == len(proposed) or self._costs[proposed[fits].rank] + over > 0:
                    break
                try_next = (fits + too_many) // 2
            else:
                guess = self._without(proposed, try_next, over) if too_many > len(proposed) else 0
                too_many = try_next
                try_next = guess if guess > fits else (fits + too_many) // 2
        return best, proposed[:fits]

    def _without(self, proposed: list[Candidate], count: int, over: int) -> int:
        """How many of the first `count` stay when enough go, by the estimates, to make up for `over` tokens."""
        while count and over > 0:
            count -= 1
            over -= self._costs[proposed[count].rank]
        return count

    def _lone(self, proposed: list[Candidate]) -> tuple[Written | None, list[Candidate]]:
        """The first candidate that fits by itself, where the estimates were of no use."""
        promising = [one for one in self._allowed([], proposed or self._walk) if self._costs[one.rank] <= 2 * self._max_tokens]
        for one in promising[:LONE]:
            written = self._sheet.write([one])
            if written.tokens <= self._max_tokens:
                return written, [one]
        return None, []

    def _propose(self, kept: list[Candidate], room: int, refused: set[int]) -> list[Candidate]:
        """`kept`, and after it what the walk adds within `room` tokens by the estimates."""
        ledger = _Ledger(self._sheet, self._costs, self._headings, self._settings, kept)
        shared = self._settings.share == "proportional" and not self._sheet.plan.across
        parts = self._parts(room) if shared and not kept else None
        open_to = [one for one in self._walk if self._costs[one.rank] <= room and one.rank not in refused]
        if parts is not None:
            room = self._by_parts(ledger, open_to, parts, room)
        for one in open_to:
            if self._costs[one.rank] <= room:
                room -= ledger.take(one, room)
        return ledger.taken

    def _by_parts(self, ledger: _Ledger, candidates: Sequence[Candidate], parts: list[float], room: int) -> int:
        """Take within each group's part, what it leaves going to the next; returns the room that is left."""
        carried, group = 0.0, -1
        for one in candidates:
            if one.group != group:
                carried += sum(parts[group + 1 : one.group + 1])
                group = one.group
            cost = ledger.take(one, min(room, int(carried + 1e-9)))
            carried -= cost
            room -= cost
        return room

    def _parts(self, room: int) -> list[float]:
        weights = self._sheet.plan.weights
        total = sum(weights)
        return [room * (weight / total if 0 < total < inf else 1 / len(weights)) for weight in weights]

    def _limited(self, kept: list[Candidate]) -> list[int]:
        if self._settings.max_atoms is None and self._settings.max_entries is None:
            return []
        taken = {one.rank for one in kept}
        allowed = {one.rank for one in self._allowed(kept, self._walk)}
        return [one.rank for one in self._walk if one.rank not in allowed and one.rank not in taken]

    def _allowed(self, kept: list[Candidate], candidates: Sequence[Candidate]) -> list[Candidate]:
        """The candidates that the limits would let in beside `kept`."""
        ledger = _Ledger(self._sheet, self._costs, self._headings, self._settings, kept)
        return [one for one in candidates if ledger.allows(one)]


class _Ledger:
    """Keeps the accounts of a walk: who is in, how many of each group, what the limits still allow."""

    def __init__(
        self, sheet: Sheet, costs: dict[int, int], headings: tuple[int, int], settings: PackSettings, kept: Sequence[Candidate]
    ) -> None:
        self.taken: list[Candidate] = []
        self._sheet = sheet
        self._costs = costs
        self._headings = headings
        self._settings = settings
        self._ranks: set[int] = set()
        self._members: dict[int, int] = {}
        self._atoms: set[int] = set()
        self._any_headed = False
        for one in kept:
            self._enter(one)

    def allows(self, one: Candidate) -> bool:
        """Whether the limits let it in."""
        settings = self._settings
        if one.rank in self._ranks or (settings.max_entries is not None and len(self.taken) >= settings.max_entries):
            return False
        atom = one.hit.atom
        return settings.max_atoms is None or atom is None or atom in self._atoms or len(self._atoms) < settings.max_atoms

    def take(self, one: Candidate, room: int) -> int:
        """Take it in if it is allowed and fits; returns the tokens that it takes, 0 if it stays out."""
        if room <= 0 or self._costs[one.rank] > room or not self.allows(one):
            return 0
        cost = self._costs[one.rank] + self._heading(one)
        if cost > room:
            return 0
        self._enter(one)
        return cost

    def _heading(self, one: Candidate) -> int:
        """What its coming adds in headings: the first of a group may stand among single entries, the second may bring the heading."""
        before = self._members.get(one.group, 0)
        among_singles = self._headings[1] if self._any_headed else 0
        if before == 0 and not self._sheet.is_headed(1):
            return among_singles
        if self._sheet.is_headed(before) or not self._sheet.is_headed(before + 1):
            return 0
        return self._headings[0] - (among_singles if before else 0)

    def _enter(self, one: Candidate) -> None:
        self.taken.append(one)
        self._ranks.add(one.rank)
        self._members[one.group] = self._members.get(one.group, 0) + 1
        self._any_headed = self._any_headed or self._sheet.is_headed(self._members[one.group])
        if one.hit.atom is not None:
            self._atoms.add(one.hit.atom)
