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
WEEKDAYS.update((f"礼拜{name}", number) for number, name in enumerate("一二三四五六天", start=1))
SHORT_WEEKDAYS: frozenset[str] = frozenset({"mon", "tue", "tues", "wed", "thu", "thur", "thurs", "fri", "sat", "sun"})
"""These count only with a capital, since they are also words."""

NEARBY: dict[str, dict[str, int]] = {
    "en": {
        "yesterday": -1,
        "tomorrow": 1,
        "today": 0,
        "tonight": 0,
        "day before yesterday": -2,
        "day after tomorrow": 2,
        "last night": -1,
        "this morning": 0,
        "this afternoon": 0,
        "this evening": 0,
    },
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


def _steps(rows: str) -> dict[str, tuple[str, int]]:
    found: dict[str, tuple[str, int]] = {}
    for row in rows.strip().split("\n"):
        head, _, phrases = row.partition(":")
        unit, step = head.split()
        found.update((phrase.strip(), (unit, int(step))) for phrase in phrases.split("|"))
    return found


STEPS: dict[str, dict[str, tuple[str, int]]] = {
    "es": _steps(
        """year -1: el año pasado|año pasado
        year 1: el próximo año|el año que viene|próximo año
        month -1: el mes pasado|mes pasado
        month 1: el próximo mes|el mes que viene|próximo mes
        week -1: la semana pasada|semana pasada
        week 1: la próxima semana|la semana que viene|próxima semana"""
    ),
    "fr": _steps(
        """year -1: l'année dernière|l'an dernier|l'année passée
        year 1: l'année prochaine|l'an prochain
        month -1: le mois dernier|mois dernier
        month 1: le mois prochain|mois prochain
        week -1: la semaine dernière|semaine dernière
        week 1: la semaine prochaine|semaine prochaine"""
    ),
    "pt": _steps(
        """year -1: o ano passado|no ano passado|ano passado
        year 1: o ano que vem|no ano que vem|próximo ano
        month -1: o mês passado|no mês passado|mês passado
        month 1: o mês que vem|no mês que vem|próximo mês
        week -1: a semana passada|na semana passada|semana passada
        week 1: a semana que vem|na semana que vem|próxima semana"""
    ),
    "it": _steps(
        """year -1: l'anno scorso
        year 1: l'anno prossimo
        month -1: il mese scorso
        month 1: il mese prossimo
        week -1: la settimana scorsa
        week 1: la settimana prossima"""
    ),
    "ru": _steps(
        """year -1: в прошлом году|прошлый год
        year 1: в следующем году|в будущем году
        month -1: в прошлом месяце
        month 1: в следующем месяце
        week -1: на прошлой неделе
        week 1: на следующей неделе"""
    ),
    "zh": _steps(
        """year -1: 去年
        year 0: 今年
        year 1: 明年
        year -2: 前年
        month -1: 上个月|上個月|上月
        month 1: 下个月|下個月|下月
        week -1: 上周|上星期|上个星期|上礼拜
        week 0: 这周|本周|这个星期
        week 1: 下周|下星期|下个星期|下礼拜"""
    ),
    "ja": _steps(
        """year -1: 去年|昨年
        year 0: 今年
        year 1: 来年
        year -2: 一昨年
        month -1: 先月
        month 0: 今月
        month 1: 来月
        week -1: 先週
        week 0: 今週
        week 1: 来週"""
    ),
    "ko": _steps(
        """year -1: 작년|지난해
        year 0: 올해
        year 1: 내년
        month -1: 지난달
        month 1: 다음 달|다음달
        week -1: 지난주
        week 0: 이번 주
        week 1: 다음 주|다음주"""
    ),
    "vi": _steps(
        """year -1: năm ngoái
        year 0: năm nay
        year 1: năm sau|sang năm
        month -1: tháng trước
        month 1: tháng sau|tháng tới
        week -1: tuần trước
        week 1: tuần sau|tuần tới"""
    ),
    "ar": _steps(
        """year -1: العام الماضي|السنة الماضية
        year 1: العام القادم|العام المقبل|السنة القادمة
        month -1: الشهر الماضي
        month 1: الشهر القادم|الشهر المقبل
        week -1: الأسبوع الماضي
        week 1: الأسبوع القادم|الأسبوع المقبل"""
    ),
}
"""Language -> phrase -> the unit it steps by, and how far from the entry's own day. English and German are read by pattern."""
