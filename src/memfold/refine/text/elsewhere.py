"""Numbers and amounts as languages other than English write them out, in digits."""

from __future__ import annotations

import re
from functools import lru_cache

from memfold.refine.text.lexicon import NUMBERS_ELSEWHERE, SCALES_ELSEWHERE
from memfold.refine.text.pattern import IGNORECASE, Pattern

_JOINED_BY = {"es": " y ", "pt": " e ", "fr": "[ -]et[ -]"}
_TEENS_TOO = frozenset({"fr"})
"""Languages in which a ten may be followed by a number up to nineteen (`soixante-douze`)."""
_GERMAN_UNITS: tuple[str, ...] = tuple("ein|zwei|drei|vier|fünf|sechs|sieben|acht|neun".split("|"))
_GERMAN_TENS: tuple[str, ...] = tuple("zwanzig dreißig vierzig fünfzig sechzig siebzig achtzig neunzig".split())
_GERMAN = Pattern(rf"(?<!\w)({'|'.join(_GERMAN_UNITS)})und({'|'.join(_GERMAN_TENS)})(?!\w)", IGNORECASE)

_PHRASES: dict[str, dict[str, str]] = {
    "es": {"media hora": "30 min", "por ciento": "%", "una docena de": "12", "media docena de": "6"},
    "pt": {"meia hora": "30 min", "por cento": "%", "uma dúzia de": "12", "meia dúzia de": "6"},
    "it": {"mezz'ora": "30 min", "per cento": "%", "una dozzina di": "12"},
    "fr": {"pour cent": "%", "une demi-heure": "30 min", "demi-heure": "30 min", "une douzaine de": "12", "une douzaine d'": "12 "},
    "de": {"eine halbe stunde": "30 min", "halbe stunde": "30 min", "anderthalb": "1.5", "eineinhalb": "1.5", "ein dutzend": "12"},
    "nl": {"half uur": "30 min", "anderhalf": "1.5", "een dozijn": "12"},
    "ru": {"полчаса": "30 минут", "полтора часа": "90 минут"},
    "vi": {"phần trăm": "%", "nửa tiếng": "30 phút", "nửa giờ": "30 phút"},
    "ar": {
        "نصف ساعة": "30 دقيقة", "بالمئة": "%", "بالمائة": "%", "في المئة": "%",
        "ساعتان": "2 ساعة", "ساعتين": "2 ساعة", "يومان": "2 يوم", "يومين": "2 يوم", 
        "أسبوعان": "2 أسبوع",
        "أسبوعين": "2 أسبوع", "شهران": "2 شهر", "شهرين": "2 شهر", "سنتان": "2 سنة", "سنتين": "2 سنة",
    },
}  # fmt: skip
_NO_POINT = Pattern(r"(?<![\d.,])(\d{1,3})((?:[ \u00a0\u202f]\d{3})+)(?![\d.]\d|\d)")

_HALF_WIDE, _HALF_YEAR = Pattern(r"半(?=个?小时|個?小時|天|時間)|半个?(?=个?月)"), Pattern(r"半年(?!级)")
_PER_CENT = Pattern(r"百分之([\d.]+|[〇零一二两三四五六七八九十百]{1,6})")
_ROW_OF = "[〇零一二两兩三四五六七八九十百千]"
_BIG = Pattern(rf"([\d.]{{1,6}}|{_ROW_OF}{{1,8}})[万萬]({_ROW_OF}{{1,8}}|(?:\d{{1,3}}千)?\d{{0,4}})(?![\d.])")
_ERA = Pattern(r"(令和|平成|昭和)(元|\d{1,2})年")
_ERAS = {"令和": 2018, "平成": 1988, "昭和": 1925}


def spelled_elsewhere(text: str, language: str, words: frozenset[str]) -> str:
    """The text with number words, half hours and dozens of its language in digits: `treinta y cinco` -> `35`.

    :param words: the text's runs of letters in lower case.
    """
    phrases = _PHRASES.get(language)
    if phrases and words & _phrase_words(language):
        text = _phrase_pattern(language).sub(lambda match: phrases[match[0].lower()], text)
    table = NUMBERS_ELSEWHERE.get(language, {})
    if language == "de" and any("und" in word for word in words):
        text = _GERMAN.sub(lambda match: str(_german(match)), text)
    if any(word in table for word in words):
        text = _row_pattern(language).sub(lambda match: _row(match[0].lower(), language), text)
    return _NO_POINT.sub(_without_blanks, text) if language in ("fr", "ru") else text


@lru_cache(maxsize=16)
def _phrase_words(language: str) -> frozenset[str]:
    """The first word of each phrase: a text without any of them holds none."""
    return frozenset(re.findall(r"[^\W\d_]+", phrase)[0] for phrase in _PHRASES[language])


@lru_cache(maxsize=16)
def _phrase_pattern(language: str) -> Pattern:
    return Pattern(rf"(?<!\w)(?:{'|'.join(sorted(_PHRASES[language], key=len, reverse=True))})(?:(?<=')|(?!\w))", IGNORECASE)


@lru_cache(maxsize=16)
def _row_pattern(language: str) -> Pattern:
    one = "|".join(sorted(NUMBERS_ELSEWHERE[language], key=len, reverse=True))
    more = "|".join(sorted((*NUMBERS_ELSEWHERE[language], *SCALES_ELSEWHERE.get(language, ())), key=len, reverse=True))
    joint = _JOINED_BY.get(language)
    return Pattern(rf"(?<![^\W_])(?:{one})(?:(?:[ -]{f'|{joint}' if joint else ''})(?:{more})(?![^\W_]))*(?![^\W_])", IGNORECASE)


def _row(row: str, language: str) -> str:
    """Digits of a row of number words; words that do not join to one number give several, parted by blanks."""
    table, scales = NUMBERS_ELSEWHERE[language], SCALES_ELSEWHERE.get(language, {})
    below = 20 if language in _TEENS_TOO else 10
    out: list[int] = []
    total, part, last = 0, 0, 0
    for word in _words_of(row, language):
        number = table.get(word, 0)
        scale = scales.get(word, number if number in (100, 1000) and part else 0)
        if scale:
            if scale == 1000:
                total, part = total + part * 1000, 0
            else:
                part *= scale
            last = scale
            continue
        if last and not (last >= 100 or (last % 10 == 0 and last >= 10 and number < below)):
            out.append(total + part)
            total, part = 0, 0
        part, last = part + number, number
    return " ".join(str(number) for number in (*out, total + part))


def _words_of(row: str, language: str) -> list[str]:
    known = sorted((*NUMBERS_ELSEWHERE[language], *SCALES_ELSEWHERE.get(language, ())), key=len, reverse=True)
    return re.findall(rf"(?<![^\W_])(?:{'|'.join(known)})(?![^\W_])", row)


def _german(match: re.Match[str]) -> int:
    return _GERMAN_UNITS.index(match[1].lower()) + 1 + 10 * (_GERMAN_TENS.index(match[2].lower()) + 2)


def _without_blanks(match: re.Match[str]) -> str:
    return match[1] + re.sub(r"\D", "", match[2])


def spelled_wide(text: str, language: str) -> str:
    """Halves, per cent, ten thousands and Japanese eras in digits: `百分之二十` -> `20%`, `一万五千` -> `15000`, `令和6年` -> `2024年`."""
    if "パーセント" in text:
        text = text.replace("パーセント", "%")
    if "半" in text:
        text = _HALF_YEAR.sub("6个月", _HALF_WIDE.sub("0.5", text))
    if "百分之" in text:
        text = _PER_CENT.sub(lambda match: f"{_number(match[1])}%", text)
    if "万" in text or "萬" in text:
        text = _BIG.sub(_big, text)
    if language == "ja":
        text = _ERA.sub(lambda match: f"{_ERAS[match[1]] + (1 if match[2] == '元' else int(match[2]))}年", text)
    return text


def _big(match: re.Match[str]) -> str:
    """Ten thousands with what follows; a lone `1.5万` stays, since the number's reader knows the scale."""
    above, below = match[1], match[2]
    if not below:
        return match[0] if above[0].isdigit() else f"{_number(above)}0000"
    if "." in above:
        return match[0]
    thousands, mark, rest = below.partition("千")
    if mark and thousands.isdigit():
        return str(int(above) * 10_000 + int(thousands) * 1000 + int(rest or 0)) if above.isdigit() else match[0]
    return str(int(_number(above)) * 10_000 + int(_number(below)))


def _number(row: str) -> str:
    return row if row[0].isdigit() else str(wide(row))


_WIDE_DIGITS = {
    char: number for number, chars in enumerate(("〇零", "一", "二两兩", "三", "四", "五", "六", "七", "八", "九")) for char in chars
}
_WIDE_SCALES = {"十": 10, "百": 100, "千": 1000}


def wide(row: str) -> int:
    """The number that a row of Chinese numerals writes, by place (`二〇二四`) or by scale (`三百二十`)."""
    if not any(char in _WIDE_SCALES for char in row):
        return int("".join(str(_WIDE_DIGITS[char]) for char in row))
    total, digit = 0, 0
    for char in row:
        if char in _WIDE_SCALES:
            total, digit = total + (digit or 1) * _WIDE_SCALES[char], 0
        else:
            digit = _WIDE_DIGITS[char]
    return total + digit
