"""What the guards read from one entry, once for all its pairs."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache

from memfold.refine.dated import by_day
from memfold.refine.text import Value, clauses, content_words, fold, is_filler, speaker, stem, values
from memfold.refine.text.generic import GENERIC
from memfold.refine.text.names import name_key
from memfold.refine.text.pattern import IGNORECASE, Pattern
from memfold.refine.text.sentences import asks
from memfold.types import Entry

_LABELS = Pattern(r"^(?:\s*(?:【[^】\n]{0,80}】|\[[\d:.,/ T-]{4,24}\]|\[[A-Z][a-z]{2,8} \d{1,2}\]))+\s*")
"""What stands before a text to file it: a category in brackets, the entry's own date or time."""
_CATEGORY = Pattern(r"【[^】\d\n]{0,80}】")
_ATTACHMENT = Pattern(r"\[(?:image|photo|video|gif|sticker)s?:[^\]\n]{0,400}\]", IGNORECASE)
CLAUSES = 40
"""Clauses of one text that are compared one by one; what stands behind them is compared as words and values alone."""
_ROW = Pattern("[\u3040-\u30ff\u3400-\u9fff\u0e00-\u0eff]|[^\\W_\u3040-\u30ff\u3400-\u9fff\u0e00-\u0eff]+")
_HELPERS = frozenset({"assistant", "ai", "bot", "agent", "system"})
_TOKEN = Pattern(r"\w+")
_REMEMBERED = 4000
_WITHOUT_WEIGHT = frozenset({"called", "weak"})


@dataclass(frozen=True, slots=True)
class Clause:
    """One clause that states something, and its content words."""

    text: str
    words: frozenset[str]

    @property
    def row(self) -> tuple[str, ...]:
        """All its words in order; of scripts without spaces, the characters."""
        return tuple(_ROW.findall(fold(self.text).lower()))


@dataclass(frozen=True, slots=True)
class Reading:
    """A text as the guards see it.

    `values` are all its values, `facts` those that must not be lost: names that are only spoken to and `today` are not among
    them. `claims` are the content words of what it states, without questions, courtesy, mood and the values themselves. `words`,
    `tokens`, `stems` and `initials` are for looking things up in all of it. `clauses` are the first forty that state something.
    `is_filler`: it states nothing at all. `is_note`: it is written about somebody, not said to somebody.
    """

    text: str
    said: str
    speaker: str
    values: tuple[Value, ...]
    facts: tuple[Value, ...]
    claims: frozenset[str]
    words: frozenset[str]
    tokens: frozenset[str]
    stems: frozenset[str]
    initials: str
    lowered: str
    clauses: tuple[Clause, ...]
    is_filler: bool
    is_note: bool

    @classmethod
    def of(cls, entry: Entry) -> Reading:
        """The reading of an entry; relative dates count from its time."""
        return read(entry.text, entry.time)


def read(text: str, when: datetime | None) -> Reading:
    """The reading of a text that was written down at `when`."""
    day = when.replace(hour=0, minute=0, second=0, microsecond=0, tzinfo=None) if when else None
    return (_remembered if len(text) <= _REMEMBERED else _remembered_long)(text, day)


def _read(text: str, day: datetime | None) -> Reading:
    bare = _CATEGORY.sub(" ", _LABELS.sub("", text))
    by, said = speaker(bare)
    told = frozenset[Value]().union(*(values(part, time) for part, time in by_day(bare, day)))
    found = tuple(sorted(told, key=lambda value: (value.kind, value.canonical)))
    lowered = fold(bare).lower()
    tokens = _TOKEN.findall(lowered)
    empty = is_filler(bare)
    parts = [] if empty else _stated(said, spoken=bool(by) and by.lower() not in _HELPERS)
    things = [value for value in found if value.kind in ("name", "code", "speaker")]
    named = {word for value in things for word in content_words(value.surface)} | {stem(value.canonical) for value in things}
    return Reading(
        text=bare,
        said=said,
        speaker=name_key(by),
        values=found,
        facts=() if empty else tuple(value for value in found if value.near not in _WITHOUT_WEIGHT and value.kind != "speaker"),
        claims=frozenset(
            word for part in parts for word in part.words if word not in GENERIC and word not in named and not word[0].isdigit()
        ),
        words=frozenset(content_words(text)),
        tokens=frozenset(name_key(token) for token in tokens),
        stems=frozenset(stem(token) for token in tokens),
        initials="".join(token[0] for token in tokens if not token[0].isdigit()),
        lowered=lowered,
        clauses=tuple(parts[:CLAUSES]),
        is_filler=empty,
        is_note=not by and _SECOND_PERSON.search(said) is None and _FIRST_PERSON.search(said) is None,
    )


_remembered = lru_cache(maxsize=4096)(_read)
_remembered_long = lru_cache(maxsize=8)(_read)


def _stated(said: str, *, spoken: bool) -> list[Clause]:
    """The clauses that state something: no questions, and in talk nothing that is about the one spoken to alone."""
    out: list[Clause] = []
    for part in clauses(_ATTACHMENT.sub(" ", said) if "[" in said else said):
        if not asks(part) and not (spoken and _about_you(part)):
            words = frozenset(content_words(part))
            if words:
                out.append(Clause(part, words))
    return out


_SECOND_PERSON = Pattern(r"\b(?:you|your|you're|you've|you'll|yours|yourself)\b", IGNORECASE)
_FIRST_PERSON = Pattern(r"\b(?:i|i'm|i've|i'd|i'll|my|mine|me|we|we're|we've|our|us)\b", IGNORECASE)


def _about_you(clause: str) -> bool:
    """Whether a clause of talk is about the one spoken to alone: praise, advice, an echo of what the other said."""
    return _SECOND_PERSON.search(clause) is not None and _FIRST_PERSON.search(clause) is None
