"""One text out of two, by clauses: what one side covers is said once, and no word is invented. Works on any script."""

from __future__ import annotations

import re

from memfold.refine.merge.covering import DEPENDENT, Clauses, news_of, sentences_of
from memfold.refine.merge.joints import after, chain, finished, first_word, gap, normal_form
from memfold.refine.merge.openings import REFERRING, known_until, same_beginning, told_again
from memfold.refine.merge.revision import revised_field, revised_text
from memfold.refine.text import clauses, content_words, speaker

_HEAD_END = re.compile(r"[:：]\s+|[】\]]\s*|：")
_TAG = re.compile(r"【[^】]{0,200}】")
_TAGS = re.compile(r"\s*(?:【[^】]{0,200}】\s*)+")


def merged_text(first: str, second: str, *, timed: bool, earlier: bool, tight: bool = False) -> str | None:
    """Both texts as one, `first` being the earlier where `timed`; None where one of them is empty.

    With `earlier`, the second text with what it replaces behind it. With `tight`, never a longer joint than `; `.
    """
    head, one, two = _without_head(first.strip(), second.strip())
    if not one or not two:
        return None
    if earlier:
        revised = revised_field(head, one, two) or revised_text(one, two)
        if revised is not None:
            return finished(head, revised)
    weight_one, weight_two = (content_words(text).total() for text in (one, two))
    later_is_base = (weight_two, len(two)) >= (weight_one, len(one)) if timed else (weight_two, len(two), two) > (weight_one, len(one), one)
    base, other = (two, one) if later_is_base else (one, two)
    text = _with_news(Clauses.of(base), other, before=timed and later_is_base, tight=tight)
    return finished(head, text)


def concatenated(first: str, second: str) -> str:
    """The first text, then the sentences of the second that the first does not hold word for word."""
    seen = {normal_form(part) for part in clauses(first)}
    new = [part for part in clauses(second) if normal_form(part) not in seen and normal_form(part)]
    if not new:
        return first
    return first.rstrip() + gap(first) + "".join(new).strip()


def _with_news(base: Clauses, other: str, *, before: bool, tight: bool) -> str:
    """The base with the clauses of the other text that it does not cover."""
    parts = sentences_of(base.parts)
    news = news_of(base, other)
    alone = len(parts) == 1 and len(news) == 1
    loose: list[str] = []
    for sentence in news:
        at, shared = same_beginning(parts, sentence)
        if at is None:
            joined = told_again(parts, sentence, earlier_first=before and alone)
            if joined is None:
                loose.append(sentence)
            else:
                parts[joined[0]] = joined[1]
        elif before and alone:
            parts[at] = after(sentence, parts[at][known_until(parts[at], sentence, shared) :], parts[at], tight)
        else:
            parts[at] = after(parts[at], sentence[known_until(sentence, parts[at], shared) :], sentence, tight)
    kept = "".join(parts).strip()
    if not loose:
        return kept
    added = chain(loose)
    stands_alone = first_word(added).lower() not in REFERRING and not DEPENDENT.match(added)
    return chain([added, kept] if before and stands_alone else [kept, added])


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
