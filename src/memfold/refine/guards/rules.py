"""The guards, one function each: a reason to veto, or None."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from dataclasses import field as setting
from datetime import UTC, datetime
from functools import wraps
from typing import Literal, TypeAlias

from memfold.refine.guards.content import aligned, exchanged, replaced, same_but_digits, telling, unsaid
from memfold.refine.guards.fields import contradicts, is_heading, lost_change, lost_value, two_fields
from memfold.refine.guards.reading import Reading, read
from memfold.refine.guards.values import implied_by_time, lost, shown
from memfold.refine.merging import most_bytes
from memfold.refine.text.pattern import IGNORECASE, Pattern
from memfold.refine.text.polarity import ahead, bidden, denied, doubted, is_plain
from memfold.types import Decision, Entry, Pair


@dataclass(frozen=True, slots=True)
class GuardSettings:
    """How strict the guards are.

    `updates`: with "history" an outdated value is a fact of its own and is kept; with "latest" the older of two states
    may go. `max_merge_chars`: longest merged text, 0 for no limit. `max_merge_sources`: most sources that a merged
    entry may gather, 0 for no limit. `protected`: ids of entries that this run may neither delete nor merge.
    """

    updates: Literal["history", "latest"] = "history"
    max_merge_chars: int = 2000
    max_merge_sources: int = 64
    protected: frozenset[str] = setting(default=frozenset(), repr=False)


Guard: TypeAlias = Callable[[Pair, Decision, GuardSettings], str | None]


def namespace(pair: Pair, decision: Decision, settings: GuardSettings) -> str | None:
    """Namespaces are walls."""
    return "the entries belong to different namespaces" if pair.a.namespace != pair.b.namespace else None


def pinned(pair: Pair, decision: Decision, settings: GuardSettings) -> str | None:
    """Neither deleted nor merged."""
    return next((f"entry {entry.id} is pinned" for entry in _touched(pair, decision) if entry.pinned), None)


def protected(pair: Pair, decision: Decision, settings: GuardSettings) -> str | None:
    """What was just written is not the victim of the room that it took."""
    return next((f"entry {entry.id} was just written" for entry in _touched(pair, decision) if entry.id in settings.protected), None)


def home(pair: Pair, decision: Decision, settings: GuardSettings) -> str | None:
    """A fact of one home is not kept by another: the same line in two blocks is read where it stands."""
    if pair.a.home != pair.b.home:
        return f"the entries live in different places: {pair.a.home or 'none'} and {pair.b.home or 'none'}"
    return None


def incomplete(pair: Pair, decision: Decision, settings: GuardSettings) -> str | None:
    """A decision that does not say what to do is not carried out."""
    if decision.action == "delete" and decision.target not in ("a", "b"):
        return "the decision does not say which side to delete"
    if decision.action == "merge" and not decision.merged.strip():
        return "the merged text is empty"
    return None


def size(pair: Pair, decision: Decision, settings: GuardSettings) -> str | None:
    """In UTF-8 bytes of the texts, a joint and written-out dates granted; the loop compares the whole entries besides."""
    if decision.action != "merge":
        return None
    merged, most = _bytes(decision.merged), most_bytes(pair.a, pair.b)
    return None if merged <= most else f"the merged text has {merged} bytes, the two side by side would have {most}"


def length(pair: Pair, decision: Decision, settings: GuardSettings) -> str | None:
    """An entry that swallows others round after round can neither be read nor be judged."""
    if decision.action != "merge":
        return None
    if settings.max_merge_chars and len(decision.merged) > settings.max_merge_chars:
        return f"the merged text has {len(decision.merged)} characters, the limit is {settings.max_merge_chars}"
    sources = len({*pair.a.sources, *pair.b.sources})
    if settings.max_merge_sources and sources > settings.max_merge_sources:
        return f"the merged entry would have {sources} sources, the limit is {settings.max_merge_sources}"
    return None


def newer(pair: Pair, decision: Decision, settings: GuardSettings) -> str | None:
    """Where the judge itself speaks of an update, the victim must be the older side."""
    if decision.action != "delete" or decision.relation != "update":
        return None
    victim, kept = _sides(pair, decision)
    order = _order(victim, kept)
    return "the newer of two states would fall to the older" if order is not None and order > 0 else None


def _unless_outdated(guard: Guard) -> Guard:
    """With `updates="latest"` a guard of facts does not hold the older of two states of one thing."""

    @wraps(guard)
    def guarded(pair: Pair, decision: Decision, settings: GuardSettings) -> str | None:
        return None if _outdated(pair, decision, settings) else guard(pair, decision, settings)

    return guarded


def _outdated(pair: Pair, decision: Decision, settings: GuardSettings) -> bool:
    """Whether the victim is an older state of what the survivor tells: an update by the judge's word, older by its time, and of
    the same subject by its words.
    """
    if settings.updates != "latest" or decision.action != "delete" or decision.relation != "update":
        return False
    victim, kept = _sides(pair, decision)
    order = _order(victim, kept)
    if order is None or order >= 0:
        return False
    one, other = Reading.of(victim), Reading.of(kept)
    shared = one.words & other.words
    return len(shared) >= 2 and len(shared) >= 0.25 * min(len(one.words), len(other.words))


@_unless_outdated
def digits(pair: Pair, decision: Decision, settings: GuardSettings) -> str | None:
    """`locker 4417` and `locker 4471`, in any script and any place of the text."""
    if decision.action == "delete" and same_but_digits(pair.a.text, pair.b.text):
        return "the texts differ in digits"
    return None


@_unless_outdated
def values(pair: Pair, decision: Decision, settings: GuardSettings) -> str | None:
    """What goes may hold no value that what stays lacks; compared as values, so that `150 mg` is `0.15 g`."""
    for gone, kept, which in _replacements(pair, decision):
        missing = lost(gone, kept)
        if missing:
            return f"{shown(missing)} of {which} would be lost"
    return None


def invented(pair: Pair, decision: Decision, settings: GuardSettings) -> str | None:
    """Every value of a merged text stands in one of the two, or is a date that an entry's own time gives."""
    if decision.action != "merge":
        return None
    a, b = Reading.of(pair.a), Reading.of(pair.b)
    merged = read(decision.merged, _earliest(pair))
    from_a = lost(merged, a)
    new = [
        value
        for value in lost(merged, b)
        if value in from_a and not implied_by_time(value, a, pair.a) and not implied_by_time(value, b, pair.b)
    ]
    return f"{shown(new)} of the merged text stands in neither" if new else None


_FIRST_PERSON = Pattern(
    r"\b(?:i|i'm|i've|i'd|i'll|my|mine|me|we|we're|we've|our|ours|us|ich|mein\w*|wir|yo|mi|mis|je|j'\w+|mon|ma|mes|eu|meu|minha|я|мой|моя|мы|tôi|em)\b"
    r"|[我咱俺]|私|僕|俺|나는|내가|저는|제가|أنا",
    IGNORECASE,
)


@_unless_outdated
def speaker(pair: Pair, decision: Decision, settings: GuardSettings) -> str | None:
    """`Ana: I ski` is not kept by `Ben: I ski`; a third person's note that names her keeps it."""
    for gone, kept, which in _replacements(pair, decision):
        who = gone.speaker
        if (
            not who
            or who == kept.speaker
            or who.split()[0] in _HELPERS
            or not _FIRST_PERSON.search(gone.said)
            or set(who.split()) <= kept.tokens
        ):
            continue
        repeated = len(gone.claims & kept.words) >= max(1, 0.6 * len(gone.claims))
        about_me = _FIRST_PERSON.search(kept.said) and not _SECOND_PERSON.search(kept.said)
        if repeated and about_me and (kept.speaker or who != "user"):
            return f"it is {who} who says so in {which}"
    return None


_SECOND_PERSON = Pattern(r"\b(?:you|your|you're|yours|du|dein\w*|ihr|tu|tus|vous|votre|ты|твой|вы)\b|[你您]|あなた|너|당신", IGNORECASE)
_HELPERS = frozenset({"assistant", "ai", "bot", "agent", "system"})
"""Speakers that state nothing of themselves."""


@_unless_outdated
def negation(pair: Pair, decision: Decision, settings: GuardSettings) -> str | None:
    """A word that one denies and the other asserts, in clauses that speak of the same."""
    for gone, kept, which in _replacements(pair, decision):
        for clause, other in aligned(gone, kept):
            here = denied(clause.text) if is_plain(other.text) else frozenset[str]()
            there = denied(other.text) if is_plain(clause.text) else frozenset[str]()
            for word in sorted(here ^ there):
                if word in clause.words and word in other.words and telling(word):
                    return f"{word!r} is denied in one and asserted in the other, {which} being {clause.text.strip()[:60]!r}"
    return None


@_unless_outdated
def modality(pair: Pair, decision: Decision, settings: GuardSettings) -> str | None:
    """A plan or doubt does not stand for what is, nor what was still to come for what was told later."""
    if decision.action != "delete":
        return None
    gone, kept, _ = next(_replacements(pair, decision))
    told_later = _order(*_sides(pair, decision)) == 1
    for clause, other in aligned(gone, kept):
        planned_too = doubted(clause.text) | ahead(clause.text) | bidden(clause.text)
        for word in sorted(doubted(other.text) - planned_too):
            if word in clause.words and telling(word):
                return f"what stays only plans or doubts {word!r}"
        coming = ahead(other.text) - planned_too if told_later else frozenset[str]()
        for word in sorted(word for word in coming & clause.words if telling(word)):
            return f"what stays is older, and {word!r} was still to come"
    return None


@_unless_outdated
def frame(pair: Pair, decision: Decision, settings: GuardSettings) -> str | None:
    """`likes blue cheese` and `likes smoked eel`, in any script."""
    if decision.action != "delete":
        return None
    gone, kept, _ = next(_replacements(pair, decision))
    if not gone.claims:
        return None
    if exchanged(gone, kept):
        return "the texts part in who is who"
    found = replaced(gone, kept)
    return f"one says {found[0]!r} where the other says {found[1]!r}" if found else None


@_unless_outdated
def content(pair: Pair, decision: Decision, settings: GuardSettings) -> str | None:
    """Most of what the victim states must be stated by what stays, in the same words or forms of them."""
    for gone, kept, which in _replacements(pair, decision):
        new = unsaid(gone, kept, merged=decision.action == "merge")
        if new:
            return f"what stays says little of {which}: nothing of {', '.join(new[:4])}"
    return None


@_unless_outdated
def field(pair: Pair, decision: Decision, settings: GuardSettings) -> str | None:
    """`Risk: Impact: Medium` is not said by `Risk: Probability: Low`, `Status: Open` does not join `Status: Fixed` nor `Priority: P2`,
    and a heading joins nothing.
    """
    if decision.action == "merge":
        if is_heading(pair.a.text) or is_heading(pair.b.text):
            return "one is a heading: what follows it belongs to it"
        if two_fields(pair.a.text, pair.b.text):
            return "two fields of one thing make no sentence: what one says would seem to be of the other"
        at_odds = contradicts(pair.a.text, pair.b.text) and _order(pair.a, pair.b) in (None, 0)
        return "both give the same field, and neither is known to be the later" if at_odds else None
    victim, kept = _sides(pair, decision)
    lost_words = lost_value(victim.text, kept.text)[:4] or [lost_change(victim.text, kept.text)]
    return f"what stays does not say {', '.join(lost_words)}" if lost_words[0] else None


def _replacements(pair: Pair, decision: Decision) -> Iterator[tuple[Reading, Reading, str]]:
    """What goes, what stays for it, and a name for what goes: one such of a delete, two of a merge."""
    if decision.action == "delete":
        victim, kept = _sides(pair, decision)
        yield Reading.of(victim), Reading.of(kept), f"side {decision.target}"
        return
    merged = read(decision.merged, _earliest(pair))
    yield Reading.of(pair.a), merged, "side a"
    yield Reading.of(pair.b), merged, "side b"


def _sides(pair: Pair, decision: Decision) -> tuple[Entry, Entry]:
    """The victim of a delete and the survivor."""
    return (pair.a, pair.b) if decision.target == "a" else (pair.b, pair.a)


def _touched(pair: Pair, decision: Decision) -> tuple[Entry, ...]:
    return (pair.a, pair.b) if decision.action == "merge" else _sides(pair, decision)[:1]


def _order(one: Entry, other: Entry) -> int | None:
    """-1, 0 or 1 as `one` is older than, as old as, or newer than `other`; None where a time lacks."""
    if one.time is None or other.time is None:
        return None
    mine, theirs = _instant(one.time), _instant(other.time)
    return (mine > theirs) - (mine < theirs)


def _instant(time: datetime) -> datetime:
    return time if time.tzinfo is not None else time.replace(tzinfo=UTC)


def _earliest(pair: Pair) -> datetime | None:
    """The time that a merged entry has: the earlier of the two."""
    times = [entry.time for entry in (pair.a, pair.b) if entry.time is not None]
    return min(times, key=_instant) if times else None


def _bytes(text: str) -> int:
    return len(text.encode("utf-8", "surrogatepass"))
