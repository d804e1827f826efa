"""Short notes of the form `thing: field: value`: their last words are the fact, the words before only file it.

`Alice: Loves coding` and `Alice: Software Engineer` share half of their words and no fact.
"""

from __future__ import annotations

from dataclasses import dataclass

from memfold.refine.guards.content import not_said
from memfold.refine.text import content_words
from memfold.refine.text.pattern import IGNORECASE, Pattern

MOST = 8
"""Words of the longest value that is taken for one."""
FEW = 3
"""The same behind a single head, which may be a speaker's; such a value has a capital, as a form has and a chat has not."""
LONGEST = 80
"""Characters of a head."""
_PART = Pattern(r"[:：]\s+")
_ARROW = Pattern(r"\s(?:→|⇒|->|=>)\s")
_TALK = Pattern(r"[!?！？]|\b(?:i|me|my|we|our|you|your|i'm|you're|it's|that's)\b", IGNORECASE)
_HEADING = Pattern(r"[:：]\s*$|(?:^|[:：]\s)\s*([=*#~-])\1+ .{1,80} \1{2,}\s*$")
_SENTENCE = Pattern(r"[.。!?！？]\s")


@dataclass(frozen=True, slots=True)
class Field:
    """A note's parts: `heads` before the last colon, in lower case, and the `value` behind it."""

    heads: tuple[str, ...]
    value: str

    @classmethod
    def of(cls, text: str) -> Field | None:
        """None where the text is no such note: talk, several sentences, a long value."""
        *heads, value = _PART.split(text.strip())
        if not heads or value.endswith((":", "：")) or any(len(head) > LONGEST for head in heads):
            return None
        if _TALK.search(value) or _SENTENCE.search(value):
            return None
        if not 0 < len(value.split()) <= (MOST if len(heads) > 1 else FEW) or (len(heads) == 1 and not value[0].isupper()):
            return None
        return cls(tuple(head.strip().casefold() for head in heads), value.strip())


def lost_value(victim: str, kept: str) -> list[str]:
    """The words of the victim's value that the other text does not say of the same thing; [] where the victim is no such note.

    What both are filed under is left out on either side, as no fact of either.
    """
    field = Field.of(victim)
    thing = _PART.split(kept.strip())[0].casefold()
    if field is None or thing != field.heads[0]:
        return []
    said = content_words(kept.strip()[len(thing) :])
    words = (word for word in content_words(field.value) if not any(map(str.isdigit, word)))  # numbers have a guard of their own
    return not_said(words, said)


def lost_change(victim: str, kept: str) -> str:
    """What the victim says a thing became (`thing: from → to`), where the other text on it does not hold that to the letter; "" else."""
    thing, *rest = _PART.split(victim.strip())
    if not rest or _PART.split(kept.strip())[0].casefold() != thing.casefold():
        return ""
    *changes, became = _ARROW.split(victim.strip())
    became = " ".join(became.casefold().split()).rstrip(".")
    return became if changes and 0 < len(became) <= LONGEST and became not in " ".join(kept.casefold().split()) else ""


def is_heading(text: str) -> bool:
    """Whether a note says nothing itself but what follows it belongs to: `thing: Changes made:`, `=== FIX PLAN ===`."""
    return _HEADING.search(text) is not None


def two_fields(one: str, other: str) -> bool:
    """Whether the two are different fields of one thing: `pump: Status: Open`, `pump: Priority: P2`."""
    mine, theirs = Field.of(one), Field.of(other)
    return mine is not None and theirs is not None and len(mine.heads) > 1 and len(theirs.heads) > 1 and mine.heads != theirs.heads


def contradicts(one: str, other: str) -> bool:
    """Whether the two give one field of one thing two values: `Status: Open`, `Status: Fixed`."""
    mine, theirs = Field.of(one), Field.of(other)
    if mine is None or theirs is None or len(mine.heads) < 2:
        return False
    return mine.heads == theirs.heads and content_words(mine.value) != content_words(theirs.value)
