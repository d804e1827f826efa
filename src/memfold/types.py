"""The values that travel between the stages. All are frozen; nothing here does I/O.

Times are aware or naive `datetime`s exactly as the source stated them; similarity is cosine in [-1, 1], higher is
more similar; sizes are in the unit of the budget (bytes, tokens or entries).
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from datetime import UTC, datetime
from hashlib import blake2b
from typing import Any, Literal, TypeAlias, TypedDict, cast

from memfold.errors import BadEntry

JSON: TypeAlias = "None | bool | int | float | str | list[JSON] | dict[str, JSON]"

Kind: TypeAlias = Literal["turn", "event", "detail", "fact"]
Action: TypeAlias = Literal["delete", "merge", "preserve"]
Target: TypeAlias = Literal["a", "b", ""]
Relation: TypeAlias = Literal["", "same", "a_covers_b", "b_covers_a", "overlap", "update", "distinct", "low_value"]
EditState: TypeAlias = Literal["planned", "applied", "undone", "purged"]
Halt: TypeAlias = Literal["", "waiting", "spent", "unreachable"]
"""Why there is no answer and asking on would be useless: the reply is still to come, the money is spent, the endpoint is not there."""
Role: TypeAlias = Literal["system", "user", "assistant"]

KINDS: tuple[Kind, ...] = ("turn", "event", "detail", "fact")


@dataclass(frozen=True, slots=True)
class Link:
    """An edge from one entry to another of the same namespace, by id."""

    target: str
    relation: str = ""


@dataclass(frozen=True, slots=True)
class Source:
    """Where an entry comes from: a turn (or other origin) by id, and the span of it that supports the entry."""

    turn: str
    span: str = ""


@dataclass(frozen=True, slots=True)
class Entry:
    """One stored memory.

    `home` is the container of the host that the entry lives in (an MCP entity, a Letta block): entries with
    different homes never meet in an edit. `metadata` holds every field that the entry came with and that Memfold does
    not interpret. `revision` counts changes of this entry since it was first stored. Past `expires_at` (UTC where it has no zone) an
    entry is not recalled any more, and the next refinement removes it.
    """

    id: str
    text: str
    namespace: str = "default"
    kind: Kind = "fact"
    home: str = ""
    keywords: tuple[str, ...] = ()
    links: tuple[Link, ...] = ()
    occurred_at: datetime | None = None
    created_at: datetime | None = None
    updated_at: datetime | None = None
    importance: float = 0.0
    pinned: bool = False
    sources: tuple[Source, ...] = ()
    metadata: Mapping[str, JSON] = field(default_factory=dict[str, JSON])
    revision: int = 0
    expires_at: datetime | None = None

    def as_dict(self) -> dict[str, JSON]:
        """The entry as JSON, fields at their default left out. `from_dict` reads it back to an equal entry."""
        times = {name: getattr(self, name) for name in ("occurred_at", "created_at", "updated_at", "expires_at")}
        stated: dict[str, JSON] = {
            "namespace": "" if self.namespace == "default" else self.namespace,
            "kind": "" if self.kind == "fact" else self.kind,
            "home": self.home,
            "keywords": list(self.keywords),
            "links": [[link.target, link.relation] if link.relation else link.target for link in self.links],
            **{name: time.isoformat() if time else None for name, time in times.items()},
            "importance": self.importance,
            "pinned": self.pinned,
            "sources": [[s.turn, s.span] if s.span else s.turn for s in self.sources],
            "metadata": dict(self.metadata),
            "revision": self.revision,
        }
        own: dict[str, JSON] = {"id": self.id, "text": self.text}
        return own | {name: value for name, value in stated.items() if value}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Entry:
        """The inverse of `as_dict`.

        :raises BadEntry: a field is missing, unknown or of the wrong type.
        """
        unknown = data.keys() - _ENTRY_FIELDS
        if unknown:
            raise BadEntry(f"unknown field(s) {', '.join(sorted(unknown))} in an entry")
        for name in ("id", "text"):
            if not isinstance(data.get(name), str):
                raise BadEntry(f"an entry needs a string in {name!r}, found {data.get(name)!r}")
        values = dict(data)
        if values.get("kind", "fact") not in KINDS:
            raise BadEntry(f"kind {values['kind']!r} of entry {data['id']!r} is none of {', '.join(KINDS)}")
        try:
            for name in ("occurred_at", "created_at", "updated_at", "expires_at"):
                if values.get(name) is not None:
                    values[name] = datetime.fromisoformat(values[name])
            values["keywords"] = tuple(str(k) for k in values.get("keywords", ()))
            values["links"] = tuple(Link(*_pair(link)) for link in values.get("links", ()))
            values["sources"] = tuple(Source(*_pair(source)) for source in values.get("sources", ()))
            values["metadata"] = dict(values.get("metadata", {}))
        except (TypeError, ValueError) as error:
            raise BadEntry(f"entry {data['id']!r} has a field of the wrong form: {error}") from error
        return cls(**values)

    @property
    def time(self) -> datetime | None:
        """When it happened, else when it was written down."""
        return self.occurred_at or self.created_at

    def has_expired(self, now: datetime) -> bool:
        """Whether the entry's time is over; a time without a zone counts as UTC."""
        if self.expires_at is None:
            return False
        end, now = (time if time.tzinfo else time.replace(tzinfo=UTC) for time in (self.expires_at, now))
        return end <= now

    @property
    def embedding_text(self) -> str:
        """What is embedded: the text, and its keywords where it has some."""
        return f"{self.text}\n{', '.join(self.keywords)}" if self.keywords else self.text

    def digest(self) -> bytes:
        """8 bytes that change with whatever a judge may look at: text, home, kind, times."""
        seen = [self.text, self.home, self.kind, self.time.isoformat() if self.time else ""]
        return blake2b(json.dumps(seen, ensure_ascii=False).encode("utf-8", "surrogatepass"), digest_size=8).digest()


_ENTRY_FIELDS = frozenset(f.name for f in fields(Entry))


def _pair(value: str | Sequence[str]) -> tuple[str, ...]:
    return (value,) if isinstance(value, str) else tuple(value)


@dataclass(frozen=True, slots=True)
class Turn:
    """One message of a conversation. `time` is None where the source states none for this turn."""

    id: str
    speaker: str
    text: str
    role: Role = "user"
    time: datetime | None = None


@dataclass(frozen=True, slots=True)
class Session:
    """The turns of one sitting, in order, with the time at which it began (zone kept as stated; naive where none is)."""

    id: str
    turns: tuple[Turn, ...]
    time: datetime | None = None


@dataclass(frozen=True, slots=True)
class Pair:
    """Two entries of one namespace put before a judge, and the cosine of their vectors."""

    a: Entry
    b: Entry
    cosine: float


@dataclass(frozen=True, slots=True)
class Hit:
    """An entry that a question found.

    `score` ranks hits of one recall, higher is better; its scale is the scorer's. `why` says how it was found, in a few words.
    `atom` is the atom that the entry is a member of, None where no clustering took part, and `atom_score` that atom's own rank value.
    """

    entry: Entry
    score: float
    why: str = ""
    atom: int | None = None
    atom_score: float = 0.0


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A hit that did not go into a context, and why: `budget`, `duplicate`, `limit`."""

    hit: Hit
    reason: str


@dataclass(frozen=True, slots=True)
class Context:
    """What was packed for a question.

    `text` is the rendered string and `tokens` its length by the counter named in `counter`; tokens <= max_tokens always. `packed` are the
    hits in it, in the order in which they stand there; `clipped` the ids of those whose text was cut to fit. `note` says why it is empty.
    """

    text: str
    tokens: int
    max_tokens: int
    counter: str
    packed: tuple[Hit, ...] = ()
    left_out: tuple[LeftOut, ...] = ()
    clipped: tuple[str, ...] = ()
    note: str = ""

    def as_dict(self) -> dict[str, JSON]:
        """The context as JSON; entries by id."""
        left: list[JSON] = [{"id": out.hit.entry.id, "reason": out.reason} for out in self.left_out]
        told: dict[str, JSON] = {"text": self.text, "tokens": self.tokens, "max_tokens": self.max_tokens, "counter": self.counter}
        told |= {"packed": [hit.entry.id for hit in self.packed], "left_out": left}
        told |= {"clipped": list[JSON](self.clipped), "note": self.note}
        return told


@dataclass(frozen=True, slots=True)
class Decision:
    """What a judge says of a pair (MemRefine 3.2, LLM-Guided Action).

    `target` is the side to delete. `merged` is the text that replaces both sides of a merge. `confidence` is in
    [0, 1]. `failed` marks a judge that gave no usable answer: the action is then `preserve`. `halt` marks a failure that
    every further pair would share, so that the run ends here. `veto` names the guard that turned the judge's action into
    `preserve`; `proposed` is then what the judge had wanted. `calls` counts the requests to a model that it took.
    """

    action: Action
    target: Target = ""
    relation: Relation = ""
    merged: str = ""
    keywords: tuple[str, ...] = ()
    instruction: str = ""
    reason: str = ""
    confidence: float = 1.0
    judge: str = ""
    failed: bool = False
    veto: str = ""
    proposed: Action | Literal[""] = ""
    halt: Halt = ""
    calls: int = 0
    tokens: int = 0
    cost: float = 0.0

    def vetoed(self, guard: str, why: str) -> Decision:
        """The decision after a guard's veto: preserve, with the judge's own action and reason kept beside it."""
        reason = f"{why} (the judge: {self.action}, {self.reason})" if self.reason else why
        return replace(self, action="preserve", target="", merged="", veto=guard, proposed=self.action, reason=reason)

    def swapped(self) -> Decision:
        """The same decision for the pair with its sides exchanged."""
        sides: dict[str, Target] = {"a": "b", "b": "a", "": ""}
        covers: dict[str, Relation] = {"a_covers_b": "b_covers_a", "b_covers_a": "a_covers_b"}
        return replace(self, target=sides[self.target], relation=covers.get(self.relation, self.relation))

    def as_dict(self) -> dict[str, JSON]:
        """The decision as JSON, fields at their default left out."""
        out: dict[str, JSON] = {"action": self.action}
        for f in fields(self):
            value = getattr(self, f.name)
            if f.name != "action" and value != f.default:
                out[f.name] = list(cast("tuple[str, ...]", value)) if isinstance(value, tuple) else value
        return out

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Decision:
        """The inverse of `as_dict`."""
        values = dict(data)
        values["keywords"] = tuple(values.get("keywords", ()))
        return cls(**values)


@dataclass(frozen=True, slots=True)
class Relink:
    """A neighbour whose links changed because an entry that it pointed to was removed or replaced."""

    id: str
    before: tuple[Link, ...]
    after: tuple[Link, ...]


@dataclass(frozen=True, slots=True)
class Edit:
    """One change of a store, as journaled: the entries before and after, in full, and why.

    A delete has one entry before and none after; a merge has two before and one after.
    """

    run: str
    seq: int
    namespace: str
    before: tuple[Entry, ...]
    after: tuple[Entry, ...]
    relinks: tuple[Relink, ...]
    decision: Decision
    cosine: float
    saved: int
    at: datetime
    state: EditState = "planned"
    kept: str = ""
    """Id of the surviving side of a delete: the entry that covers what was removed."""

    @property
    def action(self) -> Action:
        return self.decision.action

    def as_dict(self) -> dict[str, JSON]:
        """The edit as JSON; `from_dict` reads it back to an equal edit."""
        return {
            "run": self.run,
            "seq": self.seq,
            "namespace": self.namespace,
            "action": self.action,
            "before": [entry.as_dict() for entry in self.before],
            "after": [entry.as_dict() for entry in self.after],
            "relinks": [[r.id, _links(r.before), _links(r.after)] for r in self.relinks],
            "decision": self.decision.as_dict(),
            "cosine": self.cosine,
            "saved": self.saved,
            "at": self.at.isoformat(),
            "state": self.state,
            "kept": self.kept,
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Edit:
        """The inverse of `as_dict`."""
        values = dict(data)
        del values["action"]
        values["before"] = tuple(Entry.from_dict(entry) for entry in data["before"])
        values["after"] = tuple(Entry.from_dict(entry) for entry in data["after"])
        values["relinks"] = tuple(Relink(id, _as_links(before), _as_links(after)) for id, before, after in data["relinks"])
        values["decision"] = Decision.from_dict(data["decision"])
        values["at"] = datetime.fromisoformat(data["at"])
        return cls(**values)


def _links(links: Sequence[Link]) -> list[JSON]:
    return [[link.target, link.relation] for link in links]


def _as_links(data: Sequence[Sequence[str]]) -> tuple[Link, ...]:
    return tuple(Link(target, relation) for target, relation in data)


@dataclass(frozen=True, slots=True)
class Stats:
    """A store in numbers. `bytes` are the entries', `disk_bytes` all files'; `max_bytes` is a namespace's standing budget."""

    entries: int
    bytes: int
    namespaces: int
    runs: int
    edits: int
    disk_bytes: int
    max_bytes: int | None


class Changes(TypedDict, total=False):
    """What `Memory.update` can change of an entry."""

    text: str
    kind: Kind
    keywords: tuple[str, ...]
    links: tuple[Link, ...]
    occurred_at: datetime | None
    expires_at: datetime | None
    importance: float
    metadata: Mapping[str, JSON]
