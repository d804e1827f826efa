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


def _storable(text: str) -> str:
    """Without what SQLite's text cannot hold: NUL and lone surrogates."""
    return text.replace("\x00", " ").encode("utf-8", "replace").decode("utf-8")
