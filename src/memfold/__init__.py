"""Long-term memory for LLM agents that stays within its budget.

    extract    turns -> entries and links                       ProMem
    store      entries at rest, vectors, journal
    hosts      other programs' stores: JSONL, MCP, Letta
    embed      texts -> vectors
    atoms      entries that belong together, as they arrive     RSM-full
    refine     a store -> a smaller store                       MemRefine
    retrieve   a question -> hits                               RSM-full
    pack       hits -> the text of a prompt                     RSM-full
    llm        language models: endpoints, batch files
    audit      what is in a store, and how much is redundant

`Memory` composes them. Importing this package loads nothing; each name is loaded when first used.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from memfold.aio import AsyncMemory as AsyncMemory
    from memfold.budget import Budget as Budget
    from memfold.config import ExtractSettings as ExtractSettings
    from memfold.config import ModelSettings as ModelSettings
    from memfold.config import PackSettings as PackSettings
    from memfold.config import RefineSettings as RefineSettings
    from memfold.errors import MemfoldError as MemfoldError
    from memfold.hosts import JsonlFields as JsonlFields
    from memfold.llm import open_model as open_model
    from memfold.memory import Memory as Memory
    from memfold.recalling import RecallSettings as RecallSettings
    from memfold.refine.guards import GuardSettings as GuardSettings
    from memfold.refine.report import Report as Report
    from memfold.retrieve import Filter as Filter
    from memfold.types import Context as Context
    from memfold.types import Decision as Decision
    from memfold.types import Edit as Edit
    from memfold.types import Entry as Entry
    from memfold.types import Hit as Hit
    from memfold.types import Link as Link
    from memfold.types import Pair as Pair
    from memfold.types import Session as Session
    from memfold.types import Source as Source
    from memfold.types import Turn as Turn

__version__ = "0.1.0"

_HOME = {
    "AsyncMemory": "aio",
    "Budget": "budget",
    "Context": "types",
    "Decision": "types",
    "Edit": "types",
    "Entry": "types",
    "ExtractSettings": "config",
    "Filter": "retrieve",
    "GuardSettings": "refine.guards",
    "Hit": "types",
    "JsonlFields": "hosts",
    "Link": "types",
    "MemfoldError": "errors",
    "Memory": "memory",
    "ModelSettings": "config",
    "PackSettings": "config",
    "Pair": "types",
    "RecallSettings": "recalling",
    "RefineSettings": "config",
    "Report": "refine.report",
    "Session": "types",
    "Source": "types",
    "Turn": "types",
    "open_model": "llm",
}

__all__ = [*_HOME, "__version__"]  # pyright: ignore[reportUnsupportedDunderAll]


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'memfold' has no attribute {name!r}")
    return getattr(import_module(f"memfold.{_HOME[name]}"), name)


def __dir__() -> list[str]:
    return sorted(__all__)
