"""How pieces of text are put together: closing marks, semicolons, capitals, in scripts with and without spaces."""

from __future__ import annotations

import re

from memfold.refine.text import fold
from memfold.refine.text.language import language
from memfold.refine.text.lexicon import ENGLISH

_END = re.compile(r"[.!?…。！？؟।]+[\"')\]”’」』）]*\s*$")
_LOUD = re.compile(r"[!?！？؟][\"')\]”’」』）]*\s*$")
TRAILING = " \t\r\n.,;:。；，、…"
SPACELESS = re.compile(r"[぀-ヿ㐀-鿿豈-﫿฀-໿]")
CONJUNCTION = re.compile(r"^(?:and|but|so|though|then|und|aber|y|pero|et|mais|e|mas)\s+", re.IGNORECASE)
SHORT = 10
"""Words: up to this length two English sentences with one beginning are put together with `and`, longer ones with `;`."""
_TAIL = 60
"""Characters at the end of a text in which its closing mark is looked for."""


def _ending(text: str) -> re.Match[str] | None:
    """The closing mark of a text, with what follows it."""
    return _END.search(text, max(0, len(text) - _TAIL))


def is_loud(text: str) -> bool:
    """Whether the text ends in a question or exclamation mark."""
    return _LOUD.search(text, max(0, len(text) - _TAIL)) is not None


def closes(part: str) -> bool:
    """Whether a sentence or line ends with this clause."""
    return bool(_ending(part)) or "\n" in part


def after(sentence: str, rest: str, source: str, tight: bool) -> str:
    """The sentence with the rest of another that begins alike put behind it; the closing mark stays at the end."""
    body, mark = sentence.rstrip(), ""
    closing = _ending(sentence)
    if closing:
        body, mark = sentence[: closing.start()], closing[0]
    elif sentence != sentence.rstrip():
        mark = sentence[len(sentence.rstrip()) :]
    body, rest = body.rstrip(TRAILING), CONJUNCTION.sub("", rest.strip().rstrip(TRAILING).lstrip(TRAILING))
    if SPACELESS.search(sentence):
        return f"{body}；{rest}{mark}"
    short = not tight and max(len(body.split()), len(source.split())) <= SHORT and not re.search(r"[,;:(]", body + rest)
    return f"{body} and {rest}{mark}" if short and language(sentence) == "en" and _is_prose(sentence) else f"{body}; {rest}{mark}"


def _is_prose(sentence: str) -> bool:
    return any(word in ENGLISH for word in fold(sentence).lower().split()) and bool(_ending(sentence))


def chain(parts: list[str]) -> str:
    """Pieces one after the other, as sentences where they end as such, else with semicolons."""
    out = parts[0].strip()
    for part in parts[1:]:
        part = part.strip()
        if _ending(out):
            out = f"{out}{gap(out)}{_capital(part)}"
        elif _ending(part) and not SPACELESS.search(out):
            out = f"{out.rstrip(TRAILING)}. {_capital(part)}"
        elif SPACELESS.search(out):
            out = f"{out.rstrip(TRAILING)}；{part}"
        else:
            out = f"{out.rstrip(TRAILING)}; {part}"
    return out


def gap(text: str) -> str:
    """What stands between a sentence and the next: nothing behind wide marks, a line end in a text of lines, else a space."""
    return "" if text.rstrip()[-1:] in "。！？」』）" and text.strip() else "\n" if "\n" in text.strip() else " "


def _capital(text: str) -> str:
    """The text with its first letter as a capital, where its first word is plain lower-case letters."""
    word = first_word(text)
    return text[:1].upper() + text[1:] if word.isalpha() and word == word.lower() else text


def first_word(text: str) -> str:
    """The first word, without marks behind it; empty where there is none."""
    return text.split(None, 1)[0].rstrip(TRAILING) if text.strip() else ""


def finished(head: str, text: str) -> str:
    """Head and text with a capital where a sentence begins and one closing mark."""
    body = text.strip()
    if not head:
        body = _capital(body)
    if body[-1:].isalnum() or body[-1:] in ")）,;:，；：、":
        body = body.rstrip(",;:，；：、") + ("。" if SPACELESS.search(body[-20:]) else ".")
    return head + body


def normal_form(text: str) -> str:
    """The text without regard to case, blanks and marks at its ends."""
    return " ".join(fold(text).casefold().split()).strip(TRAILING + "!?！？")
