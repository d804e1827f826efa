"""The `Memory` that people import: it opens a store and composes the stages; no algorithm lives here."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import IO, TYPE_CHECKING, TypedDict, Unpack

import numpy as np

from memfold.atoms import open_clusterer
from memfold.audit import Audit, audit
from memfold.budget import Budget
from memfold.config import AtomSettings, ExtractSettings, ModelSettings, RefineSettings
from memfold.embed import open_embedder
from memfold.errors import StoreChanged, StoreError, UnknownEntry
from memfold.forget import Change, Erasure, changed, erase
from memfold.hosts import JsonlFields, open_host, write_export
from memfold.opening import Opened, open_store
from memfold.protocols import ChatModel, Embedder, Judge, TokenCounter
from memfold.refine import Report, Review
from memfold.refine.guards import GuardSettings
from memfold.refine.judges import Asking, open_judge
from memfold.refine.seen import Seen
from memfold.refining import Job, estimated, previewed, refined
from memfold.standing import StandingBudget, WhenFull
from memfold.store.journal import Journal, Run
from memfold.store.judged import EVERY_JUDGE, JudgedPairs
from memfold.store.lease import lease
from memfold.store.replies import StoredReplies
from memfold.store.size import entry_bytes
from memfold.types import JSON, Edit, Entry, Kind, Link, Pair

if TYPE_CHECKING:
    from memfold.extract import Observation, Prompts
    from memfold.observing import Conversation, OnSession
    from memfold.refine.estimate import Estimate

EMBED_BATCH = 512
"""Entries embedded between two writes of their vectors."""

Progress = Callable[[str, int, int], None]
"""(what is being done, how much is done, of how much)."""


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


def utc_now() -> datetime:
    """The time, in UTC."""
    return datetime.now(UTC)


@dataclass(slots=True)
class Memory:
    """One memory store: your own database, or a file that another program owns.

    Open it with `Memory.open`; use it in a `with` block, or `close` it.
    """

    opened: Opened
    clock: Callable[[], datetime] = utc_now
    reembed: bool = False
    on_progress: Progress | None = None
    _embedder: Embedder | str = "minilm"
    standing: StandingBudget | None = None
    """What each namespace may take; `standing.last` is the report of the last refinement that a write set off."""
    ahead: bool = False
    """The journal holds edits of an interrupted run that the file does not have yet; the next run completes them."""

    @classmethod
    def open(
        cls,
        store: str | Path,
        *,
        embedder: Embedder | str = "minilm",
        create: bool = True,
        fields: JsonlFields | None = None,
        reembed: bool = False,
        clock: Callable[[], datetime] = utc_now,
        on_progress: Progress | None = None,
        max_bytes: str | int | None = None,
        when_full: WhenFull = "refine",
    ) -> Memory:
        """Open a store by path or URL: `agent.db`, `notes.jsonl`, `mcp:memory.jsonl`, `agent.af`, …

        :param embedder: an `Embedder`, or the name of one (`minilm`, `openai:MODEL`); loaded when first needed.
        :param create: make a database that is not there yet.
        :param fields: which fields of a JSONL file hold what, where that cannot be guessed.
        :param reembed: drop vectors that another embedder made.
        :param clock: tells the time, for tests and replays.
        :param max_bytes: what each namespace may take, like `2MB`. A write that goes past it sets off a refinement with the embedded
            judge, which leaves what was just written alone; with `when_full="raise"` it raises `OverBudget`, and nothing is written.
        :raises NotAStore: there is nothing that can be read. :raises BadEntry: a part of it cannot be read.
        """
        opened = open_store(store, create=create, fields=fields)
        standing = None if max_bytes is None else StandingBudget.parse(max_bytes, when_full)
        memory = cls(opened, clock, reembed, on_progress, embedder, standing)
        if opened.mirror is not None:
            memory.ahead = opened.mirror.pull()
        return memory

    def close(self) -> None:
        """Close the store's file."""
        self.opened.store.close()

    def __enter__(self) -> Memory:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    # What is in it

    @property
    def journal(self) -> Journal:
        return Journal(self.opened.store)

    @property
    def embedder(self) -> Embedder:
        """The embedder, loaded now if it was not yet."""
        if isinstance(self._embedder, str):
            self._embedder = open_embedder(self._embedder)
        return self._embedder

    @property
    def replies(self) -> StoredReplies:
        """Where replies of models are kept, so that nothing is paid for twice: in the store, or beside a host's file.

        :raises ReadOnlyStore: the host cannot be written, so nothing can be kept.
        """
        if self.opened.mirror is not None:
            self.opened.mirror.persist()
        return StoredReplies(self.opened.store.connection)

    @property
    def size_of(self) -> Callable[[Entry], int]:
        """Measures an entry in bytes: its line of `memfold export`, or what it takes in the host's file."""
        return self.opened.mirror.host.size if self.opened.mirror else entry_bytes

    def totals(self, namespace: str | None = None) -> tuple[int, int]:
        """Number of entries and their bytes (`size_of`), of a namespace or of all."""
        if self.opened.mirror is None:
            return self.opened.store.totals(namespace)
        sizes = [self.size_of(entry) for entry in self.entries(namespace)]
        return len(sizes), sum(sizes)

    def namespaces(self) -> list[str]:
        """The namespaces that hold entries, sorted."""
        return self.opened.store.namespaces()

    def entries(self, namespace: str | None = None) -> Iterator[Entry]:
        """The entries of a namespace, or of all, in the order in which they came."""
        return self.opened.store.entries(namespace)

    def get(self, id: str, namespace: str | None = None) -> Entry:
        """One entry.

        :raises UnknownEntry: no entry of this id, or several namespaces have one and none was named.
        """
        return self.opened.store.get(self._namespace_of(id, namespace), id)

    def add(self, entries: Iterable[Entry]) -> int:
        """Store new entries and their vectors; returns how many.

        :raises DuplicateId: an id is taken; nothing of its batch was stored. :raises StoreError: the store is a host's file.
        """
        self._check_own("entries are added to a file by the program that owns it; import them into a database instead")
        count = 0
        for batch in _batches(entries, EMBED_BATCH):
            self._admit(batch)
            vectors = self._embed(batch)
            count += self.opened.store.add(batch, vectors)
            self._tell("stored", count, count)
            self._keep_within(batch)
        return count

    def update(self, id: str, namespace: str | None = None, **changes: Unpack[Changes]) -> Entry:
        """Give an entry other contents: `memory.update("e7", text="…", expires_at=…)`. What is not named stays.

        :returns: the entry as it is now; its revision is one higher, and `updated_at` is now.
        :raises UnknownEntry: there is no such entry. :raises OverBudget: see `open`. :raises StoreError: the store is a host's file.
        """
        self._check_own("entries of a file are changed by the program that owns it; import them into a database instead")
        old = self.get(id, namespace)
        new = replace(old, **changes, updated_at=self.clock())
        if self.standing:
            self.standing.admit(self, old.namespace, entry_bytes(new) - entry_bytes(old))
        vector = None if new.embedding_text == old.embedding_text else self._embed([new])[0]
        stored = self.opened.store.update(new, vector, now=new.updated_at)
        self._keep_within([stored])
        return stored

    def _check_own(self, why: str) -> None:
        if self.opened.mirror is not None:
            raise StoreError(why)

    def _admit(self, entries: Sequence[Entry]) -> None:
        if self.standing:
            for namespace in dict.fromkeys(entry.namespace for entry in entries):
                self.standing.admit(self, namespace, sum(entry_bytes(e) for e in entries if e.namespace == namespace))

    def _keep_within(self, entries: Sequence[Entry]) -> None:
        if self.standing:
            for namespace in dict.fromkeys(entry.namespace for entry in entries):
                self.standing.keep(self, namespace, {e.id for e in entries if e.namespace == namespace})

    def import_file(self, path: str | Path, *, fields: JsonlFields | None = None, namespace: str | None = None) -> int:
        """Read another store's entries into this one, as they stream in; returns how many.

        :param namespace: put them all into this namespace.
        :raises DuplicateId: one of the ids is here already; nothing of its batch was stored.
        """
        host = open_host(str(path), fields=fields)
        stream = getattr(host, "iter_entries", None)
        entries: Iterable[Entry] = stream() if stream else host.read().entries
        return self.add(replace(entry, namespace=namespace) if namespace else entry for entry in entries)

    def export(self, stream: IO[str], namespace: str | None = None) -> int:
        """Write the entries as Memfold's export, one line of JSON each; returns how many."""
        return write_export(self.entries(namespace), stream)

    def audit(self, namespace: str) -> Audit:
        """What is in a namespace, how much of it is redundant, and what a budget would probably remove. Writes nothing."""
        self.embed_missing(namespace)
        entries, vectors = self.opened.store.load(namespace)
        return audit(entries, vectors, measure=self.size_of, clusterer=open_clusterer("rsm", AtomSettings(max_members=None)))

    # Extraction

    def observe(
        self,
        conversation: Conversation,
        namespace: str = "default",
        *,
        model: ChatModel | None = None,
        settings: ExtractSettings | None = None,
        prompts: Prompts | None = None,
        format: str = "",
        on_session: OnSession | None = None,
    ) -> Observation:
        """Take conversations in: what is worth remembering of them, verified (ProMem); without a model, the turns as they are.

        A session with the same content is taken in once, whoever brings it; one that failed or was cut off can be brought again.

        :param conversation: a file (see `memfold.extract.formats`), sessions, or messages like `{"role": "user", "content": "…"}`.
        :param format: of the file; "" looks at it. :param on_session: told each session's outcome once it is stored.
        :raises LeaseHeld: another run works on the namespace. :raises BadConversation: it cannot be read; what came before is stored.
        :raises StoreError: the store is a host's file.
        """
        from memfold.observing import observed, sessions_of

        self._check_own("conversations are taken into a Memfold database, like agent.db; this is a file that another program owns")
        sessions = sessions_of(conversation, format)
        store = self.opened.store
        with lease(store.connection, namespace):
            self.embed_missing(namespace)
            report = observed(
                store,
                namespace,
                sessions,
                embedder=self.embedder,
                model=model,
                settings=settings,
                prompts=prompts,
                clock=self.clock,
                on_session=on_session,
                admit=self._admit,
            )
        self._keep_within(report.entries)
        return report

    # Refinement

    def refine(
        self,
        namespace: str = "default",
        *,
        budget: str | int | Budget,
        apply: bool = False,
        judge: str | Judge = "embedded",
        model: ChatModel | None = None,
        settings: RefineSettings = RefineSettings(),
        guard_settings: GuardSettings = GuardSettings(),
        review: Review | None = None,
        on_step: Callable[[Report], None] | None = None,
        counter: TokenCounter | None = None,
    ) -> Report:
        """Bring a namespace inside a budget without losing a fact (MemRefine); a preview unless `apply`.

        :param budget: `50%` (of all that the store has taken in), `200KB`, `300 entries`, `20k tokens` …
        :param judge: `embedded`, `llm`, `cascade`, `similarity:0.8`, `pagerank:0.8`, or a `Judge`. What one that costs money says is kept
            in the store, in a preview as well.
        :param model: the language model that `llm` and `cascade` ask, see `memfold.llm.open_model`.
        :param review: asked before each edit.
        :param on_step: called with the report so far after each pair.
        :raises LeaseHeld: another run works on the namespace. :raises BudgetError: the budget cannot be understood.
        :raises StoreChanged: a host's file was changed by somebody else meanwhile; it was left as it is.
        """
        if isinstance(judge, str):
            checked = guard_settings if settings.guards else None
            judge = open_judge(judge, Asking(model, updates=guard_settings.updates, checked=checked))
        job = Job(namespace, Budget.parse(budget), judge, settings, guard_settings, review, on_step, counter)
        return refined(self, job) if apply else previewed(self, job)

    def estimate(
        self,
        namespace: str = "default",
        *,
        budget: str | int | Budget,
        judge: Judge,
        settings: RefineSettings = RefineSettings(),
        guard_settings: GuardSettings = GuardSettings(),
        priced: str = "",
        model: ModelSettings = ModelSettings(),
    ) -> Estimate:
        """What a refinement with a language model would probably take. Asks no model and changes nothing.

        :param judge: `open_judge("llm", …)` or `"cascade"`; its model lends its name only.
        :param priced: the model as for `open_model`, for its price. :param model: how it would be reached.
        :raises BadParameter: the judge asks no model.
        """
        return estimated(self, Job(namespace, Budget.parse(budget), judge, settings, guard_settings), priced, model)

    # The journal

    def runs(self, namespace: str | None = None) -> list[Run]:
        """The runs so far, oldest first."""
        return self.journal.runs(namespace)

    def edits(self, run: str) -> Iterator[Edit]:
        """The edits of a run, in their order.

        :raises UnknownRun: there is no such run.
        """
        return self.journal.edits(run)

    def undo(self, run: str, edit: int | None = None) -> list[Edit]:
        """Take back a run, or one edit of it; the entries return byte for byte.

        The two sides of an edit that is taken back alone stay apart from then on, whatever a judge says.

        :returns: the edits taken back, last first.
        :raises UnknownRun: no such run or edit. :raises CannotUndo: the message says why.
        """
        namespace = self.journal.run(run).namespace
        with lease(self.opened.store.connection, namespace):
            undone = self.journal.undo(run, edit)
            if edit is not None:
                self._keep_apart(undone[0])
            try:
                if self.opened.mirror is not None:
                    self.opened.mirror.push()
            except StoreChanged:
                self.journal.mark(undone, "applied")
                raise
        return undone

    def _keep_apart(self, edit: Edit) -> None:
        sides = list(edit.before)
        if len(sides) == 1:
            try:
                sides.append(self.opened.store.get(edit.namespace, edit.kept))
            except UnknownEntry:
                return
        key = Seen(JudgedPairs(self.opened.store.connection, edit.namespace, EVERY_JUDGE).keys(), sides).key(Pair(sides[0], sides[1], 0))
        JudgedPairs(self.opened.store.connection, edit.namespace, EVERY_JUDGE).add([key])

    def pin(self, id: str, namespace: str | None = None, *, pinned: bool = True) -> Entry:
        """Protect an entry from every refinement, or lift that.

        :raises UnknownEntry: there is no such entry.
        """
        if self.opened.mirror is not None:
            self.opened.mirror.persist()
        entry = self.get(id, namespace)
        return entry if entry.pinned == pinned else self.opened.store.update(replace(entry, pinned=pinned))

    def forget(self, text: str = "", *, id: str = "", namespace: str | None = None, apply: bool = False) -> Erasure:
        """Erase for real: everything that holds `text` (in any case), or the entry with this id; a preview unless `apply`.

        Reaches entries, index, journal, remembered judgements and the host's file; undo cannot bring it back.

        :raises UnknownEntry: there is no entry with this id. :raises LeaseHeld: a run works on one of the namespaces.
        """
        if bool(text.strip()) == bool(id):
            raise StoreError("give either a text or an id to forget")
        erasure = Erasure(text or id)
        if id:
            erasure.changes.append(Change(self.get(id, namespace), None))
        else:
            found = (changed(entry, text) for entry in self.entries(namespace))
            erasure.changes.extend(change for change in found if change is not None)
        if not apply:
            return erasure
        with ExitStack() as held:
            for name in sorted({change.before.namespace for change in erasure.changes}):
                held.enter_context(lease(self.opened.store.connection, name))
            mirror = self.opened.mirror
            needles = [text] if text else [json.dumps(id, ensure_ascii=False), erasure.changes[0].before.text]
            erasure.edits = erase(self.opened.store, self.journal, erasure.changes, needles)
            if mirror is not None:
                erasure.remaining = mirror.erase(text)
        erasure.applied = True
        return erasure

    def compact(self, before: datetime | None = None) -> tuple[int, int]:
        """Free the before-images of runs that ended before a time (all, without one), and the room they took; and replies of models.

        :returns: edits that can no longer be taken back, and bytes freed on disk.
        """
        size = self.disk_bytes()
        freed = self.journal.free(before)
        StoredReplies(self.opened.store.connection).drop()
        self.opened.store.scrub()
        return freed, size - self.disk_bytes()

    def disk_bytes(self) -> int:
        """Bytes on disk of all files that hold the store."""
        return sum(path.stat().st_size for path in self.opened.files())

    def _namespace_of(self, id: str, namespace: str | None) -> str:
        if namespace is not None:
            return namespace
        found = [name for name in self.namespaces() if id in self.opened.store.revisions(name)]
        if len(found) != 1:
            told = f"several namespaces have an entry {id!r}: name one of {', '.join(found)}" if found else f"there is no entry {id!r}"
            raise UnknownEntry(told)
        return found[0]

    # Vectors

    def _embed(self, entries: Sequence[Entry]) -> np.ndarray:
        self.opened.store.set_embedder(self.embedder.name, self.embedder.dim, drop=self.reembed)
        return self.embedder.embed([entry.embedding_text for entry in entries])

    def embed_missing(self, namespace: str) -> None:
        """Give every entry of a namespace its vector."""
        self.opened.store.set_embedder(self.embedder.name, self.embedder.dim, drop=self.reembed)
        total = self.opened.store.totals(namespace)[0]
        missing = list(self.opened.store.without_vector(namespace))
        if missing:
            self._tell("embedded", total - len(missing), total)
        for start in range(0, len(missing), EMBED_BATCH):
            batch = missing[start : start + EMBED_BATCH]
            self.opened.store.put_vectors([n for n, _ in batch], self._embed([entry for _, entry in batch]))
            self._tell("embedded", total - len(missing) + start + len(batch), total)

    def _tell(self, what: str, done: int, total: int) -> None:
        if self.on_progress:
            self.on_progress(what, done, total)


def _batches(entries: Iterable[Entry], size: int) -> Iterator[list[Entry]]:
    batch: list[Entry] = []
    for entry in entries:
        batch.append(entry)
        if len(batch) == size:
            yield batch
            batch = []
    if batch:
        yield batch
