"""Clock times in one form, `15:00`."""

from __future__ import annotations

import re

from memfold.refine.text.canvas import Canvas
from memfold.refine.text.pattern import IGNORECASE, Pattern
from memfold.refine.text.value import Value

_HALF_OF_DAY = (
    r"(?P<half>a\.?m\.?(?!\w)|p\.?m\.?(?!\w)|in the (?:morning|afternoon|evening)|at night"
    r"|o'?clock(?: in the (?P<part>morning|afternoon|evening))?)"
)
_WITH_HALF = Pattern(rf"(?<![\w.,:])(?P<h>\d{{1,2}})(?:[:. ](?P<m>[0-5]\d))? ?{_HALF_OF_DAY}", IGNORECASE)
_CLOCK = Pattern(r"(?<![\d:.,/-])(?P<h>[01]?\d|2[0-4]):(?P<m>[0-5]\d)(?::00)?(?!\d|:\d)(?: ?(?:uhr|h\b))?", IGNORECASE)
_COLON = Pattern(r":(?<=\d:)\d")
_AT_H = Pattern(r"(?<=\bat )([01]?\d|2[0-4]) ?h(?!\w)")
_SPAN = Pattern(
    r"(?<![\d:.,/-])(?:(?P<h>\d{1,2}):(?P<m>[0-5]\d):(?P<s>[0-5]\d(?:\.\d{1,6})?)|(?P<m2>2[5-9]|[3-9]\d):(?P<s2>[0-5]\d))(?!\d|:\d)"
)
_UHR = Pattern(
    r"(?<![\w.,:])(?P<h>[01]?\d|2[0-4])(?:[.:h](?P<m>[0-5]\d))? ?(?:uhr|h(?=[\s,.;]|$)|heures?(?! de))(?!\w)"
    r"|(?<![\w.,:])(?P<h2>[01]?\d|2[0-4])h(?P<m2>[0-5]\d)(?!\w)",
    IGNORECASE,
)
_PAST = Pattern(
    r"\b(?P<what>half|quarter|(?:5|10|20|25)(?= past)) (?P<side>past|to) (?P<h>\d{1,2})(?!\w)"
    r"(?: ?(?P<late>a\.?m\b|p\.?m\b|in the (?:morning|afternoon|evening)))?",
    IGNORECASE,
)
_NAMED: dict[str, str] = {
    name: time
    for time, names in {
        "12:00": "noon midday mediodía mezzogiorno полдень",
        "00:00": "midnight mitternacht medianoche minuit mezzanotte полночь",
    }.items()
    for name in names.split()
}
_WORD = Pattern(rf"\b(?:{'|'.join(_NAMED)})\b", IGNORECASE)
_MIDI = Pattern(r"\b(?<!après-)(?<!après )midi\b", IGNORECASE)
_HALVES_ELSEWHERE: dict[str, bool] = {
    name: late
    for late, names in {
        False: "de la mañana|de la madrugada|da manhã|du matin|del mattino|di mattina|morgens|vormittags|утра|ночи|sáng|صباحا|صباحاً",
        True: "de la tarde|de la noche|da tarde|da noite|de l'après-midi|du soir|del pomeriggio|di sera|nachmittags|abends|дня|вечера|"
        "chiều|tối|مساء|مساءً",
    }.items()
    for name in names.split("|")
}
_HALF_WORDS = frozenset(
    """mañana madrugada manhã matin mattino mattina morgens vormittags утра ночи sáng صباحا صباحاً tarde noche noite après soir pomeriggio
    sera nachmittags abends дня вечера chiều tối مساء مساءً""".split()
)
_ELSEWHERE = Pattern(
    r"(?<![\w.,:])(?P<h>\d{1,2})(?:[:.h](?P<m>[0-5]\d))?(?: ?(?P<hours>h|uhr|heures?|horas?|часа?|часов|giờ)(?: (?P<m2>[0-5]?\d) phút)?)?"
    rf" (?P<half>{'|'.join(sorted(_HALVES_ELSEWHERE, key=len, reverse=True))})(?!\w)",
    IGNORECASE,
)
_GERMAN = Pattern(r"\b(?:(?P<half>halb)|viertel (?P<side>nach|vor)) (?P<h>\d{1,2})(?!\w)", IGNORECASE)
_RUSSIAN = Pattern(r"(?<=\bв )(?P<h>[01]?\d|2[0-3])\.(?P<m>[0-5]\d)(?![\d.])", IGNORECASE)
_VIETNAMESE = Pattern(r"(?<![\w.,:])(?P<h>[01]?\d|2[0-4]) giờ(?: (?P<m>[0-5]\d)(?: phút)?)?(?!\w)", IGNORECASE)
_LATE_H = Pattern(r"(?<![\w.,:])(1[3-9]|2[0-3])h([0-5]\d)(?!\w)")
_FROM = Pattern(
    r"(?<![\w.,:/$€£-])(?P<h>\d{1,2})(?::(?P<m>[0-5]\d))? ?(?:-|–|—|to|until|till) ?"
    r"(?=(?P<h2>\d{1,2})(?:[:.][0-5]\d)? ?(?P<half>[ap])\.?m\b)",
    IGNORECASE,
)
_WIDE = Pattern(
    r"(?P<half>上午|下午|早上|晚上|凌晨|午前|午後|오전|오후|밤)?\s?(?P<h>\d{1,2})\s?[点點時时시](?!間|间|간)(?:\s?(?P<m>[0-5]?\d)\s?[分분]|(?P<thirty>半|반))?"
)
_WORDS = frozenset(_NAMED)
_DAY_WORDS = frozenset({"am", "pm", "morning", "afternoon", "evening", "night", "clock", "oclock"})
_LATE = ("p", "in the afternoon", "in the evening", "at night", "下午", "晚上", "午後", "오후", "밤")


def take_times(canvas: Canvas, language: str) -> None:
    """Take clock times. A time that nothing marks as morning or afternoon is `near="loose"`."""
    if canvas.words & _WORDS:
        canvas.take(_WORD, lambda match: [Value("time", _NAMED[match[0].lower()], match[0])])
    if language == "fr" and "midi" in canvas.words:
        canvas.take(_MIDI, lambda match: [Value("time", "12:00", match[0])])
    if not canvas.has_digit:
        return
    if canvas.words & {"half", "quarter", "past"}:
        canvas.take(_PAST, _past)
    if canvas.words & _DAY_WORDS or ("m" in canvas.words and canvas.words & {"a", "p"}):
        canvas.take(_FROM, _from)
        canvas.take(_WITH_HALF, _with_half)
    if language != "en":
        _take_elsewhere(canvas, language)
    if language in ("de", "fr", "es", "pt", "it", "nl", "vi") or "uhr" in canvas.words:
        canvas.take(_UHR, lambda match: _time(match["h"] or match["h2"], match["m"] or match["m2"], match[0]))
    if "h" in canvas.words:
        canvas.take(_AT_H, lambda match: _time(match[1], None, match[0]))
        canvas.take(_LATE_H, lambda match: _time(match[1], match[2], match[0]))
    if ":" in canvas.chars and _COLON.search(canvas.rest):
        canvas.take(_SPAN, _span)
        canvas.take(_CLOCK, _clock)
    if canvas.wide:
        canvas.take(_WIDE, _wide)


def _take_elsewhere(canvas: Canvas, language: str) -> None:
    """Take times in the words of other languages: `3 de la tarde`, `halb 4`, `15 giờ 30`."""
    if canvas.words & _HALF_WORDS:
        canvas.take(_ELSEWHERE, _elsewhere)
    if language == "de" and canvas.words & {"halb", "viertel"}:
        canvas.take(_GERMAN, _german)
    if language == "ru":
        canvas.take(_RUSSIAN, lambda match: _time(match["h"], match["m"], match[0]))
    if language == "vi" and "giờ" in canvas.words:
        canvas.take(_VIETNAMESE, lambda match: _time(match["h"], match["m"], match[0], loose=int(match["h"]) <= 12))


def _elsewhere(match: re.Match[str]) -> list[Value] | None:
    half = match["half"].lower()
    if half == "дня" and not match["hours"]:
        return None  # three days
    return _time(match["h"], match["m"] or match["m2"], match[0], late=_HALVES_ELSEWHERE[half])


def _german(match: re.Match[str]) -> list[Value] | None:
    hour, minutes = int(match["h"]), 15
    if match["half"]:
        hour, minutes = (hour - 1) % 12, 30
    elif match["side"].lower() == "vor":
        hour, minutes = (hour - 1) % 12, 45
    return _time(hour, str(minutes), match[0], loose=True)


def _from(match: re.Match[str]) -> list[Value] | None:
    """The first of two hours of which only the second says which half of the day it is in: `5-6 pm`, `9 to 5 pm`."""
    first, second, late = int(match["h"]), int(match["h2"]), match["half"].lower() == "p"
    if not (1 <= first <= 12 and 1 <= second <= 12):
        return None
    return _time(first, match["m"], match[0], late=late if first % 12 <= second % 12 else not late)


def _time(hour: str | int, minute: str | None, surface: str, *, loose: bool = False, late: bool | None = None) -> list[Value] | None:
    hour = int(hour)
    if hour > 24 or (late is not None and hour > 12 and not late):
        return None
    if late is not None and hour <= 12:
        hour = hour % 12 + (12 if late else 0)
    return [Value("time", f"{hour % 24:02d}:{int(minute or 0):02d}", surface, near="loose" if loose else "")]


def _clock(match: re.Match[str]) -> list[Value] | None:
    return _time(match["h"], match["m"], match[0], loose=len(match["h"]) == 1 or match["h"] in ("10", "11", "12"))


def _span(match: re.Match[str]) -> list[Value] | None:
    """`1:52:30` and `44:31`: how long something took, or a clock time to the second."""
    if match["s"] == "00":
        return None
    hours, minutes, seconds = match["h"] or "0", match["m"] or match["m2"], match["s"] or match["s2"]
    total = f"{int(hours) * 3600 + int(minutes) * 60 + int(seconds.partition('.')[0])}"
    fraction = seconds.partition(".")[2].rstrip("0")
    return [Value("quantity", f"{total}{'.' + fraction if fraction else ''} s", match[0], near=match[0])]


def _with_half(match: re.Match[str]) -> list[Value] | None:
    half = match["half"].lower()
    if half.startswith("o") and not match["part"]:
        return _time(match["h"], match["m"], match[0], loose=True)
    late = half.startswith(_LATE) or (match["part"] or "").lower() in ("afternoon", "evening")
    if half == "at night" and int(match["h"]) in (12, 1, 2, 3, 4):
        late = False
    return _time(match["h"], match["m"], match[0], late=late)


def _past(match: re.Match[str]) -> list[Value] | None:
    what = match["what"].lower()
    minutes = int(what) if what.isdigit() else 30 if what == "half" else 15
    hour = int(match["h"])
    if match["side"].lower() == "to":
        hour, minutes = (hour - 1) % 12, 60 - minutes
    if match["late"]:
        return _time(hour, str(minutes), match[0], late=match["late"].lower().startswith(("p", "in the a", "in the e")))
    return _time(hour, str(minutes), match[0], loose=True)


def _wide(match: re.Match[str]) -> list[Value] | None:
    minute = "30" if match["thirty"] else match["m"]
    if not match["half"]:
        return _time(match["h"], minute, match[0], loose=int(match["h"]) <= 12)
    return _time(match["h"], minute, match[0], late=match["half"] in _LATE)
