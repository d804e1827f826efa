"""What the model is asked, in our words. Each text can be replaced by a file.

The instructions stand in the system's message, the conversation in the user's, between fences that no text can close, one turn
a line as JSON, so that no text can pose as another turn either. What comes back is checked whatever it says.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields, replace
from pathlib import Path

from memfold.errors import UnknownName
from memfold.fence import RULE, fence
from memfold.protocols import ChatRequest, Message, Shape

DRAFT = f"""\
You read a conversation and write down what is worth remembering about the people in it and their world, for an assistant that
will be asked about it months later without the conversation at hand. {RULE}

Reply with JSON of three lists.
entries: whole statements. What somebody is, has, does, likes, plans, decided, lived through; how they stand to each other. One matter each.
details: single particulars that a question may ask for: a place, a number, a name, a date, a title, a price, a colour, a brand.
relations: where one entry is the reason of another (causes), comes before it (before), replaces what it said (updates), is a part of it
(part_of) or takes somebody in (involves). source and target are the numbers of entries.

Each entry and detail has: number, counted on from 1 through both lists; text, one sentence that can be understood alone, with names instead
of pronouns, in the language of the conversation; turns, the numbers of the turns that say it; when, the words by which the conversation
tells its date, to the letter, and "" where it tells none. Never work out a date yourself.
Write only what the turns say. Leave out greetings, thanks, mere politeness, questions, and what is only proposed and not taken up.
Where nothing is worth remembering, all lists are empty."""

EVENTS = f"""\
You read a conversation and tell what it is about, topic by topic: for each topic the state, the action or the story that the people in it
report, so that nobody needs to read the conversation to know what came up. {RULE}

Reply with JSON of one list, events. Each has: number, counted from 1; text, one sentence that can be understood alone, with names instead
of pronouns, in the language of the conversation; turns, the numbers of the turns that tell it; when, the words by which the conversation
tells its date, to the letter, and "" where it tells none. Never work out a date yourself. Leave out small talk; where there is nothing
else, the list is empty."""

VERIFY = f"""\
You check statements against the turns of a conversation that they are said to come from. {RULE}

Take each claim apart into single facts: who, what, how many, when, whether or not. Label each fact
supported, when the turns say it or it plainly follows from them;
contradicted, when the turns say something else of the same matter;
unsaid, when the turns do not settle it.
Then write the claim's text anew, with nothing but the supported facts, and with what the turns say in place of what they contradict; ""
when nothing of it is left. Change no more than that. Common knowledge and likelihood support nothing.

Reply with JSON of one list, claims. Each has: claim, its number; facts, a list of fact and label; text."""

PROBE = f"""\
You are given statements, and relations between some of them that may be worth keeping. A relation is worth keeping only if a question
needs it. {RULE}

For each relation write one question that asks for just this relation: why something happened, what came first, what changed. Then
answer the question from the statements alone, as they stand, without the relations. answered is true only where one of the statements
itself says the answer; to guess it because two statements fit together is not enough.

Reply with JSON of one list, probes. Each has: relation, its number; question; answer, "" where there is none; answered."""

SUPPORT = f"""\
You check whether the turns of a conversation say that two statements are related as somebody proposes. {RULE}

supported is true only where the turns say so, in whatever words: that the one happened because of the other, before it, instead of it. That
both are true is not enough.

Reply with JSON of one list, relations. Each has: relation, its number; supported; turns, the numbers of the turns that say so."""


@dataclass(frozen=True, slots=True)
class Prompts:
    """The instructions of each request. Whatever replaces one must ask for the same reply (`memfold.extract.replies`)."""

    draft: str = DRAFT
    events: str = EVENTS
    verify: str = VERIFY
    probe: str = PROBE
    support: str = SUPPORT

    @classmethod
    def load(cls, folder: str | Path) -> Prompts:
        """The prompts with those replaced that have a file in the folder: `draft.txt`, `events.txt`, `verify.txt` …

        :raises UnknownName: a .txt file there belongs to no prompt. :raises OSError: the folder cannot be read.
        """
        known = [f.name for f in fields(cls)]
        files = {path.stem: path for path in sorted(Path(folder).iterdir()) if path.suffix == ".txt"}
        for name in files:
            if name not in known:
                raise UnknownName("prompt", name, known)
        return replace(cls(), **{name: path.read_text("utf-8") for name, path in files.items()})

    def all(self) -> str:
        """All of them, one behind the other."""
        return "\n".join(getattr(self, f.name) for f in fields(self))


def lines(rows: Iterable[Mapping[str, object]]) -> str:
    """One JSON object a line; line ends inside texts are escaped, so that a text stays on its line."""
    return "\n".join(_on_one_line(json.dumps(row, ensure_ascii=False)) for row in rows)


def _on_one_line(line: str) -> str:
    for end in ("\x85", "\u2028", "\u2029"):
        line = line.replace(end, f"\\u{ord(end):04x}")
    return line


def request(
    purpose: str, instruction: str, parts: Mapping[str, str], schema: type[Shape], max_tokens: int | None = None
) -> ChatRequest[Shape]:
    """A request: the instruction, then the parts, each fenced under its name."""
    content = "\n\n".join(fence(name, text) for name, text in parts.items())
    return ChatRequest((Message("system", instruction), Message("user", content)), schema, purpose, max_tokens)
