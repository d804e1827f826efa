"""The living entries of a run: their size, who links to whom, and what an edit would make of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from datetime import datetime
from typing import TypeAlias

from memfold.refine.merging import merge_entries, merged_id
from memfold.types import Decision, Edit, Entry, Link, Pair, Relink

EXPIRY = "expiry"
"""What stands for a judge where an entry's own time is over."""
Measure: TypeAlias = Callable[[Entry], int]
Size: TypeAlias = tuple[int, int]
"""In the budget's unit, and in bytes."""
Combine: TypeAlias = Callable[[Entry, Entry, Entry], Entry]
"""(a, b, merged) -> merged, completed by the host that the entries live in."""


@dataclass(frozen=True, slots=True)
class Measures:
    """How entries are measured: in the budget's unit, and in bytes for the journal."""

    budget: Measure
    bytes: Measure

    def of(self, entry: Entry) -> Size:
        """(in the budget's unit, in bytes)."""
        size = self.budget(entry)
        return size, size if self.bytes == self.budget else self.bytes(entry)


class Working:
    """Living entries by id. `size` is their total in the budget's unit, kept as edits are applied."""

    def __init__(self, entries: Iterable[Entry], measures: Measures, combine: Combine | None = None) -> None:
        self.entries: dict[str, Entry] = {}
        self.size = 0
        self.bytes = 0
        self._measures = measures
        self._combine = combine
        self._sizes: dict[str, Size] = {}
        self._linked_from: dict[str, set[str]] = {}
        for entry in entries:
            self.put(entry)

    def put(self, entry: Entry) -> None:
        """Add an entry, or replace the one of its id."""
        if entry.id in self.entries:
            self.drop(entry.id)
        self.entries[entry.id] = entry
        self._sizes[entry.id] = size = self._measures.of(entry)
        self._grow(size, 1)
        for link in entry.links:
            self._linked_from.setdefault(link.target, set()).add(entry.id)

    def drop(self, id: str) -> None:
        """Remove an entry."""
        entry = self.entries.pop(id)
        self._grow(self._sizes.pop(id), -1)
        for link in entry.links:
            self._linked_from.get(link.target, set()).discard(id)

    def plan(self, pair: Pair, decision: Decision, *, run: str, seq: int, now: datetime, worth: float = 0.0) -> Edit | None:
        """The edit that carries a delete or merge out; None when it would not make the store smaller, or not by enough.

        delete: links to the victim are pruned. merge: the new entry takes both sides' links, and links to either
        side lead to it (MemRefine 3.2, Store Update).

        :param worth: share of what goes that must be saved at least.
        """
        if decision.action == "delete":
            victim, kept = (pair.a, pair.b) if decision.target == "a" else (pair.b, pair.a)
            before, after = (victim,), ()
        else:
            merged = merge_entries(pair.a, pair.b, decision, new_id=self._free_id(pair, decision.merged), now=now)
            kept, before = merged, (pair.a, pair.b)
            after = (self._combine(pair.a, pair.b, merged) if self._combine else merged,)
        relinks = self._relinks(before, after)
        change, saved = self._change(before, after, relinks)
        if change >= 0 or -change <= worth * sum(self._sizes[entry.id][0] for entry in before):
            return None
        return Edit(run, seq, pair.a.namespace, before, after, relinks, decision, pair.cosine, -saved, now, kept=kept.id)

    def expiry(self, entry: Entry, *, run: str, seq: int, now: datetime) -> Edit:
        """The edit that removes an entry whose time is over; links to it are pruned."""
        relinks = self._relinks((entry,), ())
        decision = Decision("delete", "a", reason=f"expired at {entry.expires_at}", judge=EXPIRY)
        saved = -self._change((entry,), (), relinks)[1]
        return Edit(run, seq, entry.namespace, (entry,), (), relinks, decision, 1.0, saved, now)

    def apply(self, edit: Edit) -> None:
        """Make the working set what the edit makes of the store."""
        for entry in edit.before:
            self.drop(entry.id)
        for entry in edit.after:
            self.put(entry)
        for relink in edit.relinks:
            if relink.id in self.entries:
                self.put(replace(self.entries[relink.id], links=relink.after))

    def _free_id(self, pair: Pair, text: str) -> str:
        base = merged_id(pair.a, pair.b, text)
        id, number = base, 2
        while id in self.entries:
            id, number = f"{base}-{number}", number + 1
        return id

    def _relinks(self, before: tuple[Entry, ...], after: tuple[Entry, ...]) -> tuple[Relink, ...]:
        gone = {entry.id for entry in before}
        neighbours = sorted({id for entry in before for id in self._linked_from.get(entry.id, ())} - gone)
        relinks: list[Relink] = []
        for id in neighbours:
            links = self.entries[id].links
            moved = (Link(after[0].id, link.relation) if after and link.target in gone else link for link in links)
            left = tuple(dict.fromkeys(link for link in moved if link.target not in gone))
            relinks.append(Relink(id, links, left))
        return tuple(relinks)

    def _change(self, before: tuple[Entry, ...], after: tuple[Entry, ...], relinks: tuple[Relink, ...]) -> Size:
        """By how much the store would grow."""
        relinked = [replace(self.entries[relink.id], links=relink.after) for relink in relinks]
        new = [self._measures.of(entry) for entry in (*after, *relinked)]
        old = [self._sizes[entry.id] for entry in (*before, *relinked)]
        return sum(size for size, _ in new) - sum(size for size, _ in old), sum(size for _, size in new) - sum(size for _, size in old)

    def _grow(self, size: Size, sign: int) -> None:
        self.size += sign * size[0]
        self.bytes += sign * size[1]
