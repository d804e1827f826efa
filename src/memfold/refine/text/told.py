"""Dates told from the entry's own day, in languages other than English: last year, three days ago, next Friday."""

from __future__ import annotations

import re
from datetime import date, timedelta
from functools import lru_cache

from memfold.refine.text.calendar import STEPS, WEEKDAYS
from memfold.refine.text.canvas import Canvas
from memfold.refine.text.pattern import IGNORECASE, Pattern
from memfold.refine.text.value import Value, days_after, week_of

_UNITS = {
    name: unit
    for unit, names in {
        "day": """day days tag tage tagen día días jour jours dia dias giorno giorni dag dagen день дня дней 天 日 일 يوم أيام ngày""",
        "week": """week weeks woche wochen semana semanas semaine semaines settimana settimane weken неделю недели недель 周 星期 个星期
            週間 주 أسبوع أسابيع tuần""",
        "month": """month months monat monate monaten mes meses mois mês mese mesi maand maanden месяц месяца месяцев
            个月 か月 ヶ月 カ月 개월
            شهر أشهر tháng""",
        "year": """year years jahr jahre jahren año años an ans ano anos anno anni jaar год года лет 年 년 سنة سنوات năm""",
    }.items()
    for name in names.split()
}
"""What a span of time is called, as written in lower case."""
_WIDE = ("zh", "ja", "ko")
_WIDE_UNITS = "|".join(sorted((name for name in _UNITS if "\u3040" <= name[0] <= "\ud7af"), key=len, reverse=True))
_SPACED = "|".join(sorted((name for name in _UNITS if name[0] < "\u3040"), key=len, reverse=True))
_AGO = {
    name: Pattern(source, IGNORECASE)
    for name, source in {
        "wide": rf"(?P<n>\d{{1,4}})\s?(?P<unit>{_WIDE_UNITS})\s?(?:之?前|전)(?!半)",
        "it": rf"(?P<n>\d{{1,4}}) (?P<unit>{_SPACED}) fa(?!\w)",
        "nl": rf"(?P<n>\d{{1,4}}) (?P<unit>{_SPACED}) geleden(?!\w)",
        "ru": rf"(?P<n>\d{{1,4}}) (?P<unit>{_SPACED}) назад(?!\w)",
        "vi": rf"(?P<n>\d{{1,4}}) (?P<unit>{_SPACED}) trước(?!\w)",
        "ar": rf"(?:قبل|منذ) (?P<n>\d{{1,4}}) (?P<unit>{_SPACED})(?!\w)",
    }.items()
}
_WEEK_OF_DAY = Pattern(
    r"(?P<step>上|下|这|這|本)个?(?:周|星期|礼拜|週)(?P<day>[一二三四五六日天])|(?P<jstep>先|来|今)週の?(?P<jday>[月火水木金土日])曜"
)
_CHINESE_DAYS, _JAPANESE_DAYS = "一二三四五六日", "月火水木金土日"
_WEEK_STEPS = {"上": -1, "先": -1, "下": 1, "来": 1}
_ROMANCE_DAYS = "|".join(sorted((name for name in WEEKDAYS if name < "\u0400"), key=len, reverse=True))
_PAST_WORDS = "dernier|passé|pasado|passad[oa]|scors[oa]"
_COMING_WORDS = "prochain|próxim[oa]|prossim[oa]|que viene|que vem"
_ROMANCE = Pattern(
    rf"(?<!\w)(?:(?P<before>{_PAST_WORDS}|{_COMING_WORDS}) (?P<late>{_ROMANCE_DAYS})|(?P<day>{_ROMANCE_DAYS}) "
    rf"(?P<after>{_PAST_WORDS}|{_COMING_WORDS}))(?!\w)",
    IGNORECASE,
)
_RUSSIAN = Pattern(
    r"(?<!\w)(?P<step>прошл|следующ)(?:ый|ую|ее|ий) (?P<day>понедельник|вторник|среду|четверг|пятницу|субботу|воскресенье)(?!\w)",
    IGNORECASE,
)
_VIETNAMESE_DAY = Pattern(r"(?<!lần )(?<!\w)(?:thứ (?P<n>[2-7]|tư)|(?P<sunday>chủ nhật))(?!\w)", IGNORECASE)


def take_told(canvas: Canvas, language: str, day: date | None) -> None:
    """Take what is told from the entry's day in a language other than English; without a day the phrase itself is the value."""
    if language == "vi":
        canvas.take(_VIETNAMESE_DAY, _vietnamese_day)
    ago = _AGO.get("wide" if language in _WIDE else language)
    if ago is not None and canvas.has_digit:
        canvas.take(ago, lambda match: _ago(match, day))
    if language in ("zh", "ja"):
        canvas.take(_WEEK_OF_DAY, lambda match: _week_of_day(match, day))
    elif language in ("es", "fr", "pt", "it"):
        canvas.take(_ROMANCE, lambda match: _romance(match, day))
    elif language == "ru":
        canvas.take(_RUSSIAN, lambda match: _stepped_day(match["day"], -1 if match["step"].lower() == "прошл" else 1, day, match[0]))
    if language in STEPS:
        canvas.take(_steps(language), lambda match: _step(match, STEPS[language], day))


@lru_cache(maxsize=16)
def _steps(language: str) -> Pattern:
    phrases = "|".join(sorted(STEPS[language], key=len, reverse=True))
    return Pattern(phrases if language in _WIDE else rf"(?<!\w)(?:{phrases})(?!\w)", IGNORECASE)


def _step(match: re.Match[str], steps: dict[str, tuple[str, int]], day: date | None) -> list[Value] | None:
    phrase = match[0].lower()
    return _value(moved(day, steps[phrase][1], steps[phrase][0]) if day else phrase, match[0])


def _ago(match: re.Match[str], day: date | None) -> list[Value] | None:
    return _value(moved(day, -int(match["n"]), _UNITS[match["unit"].lower()]) if day else match[0].lower(), match[0])


def _week_of_day(match: re.Match[str], day: date | None) -> list[Value] | None:
    step = _WEEK_STEPS.get(match["step"] or match["jstep"], 0)
    number = _JAPANESE_DAYS.index(match["jday"]) if match["jday"] else _CHINESE_DAYS.index(match["day"].replace("天", "日"))
    if day is None:
        return _value(match[0], match[0])
    found = days_after(day, 7 * step + number + 1 - day.isoweekday())
    return _value(found.isoformat() if found else None, match[0])


def _romance(match: re.Match[str], day: date | None) -> list[Value] | None:
    side = (match["before"] or match["after"]).lower()
    return _stepped_day(
        (match["day"] or match["late"]).lower(), 1 if side.startswith(("proch", "próx", "pross", "que")) else -1, day, match[0]
    )


def _stepped_day(name: str, step: int, day: date | None, surface: str) -> list[Value] | None:
    return _value(on_weekday(day, WEEKDAYS[name.lower()], step).isoformat() if day else surface.lower(), surface)


def _vietnamese_day(match: re.Match[str]) -> list[Value]:
    number = 7 if match["sunday"] else 3 if match["n"] == "tư" else int(match["n"]) - 1
    return [Value("date", f"w{number}", match[0])]


def _value(canonical: str | None, surface: str) -> list[Value] | None:
    return [Value("date", canonical, surface)] if canonical else None


def on_weekday(day: date, weekday: int, step: int) -> date:
    """The last (`step` -1), this (0) or next (1) such weekday, told from `day`."""
    if step < 0:
        return day - timedelta(days=(day.isoweekday() - weekday) % 7 or 7)
    return day + timedelta(days=(weekday - day.isoweekday()) % 7 or (7 if step else 0))


def moved(day: date, count: int, unit: str) -> str | None:
    """The date, week, month or year that lies `count` units from `day`; None beyond the calendar."""
    if unit in ("day", "week"):
        found = days_after(day, count * (7 if unit == "week" else 1))
        return None if found is None else week_of(found) if unit == "week" else found.isoformat()
    months = day.year * 12 + day.month - 1 + count * (12 if unit == "year" else 1)
    if not 12 <= months < 120000:
        return None
    return f"{months // 12:04d}" if unit == "year" else f"{months // 12:04d}-{months % 12 + 1:02d}"
