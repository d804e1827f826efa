"""A guess at the language of a text, good enough to read its numbers and dates."""

from __future__ import annotations

from memfold.refine.text.lexicon import ENGLISH, OTHER_LANGUAGES
from memfold.refine.text.pattern import Pattern

_KANA, _HAN, _HANGUL = Pattern("[\u3040-\u30ff]"), Pattern("[\u3400-\u9fff]"), Pattern("[\uac00-\ud7af]")
_CYRILLIC, _ARABIC = Pattern("[\u0400-\u04ff]"), Pattern("[\u0600-\u06ff]")
_LETTERS = (("äöüß", "de"), ("ñ¿¡", "es"), ("ãõ", "pt"), ("ạảấầẩẫậắằẳẵặẹẻẽếềểễệỉịọỏốồổỗộớờởỡợụủứừửữựỳỵỷỹđư", "vi"), ("çœ", "fr"))
_WORD = Pattern(r"[^\W\d_]{2,}|[àéèùçêôîäöüßãõñáíóúě]")
_SAMPLE = 2000


def language(text: str) -> str:
    """`ja`, `zh`, `ko`, `ru` or `ar` by script, else the language whose function words are most frequent; `en` when in doubt: it takes two.

    Looks at the first 2,000 characters. A text of several languages counts as the one with the rarest script.
    """
    sample = text[:_SAMPLE]
    if not sample.isascii():
        for name, pattern in (("ja", _KANA), ("zh", _HAN), ("ko", _HANGUL), ("ru", _CYRILLIC), ("ar", _ARABIC)):
            if pattern.search(sample):
                return name
    words = frozenset(_WORD.findall(sample.lower()))
    scores = {name: len(words & known) for name, known in OTHER_LANGUAGES.items()}
    if not sample.isascii():
        for letters, name in _LETTERS:
            scores[name] += any(letter in sample for letter in letters)
    best = max(scores, key=lambda name: (scores[name], name))
    return best if scores[best] > max(1, len(words & ENGLISH)) else "en"
