"""A text as frame and values: what stays when numbers, dates, names, codes and quotations are masked, and what was masked.

This is for an audit, so it is quick and plain. It knows no units or formats (`3 pm` and `15:00` are two values here; the
guards of a refinement know better) and does not ask which value belongs to which word. It takes a capitalised word for a
name where that is likely: inside a sentence, or at its start where the namespace never writes the word small. German
writes every noun large, so in a German text only codes and numbers are masked. Scripts without spaces are taken
character by character.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass

from memfold.audit.result import Difference

SLOT = "▢"
"""Stands for a masked value in a frame."""

_SPACELESS = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff"
_TOKEN = re.compile(
    r"(?P<quoted>\"[^\"\n]{1,120}\"|“[^”\n]{1,120}”|«[^»\n]{1,120}»|「[^」\n]{1,60}」)"
    r"|(?P<number>[$€£¥]?\d+(?:[.,:/-]?\d+)*%?)"
    rf"|(?P<char>[{_SPACELESS}])"
    rf"|(?P<word>(?:(?![{_SPACELESS}])\w)+(?:[-_./:@\\'’](?:(?![{_SPACELESS}])\w)+)*)"
    r"|(?P<stop>[.!?:;…。！？\n])"
)
_CODE = re.compile(r"\d|[_@\\/]|\w[.:]\w|[a-z][A-Z]|^[A-Z]{2,}$")
_POSSESSIVE = re.compile(r"['’]s?$")
_WORDS_FOR_NUMBERS = frozenset(
    "two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen twenty thirty forty fifty hundred dozen twice "
    "zwei drei vier fünf sechs sieben acht neun zehn elf zwölf dos tres cuatro cinco seis siete ocho nueve diez".split()
)
_DATES = frozenset(
    "january february april june july august september october november december monday tuesday wednesday thursday friday saturday sunday "
    "januar februar märz mai juni juli oktober dezember montag dienstag "
    "mittwoch donnerstag freitag samstag sonntag enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre "
    "lunes martes miércoles jueves viernes sábado domingo".split()
)
_NEGATIONS = frozenset(
    "not no never none cannot without neither nor nicht kein keine keinen keinem keiner nie niemals ohne nunca sin jamais pas "
    "不 没 沒 無 无 未".split()
)
_NEGATED = re.compile(r"n['’]t$")
_AFFIRMED = {"can't": "can", "won't": "will", "shan't": "shall"}
_NEGATED_JAPANESE = re.compile("ない|なかった|ません|なく")
_GERMAN = frozenset("der die das und ist nicht ein eine einen dem den mit für auf im zum zur von hat wird ich".split())
_LIGHT = frozenset("a an the this that and so is are was were be been has have had of in on at for with by as it its also very".split())
_FUNCTION = _LIGHT | frozenset(
    "these those or but just do does did will would can could should i my me we our us you your he his him she her they their them there "
    "here when where what who how if then please thanks today tomorrow yesterday now".split()
)
_VERBISH = re.compile(r"^(?:is|was|has|had|will|can|would|could|does|did|said|and|\w+s|\w+ed|\w+n['’]t)$")


@dataclass(frozen=True, slots=True)
class Form:
    """A text taken apart. `frame` has SLOT where a value stood; `words` is for a Jaccard, values included."""

    frame: tuple[str, ...]
    values: tuple[str, ...]
    negated: bool
    words: frozenset[str]

    @property
    def content(self) -> frozenset[str]:
        """The words of the frame that carry its subject."""
        return frozenset(self.frame) - _FUNCTION - {SLOT}


@dataclass(frozen=True, slots=True)
class _Token:
    text: str
    folded: str
    """Case folded, without a possessive ending."""
    kind: str
    first: bool
    """Opens a sentence."""


def forms(texts: Iterable[str]) -> list[Form]:
    """Each text as frame and values. Names are recognised with the help of all the texts together."""
    tokens = [_tokens(text) for text in texts]
    words = [token for line in tokens for token in line if token.kind == "word"]
    small = {t.folded for t in words if t.text[0].islower()}
    large = {t.folded for t in words if t.text[0].isupper() and not t.first}
    return [_form(line, small, large) for line in tokens]


def difference(a: Form, b: Form) -> Difference | None:
    """Whether two texts have one frame (or nearly) and other values: by `value`, by one plain `word`, or not at all.

    Nearly: the frames share seven words in ten. A side that only adds a value to those of the other is no suspect.
    """
    x, y = set(a.values), set(b.values)
    contrary = a.negated != b.negated or bool(x - y and y - x)
    run = _one_run(a.frame, b.frame)
    alike = a.frame == b.frame or run or jaccard(frozenset(a.frame) - {SLOT}, frozenset(b.frame) - {SLOT}) >= 0.7
    if contrary and alike and a.content & b.content:
        return "value"
    return "word" if run and x == y and a.content & b.content else None


def same_values(a: Form, b: Form) -> bool:
    """Whether two texts hold the same values and both, or neither, say no."""
    return a.negated == b.negated and set(a.values) == set(b.values)


def same_words(a: Form, b: Form) -> bool:
    """Whether one side brings no word of its own, but for function words and other endings of words of the other side."""
    return _covered(a.content - b.content, b.content - a.content) or _covered(b.content - a.content, a.content - b.content)


def _covered(words: frozenset[str], others: frozenset[str]) -> bool:
    return all(any(_inflected(word, other) for other in others) for word in words)


def jaccard(a: frozenset[str], b: frozenset[str]) -> float:
    """Shared elements over all elements, in [0, 1]; 0 for two empty sets."""
    return len(a & b) / (len(a | b) or 1)


def _tokens(text: str) -> list[_Token]:
    tokens: list[_Token] = []
    first = True
    for match in _TOKEN.finditer(unicodedata.normalize("NFKC", text)):
        kind = match.lastgroup or ""
        if kind != "stop":
            tokens.append(_Token(match[0], _POSSESSIVE.sub("", match[0]).casefold(), kind, first))
        first = kind == "stop"
    return tokens


def _form(tokens: list[_Token], small: set[str], large: set[str]) -> Form:
    german = sum(t.folded in _GERMAN for t in tokens) >= 2
    frame: list[str] = []
    values: list[str] = []
    negated = len(_NEGATED_JAPANESE.findall("".join(t.text for t in tokens if t.kind == "char"))) % 2 == 1
    for token, following in zip(tokens, [*tokens[1:], None], strict=False):
        folded = token.folded
        if folded in _NEGATIONS:
            negated = not negated
        elif _NEGATED.search(token.text):
            negated = not negated
            frame.append(_AFFIRMED.get(folded.replace("’", "'"), folded[:-3]))
        elif _is_value(token) or (not german and _is_name(token, following, small, large)):
            values.append(_bare(folded))
            if frame[-1:] != [SLOT]:
                frame.append(SLOT)
        else:
            frame.append(folded)
    words = frozenset(t.folded for t in tokens if t.kind != "char") | _bigrams(tokens)
    return Form(tuple(frame), tuple(values), negated, words)


def _bare(value: str) -> str:
    """A value without quotation marks; Mondays are Monday."""
    return value.removesuffix("s") if value.endswith("days") else value.strip("\"“”«»「」")


def _is_value(token: _Token) -> bool:
    if token.kind in ("quoted", "number"):
        return True
    if token.kind == "char":
        return False
    if token.folded in _WORDS_FOR_NUMBERS or _bare(token.folded) in _DATES:
        return True
    return _CODE.search(_POSSESSIVE.sub("", token.text)) is not None


def _is_name(token: _Token, following: _Token | None, small: set[str], large: set[str]) -> bool:
    """Whether a capitalised word is probably a name."""
    if token.kind != "word" or not token.text[0].isupper() or token.folded in _FUNCTION or len(token.folded) < 2:
        return False
    if not token.first:
        return True
    if token.folded in small:
        return False
    named = token.folded in large or _POSSESSIVE.search(token.text) is not None
    return named or (following is not None and (following.text[0].isupper() or _VERBISH.match(following.text) is not None))


def _bigrams(tokens: list[_Token]) -> frozenset[str]:
    """Neighbouring characters of scripts without spaces, two by two."""
    return frozenset(a.text + b.text for a, b in zip(tokens, tokens[1:], strict=False) if a.kind == b.kind == "char")


def _one_run(a: tuple[str, ...], b: tuple[str, ...]) -> bool:
    """Whether the frames are equal but for one short run of words on both sides that is more than an inflection."""
    shared = min(len(a), len(b))
    head = next((n for n in range(shared) if a[n] != b[n]), shared)
    tail = next((n for n in range(shared - head) if a[-1 - n] != b[-1 - n]), shared - head)
    run_a, run_b = a[head : len(a) - tail], b[head : len(b) - tail]
    longest = 3 if any(len(word) == 1 for word in (*run_a, *run_b)) else 2
    if not (0 < len(run_a) <= longest and 0 < len(run_b) <= longest and head + tail >= 2):
        return False
    return not (set(run_a) | set(run_b) <= _LIGHT or _inflected(" ".join(run_a), " ".join(run_b)))


def _inflected(a: str, b: str) -> bool:
    """Whether two words differ in their endings alone (like, likes, liked)."""
    stem = 0
    while stem < min(len(a), len(b)) and a[stem] == b[stem]:
        stem += 1
    return stem >= 3 and max(len(a), len(b)) - stem <= 3 and a.isascii() and b.isascii()
