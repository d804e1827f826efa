"""Which entry goes where: matching the entries that shall live with what a host holds, and placing the new ones."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import TypeAlias

from memfold.errors import DuplicateId
from memfold.types import Entry

Wanted: TypeAlias = "tuple[Entry, int | None]"
"""An entry that shall live, and its index among the entries of the base, None where the base lacks it."""

Piece: TypeAlias = "tuple[int | None, Entry | None]"
"""One item of the next state: the slot of the base whose place it keeps (None: new) and its entry (None: no entry)."""


def match(live: Sequence[Entry], base: Sequence[Entry], *, computed_ids: bool) -> list[Wanted]:
    """Each living entry with its place in the base, in the order of `live`.

    By namespace and id; with `computed_ids` (the host stores none, they are hashes of what stands there) then also by
    namespace, home and text.

    :raises DuplicateId: two living entries of one namespace have the same id.
    """
    places = {(entry.namespace, entry.id): n for n, entry in enumerate(base)}
    seen: set[tuple[str, str]] = set()
    out: list[Wanted] = []
    for entry in live:
        key = (entry.namespace, entry.id)
        if key in seen:
            raise DuplicateId(f"two entries of namespace {entry.namespace!r} have the id {entry.id!r}")
        seen.add(key)
        out.append((entry, places.get(key)))
    return _match_texts(out, base) if computed_ids else out


def _match_texts(wanted: Sequence[Wanted], base: Sequence[Entry]) -> list[Wanted]:
    taken = {place for _, place in wanted}
    free: dict[tuple[str, str, str], list[int]] = defaultdict(list)
    for n in range(len(base) - 1, -1, -1):
        if n not in taken:
            free[_content(base[n])].append(n)
    out: list[Wanted] = []
    for entry, place in wanted:
        same = free.get(_content(entry)) if place is None else None
        out.append((entry, same.pop() if same else place))
    return out


def keep_ids(fresh: Sequence[Entry], known: Sequence[Entry]) -> tuple[Entry, ...]:
    """`fresh` entries of a host with computed ids, under the ids by which the caller knows them.

    A fresh entry whose id is unknown takes the id of a known entry of the same namespace, home and text that `fresh`
    lacks; the others keep theirs. So a merged entry is still the same one when its file is read again.
    """
    ids = {(entry.namespace, entry.id) for entry in known}
    here = {(entry.namespace, entry.id) for entry in fresh}
    lost: dict[tuple[str, str, str], list[str]] = defaultdict(list)
    for entry in reversed(known):
        if (entry.namespace, entry.id) not in here:
            lost[_content(entry)].append(entry.id)
    out: list[Entry] = []
    for entry in fresh:
        candidates = lost.get(_content(entry)) if (entry.namespace, entry.id) not in ids else None
        out.append(replace(entry, id=candidates.pop()) if candidates else entry)
    return tuple(out)


def _content(entry: Entry) -> tuple[str, str, str]:
    return entry.namespace, entry.home, entry.text


def arrange(slots: Sequence[int | None], wanted: Sequence[Wanted], end: int) -> list[Piece]:
    """The next state of one series: surviving slots in their order, new entries between them.

    A new entry follows the nearest entry before it in `wanted` that has a place here, else precedes the nearest one
    after it, if `wanted` is in the series' own order; otherwise, and where there is no such neighbour, it is
    appended at slot `end`.

    :param slots: per item of the series the index of its entry in the base, None for what is no entry.
    :param wanted: the living entries of this series.
    """
    slot_of = {entry: slot for slot, entry in enumerate(slots) if entry is not None}
    kept = {slot_of[place]: entry for entry, place in wanted if place is not None and place in slot_of}
    after, first = _anchors(slot_of, wanted, end)
    out: list[Piece] = []
    for slot in range(len(slots) + 1):
        if slot in first:
            out += [(None, entry) for entry in first[slot]]
        if slot == len(slots):
            break
        if slots[slot] is None:
            out.append((slot, None))
        elif slot in kept:
            out.append((slot, kept[slot]))
        out += [(None, entry) for entry in after.get(slot, ())]
    return out


def _anchors(slot_of: Mapping[int, int], wanted: Sequence[Wanted], end: int) -> tuple[dict[int, list[Entry]], dict[int, list[Entry]]]:
    """New entries by the slot that they follow, and by the slot that they precede."""
    places = [slot_of[place] for _, place in wanted if place is not None and place in slot_of]
    ordered = places == sorted(places)
    after: dict[int, list[Entry]] = defaultdict(list)
    first: dict[int, list[Entry]] = defaultdict(list)
    waiting: list[Entry] = []
    anchor: int | None = None
    for entry, place in wanted:
        if place is not None and place in slot_of:
            anchor = slot_of[place]
            if waiting and ordered:
                first[anchor], waiting = waiting, []
        elif anchor is not None and ordered:
            after[anchor].append(entry)
        else:
            waiting.append(entry)
    if waiting:
        first[end] = waiting + first[end]
    return after, first


def moment(entry: Entry) -> datetime:
    """The entry's time for comparison: without a zone taken as UTC, without any as the earliest."""
    time = entry.time or datetime.min
    return time if time.tzinfo else time.replace(tzinfo=UTC)


def last_filled(items: Sequence[str]) -> int:
    """The slot after the last item that is not blank: where appended ones go."""
    for n in range(len(items), 0, -1):
        if items[n - 1].strip():
            return n
    return 0
