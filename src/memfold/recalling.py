"""Questions to one namespace, put together: its atoms in step with its entries, a retriever over both, a packer for what it finds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from memfold.atoms import open_clusterer
from memfold.config import AtomSettings, PackSettings, RetrieveSettings
from memfold.pack import Template, open_packer
from memfold.protocols import TokenCounter
from memfold.retrieve import Filter, Reranker, Retriever, open_scorer
from memfold.store.atoms import StoredAtoms
from memfold.store.shelf import StoredShelf
from memfold.store.sqlite import SqliteStore
from memfold.types import Context, Entry, Hit

if TYPE_CHECKING:
    from memfold.memory import Memory

TOKENS_AN_ENTRY = 20
"""Tokens that the shortest entries take: a context looks at so many hits as could fit."""
MOST_HITS = 400


@dataclass(frozen=True, slots=True)
class RecallSettings:
    """How a store's entries are grouped, found and packed. Each place takes any of its systems (RSM-full, Table 3).

    :param clusterer: a name of `memfold.atoms.CLUSTERERS`. :param atoms: its settings.
    """

    clusterer: str = "rsm"
    atoms: AtomSettings = field(default_factory=AtomSettings)
    retrieve: RetrieveSettings = field(default_factory=RetrieveSettings)
    pack: PackSettings = field(default_factory=PackSettings)


class Recaller:
    """Atoms and retriever of one namespace. Always of the store's state when it is asked, whoever changed it."""

    def __init__(self, store: SqliteStore, namespace: str, settings: RecallSettings, reranker: Reranker | None = None) -> None:
        self.store = store
        self.atoms = StoredAtoms(store, namespace, lambda: open_clusterer(settings.clusterer, settings.atoms))
        shelf = StoredShelf(store, namespace)
        self.retriever = Retriever(shelf, settings.retrieve, clusterer=self.atoms.current, reranker=reranker)


def found(
    memory: Memory, query: str, namespace: str, limit: int, scorer: str, filter: Filter | None, linked: int, *, grouped: bool = False
) -> list[Hit]:
    """See `Memory.recall`. `grouped`: the hits tell their atoms, whatever scores them."""
    by = open_scorer(scorer)
    memory.embed_missing(namespace)
    recaller, now, wanted = memory.recaller(namespace), memory.clock(), filter or Filter()

    def accept(entry: Entry) -> bool:
        return not entry.has_expired(now) and (wanted.accept is None or wanted.accept(entry))

    vector = memory.embedder.embed([query])[0] if by.needs_vector and query.strip() else None
    living, atoms = replace(wanted, accept=accept), grouped or by.needs_atoms
    return recaller.retriever.recall(by, query, vector, limit=limit, filter=living, linked=linked, atoms=atoms)


def packed(
    hits: Sequence[Hit], scorer: str, max_tokens: int, counter: TokenCounter, settings: PackSettings, template: Template | None
) -> Context:
    """The best context of these hits.

    Scorers of entries rank an atom by its best hit: the entries are chosen for themselves, and atoms arrange them.
    """
    if not open_scorer(scorer).needs_atoms:  # those of atoms rank them as the paper does, and the packer takes them in that order
        best: dict[int | None, float] = {}
        for hit in hits:
            best[hit.atom] = max(hit.score, best.get(hit.atom, hit.score))
        hits = [replace(hit, atom_score=best[hit.atom]) for hit in hits]
    return open_packer(settings=settings).pack(hits, max_tokens, counter, template)


def enough(max_tokens: int) -> int:
    """Hits that a context of so many tokens looks at."""
    return max(10, min(MOST_HITS, max_tokens // TOKENS_AN_ENTRY))
