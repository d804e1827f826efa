"""One text out of two, by clauses: what one side covers is said once, and no word is invented.

Works on any script. Only the word for "earlier" comes from a table, by the language of the text.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TypeAlias

from memfold.refine.telling import telling_words
from memfold.refine.text import clauses, content_words, fold, is_filler, is_question, speaker, values
from memfold.refine.text.common import COMMON
from memfold.refine.text.language import language
from memfold.refine.text.lexicon import ENGLISH
from memfold.refine.text.polarity import negations
from memfold.refine.text.words import content_list

_END = re.compile(r"[.!?…。！？؟।]+[\"')\]”’」』）]*\s*$")
_LOUD = re.compile(r"[!?！？؟][\"')\]”’」』）]*\s*$")
_TRAILING = " \t\r\n.,;:。；，、…"
_SPACELESS = re.compile(r"[぀-ヿ㐀-鿿豈-﫿฀-໿]")
_HEAD_END = re.compile(r"[:：]\s+|[】\]]\s*|：")
_TAG = re.compile(r"【[^】]{0,200}】")
_TAGS = re.compile(r"\s*(?:【[^】]{0,200}】\s*)+")
_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*|[^\w\s]|_")
_CONJUNCTION = re.compile(r"^(?:and|but|so|though|then|und|aber|y|pero|et|mais|e|mas)\s+", re.IGNORECASE)
_DEPENDENT = re.compile(r"^(?:because|which|who|while|although|weil|porque)\s", re.IGNORECASE)
_ARTICLES = frozenset(
    "a an the my his her its our their your der die das den dem ein eine un una une le la les el los las o os um uma".split()
)
_SUBJECTS = frozenset("i we he she they it you user ich wir er sie je nous il elle yo él ella eu ele ela".split())
_REFERRING = frozenset(
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
_SHORT = 10
"""Words: up to this length two English sentences with one beginning are put together with `and`, longer ones with `;`."""
_SEARCHED = 64
"""Sentences that are looked at for one clause: keeps long texts linear."""
_EARLIER = {
    "en": "earlier", "de": "früher", "es": "antes", "fr": "avant", "pt": "antes", "it": "prima", "nl": "eerder", "ru": "раньше",
    "vi": "trước đây", "ar": "سابقاً", "zh": "以前", "ja": "以前", "ko": "이전",
}  # fmt: skip


def merged_text(first: str, second: str, *, timed: bool, earlier: bool, tight: bool = False) -> str | None:
    """Both texts as one, `first` being the earlier where `timed`; None where one of them is empty.

    With `earlier`, the second text with what it replaces behind it. With `tight`, never a longer joint than `; `.
    """
    head, one, two = _without_head(first.strip(), second.strip())
    if not one or not two:
        return None
    if earlier:
        revised = _revised_field(head, one, two) or _revised(one, two)
        if revised is not None:
            return _finished(head, revised)
    weight_one, weight_two = (content_words(text).total() for text in (one, two))
    later_is_base = (weight_two, len(two)) >= (weight_one, len(one)) if timed else (weight_two, len(two), two) > (weight_one, len(one), one)
    base, other = (two, one) if later_is_base else (one, two)
    text = _with_news(_Clauses.of(base), other, before=timed and later_is_base, tight=tight)
    return _finished(head, text)


def concatenated(first: str, second: str) -> str:
    """The first text, then the sentences of the second that the first does not hold word for word."""
    seen = {_normal(part) for part in clauses(first)}
    new = [part for part in clauses(second) if _normal(part) not in seen and _normal(part)]
    if not new:
        return first
    return first.rstrip() + _gap(first) + "".join(new).strip()


@dataclass(frozen=True, slots=True)
class _Clauses:
    """A text as clauses, with the words of each and where each word stands."""

    parts: list[str]
    words: list[frozenset[str]]
    where: dict[str, list[int]]

    @classmethod
    def of(cls, text: str) -> _Clauses:
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
            return any(_normal(clause) == _normal(part) for part in self.parts[:_SEARCHED])
        rarest = min(wanted, key=lambda word: (len(self.where.get(word, ())), word))
        for at in self.where.get(rarest, [])[:_SEARCHED]:
            for low, high in ((at, at + 1), (max(at - 1, 0), at + 1), (at, at + 2)):
                held = frozenset[str]().union(*self.words[low:high])
                text = "".join(self.parts[low:high])
                if wanted <= held and negations(text) == negations(clause) and found <= values(text):
                    return True
        return False


def _sentences(parts: list[str]) -> list[str]:
    """Clauses put together to sentences and lines."""
    out: list[str] = []
    is_open = False
    for part in parts:
        if is_open:
            out[-1] += part
        else:
            out.append(part)
        is_open = not _closes(part)
    return out


def _with_news(base: _Clauses, other: str, *, before: bool, tight: bool) -> str:
    """The base with the clauses of the other text that it does not cover."""
    parts = _sentences(base.parts)
    news = _news(base, other)
    alone = len(parts) == 1 and len(news) == 1
    loose: list[str] = []
    for sentence in news:
        at, shared = _same_beginning(parts, sentence)
        if at is None:
            joined = _told_again(parts, sentence, earlier_first=before and alone)
            if joined is None:
                loose.append(sentence)
            else:
                parts[joined[0]] = joined[1]
        elif before and alone:
            parts[at] = _after(sentence, parts[at][_known_until(parts[at], sentence, shared) :], parts[at], tight)
        else:
            parts[at] = _after(parts[at], sentence[_known_until(sentence, parts[at], shared) :], sentence, tight)
    kept = "".join(parts).strip()
    if not loose:
        return kept
    added = _chain(loose)
    stands_alone = _first_word(added).lower() not in _REFERRING and not _DEPENDENT.match(added)
    return _chain([added, kept] if before and stands_alone else [kept, added])


def _news(base: _Clauses, other: str) -> list[str]:
    """The clauses of `other` that bring something new, those of one sentence together, without a leading conjunction."""
    name, said = speaker(other)
    if not content_words(name).keys() <= base.where.keys():
        name, said = "", other
    parts = [part for part in clauses(said) if not _says_nothing(part)]
    new = [not base.covers(part) for part in parts]
    for at in range(len(parts) - 1, 0, -1):
        new[at - 1] = new[at - 1] or (new[at] and bool(_DEPENDENT.match(parts[at])))
    out: list[str] = []
    is_open = False
    for at, part in enumerate(parts):
        if new[at] and is_open:
            out[-1] += part
        elif new[at]:
            out.append(_CONJUNCTION.sub("", part) if at else part)
        is_open = new[at] and not _closes(part)
    if name and out:
        out[0] = other[: len(other) - len(said)] + out[0]
    return [part.strip() for part in out]


_TAIL = 60
"""Characters at the end of a text in which its closing mark is looked for."""


def _ending(text: str) -> re.Match[str] | None:
    """The closing mark of a text, with what follows it."""
    return _END.search(text, max(0, len(text) - _TAIL))


def _is_loud(text: str) -> bool:
    """Whether the text ends in a question or exclamation mark."""
    return _LOUD.search(text, max(0, len(text) - _TAIL)) is not None


def _closes(part: str) -> bool:
    """Whether a sentence or line ends with this clause."""
    return bool(_ending(part)) or "\n" in part


def _says_nothing(part: str) -> bool:
    """Whether the clause is blank, filler, or a question that names nothing."""
    if not part.strip():
        return True
    if values(part) or not speaker(part)[1].strip():
        return False
    return is_filler(part) or (is_question(part) and content_words(part).total() <= 2)


def _revised_field(head: str, old: str, new: str) -> str | None:
    """The new value of a field with the old one behind it, where the texts are `head: value`; None where they are not."""
    if not head.rstrip().endswith((":", "：")) or max(len(_spans(old)), len(_spans(new))) > _SHORT:
        return None
    return f"{new.strip().rstrip(_TRAILING)}{_earlier(new, old.strip().rstrip(_TRAILING))}"


def _revised(old: str, new: str) -> str | None:
    """The new text with `(earlier: …)` behind what replaces the one stale sentence of the old text; None where that does not fit."""
    stale = _news(_Clauses.of(new), old)
    if not stale:
        return new
    if len(stale) != 1:
        return None
    parts = _sentences(clauses(new))
    for at, part in enumerate(parts[:_SEARCHED]):
        place = _one_difference(stale[0], part)
        if place is not None:
            value, end = place
            parts[at] = f"{part[:end]}{_earlier(new, value)}{part[end:]}"
            return "".join(parts)
    at, shared = _same_beginning(parts, stale[0])
    if at is None or len(_spans(stale[0])) - shared > _SHORT:
        return None
    body = parts[at].rstrip().rstrip(_TRAILING)
    parts[at] = f"{body}{_earlier(new, stale[0][_end_of(stale[0], shared) :].strip(_TRAILING))}{parts[at][len(body) :]}"
    return "".join(parts)


def _earlier(text: str, value: str) -> str:
    word = _EARLIER[language(text)]
    return f"（{word}：{value}）" if _SPACELESS.search(text) else f" ({word}: {value})"


def _one_difference(old: str, new: str) -> tuple[str, int] | None:
    """The value in `old` that `new` replaces, and where the new one ends; None unless the frames are alike and the value short."""
    left, right = _spans(old), _spans(new)
    start = _shared(left, right)
    tail = _shared(left[start:][::-1], right[start:][::-1])
    gone, come = left[start : len(left) - tail], right[start : len(right) - tail]
    frame = start + tail
    if not gone or not come or frame < max(len(gone), len(come)) or len(gone) > _SHORT:
        return None
    if not content_words(" ".join(word for word, _, _ in left[:start] + left[len(left) - tail :])):
        return None
    return old[gone[0][1] : gone[-1][2]], come[-1][2]


def _spans(text: str) -> list[_Span]:
    """The words of a text with start and end; characters where the script has no spaces; the closing mark left out."""
    body = text.rstrip(_TRAILING + "!?！？")
    out: list[_Span] = []
    for match in _WORD.finditer(body):
        if _SPACELESS.search(match[0]) and len(match[0]) > 1:
            out.extend((char, match.start() + i, match.start() + i + 1) for i, char in enumerate(match[0]))
        else:
            out.append((match[0].casefold(), match.start(), match.end()))
    return out


def _opening(text: str) -> list[_Span]:
    """The words of a text without a leading article, so that `The user` and `User` begin alike."""
    spans = _spans(text)
    return spans[1:] if len(spans) > 1 and spans[0][0] in _ARTICLES else spans


def _shared(left: list[_Span], right: list[_Span]) -> int:
    count = 0
    for one, other in zip(left, right, strict=False):
        if one[0] != other[0]:
            break
        count += 1
    return count


def _same_beginning(parts: list[str], sentence: str) -> tuple[int | None, int]:
    """The clause that begins like the sentence for longest, and for how many words; None where none shares a subject."""
    best, at = 0, None
    if _is_loud(sentence) or (len(parts) > 1 and _first_word(sentence).lower() in _REFERRING):
        return None, 0
    for place, part in enumerate(parts[:_SEARCHED]):
        count = 0 if _is_loud(part) else _boundary(part, sentence)
        if count > best:
            best, at = count, place
    return at, best


def _known_until(sentence: str, by: str, shared: int) -> int:
    """Where the beginning ends that need not be said again: `shared` words, or more that `by` tells too."""
    return max(_end_of(sentence, shared), 0 if _SPACELESS.search(sentence) else _told_until(sentence, by))


def _told_again(parts: list[str], sentence: str, *, earlier_first: bool) -> tuple[int, str] | None:
    """The part to which the sentence can be added without its beginning, because the part tells that in other words, and the result:
    `Ottoline swims in the lido before work` and `Ottoline swims at the lido with Bea` share the swimming. None where no part does.
    """
    if _is_loud(sentence) or _SPACELESS.search(sentence):
        return None
    best: tuple[int, int, str] | None = None
    for place, part in enumerate(parts[:_SEARCHED]):
        if _is_loud(part):
            continue
        first, second = (sentence, part) if earlier_first else (part, sentence)
        end = _told_until(second, first)
        if end and (best is None or end > best[0]):
            best = (end, place, _after(first, second[end:], second, tight=True))
    return (best[1], best[2]) if best else None


def _told_until(sentence: str, by: str) -> int:
    """Where the beginning of the sentence ends that `by` tells too; 0 where there is none that can be left out.

    Both open with the same content words in the same order, the subject and what it does; there is no negation, and no value that
    `by` lacks. What follows must lead on from there.
    """
    spans, held = _spans(sentence)[:_BEGINNING], telling_words(by)
    opening, theirs = _first_two(spans), _first_two(_spans(by))
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
    count = min(_shared(left, right), len(left) - 1, len(right) - 1)
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
    if _SPACELESS.search(word):
        return word in _PARTICLES or all(span[0] in _AFTER_SUBJECT for span in following)
    if {span[0] for span in following} <= {"and", "or", "und", "y", "et"}:
        return False
    spaced = all(text[span[1] - 1 : span[1]].isspace() for span, text in zip(following, texts, strict=True))
    return spaced and word not in _ARTICLES and word not in _LINKING and not word.isdigit() and word[0].isalnum()


def _end_of(text: str, count: int) -> int:
    return _opening(text)[count - 1][2]


def _after(sentence: str, rest: str, source: str, tight: bool) -> str:
    """The sentence with the rest of another that begins alike put behind it; the closing mark stays at the end."""
    body, mark = sentence.rstrip(), ""
    closing = _ending(sentence)
    if closing:
        body, mark = sentence[: closing.start()], closing[0]
    elif sentence != sentence.rstrip():
        mark = sentence[len(sentence.rstrip()) :]
    body, rest = body.rstrip(_TRAILING), _CONJUNCTION.sub("", rest.strip().rstrip(_TRAILING).lstrip(_TRAILING))
    if _SPACELESS.search(sentence):
        return f"{body}；{rest}{mark}"
    short = not tight and max(len(body.split()), len(source.split())) <= _SHORT and not re.search(r"[,;:(]", body + rest)
    return f"{body} and {rest}{mark}" if short and language(sentence) == "en" and _is_prose(sentence) else f"{body}; {rest}{mark}"


def _is_prose(sentence: str) -> bool:
    return any(word in ENGLISH for word in fold(sentence).lower().split()) and bool(_ending(sentence))


def _chain(parts: list[str]) -> str:
    """Pieces one after the other, as sentences where they end as such, else with semicolons."""
    out = parts[0].strip()
    for part in parts[1:]:
        part = part.strip()
        if _ending(out):
            out = f"{out}{_gap(out)}{_capital(part)}"
        elif _ending(part) and not _SPACELESS.search(out):
            out = f"{out.rstrip(_TRAILING)}. {_capital(part)}"
        elif _SPACELESS.search(out):
            out = f"{out.rstrip(_TRAILING)}；{part}"
        else:
            out = f"{out.rstrip(_TRAILING)}; {part}"
    return out


def _gap(text: str) -> str:
    return "" if text.rstrip()[-1:] in "。！？」』）" and text.strip() else "\n" if "\n" in text.strip() else " "


def _capital(text: str) -> str:
    """The text with its first letter as a capital, where its first word is plain lower-case letters."""
    word = _first_word(text)
    return text[:1].upper() + text[1:] if word.isalpha() and word == word.lower() else text


def _first_word(text: str) -> str:
    return text.split(None, 1)[0].rstrip(_TRAILING) if text.strip() else ""


def _finished(head: str, text: str) -> str:
    """Head and text with a capital where a sentence begins and one closing mark."""
    body = text.strip()
    if not head:
        body = _capital(body)
    if body[-1:].isalnum() or body[-1:] in ")）,;:，；：、":
        body = body.rstrip(",;:，；：、") + ("。" if _SPACELESS.search(body[-20:]) else ".")
    return head + body


def _without_head(first: str, second: str) -> tuple[str, str, str]:
    """What both begin with up to a colon or bracket (a speaker, a heading), and the rests; the same speaker in two forms counts."""
    tags, others = _TAGS.match(first), _TAGS.match(second)
    if tags and others and tags[0].strip() != others[0].strip():
        united = "".join(dict.fromkeys(_TAG.findall(tags[0]) + _TAG.findall(others[0])))
        return f"{united} ", first[tags.end() :], second[others.end() :]
    end = 0
    limit = min(len(first), len(second))
    same = next((i for i in range(limit) if first[i] != second[i]), limit)
    for match in _HEAD_END.finditer(first, 0, same):
        end = match.end()
    if end and first[end:].strip() and second[end:].strip():
        return first[:end], first[end:], second[end:]
    name, said = speaker(first)
    other_name, other_said = speaker(second)
    if name and name.casefold() == other_name.casefold():
        one, two = first[: len(first) - len(said)], second[: len(second) - len(other_said)]
        return min(one, two, key=lambda prefix: (len(prefix), prefix)), said, other_said
    return "", first, second


def _normal(text: str) -> str:
    return " ".join(fold(text).casefold().split()).strip(_TRAILING + "!?！？")
