"""What extraction asks of a text, answered with the readers of values that also guard a refinement (`protocols.Reader`)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import date, datetime, time, timedelta

from memfold.refine.guards.content import not_said
from memfold.refine.guards.fields import contradicts
from memfold.refine.guards.reading import Reading, read
from memfold.refine.guards.values import implied_by_time, lost, shown
from memfold.refine.judges.facts import Side
from memfold.refine.judges.generic import GENERIC, STATES, TOLD
from memfold.refine.telling import telling_words
from memfold.refine.text import Value, clauses, content_words, stem, values
from memfold.refine.text.polarity import denied, negations
from memfold.types import Entry, Turn

SPAN = 320
"""Characters up to which the sentences beside the best one are taken into a span."""
ALIKE = 0.6
"""Least share of the telling words of either side that the other must say too, for both to speak of one matter."""
_FAR = timedelta(days=3653)
_MONTHS = "January February March April May June July August September October November December".split()
_PREPOSITION = re.compile(
    r"(?:^|\s)(?:on|in|at|since|by|until|till|before|after|from|of|for|during|to|around|about|between|and)\s+(?:the\s+)?$", re.I
)
_LASTING = re.compile(
    r"\b(?:is|are|isn't|lives?|works?|ha(?:s|ve)|owns?|drives?|uses?|studies|weighs?|earns?|costs?|holds?|speaks?|takes?|needs?|pays?|"
    r"now|currently|no longer|updated|changed|moved|ist|hat|wohnt|arbeitet|vive|trabaja|es|est|habite|travaille)\b"
    r"|[是在为]|です|живёт|работает",
    re.IGNORECASE,
)
"""What is said of a state that one has until another takes its place; what one did stays done."""
_CHANGE = re.compile(
    r"\bfrom\b.{1,80}\b(?:to|into)\b|\b(?:updated|changed|switched|increased|decreased|raised|lowered|reduced|renamed|replaced|rose|fell|grew)\b|"
    r"\binstead of\b|\brather than\b|→|->",
    re.IGNORECASE,
)
"""What tells that a thing became another."""
_AGAIN = frozenset(word for text in ("no longer not any more anymore stopped still", "now") for word in telling_words(text))
_ENGLISH = re.compile(r"\b(?:last|next|this|past|previous|coming|yesterday|today|tonight|tomorrow|ago|in|from)\b", re.IGNORECASE)
"""Words of the phrases that English tells a day by; other languages' phrases become the date as ISO writes it."""
_ABSOLUTE = re.compile(r"(?P<year>\d{4})(?:-(?P<month>\d\d)(?:-(?P<day>\d\d))?|-W(?P<week>\d\d))?")


_OF_ONESELF = re.compile(
    r"\b(?:I|me|my|mine|we|us|our|ich|mich|mir|mein\w*|wir|uns|unser\w*|je|j|moi|mon|ma|mes|nous|notre|yo|mí|mi|mis|nosotr[oa]s|eu|meu|minha|"
    r"io|mio|mia|noi|ik|mij|mijn|wij|я|меня|мне|мой|моя|мы|нас|tôi|mình|أنا)\b|我|咱|私|僕|俺|저는|제가|나는|내가",
    re.IGNORECASE,
)
"""Words by which people speak of themselves: a question with one may state a fact."""


class TextReader:
    """`protocols.Reader` over the readers of numbers, dates, names and denials in some fifteen languages."""

    def values(self, text: str, when: datetime | None) -> frozenset[str]:
        found = read(text, when).facts
        return frozenset(f"{value.kind} {value.canonical}" for value in found)

    def lacks(self, text: str, when: datetime | None, sources: Sequence[Turn]) -> list[str]:
        claim = read(text, when)
        missing = list(claim.facts)
        for turn in sources:
            entry = Entry("", said(turn), created_at=turn.time)
            reading = Reading.of(entry)
            missing = [value for value in lost(claim, reading) if value in missing and not implied_by_time(value, reading, entry)]
        return [*([shown([value]) for value in missing]), *_denials(text, sources)]

    def unsaid(self, text: str, sources: Sequence[Turn]) -> float:
        words = frozenset(word for word in telling_words(text) if word not in TOLD)
        held = frozenset(word for turn in sources for word in content_words(said(turn)))
        return len(not_said(words, held)) / len(words) if words else 0.0

    def span(self, text: str, source: str) -> str:
        wanted = frozenset(content_words(text))
        parts = clauses(source)
        shares = [len(wanted.intersection(content_words(part))) for part in parts]
        if not shares or not max(shares):
            return ""
        first = last = shares.index(max(shares))
        while last + 1 < len(parts) and shares[last + 1] and len("".join(parts[first : last + 2])) <= SPAN:
            last += 1
        while first and shares[first - 1] and len("".join(parts[first - 1 : last + 1])) <= SPAN:
            first -= 1
        return "".join(parts[first : last + 1]).strip(" \t\r\n,;，、")

    def says_nothing(self, text: str) -> bool:
        """What the embedded judge calls low value, held to the strictest: talk without a word of its own. No other text covers it here."""
        return self.is_small_talk(text) or Side.of(text, None).question

    def is_small_talk(self, text: str) -> bool:
        side = Side.of(text, None)
        if side.names or side.numbers or (side.question and _OF_ONESELF.search(text)):
            return False
        return side.filler or side.question or (side.spoken and not side.special)

    def date(self, phrase: str, when: datetime | None) -> tuple[datetime | None, str]:
        found = values(phrase, when)
        told = {value.canonical for value in found if value.kind == "date" and _ABSOLUTE.fullmatch(value.canonical)}
        if len(told) != 1:
            return None, ""
        canonical = told.pop()
        day = _day(canonical)
        if day is None:
            return None, canonical
        clock = [value.canonical for value in found if value.kind == "time" and value.near != "loose"]
        at = time.fromisoformat(clock[0]) if len(clock) == 1 else time()
        moment = datetime.combine(day, at, tzinfo=when.tzinfo if when else None)
        return moment, f"{canonical}T{clock[0]}" if len(clock) == 1 else canonical

    def dated(self, text: str, when: datetime | None) -> str:
        if when is None:
            return text
        for value in relative(text, when):
            match, english = _find(value.surface, text), _ENGLISH.search(value.surface) is not None
            told = _told(value.canonical, english)
            if match is None or not told or value.near not in ("", "weak"):
                continue
            before, behind = text[: match.start()], text[match.end() :]
            if english and not _PREPOSITION.search(before) and not told.startswith("in "):
                told = f"on {told}"
            elif english and _PREPOSITION.search(before):
                told = told.removeprefix("in ")
            text = f"{before}{told if before.strip() else told[:1].upper() + told[1:]}{behind}"
        return text

    def revises(self, new: Entry, old: Entry) -> bool:
        if new.time is not None and old.time is not None and _naive(new.time) < _naive(old.time):
            return False
        if contradicts(new.text, old.text):
            return True
        mine, theirs = Reading.of(new), Reading.of(old)
        subject = _subject(mine)
        if subject != _subject(theirs):
            return False
        own, others = _frame(mine) - {subject}, _frame(theirs) - {subject}
        if _CHANGE.search(new.text) and lost(mine, theirs) and _told_in(others, new.text):
            return True
        matter, other = own - _AGAIN, others - _AGAIN
        if (matter or other) and len(matter & other) < ALIKE * max(len(matter), len(other)):
            return False
        kinds = {v.kind for v in lost(mine, theirs)} & {v.kind for v in lost(theirs, mine)}
        if kinds and _LASTING.search(new.text) and _LASTING.search(old.text):
            return True
        return bool((own ^ others) & STATES) or (negations(new.text) != negations(old.text) and own ^ others <= _AGAIN)


def said(turn: Turn) -> str:
    """The turn as one reads it: who speaks, then what is said."""
    return f"{turn.speaker}: {turn.text}" if turn.speaker else turn.text


def relative(text: str, when: datetime) -> list[Value]:
    """The dates of the text that count from the day on which it is said, in the order of their length, longest first."""
    other = {value.canonical for value in values(text, when - _FAR if when.year > 11 else when + _FAR)}
    found = [value for value in values(text, when) if value.kind == "date" and value.canonical not in other]
    return sorted(found, key=lambda value: (-len(value.surface), value.canonical))


def _denials(text: str, sources: Sequence[Turn]) -> list[str]:
    """What the text denies and no turn does, and what it affirms though every turn that speaks of it denies it."""
    mine = denied(text)
    words = frozenset(content_words(text))
    theirs = [(frozenset(content_words(turn.text)), denied(turn.text)) for turn in sources]
    out = [f"not {word}" for word in sorted(mine) if not any(word in no for _, no in theirs) and any(word in all_ for all_, _ in theirs)]
    for word in sorted(words - mine):
        speaking = [no for all_, no in theirs if word in all_]
        if speaking and all(word in no for no in speaking) and word not in GENERIC:
            out.append(f"{word} is denied")
    return out


def _frame(reading: Reading) -> frozenset[str]:
    """The words of a note that are no value of it."""
    named = {word for value in reading.values for word in content_words(value.surface)}
    return frozenset(word for word in telling_words(reading.said) if word not in named and not word[0].isdigit())


def _told_in(frame: frozenset[str], text: str) -> bool:
    """Whether the text, which tells a change, says most of what the frame is about."""
    words = frozenset(content_words(text.replace("_", " ")))
    matter = frame - _AGAIN
    return bool(matter) and len(matter - frozenset(not_said(matter, words))) >= ALIKE * len(matter)


def _find(surface: str, text: str) -> re.Match[str] | None:
    """Where the text has the words; their numbers may be written in letters there."""
    pattern = re.sub(r"\d+", r"[^\\W_]+", re.escape(surface))
    return re.search(rf"(?<!\w){pattern}(?!\w)" if surface[:1].isascii() else pattern, text, re.IGNORECASE)


def _subject(reading: Reading) -> str:
    """The first word of what is stated, or the one who says it of themselves."""
    if reading.speaker:
        return reading.speaker
    words = list(content_words(reading.said))
    return stem(words[0]) if words else ""


def _day(canonical: str) -> date | None:
    try:
        return date.fromisoformat(canonical) if len(canonical) == 10 else None
    except ValueError:
        return None


def _told(canonical: str, english: bool) -> str:
    match = _ABSOLUTE.fullmatch(canonical)
    if match is None:
        return ""
    if not english:
        return canonical
    if match["day"]:
        return f"{int(match['day'])} {_MONTHS[int(match['month']) - 1]} {match['year']}"
    if match["week"]:
        monday = date.fromisocalendar(int(match["year"]), int(match["week"]), 1)
        return f"in the week of {monday.day} {_MONTHS[monday.month - 1]} {monday.year}"
    return f"in {_MONTHS[int(match['month']) - 1]} {match['year']}" if match["month"] else f"in {match['year']}"


def _naive(moment: datetime) -> datetime:
    return moment.replace(tzinfo=None)
