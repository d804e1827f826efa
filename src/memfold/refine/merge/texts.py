"""One text out of two: what one side covers is said once, and no word is invented. Works on any script."""

from __future__ import annotations

import re
from collections.abc import Callable

from memfold.refine.dated import without_day
from memfold.refine.merge.covering import Clauses, news_of, without_known
from memfold.refine.merge.joints import added, chained, first_word, gap, normal_form, without_separator
from memfold.refine.merge.lines import common_head, line_head, lines_united, on_two_lines
from memfold.refine.merge.openings import REFERRING, known_until
from memfold.refine.merge.revision import revised_field, revised_text
from memfold.refine.text import clauses, content_words

_CATEGORY = re.compile(r"(?:【[^】]{0,200}】\s*)+")
_DEPENDENT = re.compile(r"^(?:because|which|who|while|although|weil|porque)\s", re.IGNORECASE)


def merged_text(first: str, second: str, *, timed: bool) -> str | None:
    """Both texts as one, `first` being the earlier where `timed`; None where one of them is empty.

    Texts of several lines, or with different speakers or headings, stand on lines of their own.
    """
    first, second = first.strip(), second.strip()
    if not first or not second:
        return None
    if first == second:
        return first
    if "\n" in first or "\n" in second:
        return lines_united(first, second, lambda one, two: _on_one_line(one, two, timed=timed))
    return _on_one_line(first, second, timed=timed)


def on_another_day(first: str, second: str, dated: Callable[[str], str]) -> str | None:
    """The first text, and on a line of its own what a later day brought, with that day before it; None where one is empty.

    One of the two alone, where it covers the other: the later one with its day. A category that both have is said once.

    :param dated: puts the day before a line.
    """
    first, second = first.strip(), second.strip()
    if not first or not second:
        return None
    several_lines = "\n" in first or "\n" in second
    head, one, two = ("", first, second) if several_lines else common_head(first, second)
    news = news_of(Clauses.of(one), two)
    if not news and (head or not line_head(second)):
        return first
    if several_lines:
        return merged_text(first, dated(second), timed=True)
    if not head and (line_head(first) or line_head(second)):
        return on_two_lines(first, dated(second))
    if not news_of(Clauses.of(two), one):
        return dated(second)
    return on_two_lines(first, dated(("" if _CATEGORY.fullmatch(head) else head) + chained(news)))


def revised(old: str, new: str) -> str | None:
    """The new text with what it replaces of the old one behind it, `(earlier: …)`; None where that does not fit."""
    old, new = old.strip(), new.strip()
    if not old or not new or "\n" in old or "\n" in new:
        return None
    if old == new:
        return new
    day, undated = without_day(new)
    head, one, two = common_head(old, undated)
    text = revised_field(head, one, two) or revised_text(one, two)
    return None if text is None else day + head + text


def concatenated(first: str, second: str) -> str:
    """The first text, then the sentences of the second that the first does not hold word for word."""
    seen = {normal_form(part) for part in clauses(first)}
    new = [part for part in clauses(second) if normal_form(part) not in seen and normal_form(part)]
    if not new:
        return first
    return first.rstrip() + gap(first) + "".join(new).strip()


def _on_one_line(first: str, second: str, *, timed: bool) -> str:
    """Two lines as one with the head that both have said once; as two lines where their heads differ."""
    head, one, two = common_head(first, second)
    if not head and (line_head(first) or line_head(second)):
        return on_two_lines(first, second)
    return head + without_separator(_united(one, two, timed))


def _united(first: str, second: str, timed: bool) -> str:
    """The weightier text and what the other brings that it does not cover; in the order of the two where `timed`."""
    one, two = ((content_words(text).total(), len(text)) for text in (first, second))
    second_is_base = two >= one if timed else (*two, second) > (*one, first)
    base, other = (second, first) if second_is_base else (first, second)
    held = Clauses.of(base)
    news = news_of(held, other)
    kept = "".join(held.parts).strip()
    if not news:
        return kept
    kept = without_known(kept, " ".join(news))
    refers = first_word(kept).lower() in REFERRING
    if (refers or (timed and second_is_base)) and _stands_alone(news[0], other):
        return _joined(chained(news), kept)
    return _joined(kept, chained(news))


def _stands_alone(sentence: str, text: str) -> bool:
    """Whether a sentence of the text can stand before all else: it refers to nothing and is no rest of a longer one."""
    before = text[: max(text.find(sentence), 0)].rstrip()
    return first_word(sentence).lower() not in REFERRING and not _DEPENDENT.match(sentence) and before[-1:] not in tuple("，、,;；")


def _joined(left: str, right: str) -> str:
    """The right text behind the left one, without its subject where it goes on about the subject of the sentence before it."""
    end = known_until(left, right)
    return added(left, right[end:], end_of=right) if end else chained([left, right])
