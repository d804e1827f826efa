"""Texts, or clauses, that carry no fact: greetings, thanks, cheers, and questions."""

from __future__ import annotations

import re

from memfold.refine.text.lexicon import ENGLISH
from memfold.refine.text.pattern import IGNORECASE, Pattern
from memfold.refine.text.sentences import asks, clauses, speaker
from memfold.refine.text.words import fold

_CALLED = r"(?:^|,|\b(?:hi|hey|hello|thanks|thank you|bye|congrats|yeah|yes|thing|later))\s*{}(?=\s*[,.!?]|\s*$)"
_DIGIT = Pattern(r"\d")
_LONGEST = 300
"""Characters: a longer text is never taken for filler."""
_WORDS = Pattern(r"[^\W_]+(?:'[^\W_]+)*")
_FILLER = ENGLISH | frozenset(
    """
    hi hey hello hiya yo howdy morning evening afternoon bye goodbye cya night greetings welcome thanks thank thx ty cheers please sorry
    yes yeah yep yup no nope ok okay sure right exactly absolutely definitely totally indeed agreed true course wow whoa oh ah aww haha
    hahaha lol hehe omg yay woohoo cool great good nice awesome amazing fantastic wonderful lovely sweet brilliant super perfect excellent
    incredible inspiring impressive fun glad happy nice sounds sound hear hearing know let talk soon later see take care luck best wishes
    congrats congratulations proud well done keep going problem worries anytime appreciate appreciated support kind words means mean thing
    things stuff look forward looking tell share sharing thoughtful think feel fingers crossed enjoy day weekend luck rest today tomorrow
    way hope job work everything anything something interesting merry christmas xmas year new monday friday sunday saturday weekend dreams
    sleep night tight rest blessed bless ho joy laughter time times thousand hundred percent back again there ready set go
    """.split()
)
_CORE = frozenset(
    """happy merry hi hey hello bye goodbye thanks thank thx cheers congrats congratulations wow yes yeah ok okay sure haha lol great good
    nice awesome amazing cool lovely glad luck welcome sorry agreed absolutely definitely exactly see talk care problem worries enjoy
    perfect fantastic wonderful proud appreciate""".split()
)


_ELSEWHERE = frozenset(
    """
    hallo danke dankeschön bitte tschüss gute nacht morgen guten tag super klar genau hola gracias vale perfecto un beso
    besos luego hasta adiós claro jaja jajaja jajajaja qué bueno y buenas noches oui non bises merci bonjour salut bonne
    nuit accord tout le monde à bientôt demain obrigado obrigada beijo beijos tchau oi olá boa noite até logo bom dia
    sim claro legal grazie ciao prego спасибо большое ага да привет пока хорошо ок связи до спокойной ночи доброе утро
    отлично супер شكرا جزيلا تمام صباح النور الخير ههه هههه نعم مرحبا hihi ok nha nhé ngủ ngon vâng dạ ạ cảm ơn chào em
    anh chị
    """.split()
)
_SPACELESS_FILLER = Pattern(
    "(?:谢谢|多谢|不客气|晚安|早安|早上好|你好|您好|好的|好呀|嗯+|哈+|辛苦[了啦]*|明天[见聊]|再见|拜拜|没问题|ありがとう(?:ございます)?|おつかれさま(?:です)?|"
    "お疲れ様(?:です)?|は[ーい]+|また連絡するね|また(?:ね|明日)|了解(?:です)?|おはよう(?:ございます)?|おやすみ(?:なさい)?|こんにちは|감사합니다|고마워요?|안녕(?:하세요)?|"
    "좋은 하루 보내세요|진짜|알겠어요?|오늘도|고생했어요?|네+|응+|ㅋ+|ㅎ+)"
)
_NEITHER = Pattern(r"[\W_~〜ー]+")


def is_question(text: str) -> bool:
    """Whether the text only asks: every clause is a question or filler, and at least one asks (a final `?`, `？` or `؟`)."""
    if not any(mark in text for mark in "?？؟"):
        return False
    parts = [part for part in clauses(speaker(text)[1]) if part.strip()]
    asking = [asks(part) for part in parts]
    return any(asking) and all(ask or is_filler(part) for ask, part in zip(asking, parts, strict=True))


def is_filler(text: str) -> bool:
    """Whether the text is only greeting, thanks, cheer or small talk, so that losing it loses no fact.

    Conservative: every word must be a known filler or function word or a name that is spoken to, and one must be filler at heart.
    """
    if len(text) > _LONGEST:
        return False
    said = fold(speaker(text)[1])
    if _DIGIT.search(said):
        return False
    if not said.isascii() and _SPACELESS_FILLER.search(said):
        return not _NEITHER.sub("", _SPACELESS_FILLER.sub("", said))
    words = _WORDS.findall(said)
    lowered = [word.lower() for word in words]
    if not words or not any(word in _CORE for word in lowered):
        return not words or (len(words) <= 12 and all(word in _ELSEWHERE for word in lowered))
    return all(low in _FILLER or _vocative(said, word) for word, low in zip(words, lowered, strict=True))


def _vocative(said: str, word: str) -> bool:
    """Whether the word is a name spoken to: after a comma, a greeting or thanks, and before a mark or the end."""
    if not word[0].isupper() or word.isupper():
        return False
    return re.search(_CALLED.format(re.escape(word)), said, IGNORECASE) is not None
