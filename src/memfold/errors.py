"""Everything Memfold raises on purpose.

MemfoldError
├── StoreError
│   ├── NotAStore            the path holds something that Memfold cannot read as a memory store
│   ├── BadEntry             one entry of a store cannot be read (ValueError)
│   ├── UnknownEntry         no entry has this id (KeyError)
│   ├── DuplicateId          two entries of one namespace have the same id (ValueError)
│   ├── StoreChanged         the store is no longer what was read
│   ├── StaleDecision        an entry changed while its pair was being judged
│   ├── ReadOnlyStore        the store cannot be written
│   ├── StoreFull            the disk took no more
│   ├── OverBudget           a write would take a namespace past its standing budget (ValueError)
│   ├── LeaseHeld            another run works on the namespace
│   └── EmbedderMismatch     the stored vectors come from another embedder
├── JournalError
│   ├── UnknownRun           no run, or no edit, has this id (KeyError)
│   └── CannotUndo           the edit cannot be taken back, and why
├── BadConversation          a conversation cannot be read (ValueError)
├── BudgetError              the budget cannot be understood (ValueError)
├── UnknownName              no variant has this name; the known ones are listed (ValueError)
├── BadParameter             a variant does not take this parameter (ValueError)
├── MissingExtra             an optional package is not installed (ImportError)
└── ModelError
    ├── BadReply             a reply that cannot be used (ValueError)
    └── EndpointError        the endpoint refused, failed or stayed silent
"""

from __future__ import annotations

from collections.abc import Iterable


class MemfoldError(Exception):
    """Base of every error that Memfold raises on purpose. The message says what happened and what cures it."""


class StoreError(MemfoldError):
    """Something about a memory store."""


class NotAStore(StoreError, ValueError):
    """The path holds something that cannot be read as a memory store."""


class BadEntry(StoreError, ValueError):
    """One entry of a store cannot be read."""


class UnknownEntry(StoreError, KeyError):
    """No entry has this id."""

    def __str__(self) -> str:
        return str(self.args[0]) if self.args else ""


class DuplicateId(StoreError, ValueError):
    """Two entries of one namespace have the same id."""


class StoreChanged(StoreError):
    """The store is no longer what was read; nothing was written."""


class StaleDecision(StoreError):
    """An entry changed, or went, while its pair was being judged; nothing was written."""


class ReadOnlyStore(StoreError, PermissionError):
    """The store cannot be written."""


class StoreFull(StoreError, OSError):
    """The disk took no more; what was committed before stands."""


class OverBudget(StoreError, ValueError):
    """A write would take a namespace past its standing budget; nothing was written."""


class LeaseHeld(StoreError):
    """Another run works on the namespace."""


class EmbedderMismatch(StoreError):
    """The stored vectors come from another embedder."""


class JournalError(MemfoldError):
    """Something about the journal."""


class UnknownRun(JournalError, KeyError):
    """No run, or no edit of a run, has this id."""

    def __str__(self) -> str:
        return str(self.args[0]) if self.args else ""


class CannotUndo(JournalError):
    """The edit cannot be taken back; the message says why."""


class BadConversation(MemfoldError, ValueError):
    """A conversation cannot be read; the message says where and what would be."""


class BudgetError(MemfoldError, ValueError):
    """The budget cannot be understood."""


class UnknownName(MemfoldError, ValueError):
    """No variant has this name."""

    def __init__(self, what: str, name: str, known: Iterable[str]) -> None:
        super().__init__(f"unknown {what} {name!r}; known: {', '.join(known)}")


class BadParameter(MemfoldError, ValueError):
    """A variant does not take this parameter."""


class MissingExtra(MemfoldError, ImportError):
    """An optional package is not installed."""

    def __init__(self, what: str, extra: str) -> None:
        super().__init__(f"{what} needs the extra {extra!r}: pip install 'memfold[{extra}]'")


class ModelError(MemfoldError):
    """Something about a model or its endpoint."""


class BadReply(ModelError, ValueError):
    """A reply that cannot be used."""


class EndpointError(ModelError):
    """The endpoint refused, failed or stayed silent."""
