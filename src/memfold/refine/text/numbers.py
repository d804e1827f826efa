"""Numbers: written out or in digits, bare, counted or measured, in one form."""

from __future__ import annotations

import re
from datetime import date
from decimal import Decimal

from memfold.refine.text.canvas import Canvas
from memfold.refine.text.lexicon import ENGLISH
from memfold.refine.text.pattern import IGNORECASE, MULTILINE, Pattern
from memfold.refine.text.units import SCALES, UNITS, WIDE_UNITS
from memfold.refine.text.value import Value, nearest_day
from memfold.refine.text.words import stem

_DIGITS = 24
"""A longer row of digits is an identifier: it is kept to the letter."""

_MORE = r"\d*+(?:[.,'_\u00a0\u202f]\d++)*+(?:[eE][-+]?\d{1,2}(?![\w.]))?"
_NUMBER = rf"\d{_MORE}"
_MONEY = r"(?P<money>R\$|Rs\.?|[$€£¥₹₩₦₽₺₫]|(?:USD|EUR|GBP|JPY|NGN|CHF|INR|CNY|KRW|SEK|NOK|DKK|PLN|BRL|RUB)(?=[ \d])) ?"
_NO_WORD = r"A-Za-z\u00c0-\u024f\u0400-\u04ff_\d"
_FOUND = Pattern(
    rf"(?=[\d$€£¥₹₩₦₽₺₫BCDEGIJKNPRSU−-])(?:{_MONEY})?(?P<sign>(?<![^\s(\[:])[-−])?(?<![{_NO_WORD}])(?<!\d[.,])(?P<number>{_NUMBER})"
)
_PLAIN_FOUND = Pattern(rf"(?P<number>\d(?<![{_NO_WORD}]\d)(?<!\d[.,]\d){_MORE})(?P<money>(?!))?(?P<sign>(?!))?")
"""The same for a text without signs of money and minus: much faster, since it starts at a digit."""
_SIGNED = frozenset("-−$€£¥₹₩₦₽₺₫")
_MONEY_WORDS = frozenset("r rs usd eur gbp jpy ngn chf inr cny krw sek nok dkk pln brl rub".split())
_WORD_AFTER = Pattern(r"([ \u00a0\u202f-]?)(°[CF]|[A-Za-z]{1,20}(?=[\u3040-\ud7af])|[^\W\d_]{1,20}(?:/h(?!\w)|²)?|[%℃€$£¥₹₩₦₽₫])")
_UP_TO = Pattern(rf" ?(?:-|–|—|~|〜|to|bis|до|à|đến|到|至) ?(?:[$€£¥]?)({_NUMBER})")
_LETTERS = Pattern(r"[A-Za-z]{1,20}")


_ORDINAL = Pattern(r"(?<![\w.,])(\d{1,4})(?:st|nd|rd|th)(?!\w)", IGNORECASE)


_ORDINAL_ENDINGS = frozenset({"st", "nd", "rd", "th"})
_ORDINALS_ELSEWHERE = {
    language: Pattern(source, IGNORECASE)
    for languages, source in (
        ("fr", r"(?<![\w.,])(\d{1,4})(?:er|ère|re|ème|eme|e|è)(?!\w)"),
        ("es pt it", r"(?<![\w.,])(\d{1,4})\.?[ªº](?!\w)"),
        ("ru", r"(?<![\w.,])(\d{1,4})-(?:й|я|е|го|му|м|ом|ой|ую)(?!\w)"),
        ("zh ja", r"第(\d{1,4})(?![\d.])"),
    )
    for language in languages.split()
}
_UNIT_PHRASES = {
    "degrees celsius": "°C", "degrees c": "°C", "degrees fahrenheit": "°F", "degrees f": "°F", "square metres": "m²", "square meters": "m²",
    "square metre": "m²", "square meter": "m²", "sq m": "m²", "miles per hour": "mph", "miles an hour": "mph",
    "kilometres per hour": "km/h", "kilometers per hour": "km/h", "km per hour": "km/h", "٪": "%",
}  # fmt: skip
_UNIT_PHRASE = Pattern(rf"(?<=\d)([ -]?)({'|'.join(_UNIT_PHRASES)})(?!\w)", IGNORECASE)
_UNIT_PHRASE_WORDS = frozenset({"degrees", "square", "sq", "hour"})
_MARKER = Pattern(r"<3+(?!\w)|(?<![(\w.,:/-])\d{1,2}\)(?=\s)|^[ \t]*\d{1,2}\.(?=\s)", MULTILINE)
_A_SPAN = Pattern(r"\b(?:an?|one|per|each|every) (?P<unit>year|month|week|day|hour)\b", IGNORECASE)


def take_ordinals(canvas: Canvas, language: str, day: date | None) -> None:
    """Take `8th` and the like (`eighth` is spelled out before), and drop the numbers that only count the items of a list."""
    rest = canvas.rest
    if ")" in rest or "<3" in rest or "\n" in rest or rest.lstrip()[:1].isdigit():
        canvas.take(_MARKER, lambda match: [])
    if canvas.words & _ORDINAL_ENDINGS:
        canvas.take(_ORDINAL, lambda match: [Value("ordinal", match[1], match[0], near=nearest_day(int(match[1]), day) if day else "")])
    if language in _ORDINALS_ELSEWHERE:
        canvas.take(_ORDINALS_ELSEWHERE[language], lambda match: [Value("ordinal", match[1], match[0])])


_SPANS = Pattern(
    r"(?<![\w.,])(\d{1,3}) ?(h|hrs?|hours?|mins?|minutes?|m)(?: |, | and |)(\d{1,2}(?:\.\d{1,3})?) ?(mins?|minutes?|m|secs?|seconds?|"
    r"s)?(?![\w.,]\d|\w)",
    IGNORECASE,
)


_SPAN_UNIT = Pattern(r"\d ?[hm]", IGNORECASE)


def joined_spans(text: str) -> str:
    """`1 h 30 min` as one number of seconds, `5400 s`."""
    return _SPANS.sub(_joined_span, text) if _SPAN_UNIT.search(text) else text


def _joined_span(match: re.Match[str]) -> str:
    hours = match[2].lower().startswith("h")
    if match.start(3) > match.end(2) and not match[4]:
        return match[0]
    if (match[4] or "").lower().startswith("s") == hours and match[4] or (not match[4] and not (hours and match[0].endswith(match[3]))):
        return match[0]
    seconds = Decimal(match[1]) * (3600 if hours else 60) + Decimal(match[3]) * (60 if hours else 1)
    return f"{_shown(seconds)} s"


def take_spans(canvas: Canvas) -> None:
    """Take `a year`, `per month`: what they measure may stand elsewhere in digits, but nothing is lost with them."""
    if canvas.words & _SPAN_WORDS:
        canvas.take(_A_SPAN, _a_span)


_SPAN_WORDS = frozenset({"year", "month", "week", "day", "hour"})


def _a_span(match: re.Match[str]) -> list[Value]:
    base, factor = UNITS[match["unit"].lower()]
    return [Value("quantity", f"{_shown(factor)} {base}", match[0], near="weak")]


def joined_units(canvas: Canvas) -> None:
    """Units of several words as one: `30 degrees Celsius` as `30 °C`."""
    if canvas.words & _UNIT_PHRASE_WORDS or "٪" in canvas.chars:
        canvas.rest = _UNIT_PHRASE.sub(lambda match: f"{match[1]}{_UNIT_PHRASES[match[2].lower()]}", canvas.rest)


def take_numbers(canvas: Canvas, language: str) -> None:
    """Take every number that is not part of a word: with its unit or currency, else with what it counts."""
    plainly = canvas.chars.isdisjoint(_SIGNED) and canvas.words.isdisjoint(_MONEY_WORDS)
    canvas.take(_PLAIN_FOUND if plainly else _FOUND, lambda match: _read(match, language))


def _read(match: re.Match[str], language: str) -> list[Value] | None:
    scale, unit, noun = _tail(match.string, match.end())
    if not scale and not unit and _LETTERS.match(match.string, match.end()):
        return None
    upper = _UP_TO.match(match.string, match.end()) if not unit else None
    if upper is not None:
        scale_above, unit, noun = _tail(match.string, upper.end())
        scale = scale or scale_above
    digits = plain(match["number"], language)
    if len(digits) > _DIGITS:
        return [Value("code", digits, match[0])]
    if match["sign"]:
        digits = f"-{digits}"
    return [_value(digits, match["money"] or unit, scale, noun, match[0])]


def _value(digits: str, unit: str, scale: int, noun: str, surface: str) -> Value:
    amount = Decimal(digits) * scale if scale else Decimal(digits)
    bare = _shown(amount) if scale else digits
    if not unit:
        return Value("number", bare, surface, of=noun)
    base, factor = UNITS[unit]
    return Value("quantity", f"{_shown(amount * factor)} {base}", surface, near=bare)


def _shown(amount: Decimal) -> str:
    text = f"{amount:f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def _tail(text: str, at: int) -> tuple[int, str, str]:
    """Scale (0 for none), unit and counted noun behind a number that ends at `at`."""
    match = _WORD_AFTER.match(text, at)
    if match is None:
        return 0, "", ""
    word, joined = match[2], not match[1]
    if word[0] in SCALES and "\u3040" <= word[0]:
        unit = _unit(word[1:], joined=True)
        return SCALES[word[0]], unit, ""
    if word in SCALES and (
        joined or (word == "M" and text[match.end() : match.end() + 2][1:].islower()) or len(word) > 2 or word in ("bn", "mn")
    ):
        _, unit, noun = _tail(text, match.end() + (text[match.end() : match.end() + 1] == "."))
        return SCALES[word], unit, noun
    unit = _unit(word, joined)
    if unit:
        return 0, unit, ""
    return 0, "", "" if joined or word.lower() in ENGLISH else stem(word.lower())


def _unit(word: str, joined: bool) -> str:
    """The unit that the word is or, in scripts without spaces, begins with; a single letter is one only right behind its number."""
    if word in UNITS and (joined or len(word) > 1 or word in "mghlstVWABгмл€%$£¥円元원日天年分秒月"):
        return word
    if len(word) > 2 and word.lower() in UNITS:
        return word.lower()
    return next((word[:length] for length in (4, 3, 2, 1) if word[:length] in WIDE_UNITS), "")


_COMMA_THOUSANDS = Pattern(r"\d{1,2}(?:,\d\d)+,\d{3}|\d{1,3}(?:([,'_\u00a0\u202f])\d{3})(?:\1\d{3})*(?:\.\d+)?")
_POINT_THOUSANDS = Pattern(r"\d{1,3}(?:\.\d{3})+(?:,\d+)?")


def plain(written: str, language: str) -> str:
    """The digits of a number in the form `1234.5`, whatever parts its thousands and decimals.

    `1.200` is 1.2 in English and 1200 in the languages that write it so; `1,200` is always 1200; `3,5` is 3.5. Zeros at
    the end stay, as in a version (`3.10`).
    """
    if _POINT_THOUSANDS.fullmatch(written) and (written.count(".") > 1 or language not in ("en", "zh", "ja", "ko")):
        return written.replace(".", "").replace(",", ".")
    if _COMMA_THOUSANDS.fullmatch(written):
        return re.sub(r"[,'_\u00a0\u202f]", "", written)
    if "e" in written or "E" in written:
        return (
            f"{Decimal(written):f}"
            if re.fullmatch(r"[\d.]+[eE][-+]?\d+", written) and written.count(".") <= 1
            else re.sub(r"\D", "", written)
        )
    head, *rest = re.split(r"[.,'_\u00a0\u202f]", written)
    return f"{head}.{''.join(rest)}" if rest else head
