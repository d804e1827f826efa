"""A guess at the language of a text, good enough to read its numbers and dates."""

from __future__ import annotations

from memfold.refine.text.canvas import letters
from memfold.refine.text.lexicon import ENGLISH, OTHER_LANGUAGES
from memfold.refine.text.pattern import Pattern

_KANA, _HAN, _HANGUL = Pattern("[\u3040-\u30ff]"), Pattern("[\u3400-\u9fff]"), Pattern("[\uac00-\ud7af]")
_CYRILLIC, _ARABIC = Pattern("[\u0400-\u04ff]"), Pattern("[\u0600-\u06ff]")
_LETTERS = (("äöüß", "de"), ("ñ¿¡", "es"), ("ãõ", "pt"), ("ạảấầẩẫậắằẳẵặẹẻẽếềểễệỉịọỏốồổỗộớờởỡợụủứừửữựỳỵỷỹđư", "vi"), ("çœ", "fr"))
_SINGLE = frozenset("àéèùçêôîäöüßãõñáíóúě")
_SAMPLE = 2000
_SPOKEN_WITH: dict[str, tuple[str, ...]] = {
    word: tuple(name for name, known in OTHER_LANGUAGES.items() if word in known) for known in OTHER_LANGUAGES.values() for word in known
}
"""Function word -> the languages that have it."""
_FOREIGN, _ENGLISH = frozenset(_SPOKEN_WITH), frozenset(word for word in ENGLISH if len(word) > 1)


def language(text: str, words: frozenset[str] | None = None) -> str:
    """`ja`, `zh`, `ko`, `ru` or `ar` by script, else the language whose function words are most frequent; `en` when in doubt: it takes two.

    Looks at the first 2,000 characters. A text of several languages counts as the one with the rarest script.

    :param words: the text's runs of letters in lower case, where the caller has them.
    """
    sample = text[:_SAMPLE]
    if not sample.isascii():
        for name, pattern in (("ja", _KANA), ("zh", _HAN), ("ko", _HANGUL), ("ru", _CYRILLIC), ("ar", _ARABIC)):
            if pattern.search(sample):
                return name
    if words is None or len(text) > _SAMPLE:
        words = letters(sample)
    if len(words & _FOREIGN) + (not sample.isascii()) <= max(1, len(words & _ENGLISH)):
        return "en"
    known = [word for word in words if len(word) > 1 or word in _SINGLE]
    scores = dict.fromkeys(OTHER_LANGUAGES, 0)
    for word in known:
        for name in _SPOKEN_WITH.get(word, ()):
            scores[name] += 1
    if not sample.isascii():
        for marks, name in _LETTERS:
            scores[name] += any(mark in sample for mark in marks)
    best = max(scores, key=lambda name: (scores[name], name))
    return best if scores[best] > 1 and scores[best] > sum(word in ENGLISH for word in known) else "en"
