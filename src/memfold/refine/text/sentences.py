"""Sentences and clauses of a text, in scripts with and without spaces."""

from __future__ import annotations

import re

from memfold.refine.text.pattern import IGNORECASE, Pattern

_ABBREVIATIONS = frozenset(
    """mr mrs ms dr prof st sr jr vs etc e.g i.e approx no fig dept inc ltd
    co acc incl excl ca resp avg jan feb mar apr jun jul aug sep sept oct nov dec""".split()
)
_BREAK = Pattern(
    r"(?<![.!?…])[.!?…]++[\"')\]”’]*+(?=\s|$)\s*"
    r"|[。！？；؟।]+[」』）”]*\s*"
    r"|;\s+|\n+\s*|\s[—–]\s|[，、،]\s*"
    r"|,\s+(?=(?:and|but|so|because|which|who|while|although|though|then|und|aber|weil|y|pero|porque|et|mais|e|mas)\s)",
    IGNORECASE,
)
_TRAILING = Pattern(r"(?:\.{2,}|…)[\"')\]”’]")
_LAST_WORD = Pattern(r"[^\s(\[]{1,12}$")


def clauses(text: str) -> list[str]:
    """The text cut into sentences and clauses, each with the separator and blanks that follow it.

    `"".join(clauses(text)) == text` always. Cuts after sentence ends (also `。！？؟।`), semicolons, line ends, dashes, the commas
    of scripts that use their own, and commas before a conjunction. Not after abbreviations, initials, quotations that trail off within
    a sentence, or inside numbers.
    """
    out: list[str] = []
    start = 0
    for match in _BREAK.finditer(text):
        if match.end() == start or (text[match.start()] in ".…" and (_abbreviated(text, match) or _trails_off(text, match))):
            continue
        out.append(text[start : match.end()])
        start = match.end()
    if start < len(text):
        out.append(text[start:])
    return out


_ASKS = Pattern(r"[?？؟][\"')\]!?”’」』）]*\s*$")


def asks(clause: str) -> bool:
    """Whether the clause ends in a question mark."""
    return _ASKS.search(clause, max(0, len(clause) - 20)) is not None


def _abbreviated(text: str, match: re.Match[str]) -> bool:
    if match.end() == len(text) or match[0].startswith(".."):
        return False
    last = _LAST_WORD.search(text, max(0, match.start() - 12), match.start())
    word = last[0].lower() if last else ""
    if word.isdigit():
        return _starts_line(text, match.start() - len(word))
    return word in _ABBREVIATIONS or (len(word) == 1 and word.isalpha() and word != "i")


def _trails_off(text: str, match: re.Match[str]) -> bool:
    """Whether the break is a quotation that trails off within its sentence: `the series 'Once upon...' on Fridays`."""
    return _TRAILING.match(match[0]) is not None and text[match.end() : match.end() + 1].islower()


def _starts_line(text: str, at: int) -> bool:
    """Whether only blanks stand between `at` and the start of its line (a list's number stays with its item)."""
    while at > 0 and text[at - 1] in " \t":
        at -= 1
    return at == 0 or text[at - 1] == "\n"


SPEAKER = Pattern(
    r"\s*(?:\[(?P<bracket>[^\]\n]{1,40})\]\s*:?\s*|(?:speaker\s+)?(?P<name>[^\W\d_][\w.'’ -]{0,39}?)\s*(?:says?|said|wrote)?\s?[:：]\s+)",
    IGNORECASE,
)


def speaker(text: str) -> tuple[str, str]:
    """Who says it, and what: `Ana: hello`, `Speaker Ana says : hello` and `[user] hello` give ("Ana", "hello") and the like.

    A text without such a prefix gives ("", text). At most three words make a speaker.
    """
    match = SPEAKER.match(text) if ":" in text or "：" in text or "[" in text else None
    if match is None:
        return "", text
    name = (match["bracket"] or match["name"]).strip()
    name = re.sub(r"^speaker\s+|\s+(?:says?|said|wrote)$", "", name, flags=re.IGNORECASE)
    if len(name.split()) > 3:
        return "", text
    return name, text[match.end() :]
