"""Real erasure: what is forgotten leaves entries, index, journal, remembered judgements and replies, and the host's file.

An entry goes when all of it is about what is forgotten; of an entry that also speaks of somebody else, only the
clauses that hold the words go, and those that carry on about them with a pronoun. An edit whose images held a trace is
purged: its row stays, so that the counts add up, its content does not, and undo refuses it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from hashlib import blake2b

from memfold.refine.text import clauses, speaker
from memfold.store.journal import Journal
from memfold.store.replies import StoredReplies
from memfold.store.size import entry_json
from memfold.store.sqlite import SqliteStore
from memfold.types import JSON, Entry

_CARRIES_ON = re.compile(
    r"\s*(?:and|but|so|then)?\s*"
    r"(?:he|she|they|his|her|hers|their|theirs|him|them|er|sie|ihr|ihre|elle|il|ella|él|她|他|彼女|彼)\b",
    re.IGNORECASE,
)
_JOINT = re.compile(r"^\s*(?:and|but|so|und|aber|y|pero|et|mais)\s+", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Change:
    """What becomes of one entry: `after` is None when it goes."""

    before: Entry
    after: Entry | None


@dataclass(slots=True)
class Erasure:
    """What was erased, or would be. `remaining` counts occurrences in a host's file that Memfold cannot take out."""

    what: str
    changes: list[Change] = field(default_factory=list[Change])
    edits: int = 0
    remaining: int = 0
    applied: bool = False

    def as_dict(self) -> dict[str, JSON]:
        """The account as JSON, without the texts."""
        removed: list[JSON] = [c.before.id for c in self.changes if c.after is None]
        cut: list[JSON] = [c.before.id for c in self.changes if c.after is not None]
        counts: dict[str, JSON] = {"edits_purged": self.edits, "remaining": self.remaining, "applied": self.applied}
        return {"forget": self.what, "removed": removed, "cut": cut, **counts}


def holds(data: str, needle: str) -> bool:
    """Whether a text holds the words, whatever their case and however JSON escaped them."""
    return needle.casefold() in data.casefold()


def without(text: str, needle: str) -> str:
    """The text without the clauses that hold the words or carry on about them; "" when nothing else is left."""
    who, said = speaker(text)
    if holds(who, needle):
        return ""
    prefix = text[: len(text) - len(said)]
    kept: list[str] = []
    cut = False
    for clause in clauses(said):
        cut = holds(clause, needle) or (cut and _CARRIES_ON.match(clause) is not None)
        if not cut:
            kept.append(clause)
    rest = "".join(kept).strip()
    rest = _JOINT.sub("", rest) if kept and kept[0] != clauses(said)[0] else rest
    rest = re.sub(r"[,;，、]\s*$", ".", rest)
    if not re.search(r"\w", rest):
        return ""
    return prefix + rest[0].upper() + rest[1:]


def changed(entry: Entry, needle: str) -> Change | None:
    """What forgetting makes of an entry; None when it holds no trace."""
    if not holds(entry_json(entry), needle):
        return None
    text = without(entry.text, needle) if holds(entry.text, needle) else entry.text
    if not text or holds(entry.home, needle):
        return Change(entry, None)
    new = replace(
        entry,
        id=f"x{blake2b(entry.id.encode('utf-8', 'surrogatepass'), digest_size=8).hexdigest()}" if holds(entry.id, needle) else entry.id,
        text=text,
        keywords=tuple(word for word in entry.keywords if not holds(word, needle)),
        sources=tuple(source for source in entry.sources if not holds(source.turn + source.span, needle)),
        links=tuple(link for link in entry.links if not holds(link.target + link.relation, needle)),
        metadata={key: value for key, value in entry.metadata.items() if _keeps(key, needle) and _keeps(value, needle)},
        revision=entry.revision + 1,
    )
    return Change(entry, new)


def erase(store: SqliteStore, journal: Journal, changes: Sequence[Change], needles: Sequence[str]) -> int:
    """Carry changes out and take every trace out of the database's file; returns how many edits were purged.

    Everything is one transaction; then the file is rewritten, so that no freed page keeps what it held.

    :param needles: a piece of the journal that holds one of these is purged.
    """
    with store.connection.writing() as db:
        for change in changes:
            n, current = store.placed(change.before.namespace, change.before.id)
            store.erase(db, n, current)
            if change.after is not None:
                store.insert(db, change.after, n)
        for namespace in {change.before.namespace for change in changes}:
            renamed = {c.before.id: c.after.id if c.after else "" for c in changes if c.before.namespace == namespace}
            _relink(store, namespace, {old: new for old, new in renamed.items() if old != new})
        purged = journal.purge(lambda data: any(holds(data, needle) for needle in needles))
        StoredReplies(store.connection).purge(lambda reply: any(holds(reply, needle) for needle in needles))
    store.scrub()
    return purged


def _relink(store: SqliteStore, namespace: str, renamed: Mapping[str, str]) -> None:
    """Let links lead to an entry's new id; those to an entry that is gone ("") go too."""
    with store.connection.writing() as db:
        for entry in list(store.entries(namespace)):
            moved = (replace(link, target=renamed.get(link.target, link.target)) for link in entry.links)
            links = tuple(link for link in moved if link.target)
            if links != entry.links:
                n, current = store.placed(namespace, entry.id)
                store.rewrite(db, n, current, replace(current, links=links))


def _keeps(value: JSON, needle: str) -> bool:
    return not holds(json.dumps(value, ensure_ascii=False), needle)
