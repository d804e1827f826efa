"""Budget-RAG: the newest vectors that fit the bytes, each an atom of its own (RSM-full, Tables 16 to 18).

That it is first in, first out is read off Table 18: of a stream of ten topics in turn it covers one [I].
"""

from __future__ import annotations

from collections.abc import Sequence

from memfold.atoms.exact import unit_rows
from memfold.atoms.online import Gates
from memfold.atoms.partition import Partition
from memfold.protocols import Vectors


class FifoAtoms(Partition):
    """Implements `protocols.Clusterer`. An entry that fell out has no atom; `add` still says which it had."""

    def __init__(self, name: str, gates: Gates) -> None:
        super().__init__(rank=0)
        self.name = name
        self._gates = gates

    def add(self, ids: Sequence[str], vectors: Vectors) -> list[int]:
        exact = self._take(ids, vectors)
        first = self._next
        for id, x, unit in zip(ids, exact, unit_rows(exact), strict=True):
            self._begin(id, x, unit)
        if len(ids):
            most, held = self._gates.most(exact.shape[1]), list(self._row_of)
            self.remove(held[: max(0, len(held) - int(min(most, len(held))))])
        return list(range(first, first + len(ids)))
