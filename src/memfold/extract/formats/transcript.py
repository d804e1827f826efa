"""A plain transcript: `Name: text`, a turn a line."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path

from memfold.errors import BadConversation
from memfold.extract.formats.messages import sittings
from memfold.extract.formats.reading import read_text
from memfold.hosts.times import parse_time
from memfold.types import Role, Session, Turn

_TURN = re.compile(
    r"\s{0,3}(?:[*_]{0,2})(?:\[(?P<stamp>[^\]\n]{4,40})\]\s*|(?P<bare>\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4}"
    r"[T,]? ?[\d:.]{0,12}(?: ?[AaPp]\.?[Mm]\.?)?(?:Z|[+-]\d\d:?\d\d)?)\s*(?:-|–)?\s+)?"
    r"(?P<name>[^\W\d_][^:：\n\[\]<>{}\"]{0,39}?)(?:[*_]{0,2})\s?[:：](?:[*_]{0,2})(?!//)(?:\s+|(?=[^\x00-\x7f])|$)(?P<text>.*)"
)
_RULE = re.compile(r"\s*(?:-{3,}|={3,}|\*{3,}|_{3,})\s*")
_STAMP = re.compile(r"[\s#*\[(]*(?P<time>[^\])*]{5,60}?)[\s\])*]*")
_WORDS = 4
_ROLES: dict[str, Role] = {"assistant": "assistant", "ai": "assistant", "bot": "assistant", "chatgpt": "assistant"}
_NOBODY = frozenset({"system", "tool"})


def transcript(path: Path) -> Iterator[Session]:
    """A plain transcript; a line without a name goes on with the turn before it, a line that is a time says when the session began.

    :raises BadConversation: the first line that says something has no name before it.
    """
    for n, (block, first) in enumerate(_blocks(read_text(path).splitlines()), start=1):
        yield from _sessions(block, first, path, n)


def _blocks(lines: list[str]) -> list[tuple[list[str], int]]:
    """The lines of each session and the number of the first: cut at rules where there are any, else at empty lines, unless every turn
    stands between empty lines.
    """
    ruled = any(_RULE.fullmatch(line) for line in lines)
    cut = [_RULE.fullmatch(line) is not None if ruled else not line.strip() for line in lines]
    blocks: list[tuple[list[str], int]] = []
    for n, line in enumerate(lines):
        if not blocks or (cut[n] and blocks[-1][0]):
            blocks.append(([], n + 1))
        if not cut[n]:
            blocks[-1][0].append(line)
    blocks = [(block, first + (first > 1)) for block, first in blocks if any(line.strip() for line in block)]
    several = any(sum(_turn(line) is not None for line in block) > 1 for block, _ in blocks)
    if ruled or several or len(blocks) < 2:
        return blocks
    return [(lines, 1)]


def _sessions(block: list[str], first: int, path: Path, number: int) -> list[Session]:
    began: datetime | None = None
    turns: list[tuple[str, datetime | None, list[str]]] = []
    for n, line in enumerate(block, start=first):
        found = _turn(line)
        if found is not None:
            turns.append((found[0], found[1], [found[2]]))
        elif not turns and line.strip():
            stamp = _STAMP.fullmatch(line)
            began = parse_time(stamp["time"].strip()) if stamp else None
            if began is None:
                told = "`Name: text` is expected, or a time, or --- between sessions"
                raise BadConversation(f"{path}, line {n}: {told}; found {line.strip()[:60]!r}")
        elif turns:
            turns[-1][2].append(line)
    said = (
        Turn(str(k), name, text, _ROLES.get(name.lower(), "user"), time)
        for k, (name, time, parts) in enumerate(turns, start=1)
        if (text := "\n".join(parts).strip()) and name.lower() not in _NOBODY
    )
    return sittings(list(said), f"{path.stem}-{number}", began)


def _turn(line: str) -> tuple[str, datetime | None, str] | None:
    """Who, when, what; None where the line begins with no name."""
    match = _TURN.match(line)
    if match is None or len(match["name"].split()) > _WORDS:
        return None
    stamp = match["stamp"] or match["bare"]
    return match["name"].strip().strip("*_ "), parse_time(stamp.strip(" ,-")) if stamp else None, match["text"].strip()
