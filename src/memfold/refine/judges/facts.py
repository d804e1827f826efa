"""What the embedded judge knows of a pair: plain facts, counted, before any rule is applied to them."""

from __future__ import annotations

import re
from collections import OrderedDict
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from typing import Literal, TypeAlias

from memfold.refine.judges.generic import GENERIC, STATES, TOLD
from memfold.refine.judges.manner import Manner
from memfold.refine.merging import instant
from memfold.refine.telling import telling_words
from memfold.refine.text import Value, content_words, is_filler, is_question, speaker, values
from memfold.refine.text.pattern import IGNORECASE, Pattern
from memfold.refine.text.polarity import negations
from memfold.refine.text.value import stands_for
from memfold.refine.text.words import content_list, fold, wording
from memfold.types import Entry, Pair

GRAM = 4
"""Characters of the pieces by which words are compared across spellings and endings."""
CACHED_CHARS = 4_000_000
"""Total length of the texts whose facts are held for the next pair."""
OPENING = 6
"""Content words that count as the beginning of a text."""
ALIGNED = 60
"""Content words of a text whose order is compared."""
_THING = frozenset({"name", "code"})
_MANY = 64
"""Values of one side above which they are compared for equality only, so that long texts stay linear."""
_HEADING = re.compile(r"\s*(?:【[^】]{0,200}】\s*)+")
_SPEECH = Pattern(r"[!！]|\b(?:you|your|you're|i'm|gonna|haha|lol|thanks|wow|yeah|hey)\b|[\U0001f300-\U0001faff]", IGNORECASE)

Side_: TypeAlias = Literal["a", "b", ""]


@dataclass(frozen=True, slots=True)
class Side:
    """Facts of one text.

    `words` are its telling words without numbers and names spoken to; `special` are those of them that neither small
    talk nor reporting uses; `grams` are pieces of the special words; `names` and
    `numbers` are its values; `ordered` are its first content words. `subject` is who or what the
    text begins with. `spoken` marks talk rather than a note. `manner` is how it is told.
    """

    words: frozenset[str]
    held: frozenset[str]
    special: frozenset[str]
    grams: frozenset[str]
    held_grams: frozenset[str]
    names: frozenset[Value]
    numbers: frozenset[Value]
    ordered: tuple[str, ...]
    speaker: str
    subject: str
    negations: int
    filler: bool
    question: bool
    spoken: bool
    manner: Manner

    @classmethod
    def of(cls, text: str, when: datetime | None) -> Side:
        whole, heading = text, _HEADING.match(text)
        text = text[heading.end() :] if heading else text
        name, said = speaker(text)
        found = values(text, when)
        spoken_to = [value for value in found if value.kind == "name" and value.near == "called"]
        called = frozenset(stem for value in spoken_to for stem in content_words(value.canonical))
        content = content_list(said)
        ordered = [word for word in content if word not in called]
        words = frozenset(word for word in telling_words(said, content) if word not in called and not word[0].isdigit())
        special = frozenset(word for word in words if word not in GENERIC and word not in TOLD)
        names = frozenset(value for value in found if value.kind in _THING and value.near != "called")
        held = words | frozenset(content_words(name))
        return cls(
            words=words,
            held=held,
            special=special,
            grams=frozenset[str]().union(*map(_grams, special)),
            held_grams=frozenset[str]().union(*map(_grams, held)),
            names=names,
            numbers=frozenset(value for value in found if value.kind not in _THING and value.kind != "speaker"),
            ordered=tuple(ordered[:ALIGNED]),
            speaker=fold(name).casefold(),
            subject=_subject(name, ordered, names),
            negations=negations(said),
            filler=is_filler(said),
            question=is_question(said),
            spoken=_SPEECH.search(said) is not None,
            manner=Manner.of(whole, said),
        )


def _subject(speaker: str, ordered: list[str], names: frozenset[Value]) -> str:
    """The speaker, else the first content word where it is a name or `user`; `""` where neither is so."""
    if speaker:
        return fold(speaker).casefold()
    first = ordered[0] if ordered else ""
    return first if first == "user" or any(first == value.canonical[: len(first)] for value in names) else ""


@lru_cache(maxsize=1 << 15)
def _grams(word: str) -> tuple[str, ...]:
    padded = f"<{word}>"
    return tuple(padded[i : i + GRAM] for i in range(max(1, len(padded) - GRAM + 1)))


@dataclass(frozen=True, slots=True)
class Coverage:
    """How much of one side, the victim, the other side holds.

    `words`, `special` and `grams` are shares in [0, 1] (1 where there is nothing to hold); `fresh` are the special words
    that are not held, `unheld` all telling words that are not, `states` those of them that say how far a thing has come; `names`
    and `numbers` are the values that are not held.
    """

    words: float
    special: float
    grams: float
    fresh: frozenset[str]
    unheld: frozenset[str]
    states: frozenset[str]
    names: frozenset[Value]
    numbers: frozenset[Value]

    @classmethod
    def of(cls, victim: Side, survivor: Side) -> Coverage:
        names = frozenset(value for value in victim.names if value not in survivor.names and value.canonical not in survivor.held)
        unheld = victim.words - survivor.held
        return cls(
            words=_share(victim.words, survivor.held),
            special=_share(victim.special, survivor.held),
            grams=_share(victim.grams, survivor.held_grams),
            fresh=victim.special - survivor.held,
            unheld=unheld,
            states=unheld & STATES,
            names=frozenset(value for value in names if value.canonical != survivor.speaker),
            numbers=_not_held(victim.numbers, survivor.numbers),
        )


def _share(part: frozenset[str], whole: frozenset[str]) -> float:
    return len(part & whole) / len(part) if part else 1.0


def _not_held(wanted: frozenset[Value], held: frozenset[Value]) -> frozenset[Value]:
    missing = wanted - held
    if len(missing) > _MANY or len(held) > _MANY:
        return missing
    return frozenset(value for value in missing if not any(stands_for(other, value) for other in held))


@dataclass(frozen=True, slots=True)
class Facts:
    """All that the rule may look at. `a_in_b` is what b holds of a.

    `later` is the side that was recorded later, `""` where that is unknown or both are of one time; `timed` says that both
    times are known. `opening` counts the first content words that both begin with.
    """

    cosine: float
    a: Side
    b: Side
    a_in_b: Coverage
    b_in_a: Coverage
    same_text: bool
    opening: int
    later: Side_
    timed: bool
    days: float


class FactFinder:
    """Finds the facts of pairs and holds those of recent texts, `CACHED_CHARS` in all."""

    def __init__(self) -> None:
        self._held: OrderedDict[tuple[str, datetime | None], Side] = OrderedDict()
        self._chars = 0

    def of(self, pair: Pair) -> Facts:
        """The facts of a pair."""
        a, b = self._side(pair.a), self._side(pair.b)
        first, second = instant(pair.a), instant(pair.b)
        gap = (second - first).total_seconds() / 86400 if first is not None and second is not None else 0.0
        return Facts(
            cosine=pair.cosine,
            a=a,
            b=b,
            a_in_b=Coverage.of(a, b),
            b_in_a=Coverage.of(b, a),
            same_text=_same_text(pair, a, b),
            opening=_common(a.ordered[:OPENING], b.ordered[:OPENING]),
            later="b" if gap > 0 else "a" if gap < 0 else "",
            timed=first is not None and second is not None,
            days=abs(gap),
        )

    def _side(self, entry: Entry) -> Side:
        key = (entry.text, entry.time)
        side = self._held.get(key)
        if side is None:
            side = self._held[key] = Side.of(entry.text, entry.time)
            self._chars += len(entry.text)
            while self._chars > CACHED_CHARS and len(self._held) > 2:
                (text, _), _ = self._held.popitem(last=False)
                self._chars -= len(text)
        else:
            self._held.move_to_end(key)
        return side


def _common(one: tuple[str, ...], other: tuple[str, ...]) -> int:
    count = 0
    for left, right in zip(one, other, strict=False):
        if left != right:
            break
        count += 1
    return count


def _same_text(pair: Pair, a: Side, b: Side) -> bool:
    """Whether both have the same words in the same order, apart from case, punctuation, articles and how numbers are written."""
    one, other = pair.a.text, pair.b.text
    if _normal(one) == _normal(other):
        return True
    alike = a.ordered == b.ordered and a.numbers == b.numbers and a.names == b.names and a.question == b.question
    return alike and wording(one) == wording(other) != []


def _normal(text: str) -> str:
    return " ".join(fold(text).casefold().split())
