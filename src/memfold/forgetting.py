"""Erasure over a whole store: entries, index, atoms, journal, remembered judgements and replies, and the host's file."""

from __future__ import annotations

import json
from contextlib import ExitStack
from typing import TYPE_CHECKING

from memfold.errors import StoreError
from memfold.forget import Change, Erasure, changed, erase
from memfold.store.lease import lease

if TYPE_CHECKING:
    from memfold.memory import Memory


def forgotten(memory: Memory, text: str, id: str, namespace: str | None, *, apply: bool) -> Erasure:
    """See `Memory.forget`."""
    if bool(text.strip()) == bool(id):
        raise StoreError("give either a text or an id to forget")
    erasure = Erasure(text or id)
    if id:
        erasure.changes.append(Change(memory.get(id, namespace), None))
    else:
        found = (changed(entry, text) for entry in memory.entries(namespace))
        erasure.changes.extend(change for change in found if change is not None)
    if not apply:
        return erasure
    store, mirror = memory.opened.store, memory.opened.mirror
    with ExitStack() as held:
        for name in sorted({change.before.namespace for change in erasure.changes}):
            held.enter_context(lease(store.connection, name))
        needles = [text] if text else [json.dumps(id, ensure_ascii=False), erasure.changes[0].before.text]
        erasure.edits = erase(store, memory.journal, erasure.changes, needles)
        if mirror is not None:
            erasure.remaining = mirror.erase(text)
    erasure.applied = True
    return erasure
