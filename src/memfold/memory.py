"""The `Memory` that people import: it opens a store and composes the stages; no algorithm lives here."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import IO, TYPE_CHECKING, Unpack

from memfold.atoms import open_clusterer
from memfold.audit import Audit, audit
from memfold.budget import Budget
from memfold.config import AtomSettings, ExtractSettings, ModelSettings, PackSettings, RefineSettings
from memfold.embed import open_counter, open_embedder
from memfold.errors import UnknownEntry
from memfold.forget import Erasure
from memfold.forgetting import forgotten
from memfold.hosts import JsonlFields, open_host, write_export
from memfold.opening import Opened, open_store
from memfold.pack import Template
from memfold.protocols import ChatModel, Embedder, Judge, TokenCounter, Vectors
from memfold.recalling import Recaller, RecallSettings, enough, found, packed
from memfold.refine import Report, Review
from memfold.refine.guards import GuardSettings
from memfold.refine.judges import Asking, open_judge
from memfold.refining import Job, estimated, previewed, refined, taken_back
from memfold.retrieve import Filter, Reranker
from memfold.standing import StandingBudget, WhenFull
from memfold.store.journal import Journal, Run
from memfold.store.replies import StoredReplies
from memfold.store.size import entry_bytes
from memfold.types import Changes, Context, Edit, Entry, Hit, Stats
from memfold.writing import BATCH, added, updated

if TYPE_CHECKING:
    from memfold.extract import Observation, Prompts
    from memfold.observing import Conversation, OnSession
    from memfold.refine.estimate import Estimate

Progress = Callable[[str, int, int], None]
"""(what is being done, how much is done, of how much)."""


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
    recalling: RecallSettings = field(default_factory=RecallSettings)
    reranker: Reranker | None = None
    _recallers: dict[str, Recaller] = field(default_factory=dict[str, Recaller])
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
        recalling: RecallSettings | None = None,
        reranker: Reranker | None = None,
    ) -> Memory:
        """Open a store by path or URL: `agent.db`, `notes.jsonl`, `mcp:memory.jsonl`, `agent.af`, …

        :param embedder: an `Embedder`, or the name of one (`minilm`, `openai:MODEL`); loaded when first needed.
        :param create: make a database that is not there yet.
        :param fields: which fields of a JSONL file hold what, where that cannot be guessed.
        :param reembed: drop vectors that another embedder made.
        :param clock: tells the time, for tests and replays.
        :param max_bytes: what each namespace may take, like `2MB`. A write that goes past it sets off a refinement with the embedded
            judge, which leaves what was just written alone; with `when_full="raise"` it raises `OverBudget`, and nothing is written.
        :param recalling: how entries are grouped, found and packed. :param reranker: looks at the best hits once more.
        :raises NotAStore: there is nothing that can be read. :raises BadEntry: a part of it cannot be read.
        """
        opened = open_store(store, create=create, fields=fields)
        standing = None if max_bytes is None else StandingBudget.parse(max_bytes, when_full)
        memory = cls(opened, clock, reembed, on_progress, embedder, standing, recalling or RecallSettings(), reranker)
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
        return added(self, entries)

    def update(self, id: str, namespace: str | None = None, **changes: Unpack[Changes]) -> Entry:
        """Give an entry other contents: `memory.update("e7", text="…", expires_at=…)`. What is not named stays.

        :returns: the entry as it is now; its revision is one higher, and `updated_at` is now.
        :raises UnknownEntry: there is no such entry. :raises OverBudget: see `open`. :raises StoreError: the store is a host's file.
        """
        return updated(self, self.get(id, namespace), changes)

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

        return observed(self, namespace, sessions_of(conversation, format), model, settings, prompts, on_session)

    # Recall

    def recall(
        self,
        query: str,
        namespace: str = "default",
        *,
        limit: int = 10,
        scorer: str = "",
        filter: Filter | None = None,
        linked: int = 0,
    ) -> list[Hit]:
        """The entries that answer a question best, each with why it was found; what has expired is not recalled.

        :param limit: hits at most, best first.
        :param scorer: a name of `memfold.retrieve.SCORERS`; "" is that of the store's settings.
        :param filter: what an entry must be. :param linked: entries that hits link to, drawn in beyond the limit.
        :raises UnknownName: there is no such scorer.
        """
        name = scorer or self.recalling.retrieve.scorer
        return found(self, query, namespace, limit, name, filter, linked)

    def context(
        self,
        query: str,
        namespace: str = "default",
        *,
        max_tokens: int,
        scorer: str = "",
        filter: Filter | None = None,
        linked: int = 0,
        counter: TokenCounter | None = None,
        packing: PackSettings | None = None,
        template: Template | None = None,
    ) -> Context:
        """What to put into a prompt for a question: entries found, grouped and rendered in at most `max_tokens` tokens.

        :param counter: counts the whole text; by default the bundled word pieces, mostly more than a language model's tokens.
        :param packing: packer, form and limits; by default the store's. :param template: a form of your own.
        :raises UnknownName: there is no such scorer, packer or form. :raises BudgetError: `max_tokens` is negative.
        """
        name = scorer or self.recalling.retrieve.scorer
        hits = found(self, query, namespace, enough(max_tokens), name, filter, linked, grouped=True)
        return packed(hits, name, max_tokens, counter or open_counter("wordpiece"), packing or self.recalling.pack, template)

    def recaller(self, namespace: str) -> Recaller:
        """Atoms and retriever of a namespace, kept between questions."""
        known, store = self._recallers.get(namespace), self.opened.store
        if known is None or known.store is not store:  # a mirror's store changes its place when it is first written to
            self._recallers[namespace] = Recaller(store, namespace, self.recalling, self.reranker)
        return self._recallers[namespace]

    def stats(self, namespace: str | None = None) -> Stats:
        """What there is, in numbers: of a namespace, or of all."""
        entries, size = self.totals(namespace)
        runs = self.runs(namespace)
        limit = self.standing.max_bytes if self.standing else None
        return Stats(entries, size, len(self.namespaces()), len(runs), sum(run.edits for run in runs), self.disk_bytes(), limit)

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
        return taken_back(self, run, edit)

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
        return forgotten(self, text, id, namespace, apply=apply)

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

    def embed(self, entries: Sequence[Entry]) -> Vectors:
        """The vectors of entries, shape (len(entries), dim), by the embedder that the store's vectors come from."""
        self.opened.store.set_embedder(self.embedder.name, self.embedder.dim, drop=self.reembed)
        return self.embedder.embed([entry.embedding_text for entry in entries])

    def embed_missing(self, namespace: str) -> None:
        """Give every entry of a namespace its vector."""
        self.opened.store.set_embedder(self.embedder.name, self.embedder.dim, drop=self.reembed)
        missing = list(self.opened.store.without_vector(namespace))
        if not missing:
            return
        total = self.opened.store.totals(namespace)[0]
        self.tell("embedded", total - len(missing), total)
        for start in range(0, len(missing), BATCH):
            batch = missing[start : start + BATCH]
            self.opened.store.put_vectors([n for n, _ in batch], self.embed([entry for _, entry in batch]))
            self.tell("embedded", total - len(missing) + start + len(batch), total)

    def tell(self, what: str, done: int, total: int) -> None:
        """Report progress to whoever asked for it."""
        if self.on_progress:
            self.on_progress(what, done, total)

