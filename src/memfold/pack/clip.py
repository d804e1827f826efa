"""One text cut to fit, where otherwise nothing would be shown: at the end of a sentence, or of a word where no sentence fits."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

CUT = " […]"
"""What stands where a text was cut."""
_SENTENCE = re.compile(r"""[.!?…]+["')\]”’»]*(?=\s)|[。！？｡]+[」』”’）]*|(?=[\r\n\v\f\x1c-\x1e\x85\u2028\u2029])""")
_WORD = re.compile(r"(?<=\S)(?=\s)|(?<=[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uff00-\uffef、，])")


def clipped(text: str, fits: Callable[[str], bool]) -> str | None:
    """The longest beginning of `text`, with `CUT` behind it, that `fits`, as far as doubling and halving finds it; None where none does."""
    return _at(text, _ends(_SENTENCE, text), fits) or _at(text, _ends(_WORD, text), fits)


def _ends(pattern: re.Pattern[str], text: str) -> list[int]:
    return [end for match in pattern.finditer(text) if 0 < (end := match.end()) < len(text)]


def _at(text: str, ends: Sequence[int], fits: Callable[[str], bool]) -> str | None:
    """Doubling first, so that no try is much longer than what fits, however long the text is."""
    best: str | None = None
    low, high, step = 0, len(ends) + 1, 1
    while low + 1 < high:
        middle = min(low + step, high - 1) if high > len(ends) else (low + high) // 2
        tried = text[: ends[middle - 1]].rstrip() + CUT
        if fits(tried):
            best, low, step = tried, middle, step * 2
        else:
            high = middle
    return best
