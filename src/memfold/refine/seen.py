"""Which pairs were judged before: 64-bit keys of two contents, the same in either order.

Two pairs of the same contents are one to a judge, so a pair judged `preserve` under other ids is not judged again.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from memfold.types import Entry, Pair


class Seen:
    """Answers the proposer's question whether a pair was judged in an earlier run.

    :param keys: sorted keys of the pairs judged so far.
    """

    def __init__(self, keys: NDArray[np.int64], entries: Iterable[Entry]) -> None:
        self._keys = keys
        self._fresh: set[int] = set()
        self._digests: dict[str, int] = {}
        self.add(entries)

    def add(self, entries: Iterable[Entry]) -> None:
        """Make entries known; one of a known id replaces it."""
        for entry in entries:
            self._digests[entry.id] = int.from_bytes(entry.digest(), "little")

    def key(self, pair: Pair) -> int:
        """The key of a pair of known entries."""
        one, other = self._digests[pair.a.id], self._digests[pair.b.id]
        key = _scramble_one(_scramble_one(min(one, other)) ^ max(one, other))
        return key - 2**64 if key >= 2**63 else key

    def flipped(self, pair: Pair) -> bool:
        """Whether the sides stand in the other order than the one in which decisions are kept."""
        return self._digests[pair.a.id] > self._digests[pair.b.id]

    def preserve(self, key: int) -> None:
        """A pair was judged `preserve` in this run."""
        self._fresh.add(key)

    def __contains__(self, key: int) -> bool:
        """Whether a pair was judged `preserve`, in this run or before."""
        place = int(np.searchsorted(self._keys, key))
        return key in self._fresh or (place < len(self._keys) and int(self._keys[place]) == key)

    def __call__(self, id: str, ids: Sequence[str]) -> Sequence[bool]:
        """Which of the pairs (id, ids[i]) were judged before this run."""
        if not len(self._keys):
            return [False] * len(ids)
        wanted = self._pair_keys(id, ids)
        place = np.minimum(np.searchsorted(self._keys, wanted), len(self._keys) - 1)
        return [bool(found) for found in self._keys[place] == wanted]

    def _pair_keys(self, id: str, ids: Sequence[str]) -> NDArray[np.int64]:
        one = np.uint64(self._digests[id])
        others = np.array([self._digests[other] for other in ids], np.uint64)
        low, high = np.minimum(one, others), np.maximum(one, others)
        return _scramble(_scramble(low) ^ high).view(np.int64)


def _scramble(x: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Spread 64 bits over 64 bits (the finaliser of SplitMix64, Steele et al. 2014)."""
    x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return x ^ (x >> np.uint64(31))


def _scramble_one(x: int) -> int:
    """The same for one number, twenty times faster than an array of one."""
    x = ((x ^ (x >> 30)) * 0xBF58476D1CE4E5B9) & _64_BITS
    x = ((x ^ (x >> 27)) * 0x94D049BB133111EB) & _64_BITS
    return x ^ (x >> 31)


_64_BITS = 2**64 - 1
