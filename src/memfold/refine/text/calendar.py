"""Names of months, weekdays and days nearby, in the languages that Memfold reads dates of. Data only."""

from __future__ import annotations


def _numbered(rows: str, start: int = 1) -> dict[str, int]:
    return {name: number for number, row in enumerate(rows.strip().split("\n"), start=start) for name in row.split()}


MONTHS: dict[str, int] = _numbered(
    """
january jan januar enero janvier janeiro gennaio januari января январь январе يناير
february feb februar febrero février fevereiro febbraio februari февраля февраль феврале فبراير
march mar märz marzo mars março maart марта март марте مارس
april apr abril avril aprile апреля апрель апреле أبريل
may mai mayo maio maggio mei мая май мае مايو
june jun juni junio juin junho giugno июня июнь июне يونيو
july jul juli julio juillet julho luglio июля июль июле يوليو
august aug agosto août augustus августа август августе أغسطس
september sep sept septiembre septembre setembro settembre сентября сентябрь сентябре سبتمبر
october oct oktober octubre octobre outubro ottobre октября октябрь октябре أكتوبر
november nov noviembre novembre novembro ноября ноябрь ноябре نوفمبر
december dec dezember diciembre décembre dezembro dicembre декабря декабрь декабре ديسمبر
"""
)
DOUBTFUL_MONTHS: frozenset[str] = frozenset({"may", "march", "mar", "mars", "mai", "dec", "jan", "sep", "mei"})
"""Months that are also words: in English they count without a day or a year only with a capital inside a sentence."""

WEEKDAYS: dict[str, int] = _numbered(
    """
monday mon montag lunes lundi segunda-feira lunedì maandag понедельник понедельника понедельникам الاثنين 星期一 周一 月曜 월요일
tuesday tue tues dienstag martes mardi terça-feira martedì dinsdag вторник вторника вторникам الثلاثاء 星期二 周二 火曜 화요일
wednesday wed mittwoch miércoles mercredi quarta-feira mercoledì woensdag среда среду среды средам الأربعاء 星期三 周三 水曜 수요일
thursday thu thur thurs donnerstag jueves jeudi quinta-feira giovedì donderdag четверг четверга четвергам الخميس 星期四 周四 木曜 목요일
friday fri freitag viernes vendredi sexta-feira venerdì vrijdag пятница пятницу пятницы пятницам الجمعة 星期五 周五 金曜 금요일
saturday sat samstag sonnabend sábado samedi sabato zaterdag суббота субботу субботы субботам السبت 星期六 周六 土曜 토요일
sunday sun sonntag domingo dimanche domenica zondag воскресенье воскресенья воскресеньям الأحد 星期日 星期天 周日 日曜 일요일
"""
)
SHORT_WEEKDAYS: frozenset[str] = frozenset({"mon", "tue", "tues", "wed", "thu", "thur", "thurs", "fri", "sat", "sun"})
"""These count only with a capital, since they are also words."""

NEARBY: dict[str, dict[str, int]] = {
    "en": {"yesterday": -1, "tomorrow": 1, "today": 0, "tonight": 0, "day before yesterday": -2, "day after tomorrow": 2, "last night": -1},
    "de": {"gestern": -1, "heute": 0, "vorgestern": -2, "übermorgen": 2},
    "es": {"ayer": -1, "hoy": 0, "anteayer": -2, "pasado mañana": 2},
    "fr": {"hier": -1, "aujourd'hui": 0, "demain": 1, "avant-hier": -2, "après-demain": 2},
    "pt": {"ontem": -1, "hoje": 0, "amanhã": 1, "anteontem": -2},
    "it": {"ieri": -1, "oggi": 0, "domani": 1, "dopodomani": 2},
    "nl": {"gisteren": -1, "vandaag": 0, "overmorgen": 2},
    "ru": {"вчера": -1, "сегодня": 0, "завтра": 1, "позавчера": -2, "послезавтра": 2},
    "zh": {"昨天": -1, "今天": 0, "明天": 1, "前天": -2, "后天": 2},
    "ja": {"昨日": -1, "今日": 0, "明日": 1, "一昨日": -2, "明後日": 2},
    "ko": {"어제": -1, "오늘": 0, "내일": 1},
    "vi": {"hôm qua": -1, "hôm nay": 0, "ngày mai": 1},
    "ar": {"أمس": -1, "اليوم": 0, "غدا": 1, "غداً": 1},
}
