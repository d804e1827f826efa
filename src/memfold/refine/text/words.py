"""Words of a text: folded, split where a script has no spaces, function words out, lightly stemmed, numbers canonical."""

from __future__ import annotations

import unicodedata
from collections import Counter
from functools import lru_cache

from memfold.refine.text.lexicon import ENGLISH, OTHER_LANGUAGES, TENS, UNITS_OF_SPEECH
from memfold.refine.text.pattern import Pattern

_FULLWIDTH = {code: code - 0xFEE0 for code in range(0xFF01, 0xFF5F)} | {0x3000: 0x20}
_QUOTES = {ord("’"): "'", ord("‘"): "'", ord("ʼ"): "'", ord("“"): '"', ord("”"): '"'}
_FOREIGN_DIGIT = Pattern(r"\d(?<![0-9])")
WORD = Pattern(r"\d+(?:[.,:]\d+)*(?:[^\W\d_]+)?|[^\W_]+(?:'[^\W_]+)*")


@lru_cache(maxsize=1 << 16)
def stem(word: str) -> str:
    """A light stem of a lower-case English word: plurals, `-ing`, `-ed`, `-ly` and possessives go.

    Stable rather than pretty: `studies`, `studied` and `studying` meet, the result need not be a word.
    """
    if word.endswith("'s"):
        word = word[:-2]
    word = word.rstrip("'")
    if len(word) <= 3 or not word.isascii():
        return word
    for ending, instead, least in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= least:
            word = word[: len(word) - len(ending)] + instead
            break
    if len(word) > 3 and word[-1] == word[-2] and word[-1] not in "aeiouls":
        word = word[:-1]
    return word[:-1] + "i" if len(word) > 3 and word[-1] == "y" else word.rstrip("e") or word if len(word) > 3 else word


_ENDINGS = (
    ("iness", "y", 2), ("ness", "", 3), ("ingly", "", 3), ("edly", "", 3), ("ies", "y", 2), ("ied", "y", 2), ("sses", "ss", 1),
    ("xes", "x", 2), ("ches", "ch", 2), ("shes", "sh", 2), ("ing", "", 3), ("ers", "er", 3), ("ed", "", 3), ("ly", "", 3), ("ss", "ss", 1),
    ("us", "us", 2), ("is", "is", 2), ("s", "", 3),
)  # fmt: skip


_ALL_STOPWORDS: frozenset[str] = ENGLISH.union(*OTHER_LANGUAGES.values())
_FOREIGN_STOPWORDS: frozenset[str] = _ALL_STOPWORDS - ENGLISH
_SAME = {
    stem(word): stem(row.split()[0])
    for row in """
    buy bought|go went gone|take took taken|get got gotten|give gave given|tell told|see saw seen|come came|find found|think thought|
    leave left|lose lost|win won|write wrote written|speak spoke spoken|break broke broken|drive drove driven|eat ate eaten|
    fall fell fallen|feel felt|grow grew grown|hold held|keep kept|know knew known|meet met|pay paid|run ran|sell sold|send sent|
    sleep slept|spend spent|teach taught|wear wore worn|build built|begin began begun|choose chose chosen|drink drank|fly flew flown|
    forget forgot|hear heard|lead led|lend lent|ride rode|rise rose|sing sang|steal stole|throw threw|wake woke|catch caught|
    bring brought|swim swam|stand stood|sit sat|die dead death|child children kid|mum mom mother|dad father|wife spouse|movie film|
    flat apartment|uni university|bike bicycle|photo picture pic|granny gran grandma grandmother|grandad grandpa grandfather|doc doctor
    """.split("|")
    for word in row.split()[1:]
}
"""Irregular forms and short names -> the word they belong to, both stemmed."""
_ARTICLES = frozenset({"a", "an", "the", "The"})
_NUMBER_WORDS = {word: str(n) for word, n in (UNITS_OF_SPEECH | TENS).items() if word != "one"}
_HIRAGANA = Pattern("[\u3041-\u309f]{2,}")
_GROUPED = Pattern(r"\d{1,3}(?:,\d{3})+(?:\.\d+)?")


def fold(text: str) -> str:
    """The text in one form of character: composed, full-width and curly forms as ASCII, every decimal digit as 0-9.

    Case is kept. Superscripts and fractions stay as they are, so that `10²` never becomes `102`.
    """
    if text.isascii():
        return text
    text = unicodedata.normalize("NFC", text).translate(_FULLWIDTH).translate(_QUOTES)
    return _FOREIGN_DIGIT.sub(lambda match: str(unicodedata.digit(match[0])), text)


def script(char: str) -> str:
    """Coarse script of a character: `latin`, `cyrillic`, `greek`, `arabic`, `han`, `hiragana`, `kana`, `hangul`, `spaceless` (Thai and
    its neighbours) or `other`.
    """
    code = ord(char)
    for name, low, high in _BLOCKS:
        if low <= code <= high:
            return name
    return "other"


_BLOCKS = (
    ("latin", 0x0000, 0x024F), ("greek", 0x0370, 0x03FF), ("cyrillic", 0x0400, 0x052F), ("arabic", 0x0600, 0x077F),
    ("spaceless", 0x0E00, 0x0EFF), ("spaceless", 0x1000, 0x109F), ("hangul", 0x1100, 0x11FF), ("spaceless", 0x1780, 0x17FF),
    ("latin", 0x1E00, 0x1EFF), ("hiragana", 0x3040, 0x309F), ("kana", 0x30A0, 0x30FF), ("han", 0x3400, 0x4DBF), ("han", 0x4E00, 0x9FFF),
    ("hangul", 0xAC00, 0xD7AF), ("han", 0xF900, 0xFAFF), ("kana", 0xFF66, 0xFF9D), ("han", 0x20000, 0x3FFFF),
)  # fmt: skip
_WIDE_FUNCTION = frozenset(
    "的了着过是在我你您他她它们这那哪有和与跟就也都还很太再又不没吗呢吧啊呀嘛被把给对从到向于之其而且但或及并以所为会能可要想得地个些什么怎哦嗯呐哈"
)
"""Characters of Chinese that only join others: they part words and are no content. Hiragana does the same in Japanese."""


def content_words(text: str) -> Counter[str]:
    """How often each content word stands in the text: function words out, stems for Latin letters, shortened forms for
    other alphabets, overlapping pairs of characters for Han and Thai script, whole runs for katakana, the first two syllables of words in
    hangul, and numbers in one form (`1,200`, `two` -> `1200`, `2`).
    """
    return Counter(content_list(text))


def content_list(text: str) -> list[str]:
    """The words of `content_words` in the order of the text."""
    lowered = fold(text).lower()
    found = WORD.findall(lowered)
    foreign = sum(map(_FOREIGN_STOPWORDS.__contains__, found)) > sum(map(ENGLISH.__contains__, found))
    stopwords = _ALL_STOPWORDS if foreign else ENGLISH
    out: list[str] = []
    for word in found:
        if word in stopwords:
            continue
        if word.isascii():
            out.append(_ascii_word(word))
        else:
            out.extend(_other_word(word))
    return out or [run[i : i + 2] for run in _HIRAGANA.findall(lowered) for i in range(len(run) - 1)]


def wording(text: str) -> list[str]:
    """All words of a text in order, as they stand but for case, punctuation and articles; number words as digits.

    A capital A stays: it may be a vitamin.
    """
    words = (word for word in WORD.findall(fold(text)) if word not in _ARTICLES)
    return [_NUMBER_WORDS.get(word.lower(), word.lower()) for word in words]


@lru_cache(maxsize=1 << 15)
def _ascii_word(word: str) -> str:
    if word[0].isdigit():
        return word.replace(",", "") if _GROUPED.fullmatch(word) else word
    if word in _NUMBER_WORDS:
        return _NUMBER_WORDS[word]
    return _SAME.get(stem(word), stem(word))


def _other_word(word: str) -> list[str]:
    """A word with characters beyond ASCII: pieces by script, each cut as its script needs."""
    out: list[str] = []
    run, kind = "", ""
    for char in (*word, ""):
        now = "" if not char or char in _WIDE_FUNCTION else script(char)
        if now and now == kind:
            run += char
            continue
        out.extend(_pieces(run, kind))
        run, kind = (char, now) if now else ("", "")
    return out


def _pieces(run: str, kind: str) -> list[str]:
    if not run:
        return []
    if kind in ("han", "spaceless"):
        return [run[i : i + 2] for i in range(len(run) - 1)] or [run]
    if kind == "hangul":
        return [run[:2]]
    if kind == "hiragana" or run == "ー":
        return []
    if kind == "latin":
        plain = unaccented(run)
        return [] if plain in ENGLISH else [stem(plain)]
    if kind == "arabic":
        run = run.removeprefix("و") if len(run) > 4 else run
        run = run.removeprefix("ال") if len(run) > 4 else run
    return [run[:5]]


def unaccented(word: str) -> str:
    """Latin letters without accents: `joaquín` -> `joaquin`, `bảo` -> `bao`."""
    parts = unicodedata.normalize("NFD", word)
    return "".join(char for char in parts if not "\u0300" <= char <= "\u036f").translate(_PLAIN_LETTERS)


_PLAIN_LETTERS = str.maketrans({"đ": "d", "ø": "o", "ł": "l", "ß": "ss", "æ": "ae", "œ": "oe"})
