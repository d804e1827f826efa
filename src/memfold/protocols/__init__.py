"""What the stages ask of each other: small protocols, so that every part can be replaced by yours."""

from __future__ import annotations

from memfold.protocols.atoms import Atom, Clusterer, Restorable
from memfold.protocols.chat import ChatModel, ChatReply, ChatRequest, Failure, FailureKind, Message, ReplyCache, Shape, json_schema
from memfold.protocols.host import Host, Snapshot
from memfold.protocols.judge import Judge, Proposer
from memfold.protocols.reader import Reader
from memfold.protocols.shelf import Mark, Shelf, ShelfRows
from memfold.protocols.vectors import Embedder, TokenCounter, Vector, Vectors

__all__ = [
    "Atom",
    "ChatModel",
    "ChatReply",
    "ChatRequest",
    "Clusterer",
    "Embedder",
    "Failure",
    "FailureKind",
    "Host",
    "Judge",
    "Mark",
    "Message",
    "Proposer",
    "Reader",
    "ReplyCache",
    "Restorable",
    "Shape",
    "Shelf",
    "ShelfRows",
    "Snapshot",
    "TokenCounter",
    "Vector",
    "Vectors",
    "json_schema",
]
