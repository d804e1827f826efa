"""What two sentences begin with alike, which a merge says once."""

from __future__ import annotations

import re
from typing import TypeAlias

from memfold.refine.merge.joints import SPACELESS, TRAILING, after, first_word, is_loud
from memfold.refine.telling import telling_words
from memfold.refine.text import content_words, values
from memfold.refine.text.common import COMMON
from memfold.refine.text.polarity import negations
from memfold.refine.text.words import content_list

_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*|[^\w\s]|_")
_ARTICLES = frozenset(
    "a an the my his her its our their your der die das den dem ein eine un una une le la les el los las o os um uma".split()
)
_SUBJECTS = frozenset("i we he she they it you user ich wir er sie je nous il elle yo él ella eu ele ela".split())
REFERRING = frozenset(
    "he she it they him her his its their this that these those also er sie es il elle ils elles lui él ella ele ela он она они".split()
)
_PARTICLES = frozenset("はがもでにをの")
_AFTER_SUBJECT = frozenset("是在有的会要不没想去来把被对和跟说喜爱住用买做学给从到已也就都正将养")
_Span: TypeAlias = tuple[str, int, int]
"""A word with its start and end in the text."""
_BEGINNING = 24
"""Words of a sentence in which the end of a known beginning is looked for."""
_LEADING_ON = frozenset(
    """with for in on at by from to of since until after before during under over about when where through against near behind across per
    via like without is was are were has had will would can could also always often mit für im am bei von seit nach wegen con por para en
    desde avec pour dans chez depuis et""".split()
)
"""Words with which a rest reads on after a semicolon."""
_REASONS = frozenset("because which who while although since weil obwohl porque aunque parce".split())
"""Words that begin a clause of the sentence before them: they cannot be moved behind another."""
_LINKING = frozenset("to of and or than as with for from by into und oder als mit für von y o que con para por de et ou avec pour".split())
"""Words that belong to what follows them: a shared beginning never ends with one."""
SEARCHED = 64
"""Sentences that are looked at for one clause: keeps long texts linear."""


def spans_of(text: str) -> list[_Span]:
    """The words of a text with start and end; characters where the script has no spaces; the closing mark left out."""
    body = text.rstrip(TRAILING + "!?！？")
    out: list[_Span] = []
    for match in _WORD.finditer(body):
        if SPACELESS.search(match[0]) and len(match[0]) > 1:
            out.extend((char, match.start() + i, match.start() + i + 1) for i, char in enumerate(match[0]))
        else:
            out.append((match[0].casefold(), match.start(), match.end()))
    return out


def _opening(text: str) -> list[_Span]:
    """The words of a text without a leading article, so that `The user` and `User` begin alike."""
    spans = spans_of(text)
    return spans[1:] if len(spans) > 1 and spans[0][0] in _ARTICLES else spans


def alike(left: list[_Span], right: list[_Span]) -> int:
    """How many words both begin with."""
    count = 0
    for one, other in zip(left, right, strict=False):
        if one[0] != other[0]:
            break
        count += 1
    return count


def same_beginning(parts: list[str], sentence: str) -> tuple[int | None, int]:
    """The clause that begins like the sentence for longest, and for how many words; None where none shares a subject."""
    best, at = 0, None
    if is_loud(sentence) or (len(parts) > 1 and first_word(sentence).lower() in REFERRING):
        return None, 0
    for place, part in enumerate(parts[:SEARCHED]):
        count = 0 if is_loud(part) else _boundary(part, sentence)
        if count > best:
            best, at = count, place
    return at, best


def known_until(sentence: str, by: str, shared: int) -> int:
    """Where the beginning ends that need not be said again: `shared` words, or more that `by` tells too."""
    return max(end_of(sentence, shared), 0 if SPACELESS.search(sentence) else _told_until(sentence, by))


def told_again(parts: list[str], sentence: str, *, earlier_first: bool) -> tuple[int, str] | None:
    """The part to which the sentence can be added without its beginning, because the part tells that in other words, and the result:
    `Ottoline swims in the lido before work` and `Ottoline swims at the lido with Bea` share the swimming. None where no part does.
    """
    if is_loud(sentence) or SPACELESS.search(sentence):
        return None
    best: tuple[int, int, str] | None = None
    for place, part in enumerate(parts[:SEARCHED]):
        if is_loud(part):
            continue
        first, second = (sentence, part) if earlier_first else (part, sentence)
        end = _told_until(second, first)
        if end and (best is None or end > best[0]):
            best = (end, place, after(first, second[end:], second, tight=True))
    return (best[1], best[2]) if best else None


def _told_until(sentence: str, by: str) -> int:
    """Where the beginning of the sentence ends that `by` tells too; 0 where there is none that can be left out.

    Both open with the same content words in the same order, the subject and what it does; there is no negation, and no value that
    `by` lacks. What follows must lead on from there.
    """
    spans, held = spans_of(sentence)[:_BEGINNING], telling_words(by)
    opening, theirs = _first_two(spans), _first_two(spans_of(by))
    if opening is None or theirs is None or opening[0] != theirs[0] or "'s" in sentence[: opening[1]]:
        return 0
    apart = any(mark in by[: theirs[1]] for mark in ",:;(")
    end = 0
    for (word, start, stop), (following, next_start, _) in zip(spans, spans[1:], strict=False):
        if not telling_words(word) <= held or not word[0].isalnum():
            break
        inside = sentence[start].isupper() and sentence[next_start].isupper()
        leads = following == "and" or (following in _LEADING_ON and not apart)
        if stop >= opening[1] and next_start > stop and leads and not inside and content_words(word):
            end = stop
    beginning = sentence[:end]
    told = content_list(beginning)
    if told != content_list(by)[: len(told)]:
        return 0
    if not end or negations(beginning) or not values(beginning) <= values(by) or not content_words(sentence[end:]):
        return 0
    return end


def _first_two(spans: list[_Span]) -> tuple[tuple[str, ...], int] | None:
    """The first two content words, stemmed, and where the second ends."""
    found: list[str] = []
    for word, _, end in spans[:_BEGINNING]:
        found.extend(content_words(word))
        if len(found) > 1:
            return tuple(found[:2]), end
    return None


def _boundary(one: str, other: str) -> int:
    """How many leading words both have as a beginning that can be said once: it holds a subject and ends at a word that may end it."""
    left, right = _opening(one), _opening(other)
    count = min(alike(left, right), len(left) - 1, len(right) - 1)
    while count > 0 and not _may_end(left[count - 1], (left[count], right[count]), (one, other)):
        count -= 1
    if count > 0 and {left[count][0], right[count][0]} & _REASONS:
        return 0
    beginning = [word for word, _, _ in left[:count] if word[0].isalpha()]
    if len(beginning) == 1:
        return count if beginning[0] in _SUBJECTS or beginning[0] not in COMMON and content_words(beginning[0]) else 0
    return count if _SUBJECTS.intersection(beginning) or content_words(" ".join(beginning)) else 0


def _may_end(last: _Span, following: tuple[_Span, _Span], texts: tuple[str, str]) -> bool:
    """Whether a shared beginning may end with the word `last`: never inside a word, a name or a number."""
    word = last[0]
    if SPACELESS.search(word):
        return word in _PARTICLES or all(span[0] in _AFTER_SUBJECT for span in following)
    if {span[0] for span in following} <= {"and", "or", "und", "y", "et"}:
        return False
    spaced = all(text[span[1] - 1 : span[1]].isspace() for span, text in zip(following, texts, strict=True))
    return spaced and word not in _ARTICLES and word not in _LINKING and not word.isdigit() and word[0].isalnum()


def end_of(text: str, count: int) -> int:
    """Where the first `count` words of a text end, a leading article not counted."""
    return _opening(text)[count - 1][2]
