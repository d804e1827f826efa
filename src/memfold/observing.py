"""Conversations into a store: sessions go through extraction in groups, and each is stored with its mark in one transaction, in order."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from memfold.config import ExtractSettings
from memfold.embed import open_counter
from memfold.errors import BadConversation
from memfold.extract import Known, Observation, Outcome, Prompts, Tools, extract, in_rounds, linked, session_key, verbatim
from memfold.extract.formats import from_messages, read_sessions
from memfold.protocols import ChatModel, Vectors
from memfold.reading import TextReader
from memfold.store.lease import lease, renew
from memfold.store.sessions import SessionLog
from memfold.store.sqlite import SqliteStore
from memfold.types import Entry, Session
from memfold.writing import admit, check_own, keep_within

if TYPE_CHECKING:
    from memfold.memory import Memory

OnSession = Callable[[Outcome], None]


@dataclass(slots=True)
class Observer:
    """Takes sessions into one namespace, whose lease the caller holds.

    :param model: None keeps the turns as they are.
    :param known: what the namespace holds; used, and added to, where there is a model.
    :param on_session: told each outcome once it is stored. :param admit: raises where a session's entries may not be stored.
    """

    store: SqliteStore
    namespace: str
    tools: Tools
    model: ChatModel | None
    known: Known
    settings: ExtractSettings
    clock: Callable[[], datetime]
    on_session: OnSession | None = None
    admit: Callable[[Sequence[Entry]], None] | None = None
    report: Observation = field(init=False)

    def __post_init__(self) -> None:
        self.report = Observation(self.namespace, self.model.name if self.model else "")

    def run(self, sessions: Iterable[Session]) -> Observation:
        """Take in the sessions in order. What is stored stays stored, however the run ends.

        A failed session leaves no mark and is tried again next time; one whose replies cannot be had now ends the run there, since
        what is said later may revise what is said in it. Where replies are only still to come, what the sessions behind it ask is
        asked too.
        """
        try:
            for group in _groups(sessions, self.settings.sessions):
                self._take_in(group)
                renew(self.store.connection, self.namespace)
                if self.report.stopped in ("spent", "unreachable"):
                    break
        except KeyboardInterrupt:
            self.report.stopped, self.report.reason = "interrupted", "what was stored stays; the same command goes on"
        return self.report

    def _take_in(self, group: Sequence[Session]) -> None:
        log = SessionLog(self.store, self.namespace)
        keys = [session_key(session) for session in group]
        fresh = {key: session for key, session in zip(keys, group, strict=True) if log.taken(key) is None}
        outcomes = dict(zip(fresh, self._extracted(list(fresh.values())), strict=True))
        for key, session in zip(keys, group, strict=True):
            outcome = outcomes.pop(key, None)
            if outcome is None:
                taken = log.taken(key)
                how = f" on {taken.at:%Y-%m-%d}, {f'by {taken.how}' if taken.how else 'without a model'}" if taken else ""
                outcome = Outcome(session.id, "known", reason=f"taken in already{how}")
            self._tell(self._stored(log, key, outcome))

    def _extracted(self, sessions: Sequence[Session]) -> list[Outcome]:
        if self.model is None:
            return [verbatim(session, self.tools) for session in sessions]
        return in_rounds([extract(session, self.tools, self.settings) for session in sessions], self.model)

    def _stored(self, log: SessionLog, key: str, outcome: Outcome) -> Outcome:
        if outcome.state == "halted" and not self.report.stopped:
            self.report.stopped, self.report.reason = outcome.halt, outcome.reason
        if outcome.state not in ("stored", "empty"):
            return outcome
        if self.report.stopped:
            return replace(outcome, state="halted", entries=(), edges=(), reason="a session before it is not done")
        entries = [replace(entry, namespace=self.namespace) for entry in outcome.entries]
        if self.admit is not None:
            self.admit(entries)
        vectors = self._vectors([entry.embedding_text for entry in entries])
        if self.model is not None:
            outcome = linked(replace(outcome, entries=tuple(entries)), vectors, self.known, self.tools.reader, self.settings)
            entries = list(outcome.entries)
        new = log.take(key, entries, vectors, state=outcome.state, how=self.report.model, at=self.clock())
        if self.model is not None:
            self.known.add(entries, vectors)
        return replace(outcome, entries=tuple(new))

    def _vectors(self, texts: Sequence[str]) -> Vectors:
        return self.tools.embedder.embed(texts) if texts else np.zeros((0, self.tools.embedder.dim), np.float32)

    def _tell(self, outcome: Outcome) -> None:
        self.report.outcomes.append(outcome)
        if self.on_session is not None:
            self.on_session(outcome)


def _groups(sessions: Iterable[Session], size: int) -> Iterator[list[Session]]:
    group: list[Session] = []
    for session in sessions:
        group.append(session)
        if len(group) >= max(1, size):
            yield group
            group = []
    if group:
        yield group


Conversation: TypeAlias = "str | Path | Session | Iterable[Session] | Sequence[Mapping[str, Any]]"
"""A file, sessions, or messages like `{"role": "user", "content": "…"}`."""


def sessions_of(conversation: Conversation, format: str = "") -> Iterator[Session]:
    """The sessions of a conversation in whatever form.

    :raises BadConversation: it cannot be read. :raises OSError: its file cannot be opened.
    """
    if isinstance(conversation, (str, Path)):
        if not Path(conversation).exists():
            told = str(conversation)[:80]
            raise BadConversation(f'there is no file {told!r}; words are given as messages: [{{"role": "user", "content": "…"}}]')
        yield from read_sessions(conversation, format)
    elif isinstance(conversation, Session):
        yield conversation
    else:
        messages: list[Any] = []
        for item in conversation:
            if isinstance(item, Session):
                yield item
            else:
                messages.append(item)
        if messages:
            yield from from_messages(messages)


def observed(
    memory: Memory,
    namespace: str,
    sessions: Iterable[Session],
    model: ChatModel | None,
    settings: ExtractSettings | None,
    prompts: Prompts | None,
    on_session: OnSession | None,
) -> Observation:
    """See `Memory.observe`."""
    check_own(memory, "conversations are taken into a Memfold database, like agent.db; this is a file that another program owns")
    store, embedder = memory.opened.store, memory.embedder
    with lease(store.connection, namespace):
        memory.embed_missing(namespace)
        tools = Tools(embedder, TextReader(), open_counter("wordpiece"), prompts or Prompts())
        known = Known(*store.load(namespace)) if model is not None else Known([], np.zeros((0, embedder.dim), np.float32))
        settings, may = settings or ExtractSettings(), partial(admit, memory)
        report = Observer(store, namespace, tools, model, known, settings, memory.clock, on_session, may).run(sessions)
    memory.recaller(namespace).atoms.current()
    keep_within(memory, report.entries)
    return report
