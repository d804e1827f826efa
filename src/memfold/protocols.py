"""What the stages ask of each other: small protocols, so that every part can be replaced by yours."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property, lru_cache
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING, Generic, Literal, Protocol, TypeAlias, TypeVar, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from memfold.types import JSON, Decision, Entry, Halt, Pair, Role, Turn

if TYPE_CHECKING:
    from pydantic import BaseModel

Vectors = NDArray[np.float32]
Vector = NDArray[np.float32]
"""Shape (d,)."""


class Embedder(Protocol):
    """Texts to vectors."""

    @property
    def name(self) -> str:
        """Model and version, as stored beside the vectors: vectors of different names are never compared."""
        ...

    @property
    def dim(self) -> int:
        """Length of a vector."""
        ...

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Unit vectors, shape (len(texts), dim), float32. The same text gives the same vector in any batch.

        An empty sequence gives shape (0, dim). Texts longer than the model's window are embedded as a whole (the
        implementation says how), never cut silently.
        """
        ...


class TokenCounter(Protocol):
    """Counts the tokens of a text.

    A counter may also have `count_many(texts) -> list[int]`, `count` of each text where that is faster than one by one, and
    `lines_apart: int`: in a text of up to so many characters no token reaches over a line feed, so that
    `count(a + b) == count(a) + count(b)` whenever `a` ends in one. Without it 0, that is: never.
    """

    @property
    def name(self) -> str: ...

    def count(self, text: str) -> int: ...


class Judge(Protocol):
    """Decides what becomes of two entries that similarity proposed (MemRefine 3.2, `Judge(u, v)` and `Merge`).

    `name` identifies the judge with all that its decisions depend on (version, parameters): judgements are
    remembered under it. `floor` is a cosine: below it the judge preserves every pair, so such pairs need not be
    shown (-1 to be shown all). `costly` says that a judgement costs money or seconds, so that each is stored at once.
    A judge may also name the order of edits that suits it, `order: config.Order`; without it that is the paper's, "cosine".
    """

    @property
    def name(self) -> str: ...

    @property
    def floor(self) -> float: ...

    @property
    def costly(self) -> bool: ...

    def decide(self, pairs: Sequence[Pair]) -> list[Decision]:
        """One decision a pair, in order. A judge that fails on a pair answers `preserve` with `failed=True`."""
        ...


Shape = TypeVar("Shape", bound="BaseModel")
FailureKind: TypeAlias = Literal["bad_reply", "refused", "rejected", "rate_limit", "server", "timeout", "unreachable", "spent", "waiting"]
"""Why a request has no value.

bad_reply     text came, but not of the wanted form, also when asked again     refused   the model declined to answer
rejected      the endpoint will never take this request (too long, forbidden)  server    it failed (5xx, half a reply)
rate_limit    still too many requests after waiting                            timeout   no reply in time
unreachable   no server, no key, no such model: nothing will be answered       spent     the budget of calls, tokens or money is
waiting       the request is written down, the reply is still to come
"""


@dataclass(frozen=True, slots=True)
class Message:
    """One message to or from a model."""

    role: Role
    content: str


@dataclass(frozen=True)
class ChatRequest(Generic[Shape]):
    """What is asked of a model: messages, and the form that its reply must have.

    :param schema: a pydantic model; its JSON schema is what the model is told, its validators are what the reply must pass.
    :param purpose: `judge`, `merge`, `draft` …: usage is counted by it. Not part of the key.
    :param max_tokens: of the reply; None leaves it to the endpoint.
    """

    messages: tuple[Message, ...]
    schema: type[Shape]
    purpose: str = ""
    max_tokens: int | None = None

    @cached_property
    def key(self) -> str:
        """32 hex digits of the request's content: equal requests are asked once, in any process."""
        asked = [[m.role, m.content] for m in self.messages], self.max_tokens
        written = json.dumps([asked, json_schema(self.schema)], ensure_ascii=False, sort_keys=True)
        return blake2b(written.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()


@lru_cache(maxsize=64)
def json_schema(schema: type[BaseModel]) -> dict[str, JSON]:
    """The JSON schema of a reply."""
    return schema.model_json_schema()


@dataclass(frozen=True, slots=True)
class Failure:
    """Why a request has no value. `message` says what happened and what cures it, without keys or texts of the user."""

    kind: FailureKind
    message: str

    @property
    def halt(self) -> Halt:
        """Set where every further request would fail in the same way."""
        return self.kind if self.kind in ("waiting", "spent", "unreachable") else ""


@dataclass(frozen=True, slots=True)
class ChatReply(Generic[Shape]):
    """What came of a request: a value or a failure, never both; and what it took, retries included.

    `tokens_in` and `tokens_out` are as the endpoint counts, else estimated. `calls` is 0 for a remembered reply, and so
    are its cost and tokens. `seconds` is the time from first sending to the end.
    """

    value: Shape | None = None
    failure: Failure | None = None
    calls: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    cost: float = 0.0
    seconds: float = 0.0

    @property
    def tokens(self) -> int:
        return self.tokens_in + self.tokens_out


class ChatModel(Protocol):
    """A language model over some endpoint. May be called from several threads at once."""

    @property
    def name(self) -> str:
        """Model and endpoint kind: judgements are remembered under it."""
        ...

    def complete_many(self, requests: Sequence[ChatRequest[Shape]]) -> list[ChatReply[Shape]]:
        """One reply a request, in order. Failures are values: raises nothing but KeyboardInterrupt."""
        ...


class ReplyCache(Protocol):
    """Replies of models, kept by what was asked. Safe to use from several threads."""

    def get(self, key: str) -> str | None: ...
    def put(self, key: str, reply: str) -> None: ...


class Reader(Protocol):
    """Reads what a text states, without a model: what extraction knows of texts beyond their vectors."""

    def values(self, text: str, when: datetime | None) -> frozenset[str]:
        """The numbers, dates, times, names and codes of the text in one form each; relative dates count from `when`."""
        ...

    def lacks(self, text: str, when: datetime | None, sources: Sequence[Turn]) -> list[str]:
        """The values and denials of the text that none of the turns says, as the text writes them; also what it affirms that they deny.

        What a turn's own time and speaker say is said by it.
        """
        ...

    def unsaid(self, text: str, sources: Sequence[Turn]) -> float:
        """The share in [0, 1] of the text's telling words that none of the turns says."""
        ...

    def span(self, text: str, source: str) -> str:
        """The sentences of `source`, to the letter, that say most of the text; "" where they share no telling word."""
        ...

    def says_nothing(self, text: str) -> bool:
        """Whether the text is greeting, thanks, mood or a mere question, so that keeping it keeps no fact."""
        ...

    def date(self, phrase: str, when: datetime | None) -> tuple[datetime | None, str]:
        """The moment that the phrase names, told from `when` and in its zone, and the same as ISO writes it.

        The moment is None where the phrase names a week, month or year, which is then all that is told (`2031-W07`, `2031-02`,
        `2031`); where it names none for certain, that is "" too.
        """
        ...

    def dated(self, text: str, when: datetime | None) -> str:
        """The text with `yesterday`, `last Friday` and the like as the calendar calls them, as far as `when` tells."""
        ...

    def revises(self, new: Entry, old: Entry) -> bool:
        """Whether the new entry says of the same subject a value other than the old one does."""
        ...


class Proposer(Protocol):
    """Gives the next pair to judge (MemRefine 3.2, Candidate Pair Selection)."""

    def next(self) -> Pair | None:
        """The next pair that was not proposed yet, both sides alive; None when none is left."""
        ...

    def remove(self, ids: Sequence[str]) -> None:
        """These entries are gone: no pair with them is proposed any more."""
        ...

    def add(self, entries: Sequence[Entry], vectors: Vectors) -> None:
        """New entries, shape of vectors (len(entries), dim): their pairs with all living entries are proposed in turn."""
        ...


@dataclass(frozen=True, slots=True)
class Snapshot:
    """What a host held at one moment.

    `raw` is the host's bytes where it is a file. `fingerprint` changes with any change of the host.
    """

    entries: tuple[Entry, ...]
    fingerprint: str
    raw: bytes = b""


class Host(Protocol):
    """A store that somebody else owns: read it, bring it to a new state.

    A host never keeps a journal: the caller does, in a Memfold database beside it, and calls `render` with the
    entries that shall live.
    """

    @property
    def name(self) -> str:
        """The kind of host, as in a STORE url: `jsonl`, `mcp`, `letta` …"""
        ...

    @property
    def location(self) -> str:
        """Path or address, for messages."""
        ...

    @property
    def form(self) -> Mapping[str, JSON]:
        """How the host was read, where that is a choice (which field of a JSONL file is what); {} where it is none."""
        ...

    def use(self, form: Mapping[str, JSON]) -> None:
        """Read the host as `form` says from now on, so that what was done to it can be taken back.

        :raises StoreError: the user asked for another way.
        """
        ...

    def read(self) -> Snapshot:
        """All entries in the host's order.

        :raises NotAStore: this is not such a host, and what it looks like instead.
        :raises BadEntry: one part cannot be read; the message gives its line and the cure.
        """
        ...

    def parse(self, raw: bytes) -> Snapshot:
        """The snapshot that `read` gives when the host holds these bytes (files only). Pure.

        Raises as `read` does.
        """
        ...

    def render(self, live: Sequence[Entry], base: Snapshot) -> Snapshot:
        """The host's next state: `base` with exactly `live` in it. Pure: writes nothing.

        An entry equal to one of `base.entries` keeps its bytes and place; one with the id of a base entry and other
        content replaces it in place; one that `base` lacks (a merge, or an undo after the host moved on) is put where
        it belongs, see `Entry.metadata` of the host; an entry of `base` that `live` lacks goes, and what pointed
        to it with it. `render(base.entries, base).raw == base.raw`.
        """
        ...

    def check_writable(self) -> None:
        """Say before a long run that its result could not be written.

        :raises ReadOnlyStore: the host cannot be written.
        """
        ...

    def replace(self, old: Snapshot, new: Snapshot) -> None:
        """Write `new` atomically if the host still is `old`.

        :raises StoreChanged: somebody else changed the host since `old` was read; nothing was written.
        :raises ReadOnlyStore: it cannot be written. :raises StoreFull: the disk is full; the host is as before.
        """
        ...

    def erase(self, text: str, base: Snapshot) -> tuple[Snapshot, int]:
        """`base` without any trace of `text` (case-folded substring) outside the entries, as far as the host's form allows.

        Returns the new state and how many occurrences remain that the host cannot remove. Used by `forget`, after the
        entries themselves were rewritten.
        """
        ...

    def size(self, entry: Entry) -> int:
        """Bytes that an entry takes in the host: UTF-8 length of its JSON there, without ASCII escapes, and its separator.

        This is what a budget means for the host's entries; what else stands in it is not counted.
        """
        ...

    def combine(self, a: Entry, b: Entry, merged: Entry) -> Entry:
        """Complete a merged entry with what only the host knows (its home, its metadata), so that `render` can place it."""
        ...


@dataclass(frozen=True)
class Atom:
    """A cluster of entries as RSM-full keeps it: members, their centroid, an orthonormal basis of their span.

    :param members: entry ids in the order in which they came; n = len(members) >= 1.
    :param centroid: mean of the members' vectors (unit, rounded to float16), not normalised, shape (d,), float32.
    :param basis: V, orthonormal columns, shape (d, r) with r = min(rank, n, numerical rank), float32; the first column points to the
        centroid's side (v1 . centroid >= 0). Shape (d, 0) for a clusterer that keeps none.
    """

    id: int
    members: tuple[str, ...]
    centroid: Vector
    basis: Vectors

    @property
    def summary(self) -> Vector:
        """The coefficients c = V^T centroid, shape (r,) (RSM-full, Table 14)."""
        return self.basis.T @ self.centroid


class Clusterer(Protocol):
    """Vectors to atoms, as they arrive (RSM-full, 1.3). Deterministic: ties go to the lowest atom id; ids are never given twice.

    Vectors are taken as a store holds them, rounded to float16: atoms of loaded vectors are those of the vectors when they came.
    """

    @property
    def name(self) -> str:
        """The variant with the settings that decide who is with whom: state of different names is never mixed."""
        ...

    def add(self, ids: Sequence[str], vectors: Vectors) -> list[int]:
        """Take in entries in this order, unit rows of shape (len(ids), d); returns the atom of each.

        :raises DuplicateId: an entry is here already; nothing was taken in.
        """
        ...

    def remove(self, ids: Sequence[str]) -> None:
        """These entries are gone: their atoms are as if built from the members left; an empty atom goes. Gates are not run again.

        Ids that have no atom are passed over.
        """
        ...

    def atom_of(self, id: str) -> int | None:
        """The atom of an entry; None when it has none."""
        ...

    def members(self, atom: int) -> tuple[str, ...]:
        """The entries of an atom, in the order in which they came; computes no basis.

        :raises KeyError: there is no such atom.
        """
        ...

    def numbers(self) -> Sequence[int]:
        """The ids of all atoms, ascending: the order of `atoms`, and of the rows of `leading` and `centroids`."""
        ...

    def atoms(self) -> Sequence[Atom]:
        """All atoms by ascending id. Only what changed since the last call is computed."""
        ...

    def leading(self) -> Vectors:
        """v1 of every atom as rows, shape (A, d), so that |leading() @ q| scores all atoms (RSM-full, Eq. 2).

        Where a clusterer keeps no basis, the unit centroids. Kept up to date and not to be written to.
        """
        ...

    def centroids(self) -> Vectors:
        """The unit centroid of every atom as rows, shape (A, d). Not to be written to."""
        ...


@runtime_checkable
class Restorable(Protocol):
    """A clusterer whose whole state is who is with whom, so that a store keeps one row an entry and `restore` gives the same state."""

    @property
    def next_id(self) -> int:
        """The id of the next new atom."""
        ...

    def restore(self, ids: Sequence[str], vectors: Vectors, atoms: Sequence[int], next_id: int = 0) -> None:
        """Put entries into the atoms that they were in, in this order, without running any gate.

        :raises DuplicateId: an entry is here already; nothing was taken in.
        """
        ...


Mark: TypeAlias = tuple[int, int]
"""A state of a store: the number of its last change, and that change's own random token. Equal marks mean equal content."""


@dataclass(frozen=True, slots=True)
class ShelfRows:
    """Entries as a search sees them, a row each, by ascending place.

    :param places: where they stand in the store, int64, shape (n,); a place is never given to another entry.
    :param vectors: unit rows, float32, shape (n, dim); zeros for an entry that has none yet.
    :param words: how many words each text has, int32, shape (n,).
    :param embedded: whether each has a vector, shape (n,).
    """

    places: NDArray[np.int64]
    vectors: Vectors
    words: NDArray[np.int32]
    embedded: NDArray[np.bool_]


class Shelf(Protocol):
    """The entries of one namespace (or of all), by place, with their vectors and their words: what retrieval asks of a store."""

    @property
    def name(self) -> str:
        """Which namespace of which embedder it is: what was kept for one is never used for another."""
        ...

    @property
    def file(self) -> Path | None:
        """Where a copy of the vectors may be kept, so that `forget` finds and removes it; None for a store in memory."""
        ...

    @property
    def dim(self) -> int:
        """Length of a vector; 0 before the first."""
        ...

    @property
    def lock(self) -> AbstractContextManager[object]:
        """Held while a thread works with the store; may be taken again by the same thread."""
        ...

    def snapshot(self) -> AbstractContextManager[object]:
        """Inside, everything is read from one state of the store, whatever others write meanwhile."""
        ...

    def exclusive(self) -> AbstractContextManager[object]:
        """Inside, nobody else writes.

        :raises ReadOnlyStore: the store cannot be written.
        """
        ...

    def mark(self) -> Mark:
        """The state that is read now."""
        ...

    def changed(self, since: Mark) -> list[int] | None:
        """The places of all that came, changed or went after `since`, each once; None where that is not known any more."""
        ...

    def count(self) -> int:
        """How many entries there are."""
        ...

    def pages(self) -> Iterator[ShelfRows]:
        """All entries, by ascending place, a page at a time."""
        ...

    def rows(self, places: Sequence[int]) -> ShelfRows:
        """The entries at these places, as far as there are any."""
        ...

    def entries(self, places: Sequence[int]) -> list[Entry | None]:
        """The entry at each place; None where there is none (any more)."""
        ...

    def places(self, ids: Sequence[str]) -> list[int]:
        """Places of the entries with these ids, as far as there are any, ascending."""
        ...

    def possible(self, kinds: Sequence[str], days: tuple[str, str], fields: Mapping[str, str]) -> NDArray[np.int64]:
        """Ascending places of the entries that may be of one of these kinds, within these days and with these fields; never too few.

        :param kinds: none is any. :param days: first and last as `2031-05-01`; "" is open. :param fields: of the metadata, texts only.
        """
        ...

    def terms(self, text: str) -> list[str]:
        """What a question asks for by words, each once: words, and pairs of characters of scripts without spaces."""
        ...

    def postings(self, term: str) -> NDArray[np.int64]:
        """Ascending places of the entries that hold the term; also of other namespaces' entries, which are to be passed over."""
        ...
