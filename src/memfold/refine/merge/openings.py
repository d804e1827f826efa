"""What two sentences begin with alike, and how much of it need not be said again."""

from __future__ import annotations

import re
from typing import TypeAlias

from memfold.refine.merge.joints import SPACELESS, TRAILING, is_loud, sentences_of
from memfold.refine.telling import telling_words
from memfold.refine.text import clauses, content_words, values
from memfold.refine.text.common import COMMON
from memfold.refine.text.language import language
from memfold.refine.text.polarity import negations
from memfold.refine.text.words import content_list

_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*|[^\w\s]|_")
_ARTICLES = frozenset(
    "a an the my his her its our their your der die das den dem ein eine un una une le la les el los las o os um uma".split()
)
_SUBJECTS = frozenset("i we you user assistant ich wir nous yo eu".split())
"""Subjects that are not names and that mean the same in both texts."""
_FIRST = frozenset({"i", "we", "you"})
REFERRING = frozenset(
    "he she it they him her his its their this that these those also er sie es il elle ils elles lui él ella ele ela он она они".split()
)
_PARTICLES = frozenset("はがもでにをの")
_AFTER_SUBJECT = frozenset("是在有的会要不没想去来把被对和跟说喜爱住用买做学给从到已也就都正将养")
_Span: TypeAlias = tuple[str, int, int]
"""A word with its start and end in the text."""
_NO_VERBS = frozenset(
    """and or but nor who whom whose which that as of in on at by to for from with without into onto over under about near like than und
    oder der die das mit für von bei aus zu y o que con para por de del en et ou qui avec pour du e com da do""".split()
)
"""Words after a name that belong to it still: the subject goes on."""
_OTHER_SUBJECT = re.compile(
    r"(?:[;:,]\s+(?:and|but|so|yet)|[;:]|\b(?:and|but|so|yet))\s+(?:he|she|they|it|we|i|you|this|that|these|those|the|his|her|their|my|our|its)\b"
    r"|,\s+(?:and|but|so|yet)\s+[A-Z]|;\s+[A-Z]|\b(?:und|aber|y|pero|et|mais)\s",
)
"""A clause that may have another subject: what follows the sentence would be taken to go on with that one."""
_ONE_VERB = re.compile(r"\S+\s+(?:a|an|the|my|his|her|its|our|their|your|\d+)\s")
"""A verb with its object, as what follows `and` in `keeps hens and sells the eggs`."""
_CUT_IN = frozenset({"en", "de", "es", "fr", "pt", "it", "nl"})
"""Languages in which a subject is told by capitals and small letters."""
_VERB = re.compile(r".*(?:s|ed|ly)$")
_VERBS = frozenset(
    """will can could would may might must should had did does never always also still now just often once felt thought told said saw met
    won lost went got made took gave bought sold found ran swam wrote read left kept came became began built chose drew drove ate fell
    flew grew held knew led paid put quit rode rose sang sat sent set slept spoke spent stood taught wore broke brought caught cut dealt
    dreamt drank fought forgot heard hid hit hurt laid lay lent let meant rang sank shot showed shut stole stuck swore threw understood
    woke withdrew hung dug bent bet bit blew bound bred""".split()
)
"""What a verb of the third person looks like in English, or an adverb before it."""
_REASONS = frozenset("because which who while although since weil obwohl porque aunque parce".split())
"""Words that begin a clause of the sentence before them: they cannot be moved behind another."""
_LINKING = frozenset("to of and or than as with for from by into und oder als mit für von y o que con para por de et ou avec pour".split())
LEANING = _ARTICLES | _LINKING
"""Words that belong to what follows them: neither a shared beginning nor a value ends with one."""
_NAME_WORDS = 4
"""Words of the longest name that is taken for a subject."""
SEARCHED = 64
"""Sentences that are looked at for one clause: keeps long texts linear."""


def known_until(left: str, right: str) -> int:
    """Where in `right` that ends which need not be said again right behind `left`; 0 where all is said.

    That is the subject, where the last sentence of `left` and the first of `right` have the same and a verb follows in both; the
    sentence on the left must have no clause with a subject of its own. `and` may follow upon more that both tell:
    behind `Rosa keeps 12 hens in the yard`, of `Rosa keeps 12 hens and sells the eggs` only the eggs are told.
    """
    last, following = "".join(sentences_of(clauses(left))[-1]), "".join(sentences_of(clauses(right))[0])
    if is_loud(last) or is_loud(following):
        return 0
    if SPACELESS.search(last) or SPACELESS.search(following):
        count = shared_beginning(last, following)
        return end_of(following, count) if count else 0
    tongue = language(last)
    if tongue not in _CUT_IN or tongue != language(following):
        return 0
    end = _subject_end(last, following, is_english=tongue == "en")
    if not end or _OTHER_SUBJECT.search(last):
        return 0
    return _first_half_end(last, following, end) or end


def shared_beginning(one: str, other: str) -> int:
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


def alike(left: list[_Span], right: list[_Span]) -> int:
    """How many words both begin with."""
    count = 0
    for one, other in zip(left, right, strict=False):
        if one[0] != other[0]:
            break
        count += 1
    return count


def end_of(text: str, count: int) -> int:
    """Where the first `count` words of a text end, a leading article not counted."""
    return _opening(text)[count - 1][2]


def _subject_end(one: str, other: str, *, is_english: bool) -> int:
    """Where the subject of `other` ends, if `one` has the same one and a verb stands behind it in both; else 0."""
    length = _subject(one, is_english=is_english)
    if not length or length != _subject(other, is_english=is_english):
        return 0
    left, right = _opening(one)[:length], _opening(other)[:length]
    return right[-1][2] if [word for word, _, _ in left] == [word for word, _, _ in right] else 0


def _subject(sentence: str, *, is_english: bool) -> int:
    """How many words the subject at the beginning of a sentence has, a leading article not counted; 0 where it is not plain to see.

    A pronoun of those that mean one and the same in any text, or a name in capitals without an article; behind it a verb.
    """
    spans = _opening(sentence)[: _NAME_WORDS + 2]
    if not spans:
        return 0
    count, is_name = 1, spans[0][0] not in _SUBJECTS
    if is_name:
        capitals = [sentence[start].isupper() and word.isalpha() for word, start, _ in spans]
        count = next((at for at, is_capital in enumerate(capitals) if not is_capital), len(spans))
        is_bare = not sentence[: spans[0][1]].strip()
        if not is_bare or not 0 < count <= _NAME_WORDS or all(word in COMMON for word, _, _ in spans[:count]):
            return 0
    return count if count < len(spans) and _goes_on(sentence, spans[count], third=is_english and spans[0][0] not in _FIRST) else 0


def _goes_on(sentence: str, span: _Span, *, third: bool) -> bool:
    """Whether the word behind a subject may be its verb; where `third`, it must look like one of the third person in English."""
    word, start, _ = span
    if not (sentence[start].islower() and word.isalpha() and sentence[start - 1].isspace()) or word in _NO_VERBS:
        return False
    return not third or word in _VERBS or _VERB.match(word) is not None


def _first_half_end(left: str, right: str, subject_end: int) -> int:
    """Where the ` and ` ends before which `right` tells nothing that `left` does not tell at its beginning too; 0 where there is none."""
    at = right.find(" and ", subject_end)
    if at < 0 or not _ONE_VERB.match(right[at + 5 :]) or "," in right[:at]:
        return 0
    told = content_list(right[:at])
    if told != content_list(left)[: len(told)] or not telling_words(right[:at]) <= telling_words(left):
        return 0
    return 0 if negations(left) or negations(right[:at]) or not values(right[:at]) <= values(left) else at + 5


def _opening(text: str) -> list[_Span]:
    """The words of a text without a leading article, so that `The user` and `User` begin alike."""
    spans = spans_of(text)
    return spans[1:] if len(spans) > 1 and spans[0][0] in _ARTICLES else spans


def _may_end(last: _Span, following: tuple[_Span, _Span], texts: tuple[str, str]) -> bool:
    """Whether a shared beginning may end with the word `last`: never inside a word, a name or a number."""
    word = last[0]
    if SPACELESS.search(word):
        return word in _PARTICLES or all(span[0] in _AFTER_SUBJECT for span in following)
    if {span[0] for span in following} <= {"and", "or", "und", "y", "et"} or any(span[0][0].isdigit() for span in following):
        return False
    spaced = all(text[span[1] - 1 : span[1]].isspace() for span, text in zip(following, texts, strict=True))
    return spaced and word not in LEANING and not word.isdigit() and word[0].isalnum()
