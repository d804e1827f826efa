"""Names: words with a capital that is not the sentence's own, words in katakana, and who speaks."""

from __future__ import annotations

import re
from functools import lru_cache

from memfold.refine.text.canvas import TAKEN, Canvas
from memfold.refine.text.common import is_common
from memfold.refine.text.lexicon import ENGLISH, OTHER_LANGUAGES
from memfold.refine.text.pattern import IGNORECASE, Pattern
from memfold.refine.text.units import UNITS
from memfold.refine.text.value import Value
from memfold.refine.text.words import script, unaccented

_CAPITAL = "A-ZÀ-ÖØ-ÞĀ-žΆ-ΫЀ-Я\u1e00-\u1eff"
_WORD = Pattern(rf"(?<![\w{TAKEN}'])[{_CAPITAL}]\w{{0,60}}(?:['-][^\W_]{{1,60}}){{0,4}}")
_OPENS = Pattern(r"(?:^|[.!?:;\n。！？»\"“”(\[【】\]•*|/>…–—-]|(?<!\d)\d{1,2}[.)])\s*(?:['\"“‘(\[]\s*)?$")
_KATAKANA = Pattern("[\u30a1-\u30fa\u30fc]{3,40}")
_ROLES = frozenset({"user", "assistant", "human", "ai", "bot", "agent", "system"})
_VERB = (
    "is|was|are|were|has|had|have|will|would|can|could|does|did|went|got|took|made|bought|told|gave|sold|lost|left|wrote|came|met|found|"
    "thought|knows?|said|felt|kept|led|won|grew|became|and|or|[a-z]{2,12}(?:s|ed)"
)
_ACTS = Pattern(
    rf"(?:'s\b|'d\b|'ll\b| (?:never |always |often |also |now |still |just )?(?:{_VERB})\b|,? (?:who|my|his|her|our|the user)\b)"
)


def take_names(canvas: Canvas, language: str, *, talk: bool = False) -> None:
    """Take the names. In German, where every noun has a capital, only what is no plain noun by its surroundings."""
    text = canvas.rest
    words = list(_WORD.finditer(text))
    if words and _shouted(text):
        return
    called = spoken_to(text, canvas.words, talk=talk) if words else frozenset[int]()
    found: dict[str, Value] = {}
    last, last_end = "", -2
    initial: re.Match[str] | None = None
    for match in words:
        word = match[0]
        if len(word) == 1 and text.startswith(".", match.end()):
            if last and match.start() == last_end + 1:
                found[f"{word.lower()}."] = Value("name", f"{word.lower()}.", f"{word}.", of=last)
            initial = None if word == "I" or _LETTERED.search(text, max(0, match.start() - 12), match.start()) else match
            continue
        led = initial is not None and match.start() == initial.end() + 2
        if not word[0].isupper() or not (_is_name(text, match, language) or (led and not is_common(word.lower().removesuffix("'s")))):
            continue
        if led and initial is not None:
            found[f"{initial[0].lower()}."] = Value("name", f"{initial[0].lower()}.", f"{initial[0]}.")
        follows = last if match.start() == last_end + 1 else ""
        value = Value("name", name_key(word), word, of=follows, near="called" if match.start() in called else "")
        last, last_end = value.canonical, match.end()
        if value.canonical not in found or found[value.canonical].near:
            found[value.canonical] = value
    canvas.found.extend(found.values())
    if canvas.wide:
        canvas.found.extend(Value("name", match[0], match[0]) for match in _KATAKANA.finditer(text))


def _is_name(text: str, match: re.Match[str], language: str) -> bool:
    word = match[0].removesuffix("'s")
    low = word.lower()
    if len(word) == 1 or low in ENGLISH or "'" in low[1:] and low.partition("'")[0] in ENGLISH or word in UNITS:
        return False
    if low in OTHER_LANGUAGES.get(language, ()):
        return False
    known = is_common(low) if "-" not in low else all(map(is_common, low.split("-")))
    opens = _opens(text, match.start())
    if word.isupper():
        return not known
    if known and language == "en":
        return not opens and _PLACED.search(text, max(0, match.start() - 6), match.start()) is not None and not _beside_capital(text, match)
    if language == "de":
        return not opens and not _after_article(text, match.start())
    return not opens or _beside_capital(text, match) or (language == "en" and _acts(text, match))


def _opens(text: str, at: int) -> bool:
    return _OPENS.search(text, max(0, at - 8), at) is not None if at else True


def _beside_capital(text: str, match: re.Match[str]) -> bool:
    after = text[match.end() + 1 : match.end() + 2]
    return after.isupper() and text[match.end()] == " "


def _acts(text: str, match: re.Match[str]) -> bool:
    """Whether a word that opens its sentence behaves like a name: `Ana's`, `Ana likes`, `Ana, who`."""
    return match[0].endswith("'s") or _ACTS.match(text, match.end()) is not None


_LETTERED = Pattern(
    r"\b(?:vitamin|plan|type|class|grade|group|option|hepatitis|section|room|block|team|step|part|an?|the|of|is|was|got|did)\s$", IGNORECASE
)
_PLACED = Pattern(r"\b(?:in|at|from|to|near)\s$")
_ARTICLE = Pattern(
    r"\b(?:der|die|das|den|dem|des|ein|eine|einen|einem|einer|eines|kein\w*|mein\w*|sein\w*|ihr\w*|unser\w*|am|im|zum|zur|vom|beim|"
    r"[a-zäöüß]+(?:en|es|er|em))\s$"
)


def _after_article(text: str, at: int) -> bool:
    return _ARTICLE.search(text, max(0, at - 20), at) is not None


def _shouted(text: str) -> bool:
    """Whether most letters are capitals, so that capitals say nothing."""
    sample = text[:400]
    big = sum(map(str.isupper, sample))
    return big > 12 and big > sum(map(str.islower, sample))


_GREETING = (
    r"(?:hi|hey|hello|hiya|dear|thanks(?: so much| a lot)?|thank you(?: so much)?|thx|bye|congrats|congratulations|yeah|yes|yep|yup|no|"
    r"wow|woah|whoa|ooh|oh|ah|aww?|haha|ok|okay|sure(?: thing)?|"
    r"absolutely|definitely|exactly|agreed|totally|right|cool|great|nice|awesome|sorry|later|welcome|good (?:morning|night|luck|"
    r"evening)|well done|of course|no problem|"
    r"hallo|danke|hola|gracias|merci|bonjour|salut|olá|oi|obrigad[oa]|ciao|grazie|спасибо|привет)"
)
_MAY_GREET = Pattern(
    r"\b(?:[Hh](?:i|ey|ello|iya|aha|allo|ola)|[Dd](?:ear|efinitely|anke)|[Tt](?:hanks?|hx|otally)|[Bb](?:ye|onjour)|[Cc](?:ongrat|ool|"
    r"iao)|[Yy](?:eah|es|ep|up)|"
    r"[Nn](?:o|ice)|[Ww](?:ow|oah|hoa|elcome|ell)|[Oo](?:oh|h|k|kay|f|i|lá|brigad)|[Ss](?:ure|orry|alut)|[Aa](?:bsolutely|greed|h|ww?)|"
    r"[Ee]xactly|[Rr]ight|[Gg](?:reat|ood|racias|razie)|"
    r"[Ll]ater|[Mm]erci|[Сс]пасибо|[Пп]ривет)"
)
_GREETS = frozenset(
    """hi hey hello hiya dear thanks thank thx bye congrats congratulations yeah yes yep yup no wow woah whoa ooh oh ah aw aww haha ok okay
    sure absolutely definitely exactly agreed totally right cool great nice awesome sorry later welcome good well of hallo danke hola
    gracias merci bonjour salut olá oi obrigado obrigada ciao grazie спасибо привет""".split()
)
"""The first words of greetings."""
_NAME = rf"[{_CAPITAL}][\w'-]{{1,30}}"
_GREETED = Pattern(
    rf"(?<!\w){_GREETING}[,!]?\s+(?P<name>{_NAME})(?=\s*[,.!?…:;]|\s*$|\s+(?i:you|i|it|that|how|what|thanks|so|we|are|did|do|hope)\b)",
    IGNORECASE,
)
_FIRST = Pattern(
    rf"(?:^|[.!?]\s+)(?P<name>{_NAME})[,!]\s+(?=(?i:you|your|you're|i|i'm|i've|that|that's|it's|thanks|thank|how|what|do|did|are|can|"
    rf"have|we|let's|please|don't)\b)"
)
_LAST = Pattern(rf"(?<=[a-z]), (?P<name>{_NAME})(?=\s*(?:[!?]|\.(?=\s|$)|$))")
_YOU = Pattern(r"\b(?:you|your|you're|yours|thanks|thank)\b", IGNORECASE)


def spoken_to(text: str, words: frozenset[str], *, talk: bool = False) -> frozenset[int]:
    """Where the text calls somebody by name: after a greeting or thanks (`Thanks, Ana!`), before `you` or a question, at the end of
    a sentence (in `talk`, where a speaker is named, of any; else of one that says `you` or thanks).

    :param words: the runs of letters of the text in lower case, or more than those.
    """
    found: set[int] = set()
    if words & _GREETS and _MAY_GREET.search(text):
        found |= {match.start("name") for match in _GREETED.finditer(text) if match["name"][0].isupper()}
    if "," not in text and "!" not in text:
        return frozenset(found)
    found |= {match.start("name") for match in _FIRST.finditer(text)}
    for match in _LAST.finditer(text):
        sentence = text[max(0, match.start() - 160) : match.start()]
        sentence = re.split(r"[.!?\n]", sentence)[-1]
        if talk or text[match.end() : match.end() + 1] in ("!", "?") or _YOU.search(sentence):
            found.add(match.start("name"))
    return frozenset(found)


@lru_cache(maxsize=8192)
def name_key(word: str) -> str:
    """A name without case, possessive and the accents of Latin letters: `Joaquín's` -> `joaquin`."""
    low = word.lower().removesuffix("'s").removesuffix("'").rstrip("-'")
    if low.isascii():
        return low
    return unaccented(low) if script(low[0]) == "latin" else low


def speaker_value(name: str, *, announced: bool = False) -> Value | None:
    """Who speaks, as a value: a role, or one to three words with a capital.

    Unless `announced` (`Speaker June says`), a common word is no name: `Note: ...` has no speaker.
    """
    low = name.lower()
    if low in _ROLES:
        return Value("speaker", low, name)
    words = name.split()
    if words and all(word[0].isupper() and (announced or not is_common(word.lower())) for word in words):
        return Value("speaker", name_key(name), name)
    return None
