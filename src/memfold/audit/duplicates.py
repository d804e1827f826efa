"""Entries that say the same: exactly (the same text but for case, spacing and the last stop), or nearly."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Hashable, Iterable, Sequence

_SPACE = re.compile(r"\s+")
_STOPS = ".!…。！ "
"""A final question mark is no mere punctuation: it makes another statement."""


def normal(text: str) -> str:
    """The text as exact copies share it: NFKC, case folded, single spaces, without final stops."""
    folded = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold())
    return _SPACE.sub(" ", folded).strip().rstrip(_STOPS)


def same(keys: Sequence[Hashable]) -> list[list[int]]:
    """Positions by equal key, in the order of first appearance; single ones included."""
    groups: dict[Hashable, list[int]] = {}
    for position, key in enumerate(keys):
        groups.setdefault(key, []).append(position)
    return list(groups.values())


def connected(count: int, pairs: Iterable[tuple[int, int]]) -> list[list[int]]:
    """Groups of two and more positions below `count` that the pairs connect (union-find), each ascending, by first member."""
    parent = list(range(count))

    def root(position: int) -> int:
        while parent[position] != position:
            parent[position] = parent[parent[position]]
            position = parent[position]
        return position

    for a, b in pairs:
        low, high = sorted((root(a), root(b)))
        parent[high] = low
    return [group for group in same([root(position) for position in range(count)]) if len(group) > 1]
