"""Written-out numbers to digits, so that the rest reads digits alone."""

from __future__ import annotations

import re

from memfold.refine.text.canvas import letters
from memfold.refine.text.elsewhere import spelled_elsewhere, spelled_wide, wide
from memfold.refine.text.lexicon import ORDINALS, SCALES, TENS, UNITS_OF_SPEECH
from memfold.refine.text.pattern import IGNORECASE, Pattern

_SPOKEN = UNITS_OF_SPEECH | TENS
_ONE = "|".join(sorted((*_SPOKEN, *SCALES, "dozen", "half"), key=len, reverse=True))
_ROW = Pattern(
    rf"(?<![\w-])(?<!\w')(?=[abdefhmnostz])(?:an? (?=(?:hundred|thousand|million|dozen)\b))?(?:{_ONE})(?:(?:-|"
    rf" (?:and )?(?:a )?)(?:{_ONE})(?![\w']))*(?![\w'])",
    IGNORECASE,
)
_TOKEN = Pattern(_ONE, IGNORECASE)
_COUNTED = Pattern(
    r"[ -](?:more |whole |full )?(?:second|minute|hour|day|week|month|year|dollar|euro|percent|kilo|gram|met(?:re|er)|lit(?:re|er)|"
    r"mile|am\b|pm\b|in the)",
    IGNORECASE,
)
_HALF_AN = Pattern(r"\bhalf an? (?=\w)", IGNORECASE)
_PAIR_BEFORE = Pattern(r"\b(?:you|us|them|of)\s$", IGNORECASE)
_PARTS = {"quarter": "25", "third": "33", "fifth": "20", "eighth": "12.5", "tenth": "10", "twentieth": "5"}
_PART = Pattern(rf"\b(?:an?|one) ({'|'.join(_PARTS)}) (?=(?:of|off)\b(?! an? (?:hour|kilo|litre|liter|mile)))", IGNORECASE)
_SEVERAL = {"two thirds": "67", "three quarters": "75", "two-thirds": "67", "three-quarters": "75"}
_PARTS_OF = Pattern(rf"\b(?:{'|'.join(_SEVERAL)}) (?=of\b(?! an hour))", IGNORECASE)
_TIMES_X = Pattern(r"(?<![\w.])(\d{1,3})x(?!\w)")
_ROW_WORDS = frozenset((*_SPOKEN, *SCALES, "dozen", "half"))
_VOCABULARY = _ROW_WORDS.union(ORDINALS, ("quarter", "quarters", "third", "thirds", "twice", "thrice"))
_X_TIMES = Pattern(r"\dx(?!\w)")
_TIMES = Pattern(r"\b(?:twice|thrice)\b", IGNORECASE)
_QUARTERS = Pattern(r"\b(?:([1-3]) |a )?quarters? of an hour\b", IGNORECASE)
_AND_A_HALF = Pattern(r"(?<![\w.])(\d{1,6}|an?)( [^\W\d_]{1,12})? and a half(?!\w)", IGNORECASE)
_ORDINAL_WORD = Pattern(
    rf"\b(?:(?:{'|'.join(TENS)})-(?:first|second|third|fourth|fifth|sixth|seventh|eighth|ninth)|{'|'.join(ORDINALS)})\b", re.IGNORECASE
)
_ORDINAL_WORDS = frozenset(ORDINALS).union(("first", "second"))
_UNITS_TH = {"first": 1, "second": 2} | {word: int(digits[:-2]) for word, digits in ORDINALS.items()}

_WIDE_ROW = Pattern(
    "(?<!\\d)[〇零一二两兩三四五六七八九十百千]{1,12}(?=[万萬億亿个個位人只隻本次点點時回つ年月日号號天周週星岁歲歳元円块公斤米度分秒小杯名件台匹階楼层室])|(?<=第)[二两三四五六七八九十百]{1,4}|[二三四五六七八九]?十[一二三四五六七八九]"
)


def spelled_out(text: str, language: str, words: frozenset[str] | None = None) -> str:
    """The text with its written-out numbers in digits: `twenty-five` -> `25`, `half a dozen` -> `6`, `eighth` -> `8th`, `三百` -> `300`.

    English in full; the languages of the word list to the hundreds or thousands; Chinese numerals before a counter. `one`
    stays a word unless it counts something (`one week`), and so do `first` and `second`.

    :param words: the text's runs of letters in lower case, where the caller has them; more than those do no harm.
    """
    given = text
    if not text.isascii() and ("½" in text or "¼" in text or "¾" in text):
        text = _FRACTION.sub(lambda match: f"{match[1] or '0'}{_FRACTIONS[match[2]]}", text)
    if "/" in text:
        text = _FRACTION_OF.sub(lambda match: f"{100 * int(match[1]) / int(match[2]):.0f} % ", text)
        text = _WRITTEN_FRACTION.sub(lambda match: f"{int(match[1]) / int(match[2]):.4g}", text)
    if language in ("zh", "ja"):
        text = spelled_wide(text, language)
        text = _WIDE_ROW.sub(_wide_digits, text)
    if words is None or text is not given:
        words = letters(text)
    if not words.isdisjoint(_VOCABULARY) or ("x" in words and _X_TIMES.search(text)):
        text = _spelled_in_english(text, words)
    return text if language == "en" else spelled_elsewhere(text, language, words)


def _spelled_in_english(text: str, words: frozenset[str]) -> str:
    """Each form in its turn, where the words that make it up are there."""
    if not words.isdisjoint(_PARTS):
        text = _PART.sub(lambda match: f"{_PARTS[match[1].lower()]} %", text)
    if "of" in words and not words.isdisjoint(("thirds", "quarters")):
        text = _PARTS_OF.sub(lambda match: f"{_SEVERAL[match[0].lower().strip()]} % ", text)
    if "x" in words:
        text = _TIMES_X.sub(r"\1 times", text)
    if not words.isdisjoint(("twice", "thrice")):
        text = _TIMES.sub(lambda match: f"{2 if match[0][1] in 'wW' else 3} times", text)
    if not words.isdisjoint(_ORDINAL_WORDS):
        text = _ORDINAL_WORD.sub(_ordinal, text)
    if not words.isdisjoint(_ROW_WORDS):
        text = _ROW.sub(_row, text)
    if not words.isdisjoint(("quarter", "quarters")):
        text = _QUARTERS.sub(lambda match: f"{15 * int(match[1] or 1)} minutes", text)
    if "half" in words:
        text = _HALF_AN.sub("0.5 ", text)
        text = _AND_A_HALF.sub(lambda match: f"{'1' if match[1].lower().startswith('a') else match[1]}.5{match[2] or ''}", text)
    return text


_FRACTIONS = {"½": ".5", "¼": ".25", "¾": ".75"}
_FRACTION = Pattern(r"(\d{1,4})? ?([½¼¾])")
_FRACTION_OF = Pattern(r"(?<![\d/.,])([12])/([34]) (?=of\b)")
_WRITTEN_FRACTION = Pattern(r"(?<![\d/.,])([1-3])/([248])(?= ?(?:l|lit(?:er|re)s?|cups?|tsp|tbsp|kg|hours?|h|miles?|inch(?:es)?|pints?)\b)")


def _ordinal(match: re.Match[str]) -> str:
    tens, _, unit = match[0].lower().rpartition("-")
    return f"{TENS.get(tens, 0) + _UNITS_TH[unit]}th"


def _row(match: re.Match[str]) -> str:
    words = [word.lower() for word in _TOKEN.findall(match[0])]
    if words == ["one"] and match.string.startswith(" day", match.end()):
        return match[0]
    if words == ["one"]:
        return "1" if _COUNTED.match(match.string, match.end()) else match[0]
    if words == ["two"] and _PAIR_BEFORE.search(match.string, max(0, match.start() - 6), match.start()):
        return match[0]
    if len(words) == 1 and words[0] not in _SPOKEN and not match[0].lower().startswith("a"):
        return match[0]
    if words[-1] == "half":
        return f"{_joined(words[:-1])}.5" if len(words) > 1 else match[0]
    return _joined(words)


def _joined(words: list[str]) -> str:
    """Digits of a row of number words; words that do not join to one number give several, parted by blanks."""
    out: list[int] = []
    total, part, last = 0, 0, 0
    dozen = 6 if words[0] == "half" else 12
    for word in words:
        if word == "dozen":
            part, last = (part or 1) * dozen, 100
        elif word == "hundred":
            part, last = (part or 1) * 100, 100
        elif word in SCALES:
            total, part, last = total + (part or 1) * SCALES[word], 0, 1000
        elif word != "half":
            number = _SPOKEN[word]
            if not (last == 0 or last >= 100 or (20 <= last <= 90 and number < 10)):
                out.append(total + part)
                total, part = 0, 0
            part, last = part + number, number
    return " ".join(str(number) for number in (*out, total + part))


def _wide_digits(match: re.Match[str]) -> str:
    following = match.string[match.end() : match.end() + 1]
    if match.string[match.start() - 1 : match.start()] == "第" and match[0] == "一":
        return match[0]
    is_word = (match[0] == "一" and following in "个個人只隻つ件些下样定起直点次") or (match[0] == "十" and following == "分")
    return match[0] if is_word else str(wide(match[0]))
