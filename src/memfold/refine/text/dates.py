"""Dates and clock times, absolute or told from the entry's own time."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import date, datetime

from memfold.refine.text.calendar import DOUBTFUL_MONTHS, MONTHS, NEARBY, SHORT_WEEKDAYS, WEEKDAYS
from memfold.refine.text.canvas import Canvas
from memfold.refine.text.pattern import IGNORECASE, Pattern
from memfold.refine.text.told import moved, on_weekday, take_told
from memfold.refine.text.units import SCALES, UNITS
from memfold.refine.text.value import Value, days_after, nearest

_WIDE = "\u3040"
_FIRST_LETTERS = "".join(sorted({name[0] for name in MONTHS}))
_NAMES = rf"(?=[{_FIRST_LETTERS}])(?:{'|'.join(sorted(MONTHS, key=len, reverse=True))})"
_YEAR = r"(?:19|20)\d\d"
_YEAR_OR_SHORT = rf"{_YEAR}|'\d\d"
_ISO = Pattern(rf"(?<![\d.-])(?P<y>{_YEAR})(?P<sep>[-/.])(?P<m>\d{{1,2}})(?P=sep)(?P<d>\d{{1,2}})(?![\d-])(?:T(?=\d\d:\d\d))?")
_YEAR_MONTH = Pattern(
    rf"(?<![\w.,/-])(?:(?P<y>{_YEAR})-(?P<m>0[1-9]|1[0-2])(?![\w/-]|\.\d)|(?P<m2>0?[1-9]|1[0-2])/(?P<y2>{_YEAR})(?![\w/-]|\.\d))"
)
_NUMERIC = Pattern(rf"(?<![\d./-])(?P<a>\d{{1,2}})(?P<sep>[./])(?P<b>\d{{1,2}})(?:(?P=sep)(?P<y>{_YEAR}|\d\d))?(?![\d/])(?!\.\d)")
_POINT = Pattern(r"\.(?<=\d\.)\d")
_WIDE_DATE = Pattern(
    rf"(?:(?P<y>{_YEAR})\s?[年년]\s?)?(?P<m>\d{{1,2}})\s?[月월](?:\s?(?P<d>\d{{1,2}})\s?[日号號일])?|(?P<only>{_YEAR})\s?[年년]"
)
_DAY_MONTH = Pattern(
    rf"(?<![\w.,:])(?P<d>\d{{1,2}})(?:st|nd|rd|th|er|º)?\.?,? ?(?:of |de |di )?(?P<m>{_NAMES})\.?(?!\w)"
    rf"(?:,? (?:de |of )?(?P<y>{_YEAR_OR_SHORT})(?!\w))?",
    IGNORECASE,
)
_MONTH_DAY = Pattern(
    rf"(?<!\w)(?P<m>{_NAMES})\.? (?:the )?(?P<d>\d{{1,2}})(?:st|nd|rd|th)?(?!\w|%|[:.,]\d)(?:,? (?P<y>{_YEAR})(?!\w))?", IGNORECASE
)
_MONTH_YEAR = Pattern(rf"(?<!\w)(?P<m>{_NAMES})\.?,? (?:of |de |del )?(?P<y>{_YEAR})(?!\w)", IGNORECASE)
_MONTH = Pattern(rf"(?<![\w'])(?P<m>{_NAMES})(?!\w|'(?!s\b))", IGNORECASE)
_TO = r" ?(?:-|–|—|to|bis|a|al|au|and|und|until|till) ?"
_DAYS_MONTH = Pattern(
    rf"(?<![\w.,:])(\d{{1,2}})(?:st|nd|rd|th|\.)?{_TO}(?=\d{{1,2}}(?:st|nd|rd|th)?\.? ?(?:of |de )?({_NAMES})(?!\w))", IGNORECASE
)
_MONTH_DAYS = Pattern(
    rf"(?<!\w)({_NAMES})\.? (\d{{1,2}})(?:st|nd|rd|th)?{_TO}(\d{{1,2}})(?:st|nd|rd|th)?(?!\w|%|[:.,/-]\d)(?:,? ({_YEAR})(?!\w))?",
    IGNORECASE,
)
_RANGE = Pattern(rf"\d(?:st|nd|rd|th|\.)?{_TO}\d", IGNORECASE)
_VIETNAMESE = Pattern(
    rf"(?:ngày )?(?P<d>\d{{1,2}}) tháng (?P<m>\d{{1,2}})(?: năm (?P<y>{_YEAR}))?(?!\w)"
    rf"|tháng (?P<only_m>\d{{1,2}})(?:(?: năm |/)(?P<only_y>{_YEAR}))?(?!\w)",
    IGNORECASE,
)
_YEAR_ALONE = Pattern(rf"(?<![\w.,$€£¥+-])(?<!\d )(?P<y>{_YEAR})(?![\w%]|[.,:]\d| ?[$€£¥°])")
_COUNTED = Pattern(r" ([^\W\d_]+)")
_COUNTABLE = frozenset("steps kcal calories people persons words pages units pieces times points items entries lines tokens".split())
_DECADE = Pattern(r"(?<!\w)(?:(?:19|20)\d|'?\d)0s(?!\w)")

_LONG_WEEKDAYS = "|".join(w for w in WEEKDAYS if w.isascii() and len(w) > 5)
_SPACED_WEEKDAYS = "|".join(sorted((w for w in WEEKDAYS if w < _WIDE), key=len, reverse=True))
_DAY_LETTERS = "".join(sorted({w[0] for w in WEEKDAYS if w < _WIDE}))
_NUMBER_OR_A = r"(?P<n>\d{1,4}|an?|one)"
_AGO = Pattern(
    rf"(?<![\w.]){_NUMBER_OR_A} (?P<unit>day|week|fortnight|month|year)s? (?:ago|earlier|back)\b"
    r"|\b(?:hace|vor|il y a|há) (?P<n2>\d{1,4}) (?P<unit2>[^\W\d_]+)",
    IGNORECASE,
)
_AHEAD = Pattern(
    rf"\bin {_NUMBER_OR_A} (?P<unit>day|week|month|year)s?(?:' time)?\b(?! of)"
    rf"|\b(?P<n2>\d{{1,4}}|an?|one) (?P<unit2>day|week|month|year)s? from now\b",
    IGNORECASE,
)
_STEP = Pattern(
    rf"\b(?P<which>last|next|this|past|coming|previous|nächste[nrs]?|letzte[nrs]?) "
    rf"(?P<unit>week(?:end)?|month|year|summer|winter|spring|autumn|fall|woche|monat|jahr|{_LONG_WEEKDAYS})\b",
    IGNORECASE,
)
_WEEKDAY = Pattern(
    rf"(?<!\w)(?=[{_DAY_LETTERS}])(?P<w>{_SPACED_WEEKDAYS})(?:s|en)?(?!\w)|(?P<wide>{'|'.join(w for w in WEEKDAYS if w >= _WIDE)})",
    IGNORECASE,
)
_STEPS = {"last": -1, "past": -1, "previous": -1, "next": 1, "coming": 1, "this": 0}
_OF_EACH = re.compile(r"\s+(?:of|in)\s+(?:the|every|each|a)\s+(?:week|month|quarter|term|semester|year)\b", IGNORECASE)
_EVER = re.compile(r",?\s+and\s+(?:every|each|always|forever)\b", IGNORECASE)
_SPAN_WORDS = {
    "tag": "day", "tage": "day", "tagen": "day", "woche": "week", "wochen": "week", "monat": "month", "monaten": "month", "jahr": "year",
    "jahren": "year", "día": "day", "días": "day", "semana": "week", "semanas": "week", "mes": "month", "meses": "month", "año": "year",
    "años": "year", "jour": "day", "jours": "day", "semaine": "week", "semaines": "week", "mois": "month", "an": "year", "ans": "year",
    "dia": "day", "dias": "day", "mês": "month", "ano": "year", "anos": "year",
}  # fmt: skip


_FEASTS = {
    "new year's eve": "12-31", "new year's day": "01-01", "christmas eve": "12-24", "christmas day": "12-25", "christmas": "12-25",
    "xmas": "12-25", "halloween": "10-31", "valentine's day": "02-14", "silvester": "12-31", "heiligabend": "12-24", "navidad": "12-25",
}  # fmt: skip
_FEAST = Pattern(rf"(?<!\w)(?:{'|'.join(_FEASTS)})(?!\w)(?:,? (?:of )?(?P<y>{_YEAR})(?!\w))?", IGNORECASE)


_FEAST_WORDS = frozenset(word for name in _FEASTS for word in re.findall(r"[^\W\d_]+", name)) - {"s", "day", "new", "year"} | {"eve"}
_MONTH_WORDS = frozenset(MONTHS)
_AGO_WORDS = frozenset({"ago", "earlier", "back", "hace", "vor", "il", "há"})
_AHEAD_WORDS = frozenset({"in", "now"})
_SPANS = frozenset({"day", "days", "week", "weeks", "month", "months", "year", "years"})
_STEP_WORDS = frozenset("last next this past coming previous nächste nächsten nächster nächstes letzte letzten letzter letztes".split())
_WEEKDAY_WORDS = frozenset(form for name in WEEKDAYS for word in name.split("-")[:1] for form in (word, f"{word}s", f"{word}en"))
_NEARBY_WORDS = {
    name: frozenset(max(re.findall(r"[^\W\d_]+", phrase), key=len) for phrase in days) for name, days in NEARBY.items()
}
"""The longest word of every phrase: where it is missing, so is the phrase."""


def take_dates(canvas: Canvas, language: str, when: datetime | None) -> None:
    """Take dates: written ones first, then those told from `when`, weekdays, and years."""
    day = when.date() if when else None
    if language == "vi":  # `ngày mai` is no May
        _take_nearby(canvas, language, day)
    months = not canvas.words.isdisjoint(_MONTH_WORDS)
    if canvas.has_digit:
        _take_written(canvas, language, day, months)
    if canvas.words & _FEAST_WORDS:
        canvas.take(_FEAST, lambda match: _feast(match, day))
    if months:
        canvas.take(_MONTH, lambda match: _month(match, language, day))
    _take_told(canvas, language, day)
    if canvas.wide or not canvas.words.isdisjoint(_WEEKDAY_WORDS):
        canvas.take(_WEEKDAY, _weekday)
    if canvas.has_digit:
        if "0s" in canvas.rest:
            canvas.take(_DECADE, lambda match: [Value("date", match[0][-3:], match[0])])
        if canvas.has_year:
            canvas.take(_YEAR_ALONE, _year)


def _take_written(canvas: Canvas, language: str, day: date | None, months: bool) -> None:
    """Take the dates that are written with digits."""

    def written(match: re.Match[str]) -> list[Value] | None:
        groups = match.groupdict()
        month = groups["m"]
        if month.lower() == "mei" and language == "en":
            return None
        if match.re.pattern == _MONTH_DAY.source and len(month) > 4 and match[0].startswith(f"{month}."):
            return None  # the end of one sentence and the beginning of the next
        return _date(groups.get("y"), month if month.isdigit() else MONTHS[month.lower()], groups.get("d"), match[0], day)

    if canvas.has_year:
        canvas.take(_ISO, written)
        if "-" in canvas.chars or "/" in canvas.chars:
            canvas.take(_YEAR_MONTH, lambda match: _date(match["y"] or match["y2"], match["m"] or match["m2"], None, match[0], day))
    if months:
        canvas.rest = _ranges_spelled(canvas.rest)
        for pattern in (_DAY_MONTH, _MONTH_DAY, _MONTH_YEAR):
            canvas.take(pattern, written)
    if "/" in canvas.rest or _POINT.search(canvas.rest):
        canvas.take(_NUMERIC, lambda match: _numeric(match, language, day))
    if canvas.wide:
        canvas.take(_WIDE_DATE, lambda match: _date(match["y"] or match["only"], match["m"], match["d"], match[0], day))
    if "tháng" in canvas.words:
        canvas.take(_VIETNAMESE, lambda m: _date(m["y"] or m["only_y"], m["m"] or m["only_m"], m["d"], m[0], day))


def _year(match: re.Match[str]) -> list[Value] | None:
    """A year, unless the number measures or counts what stands behind it (`1920 minutes`)."""
    following = _COUNTED.match(match.string, match.end())
    word = following[1] if following else ""
    return None if word in UNITS or word in SCALES or word in _COUNTABLE else [Value("date", match["y"], match[0])]


def _ranges_spelled(text: str) -> str:
    """`14-17 June` and `June 14 to 17` with the month beside both days."""
    if not _RANGE.search(text):
        return text
    text = _DAYS_MONTH.sub(lambda match: f"{match[1]} {match[2]} - ", text)
    return _MONTH_DAYS.sub(_both_days, text)


def _both_days(match: re.Match[str]) -> str:
    month, first, last, year = match.groups("")
    month = f"{month} {year}".rstrip()
    return f"{first} {month} - {last} {month}"


def _date(year: str | None, month: str | int | None, day: str | int | None, surface: str, when: date | None) -> list[Value] | None:
    """The date as a value; None where the calendar has no such day."""
    if month is None:
        return [Value("date", year or "", surface)] if year else None
    month, day = int(month), int(day) if day is not None else 0
    if year and len(year) < 4:
        year = f"20{year[-2:]}"
    if not 1 <= month <= 12 or day > 31 or (day == 0 and surface[:1].isdigit() and not year and surface[-1:] not in "月월"):
        return None
    if not day:
        near = _near_month(month, when) if when and not year else ""
        return [Value("date", f"{year or '-'}-{month:02d}", surface, near=near)]
    near = nearest(month, day, when) if when and not year else ""
    return [Value("date", f"{year or '-'}-{month:02d}-{day:02d}", surface, near=near)]


def _near_month(month: int, when: date) -> str:
    return nearest(month, 15, when)[:7]


def _feast(match: re.Match[str], when: date | None) -> list[Value] | None:
    name = match[0].lower() if not match["y"] else match[0][: match.start("y") - match.start()].lower().removesuffix("of ").rstrip(", ")
    month, _, day = _FEASTS[name].partition("-")
    return _date(match["y"], month, day, match[0], when)


def _numeric(match: re.Match[str], language: str, when: date | None) -> list[Value] | None:
    """`22/06/2024` and `4.3.` where only one reading is possible; in English `03/04/2024` keeps both."""
    first, second, year = int(match["a"]), int(match["b"]), match["y"]
    if match["sep"] == "." and not year and not match.string.startswith(".", match.end()):
        return None
    if not (1 <= first <= 31 and 1 <= second <= 31) or (first > 12 and second > 12):
        return None
    if match["sep"] == "." or first > 12 or first == second or (language != "en" and second <= 12):
        return _date(year, second, first, match[0], when)
    if second > 12:
        return _date(year, first, second, match[0], when)
    full = "-" if not year else year if len(year) == 4 else f"20{year}"
    return [Value("date", f"{full}-{first:02d}/{second:02d}", match[0])]


def _month(match: re.Match[str], language: str, when: date | None) -> list[Value] | None:
    word = match["m"]
    if language in ("en", "de") and not word[0].isupper():
        return None
    if word.lower() in DOUBTFUL_MONTHS and (match.start() < 2 or match.string[match.start() - 2] in ".!?:\n"):
        return None
    if word.lower() in ("jan", "mar"):
        return None
    return _date(None, MONTHS[word.lower()], None, word, when)


def _take_told(canvas: Canvas, language: str, day: date | None) -> None:
    """Dates told from the entry's day; without one the phrase itself is the value."""

    def told(reading: Callable[[re.Match[str], date], str | None]) -> Callable[[re.Match[str]], list[Value] | None]:
        def read(match: re.Match[str]) -> list[Value] | None:
            plain = " ".join(match[0].lower().split())
            canonical = f"{plain} of it" if _recurs(match) else reading(match, day) if day else plain
            return [Value("date", canonical, match[0])] if canonical else None

        return read

    words = canvas.words
    if words & _AGO_WORDS:
        canvas.take(_AGO, told(lambda match, today: _moved(match, today, -1)))
    if words & _AHEAD_WORDS and words & _SPANS:
        canvas.take(_AHEAD, lambda match: _ahead(match, day))
    if words & _STEP_WORDS:
        canvas.take(_STEP, told(_stepped))
    if language != "en":
        take_told(canvas, language, day)
        _take_nearby(canvas, language, day)
    _take_nearby(canvas, "en", day)


def _take_nearby(canvas: Canvas, name: str, day: date | None) -> None:
    """Take `yesterday`, `tomorrow` and the like of one language."""
    if canvas.wide or canvas.words & _NEARBY_WORDS[name]:
        canvas.take(_NEARBY[name], lambda match: _nearby(match, NEARBY[name], day))


def _ahead(match: re.Match[str], day: date | None) -> list[Value] | None:
    """`in two weeks` is a date to come or the time that something took: it stands for either."""
    written = match["n"] or match["n2"]
    count, unit = int(written) if written.isdigit() else 1, (match["unit"] or match["unit2"]).lower()
    base, factor = UNITS[unit]
    span = f"{count * factor} {base}"
    canonical = moved(day, count, unit) if day else None
    return [Value("date", canonical, match[0], near=span)] if canonical else [Value("quantity", span, match[0], near=str(count))]


def _nearby_pattern(language: str) -> Pattern:
    names = "|".join(sorted(NEARBY[language], key=len, reverse=True))
    return Pattern(names if language in ("zh", "ja", "ko") else rf"(?<![\w'])(?:{names})(?!\w)", IGNORECASE)


_NEARBY = {language: _nearby_pattern(language) for language in NEARBY}


def _nearby(match: re.Match[str], days: dict[str, int], day: date | None) -> list[Value] | None:
    word = match[0].lower()
    if _titled(match) or _EVER.match(match.string, match.end()):
        return None
    count = days[word]
    moved = days_after(day, count) if day else None
    return [Value("date", moved.isoformat() if moved else word, match[0], near="" if count else "weak")]


def _recurs(match: re.Match[str]) -> bool:
    """Whether the phrase is no day but one of every month: `the last Wednesday of the month`."""
    return _OF_EACH.match(match.string, match.end()) is not None


def _titled(match: re.Match[str]) -> bool:
    """Whether the phrase has a capital inside of a sentence: `Yesterday`, a song, and `The Day After Tomorrow`, a film."""
    before = match.string[: match.start()].rstrip()
    return match[0][0].isupper() and bool(before) and before[-1] not in ".!?:;\n\"“”'‘’(-–—•*" and match.string[match.start() - 1] != "\n"


def _moved(match: re.Match[str], day: date, sign: int) -> str | None:
    groups = match.groupdict()
    count = groups["n"] or groups.get("n2") or ""
    unit = (groups["unit"] or groups.get("unit2") or "").lower()
    unit = _SPAN_WORDS.get(unit, unit)
    number = sign * (int(count) if count.isdigit() else 1)
    if unit == "fortnight":
        return moved(day, 2 * number, "week")
    return moved(day, number, unit) if unit in ("day", "week", "month", "year") else None


def _stepped(match: re.Match[str], day: date) -> str | None:
    which, unit = match["which"].lower(), match["unit"].lower()
    step = _STEPS.get(which, -1 if which.startswith("l") else 1)
    unit = _SPAN_WORDS.get(unit, unit)
    if unit in WEEKDAYS:
        return on_weekday(day, WEEKDAYS[unit], step).isoformat()
    if unit in ("week", "weekend", "month", "year"):
        return moved(day, step, "week" if unit == "weekend" else unit)
    return f"{day.year + (step if step < 0 else 0)} {unit}"


def _weekday(match: re.Match[str]) -> list[Value] | None:
    word = (match["w"] or match["wide"]).lower()
    if word in SHORT_WEEKDAYS and not (match[0][0].isupper() and match[0][1:].islower()):
        return None
    return [Value("date", f"w{WEEKDAYS[word]}", match[0])]
