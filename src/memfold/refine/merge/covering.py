"""A text as clauses, and which clauses of another text it covers."""

from __future__ import annotations

import re
from dataclasses import dataclass

from memfold.refine.merge.joints import CONJUNCTION, closes, normal_form
from memfold.refine.merge.openings import SEARCHED
from memfold.refine.telling import telling_words
from memfold.refine.text import clauses, content_words, is_filler, is_question, speaker, values
from memfold.refine.text.polarity import negations

DEPENDENT = re.compile(r"^(?:because|which|who|while|although|weil|porque)\s", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Clauses:
    """A text as clauses, with the words of each and where each word stands."""

    parts: list[str]
    words: list[frozenset[str]]
    where: dict[str, list[int]]

    @classmethod
    def of(cls, text: str) -> Clauses:
        parts = clauses(text)
        kept = [part for part in parts if not _says_nothing(part)]
        parts = kept if any(part.strip() for part in kept) else parts
        words = [telling_words(part) for part in parts]
        where: dict[str, list[int]] = {}
        for at, held in enumerate(words):
            for word in held:
                where.setdefault(word, []).append(at)
        return cls(parts, words, where)

    def covers(self, clause: str) -> bool:
        """Whether one clause here, or two neighbours, hold every telling word and value of `clause`, negated the same way."""
        wanted, found = telling_words(clause), values(clause)
        if not wanted:
            return any(normal_form(clause) == normal_form(part) for part in self.parts[:SEARCHED])
        rarest = min(wanted, key=lambda word: (len(self.where.get(word, ())), word))
        for at in self.where.get(rarest, [])[:SEARCHED]:
            for low, high in ((at, at + 1), (max(at - 1, 0), at + 1), (at, at + 2)):
                held = frozenset[str]().union(*self.words[low:high])
                text = "".join(self.parts[low:high])
                if wanted <= held and negations(text) == negations(clause) and found <= values(text):
                    return True
        return False


def sentences_of(parts: list[str]) -> list[str]:
    """Clauses put together to sentences and lines."""
    out: list[str] = []
    is_open = False
    for part in parts:
        if is_open:
            out[-1] += part
        else:
            out.append(part)
        is_open = not closes(part)
    return out


def news_of(base: Clauses, other: str) -> list[str]:
    """The clauses of `other` that bring something new, those of one sentence together, without a leading conjunction."""
    name, said = speaker(other)
    if not content_words(name).keys() <= base.where.keys():
        name, said = "", other
    parts = [part for part in clauses(said) if not _says_nothing(part)]
    new = [not base.covers(part) for part in parts]
    for at in range(len(parts) - 1, 0, -1):
        new[at - 1] = new[at - 1] or (new[at] and bool(DEPENDENT.match(parts[at])))
    out: list[str] = []
    is_open = False
    for at, part in enumerate(parts):
        if new[at] and is_open:
            out[-1] += part
        elif new[at]:
            out.append(CONJUNCTION.sub("", part) if at else part)
        is_open = new[at] and not closes(part)
    if name and out:
        out[0] = other[: len(other) - len(said)] + out[0]
    return [part.strip() for part in out]


def _says_nothing(part: str) -> bool:
    """Whether the clause is blank, filler, or a question that names nothing."""
    if not part.strip():
        return True
    if values(part) or not speaker(part)[1].strip():
        return False
    return is_filler(part) or (is_question(part) and content_words(part).total() <= 2)
