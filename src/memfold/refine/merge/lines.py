"""Texts of several lines, and what a line begins with: a day, a category, a list mark, a speaker, a heading."""

from __future__ import annotations

import re
from collections.abc import Callable

from memfold.refine.merge.covering import Clauses
from memfold.refine.merge.joints import normal_form
from memfold.refine.text import clauses, speaker

_HEAD_END = re.compile(r"[:：]\s+|[】\]]\s*|：")
_SINGLE_OPENS, _SINGLE_CLOSES = re.compile(r"(?:^|[\s(])['‘](?=\w)"), re.compile(r"(?<=[\w.!?…)])['’](?!\w)")
LIST_MARK = re.compile(r"\s*(?:[-*+•#]+|\d{1,3}[.)])\s")
_LABEL = re.compile(r"\s*(?:(?:\d{1,2} [A-Z][a-z]{2,4} \d{4}|\d{4}-\d\d-\d\d): )?(?:【[^】]{0,200}】\s*)*(?:(?:[-*+•#]+|\d{1,3}[.)])\s+)?")


def line_head(line: str) -> str:
    """The day, category, list mark and speaker or heading at the beginning of a line, as written; empty where there is none."""
    label = _LABEL.match(line)
    end = label.end() if label else 0
    said = speaker(line[end:])[1]
    return line[: len(line) - len(said)].strip()


def common_head(first: str, second: str) -> tuple[str, str, str]:
    """What both begin with up to a colon or bracket (a speaker, a heading), and the rests; the same speaker in two forms counts."""
    end = 0
    limit = min(len(first), len(second))
    same = next((i for i in range(limit) if first[i] != second[i]), limit)
    for match in _HEAD_END.finditer(first, 0, same):
        if not _quotes(first[: match.end()]):
            end = match.end()
    if end and first[end:].strip() and second[end:].strip():
        return first[:end], first[end:], second[end:]
    name, said = speaker(first)
    other_name, other_said = speaker(second)
    if name and name.casefold() == other_name.casefold() and said.strip() and other_said.strip():
        one, two = first[: len(first) - len(said)], second[: len(second) - len(other_said)]
        return min(one, two, key=lambda prefix: (len(prefix), prefix)), said, other_said
    return "", first, second


def _quotes(head: str) -> bool:
    """Whether a head ends within a quotation or brackets: `chose 'Plan B: a course'` has no head."""
    opened = sum(head.count(mark) for mark in "([{（“„«「『") > sum(head.count(mark) for mark in ")]}）”»」』")
    return opened or head.count('"') % 2 == 1 or (len(_SINGLE_OPENS.findall(head)) > len(_SINGLE_CLOSES.findall(head)))


def on_two_lines(first: str, second: str) -> str:
    """Each on a line of its own, or the one that covers the other. Two speakers never cover one another."""
    if not (speaker(first)[0] and speaker(second)[0]):
        if _covers(first, second):
            return first
        if _covers(second, first):
            return second
    return f"{first}\n{second}"


def lines_united(first: str, second: str, united: Callable[[str, str], str]) -> str:
    """The lines of the first text, then those of the second that the first does not hold.

    Items of a list are left out only where both lists have one heading. Where the second goes on with the speaker of the first's
    last line, the two lines become one by `united`.
    """
    one, two = ([line.rstrip() for line in text.split("\n") if line.strip()] for text in (first, second))
    mine, theirs = ({normal_form(line) for line in lines} for lines in (one, two))
    if theirs <= mine:
        return first
    if mine <= theirs:
        return second
    same_list = one[0] == two[0] or all(LIST_MARK.match(line) for line in (*one, *two))
    new = [line for line in two if normal_form(line) not in mine or (LIST_MARK.match(line) and not same_list)]
    head = line_head(one[-1])
    if head and head == line_head(new[0]) and not LIST_MARK.match(new[0]):
        new[0] = united(one[-1], new[0])
        one = one[:-1]
    return "\n".join([*one, *new])


def _covers(base: str, other: str) -> bool:
    held = Clauses.of(base)
    return all(held.covers(part) for part in clauses(other))
