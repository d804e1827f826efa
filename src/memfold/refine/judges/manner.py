"""How a text is told, whatever it tells: its length, whom it speaks of, how rare its words are. Plain counts, English first.

Talk without facts is made of frequent words, `you` and cheer; a fact brings rare words, names, digits and clauses.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path

_COMMON = Path(__file__).parent / "common_words.txt"
_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)?")
_SENTENCE_END = re.compile(r"(?<=[.!?。！？])\s+")
_NAME_WITHIN = re.compile(r"(?<=[a-z,;] )[A-Z][a-z]+")
_CLAUSE = re.compile(r"[,;:]| (?:and|but|because|so|which|who|when|after|before) ")
_HEADING = re.compile(r"\s*[\[【]([^\]】]{1,60})[\]】]")
_ME = frozenset("i i'm i've i'd i'll my me mine we our us we're we've".split())
_YOU = frozenset("you your you're you've you'll yours u yourself".split())
_SHORT = 2
"""Letters of words that are too short to be rare."""
_READ = 20_000
"""Characters of a text that are read: enough to know its manner."""
_FREQUENT, _RARE = 2000.0, 24_000.0
"""Ranks of a word, moved by `_FREQUENT`, at which its rarity is 0 and 1."""


@dataclass(frozen=True, slots=True)
class Manner:
    """Counts of one text.

    `me` and `you` are shares of its words, `asking` the share of its sentences that are questions. `names` are
    capitalised words within sentences. `rarity` gives each of its words of three letters and more a number in [0, 1], `weight` is their
    sum: how much a text tells, in words as rare as names.
    """

    words: tuple[str, ...]
    me: float
    you: float
    cries: int
    asking: float
    names: int
    clauses: int
    past: int
    digits: int
    rarity: Mapping[str, float]
    weight: float
    stems: frozenset[str]
    heading: str

    @classmethod
    def of(cls, text: str, said: str) -> Manner:
        """:param said: the text without its speaker."""
        said = said[:_READ]
        words = tuple(_WORD.findall(said.lower().replace("’", "'")))
        sentences = _SENTENCE_END.split(said.strip())
        heading = _HEADING.match(text)
        rarities = {word: rarity(word) for word in words if len(word) > _SHORT}
        return cls(
            words=words,
            me=sum(map(_ME.__contains__, words)) / max(1, len(words)),
            you=sum(map(_YOU.__contains__, words)) / max(1, len(words)),
            cries=said.count("!"),
            asking=sum(sentence.rstrip().endswith(("?", "？")) for sentence in sentences) / max(1, len(sentences)),
            names=len(_NAME_WITHIN.findall(said)),
            clauses=len(_CLAUSE.findall(said)) + len(sentences),
            past=sum(word.endswith("ed") and len(word) > 3 for word in words),
            digits=sum(map(str.isdigit, said)),
            rarity=rarities,
            weight=sum(sorted(rarities.values())),
            stems=frozenset(map(_stem, words)),
            heading=heading[1].casefold() if heading else "",
        )

    def lacking(self, other: Manner) -> list[float]:
        """Rarities of the words here that the other text lacks, in ascending order; endings are not compared."""
        return sorted(rare for word, rare in self.rarity.items() if _stem(word) not in other.stems)


@lru_cache(50_000)
def rarity(word: str) -> float:
    """How rare an English word is, in [0, 1]: 0 for the most frequent, 1 for words that the list lacks (any other language's too).

    :param word: in lower case; its commonest endings are taken off where the whole is not in the list.
    """
    ranks = _ranks()
    rank = next((ranks[form] for form in _forms(word) if form in ranks), None)
    if rank is None:
        return 1.0
    return min(1.0, math.log((rank + _FREQUENT) / _FREQUENT) / math.log(_RARE / _FREQUENT))


def _forms(word: str) -> list[str]:
    forms = [word, word.rstrip("s")]
    if word.endswith(("ed", "er", "es", "ly")):
        forms.append(word[:-2])
    if word.endswith("ing"):
        forms += [word[:-3], word[:-3] + "e"]
    return [*forms, word.partition("'")[0]]


@lru_cache(1 << 15)
def _stem(word: str) -> str:
    return word[:5] if len(word) > 5 else word.rstrip("s")


@cache
def _ranks() -> Mapping[str, int]:
    return {word: rank for rank, word in enumerate(_COMMON.read_text("utf-8").split())}
