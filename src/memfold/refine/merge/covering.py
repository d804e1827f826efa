"""A text as clauses, and which sentences of another text it covers."""

from __future__ import annotations

import re
from dataclasses import dataclass

from memfold.refine.merge.joints import SPACELESS, ending, first_word, normal_form, sentences_of
from memfold.refine.merge.openings import REFERRING, SEARCHED
from memfold.refine.telling import telling_words
from memfold.refine.text import clauses, content_words, fold, is_filler, is_question, speaker, values
from memfold.refine.text.language import language
from memfold.refine.text.lexicon import ENGLISH, OTHER_LANGUAGES
from memfold.refine.text.polarity import doubted, negations
from memfold.refine.text.words import WORD

_SECOND_SUBJECT = re.compile(r"^(?:and|but|so|und|aber)\s+(?=(I|[Ww]e|ich|wir)\s)")
_FOREIGN: frozenset[str] = frozenset[str]().union(*OTHER_LANGUAGES.values()) - ENGLISH
_FUTURE = re.compile(r"\b(?:will|shall|going to)\b|\w['’]ll\b", re.IGNORECASE)
_SURE = 3
"""Function words of one language that make it certain."""
_LIST = re.compile(r"[:：]\s")
_SEPARATE = re.compile(r"[;；]\s*$")


@dataclass(frozen=True, slots=True)
class Clauses:
    """A text as clauses, with the words of each and where each word stands."""

    parts: list[str]
    words: list[frozenset[str]]
    where: dict[str, list[int]]

    @classmethod
    def of(cls, text: str) -> Clauses:
        parts = [part for sentence in _telling_sentences(text) for part in sentence] or clauses(text)
        words = [telling_words(part) | _tokens(part) for part in parts]
        where: dict[str, list[int]] = {}
        for at, held in enumerate(words):
            for word in held:
                where.setdefault(word, []).append(at)
        return cls(parts, words, where)

    def covers(self, clause: str) -> bool:
        """Whether one clause here, or two neighbours, hold every telling word and value of `clause`, negated the same
        way, and none as a plan or doubt that `clause` tells as a fact.
        """
        wanted = telling_words(clause) | _doubtful(clause)
        if not wanted:
            return any(normal_form(clause) == normal_form(part) for part in self.parts[:SEARCHED])
        rarest = min(wanted, key=lambda word: (len(self.where.get(word, ())), word))
        for at in self.where.get(rarest, [])[:SEARCHED]:
            for low, high in ((at, at + 1), (max(at - 1, 0), at + 1), (at, at + 2)):
                held = frozenset[str]().union(*self.words[low:high])
                if wanted <= held and _tells(clause, "".join(self.parts[low:high]), wanted):
                    return True
        return False


def _tells(clause: str, text: str, wanted: frozenset[str]) -> bool:
    """Whether a text that holds the `wanted` words of a clause says it: negated the same way, with its values, and not as a mere plan."""
    planned = (doubted(text) - doubted(clause)) & wanted or (_FUTURE.search(text) and not _FUTURE.search(clause))
    return not planned and negations(text) == negations(clause) and values(clause) <= values(text)


def _tokens(text: str) -> frozenset[str]:
    """All words of the text that are function words of some language other than English."""
    return _FOREIGN.intersection(WORD.findall(fold(text).lower()))


def _doubtful(text: str) -> frozenset[str]:
    """The words that may be none of the function words they look like: `met` and `Ben` in English. A text that holds several of one
    language is taken to be in it.
    """
    found = _tokens(text)
    return found - OTHER_LANGUAGES.get(language(text), frozenset()) if len(found) >= _SURE else found


def news_of(base: Clauses, other: str) -> list[str]:
    """The sentences of `other` that bring something new, whole but for clauses that can be left out without a trace.

    A covered sentence stays where the next one refers to it, unless the base ends with what it says.
    """
    out: list[str] = []
    before: list[str] = []
    for parts in _telling_sentences(other):
        covered = [base.covers(part) for part in parts]
        if all(covered):
            before = parts
            continue
        sentence = "".join(_trimmed(parts, covered)).strip()
        if before and first_word(sentence).lower() in REFERRING and not _ends_with(base, before):
            out.append("".join(before).strip())
        out.append(sentence)
        before = []
    return out


def _ends_with(base: Clauses, parts: list[str]) -> bool:
    last = Clauses.of("".join(sentences_of(base.parts)[-1]))
    return all(last.covers(part) for part in parts)


def _trimmed(parts: list[str], covered: list[bool]) -> list[str]:
    """A sentence without covered clauses: any in scripts without spaces; else those that a semicolon parts, and the first
    where the second has a subject of its own that is the same (`I moved to Oslo, and I work at the harbour`).
    """
    if SPACELESS.search("".join(parts)):
        return [part for part, is_known in zip(parts, covered, strict=True) if not is_known]
    parts, covered = _without_rows(parts, covered)
    if len(parts) > 1 and covered[0]:
        second = _SECOND_SUBJECT.match(parts[1])
        if second and second[1].lower() == first_word(parts[0]).lower():
            rest = parts[1][second.end() :]
            return [rest[:1].upper() + rest[1:], *parts[2:]]
    return parts


def _without_rows(parts: list[str], covered: list[bool]) -> tuple[list[str], list[bool]]:
    """Without the covered clauses that stand between two semicolons, or between one and the end. A list behind a colon stays whole."""
    if any(_LIST.search(part) for part in parts):
        return parts, covered
    out = [(parts[0], covered[0])] if parts else []
    for at in range(1, len(parts)):
        is_last = at + 1 == len(parts)
        if not (covered[at] and _SEPARATE.search(parts[at - 1]) and (is_last or _SEPARATE.search(parts[at]))):
            out.append((parts[at], covered[at]))
        elif is_last:
            closing = ending(parts[at])
            out[-1] = (_SEPARATE.sub("", out[-1][0]) + (closing[0] if closing else ""), out[-1][1])
    return [part for part, _ in out], [known for _, known in out]


def without_known(text: str, by: str) -> str:
    """The text without the clauses that another text covers and that leave no trace: `keeps bees` before `keeps bees in Rome`."""
    if SPACELESS.search(text):
        return text
    held = Clauses.of(by)
    kept: list[str] = []
    for parts in sentences_of(clauses(text)):
        kept += _trimmed(parts, [len(parts) > 1 and held.covers(part) for part in parts])
    return "".join(kept)


def _telling_sentences(text: str) -> list[list[str]]:
    """The clauses of each sentence that says something."""
    return [parts for parts in sentences_of(clauses(text)) if not all(_says_nothing(part) for part in parts)]


def _says_nothing(part: str) -> bool:
    """Whether the clause is blank, filler, or a question that names nothing."""
    if not part.strip():
        return True
    empty = is_filler(part) or (is_question(part) and content_words(part).total() <= 2)
    return empty and not values(part) and bool(speaker(part)[1].strip())
