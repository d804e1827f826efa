"""Entries into a store: embedded, stored and joined to atoms in one transaction a batch, within the standing budget."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import nullcontext
from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING

from memfold.errors import BadEntry, StoreError
from memfold.store.size import entry_bytes
from memfold.types import Changes, Entry

if TYPE_CHECKING:
    from memfold.memory import Memory

BATCH = 512
"""Entries that are embedded and stored at once."""


def added(memory: Memory, entries: Iterable[Entry]) -> int:
    """See `Memory.add`."""
    check_own(memory, "entries are added to a file by the program that owns it; import them into a database instead")
    count = 0
    for batch in _batches(entries, BATCH):
        admit(memory, batch)
        vectors = memory.embed(batch)
        namespaces = _namespaces(batch)
        # one namespace is one transaction already, and its atoms need not be read again after it
        with memory.opened.store.connection.writing() if len(namespaces) > 1 else nullcontext():
            for namespace in namespaces:
                mine = [n for n, entry in enumerate(batch) if entry.namespace == namespace]
                memory.recaller(namespace).atoms.add([batch[n] for n in mine], vectors[mine])
        count += len(batch)
        memory.tell("stored", count, count)
        keep_within(memory, batch)
    return count


def updated(memory: Memory, old: Entry, changes: Changes) -> Entry:
    """See `Memory.update`."""
    check_own(memory, "entries of a file are changed by the program that owns it; import them into a database instead")
    _check(changes)
    new = replace(old, **changes, updated_at=memory.clock())
    if memory.standing:
        memory.standing.admit(memory, old.namespace, entry_bytes(new) - entry_bytes(old))
    vector = None if new.embedding_text == old.embedding_text else memory.embed([new])[0]
    stored = memory.opened.store.update(new, vector, now=new.updated_at)
    keep_within(memory, [stored])
    return stored


def _check(changes: Changes) -> None:
    """Refuse contents that no entry can have.

    :raises BadEntry: which, and what cures it.
    """
    if not str(changes.get("text", "something")).strip():
        raise BadEntry("an entry needs a text; to be rid of it: forget(id=…)")
    for name in ("occurred_at", "expires_at"):
        time = changes.get(name)
        if time is not None and not isinstance(time, datetime):
            raise BadEntry(f"{name} is a datetime, not {time!r}: datetime.fromisoformat(…) reads one")


def check_own(memory: Memory, why: str) -> None:
    """Refuse to write into a file that another program owns.

    :raises StoreError: it is one.
    """
    if memory.opened.mirror is not None:
        raise StoreError(why)


def admit(memory: Memory, entries: Sequence[Entry]) -> None:
    """Refuse what a standing budget has no room for.

    :raises OverBudget: it has none.
    """
    for namespace in _namespaces(entries) if memory.standing else ():
        assert memory.standing is not None
        memory.standing.admit(memory, namespace, sum(entry_bytes(entry) for entry in entries if entry.namespace == namespace))


def keep_within(memory: Memory, entries: Sequence[Entry]) -> None:
    """Bring the namespaces of entries that were just written back within the standing budget."""
    for namespace in _namespaces(entries) if memory.standing else ():
        assert memory.standing is not None
        memory.standing.keep(memory, namespace, {entry.id for entry in entries if entry.namespace == namespace})


def _namespaces(entries: Sequence[Entry]) -> list[str]:
    return list(dict.fromkeys(entry.namespace for entry in entries))


def _batches(entries: Iterable[Entry], size: int) -> Iterator[list[Entry]]:
    batch: list[Entry] = []
    for entry in entries:
        batch.append(entry)
        if len(batch) == size:
            yield batch
            batch = []
    if batch:
        yield batch
