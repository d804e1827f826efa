"""What the judge's model is asked: MemRefine's two decisions (A.1.1, A.1.2) in our own words, or in those of a file.

A file that replaces a prompt is one message with places to fill: `{similarity}`, `{content_a}`, `{content_b}`, `{time_a}`, `{time_b}`,
and for the merge `{instruction}`; anything else in braces stays as it is. Contents always come in their fences.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Literal

from pydantic import AliasChoices, BaseModel, BeforeValidator, ConfigDict, Field, model_validator

from memfold.errors import BadParameter
from memfold.fence import RULE, fence
from memfold.protocols import Message
from memfold.refine.anchoring import anchored
from memfold.refine.merging import in_time_order
from memfold.types import Entry, Pair, Relation

MAX_CHARS = 2000
"""Characters of each text that the model is shown (MemRefine, 4: the first 2,000)."""
_LONGEST = 1200
"""Characters of an instruction or a reason that are passed on."""

JUDGE = """\
You look after the long-term memory of an assistant. The memory has to become smaller, and no fact in it may be lost. You are shown two \
entries that resemble each other, and decide what becomes of them.

Go by what the entries state, not by their wording. A fact is anything that could answer a later question: who, what, where, when, how \
many, which one; what somebody likes, plans, thinks, has lived through, and how people are related. Greetings, thanks, cheering on and \
small talk state nothing.

Choose one action:
- "delete": one entry can go, because the other states all that it states (in whatever words), or because neither states a fact. \
`target` is the side that goes, "a" or "b": the one that states less.
- "merge": each states something about one matter that the other lacks, so that one entry can carry both. `instruction` lists the facts \
of each side that the merged entry must hold.
- "preserve": they are about different matters, or you are not certain.

Entries that differ in a number, a date, a name, or in whether something is so state different facts. {updates}
{rule}

Reply with one JSON object: action, target ("" unless you delete), relation ("same", "a_covers_b", "b_covers_a", "overlap", "update", \
"distinct" or "low_value"), instruction ("" unless you merge), reason (one sentence that names the facts which decided, without \
calling the entries a or b)."""

UPDATES: Mapping[str, str] = {
    "history": "Where one entry is the later state of what the other tells, merge them, so that the merged entry says both.",
    "latest": 'Where one entry is the later state of what the other tells, delete the older one, with the relation "update".',
}
MERGE = """\
You look after the long-term memory of an assistant. Write one entry that takes the place of the two you are shown.

It holds every fact of both: numbers, dates, names, places and words of denial or doubt stay as they are written. It adds nothing, \
guesses nothing, and does not turn "yesterday" or "he" into something that the entries do not say. It is shorter than the two together, \
in their language, and keeps who says what. Of two states of one thing it tells the later one and adds the former as \
"(earlier: ...)".
{rule}

Reply with one JSON object: text (the merged entry alone), keywords (a list of up to five words; [] if the entries have none)."""

_ENTRIES = "Similarity of the two, from -1 to 1: {similarity}\n{time_a}\n{content_a}\n{time_b}\n{content_b}"
_FACTS = "{time_a}\n{content_a}\n{time_b}\n{content_b}\n\nWhat the merged entry must hold: {instruction}"
AGAIN = "That text cannot take the place of the two: {why}. Write it again so that this does not happen; everything else stays as asked."


def _action(value: object) -> object:
    word = value.strip().casefold() if isinstance(value, str) else value
    return "preserve" if word in ("nothing", "keep", "keep both", "none") else word


def _side(value: object) -> object:
    if value is None:
        return ""
    return value.strip().casefold().removeprefix("node ").removeprefix("entry ") if isinstance(value, str) else value


def _relation(value: object) -> object:
    known = ("", "same", "a_covers_b", "b_covers_a", "overlap", "update", "distinct", "low_value")
    word = value.strip().casefold().replace(" ", "_").replace("-", "_") if isinstance(value, str) else ""
    return word if word in known else ""


class Verdict(BaseModel):
    """A reply of the judge. A deletion names its side; of any other action the side is ignored."""

    model_config = ConfigDict(extra="ignore")

    action: Annotated[Literal["delete", "merge", "preserve"], BeforeValidator(_action)]
    target: Annotated[Literal["a", "b", ""], BeforeValidator(_side)] = ""
    relation: Annotated[Relation, BeforeValidator(_relation)] = ""
    instruction: str = Field("", validation_alias=AliasChoices("instruction", "merge_instruction"))
    reason: str = ""

    @model_validator(mode="after")
    def _complete(self) -> Verdict:
        if self.action == "delete" and not self.target:
            raise ValueError('the action "delete" needs the target "a" or "b"')
        return self


class Merged(BaseModel):
    """A reply of the merge."""

    model_config = ConfigDict(extra="ignore")

    text: str = Field(min_length=1, validation_alias=AliasChoices("text", "content", "merged_content", "merged"))
    keywords: list[str] = Field(default_factory=list[str])


@dataclass(frozen=True, slots=True)
class Prompts:
    """The words of both requests. `judge` and `merge` are the texts of files that replace ours; "" is ours.

    :param max_chars: characters of each text that the model is shown; None for all.
    :raises BadParameter: a file's text has no place for one of the two contents.
    """

    judge: str = ""
    merge: str = ""
    max_chars: int | None = MAX_CHARS
    updates: Literal["history", "latest"] = "history"

    def __post_init__(self) -> None:
        for name, text in (("judge", self.judge), ("merge", self.merge)):
            missing = [place for place in ("{content_a}", "{content_b}") if text and place not in text]
            if missing:
                raise BadParameter(f"the {name} prompt has no {' and no '.join(missing)}: the model would not see the entries")

    def cuts(self, pair: Pair) -> tuple[bool, bool]:
        """Which sides the model does not see whole."""
        return len(pair.a.text) > len(self._cut(pair.a.text)), len(pair.b.text) > len(self._cut(pair.b.text))

    def judge_messages(self, pair: Pair) -> tuple[Message, ...]:
        """`Judge(u, v)`: the decision on a pair."""
        filled = self._places(pair, pair.a.text, pair.b.text)
        if self.judge:
            return (Message("user", _fill(self.judge, filled)),)
        system = _fill(JUDGE, {"updates": UPDATES[self.updates], "rule": RULE})
        return Message("system", system), Message("user", _fill(_ENTRIES, filled))

    def merge_messages(self, pair: Pair, instruction: str) -> tuple[Message, ...]:
        """`Merge(u, v, instruction)`: the text that replaces both. Dates that count from the later side's day come written out."""
        told = one_line(instruction) or "all facts of both"
        filled = self._places(pair, *_as_of_one_day(pair.a, pair.b)) | {"instruction": told}
        if self.merge:
            return (Message("user", _fill(self.merge, filled)),)
        return Message("system", _fill(MERGE, {"rule": RULE})), Message("user", _fill(_FACTS, filled))

    def _places(self, pair: Pair, a: str, b: str) -> dict[str, str]:
        return {
            "content_a": fence("a", self._cut(a)),
            "content_b": fence("b", self._cut(b)),
            "time_a": _told_time("a", pair.a),
            "time_b": _told_time("b", pair.b),
            "similarity": f"{pair.cosine:.2f}",
        }

    def _cut(self, text: str) -> str:
        return text if self.max_chars is None else text[: self.max_chars]


def _as_of_one_day(a: Entry, b: Entry) -> tuple[str, str]:
    """Both texts; a merged entry has the earlier time, so what the other tells by its own day (`yesterday`) comes as dates of ours."""
    first, second = in_time_order(a, b)
    if first.time is None or second.time is None or first.time.date() == second.time.date():
        return a.text, b.text
    told = anchored(second.text, second.time)
    return (told, b.text) if second is a else (a.text, told)


OURS = Prompts()
"""Our own words, and the paper's 2,000 characters."""


def again(asked: tuple[Message, ...], written: str, why: str) -> tuple[Message, ...]:
    """The merge once more, with what was wrong with the first text."""
    return (*asked, Message("assistant", written), Message("user", AGAIN.replace("{why}", one_line(why))))


def one_line(text: str) -> str:
    """A text of the model on one line, bounded."""
    return " ".join(text.split())[:_LONGEST]


def _told_time(name: str, entry: Entry) -> str:
    return f"Entry {name}, recorded {entry.time.isoformat(sep=' ', timespec='minutes')}:" if entry.time else f"Entry {name}:"


def _fill(text: str, places: Mapping[str, str]) -> str:
    """Fill the places of a prompt in one pass: what was filled in is never looked at again."""
    return re.sub(r"\{(\w+)\}", lambda place: places.get(place[1], place[0]), text)
