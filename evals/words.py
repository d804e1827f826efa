"""Content words as the figures count them: lower case, without stop words, stemmed (Porter); numbers stay as they are."""

from __future__ import annotations

import re
from functools import cache, lru_cache
from typing import Any

import snowballstemmer  # pyright: ignore[reportMissingTypeStubs]

STOP = frozenset(
    """a about above after again all also am an and any are as at be because been before being below between both but by can could
    did do does doing down during each few for from further had has have having he her here hers herself him himself his how i if
    in into is it its itself just let like me more most my myself no of off on once only or other our ours ourselves out over own
    same shall she should so some such than that the their theirs them themselves then there these they this those through to too
    under until up upon us very was we were what when where which while who whom why will with would yes you your yours yourself
    yourselves s t d ll m re ve""".split()
)
_WORD = re.compile(r"\d+(?:[.,:]\d+)*|[^\W\d_]+")
_STEMMER: Any = snowballstemmer.stemmer("porter")  # pyright: ignore[reportUnknownMemberType]


@lru_cache(maxsize=200_000)
def content_stems(text: str) -> frozenset[str]:
    """The stems of a text's content words, and its numbers with thousands separators taken out."""
    return frozenset(_stem(word) for word in _WORD.findall(text.lower()) if word not in STOP)


@cache
def _stem(word: str) -> str:
    return word.replace(",", "") if word[0].isdigit() else _STEMMER.stemWord(word)


def share(wanted: frozenset[str], found: frozenset[str]) -> float:
    """How much of what is wanted was found, in [0, 1]; 1 where nothing is wanted."""
    return len(wanted & found) / len(wanted) if wanted else 1.0
