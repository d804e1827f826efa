"""Text as the full-text index sees it: scripts without spaces are split into characters.

SQLite's `unicode61` takes a run of Chinese, Japanese, Thai … letters for one word; split into characters and asked
for as a phrase, any substring of such a run is found.
"""

from __future__ import annotations

import re

_SPACELESS = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uff66-\uff9d"
    "\U00020000-\U0003ffff"
)
_CHARACTER = re.compile(f"([{_SPACELESS}])")
_TERM = re.compile(rf"[{_SPACELESS}]+|(?:(?![{_SPACELESS}])\w)+")


def indexed(text: str) -> str:
    """The text to put into the index."""
    return _CHARACTER.sub(r" \1 ", _storable(text))


def terms(text: str) -> list[str]:
    """The words of a question as FTS5 phrases, each once; a run of a spaceless script is one phrase."""
    found = dict.fromkeys(_TERM.findall(_storable(text)))
    return ['"' + indexed(term).strip() + '"' for term in found]


def asked(text: str) -> list[str]:
    """What a question asks for by words, each once whatever its case, as `phrase` takes them.

    A run of a spaceless script is asked for by its pairs of neighbouring characters: the whole run would be found only where
    somebody wrote the very question.
    """
    found: dict[str, None] = {}
    for term in _TERM.findall(_storable(text).casefold()):
        pairs = [term[i : i + 2] for i in range(len(term) - 1)] if _CHARACTER.match(term) else []
        found |= dict.fromkeys(pairs or [term])
    return list(found)


def phrase(term: str) -> str:
    """A term in the words of FTS5."""
    return '"' + indexed(term).strip() + '"'


def _storable(text: str) -> str:
    """Without what SQLite's text cannot hold: NUL and lone surrogates."""
    return text.replace("\x00", " ").encode("utf-8", "replace").decode("utf-8")
