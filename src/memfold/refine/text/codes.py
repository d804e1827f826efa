"""What must be kept to the letter: addresses, paths, identifiers, versions, serial and telephone numbers."""

from __future__ import annotations

import re
from functools import lru_cache

from memfold.refine.text.canvas import Canvas
from memfold.refine.text.pattern import IGNORECASE, Pattern
from memfold.refine.text.value import Value

_FORMS: tuple[tuple[str, str], ...] = (
    ("scheme", r"(?<![\w@./])(?:https?|ftp|file|ssh|git|mailto|s3|postgres(?:ql)?|redis|ws):/{0,2}[^\s<>\"'`\0]+"),
    ("at", r"(?<![\w.+-])[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,8}"),  # e-mail
    ("www", r"(?<![\w.-])www\.[^\s<>\"'`\0]+"),
    ("quote", r"`[^`\n\0]{1,200}`"),
    ("slash", r"(?<![^\s\"'(\[=:,])(?:[A-Za-z]:\\|~?/|\.{1,2}/)(?:[\w.@+-]+[/\\])*[\w.@+-]*\w"),  # absolute paths
    ("slash", r"(?<![\w/.@-])(?:[\w.@-]+/)+[\w-]+\.[A-Za-z]\w{0,7}(?![\w/])"),  # relative paths to a file
    ("dashed", r"(?<![\w.-])[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}(?!\w)"),  # UUID
    ("dots", r"(?<![\w.-])[vV]?\d+(?:\.\d+){2,}(?:[-+][\w.]+)?(?![\w])"),  # 1.2.3, addresses of the internet
    ("version", r"(?<![\w.-])[vV]\d+(?:\.\d+)*(?![\w])"),
    ("option", r"(?<![\w-])--?[A-Za-z][\w-]*(?:=[\w./-]+)?(?<!-)(?!\w)"),  # command line options
    ("tag", r"(?<!\w)[#@](?!\d+(?!\w))[\w-]*\w"),  # tags and handles
    ("dollar", r"(?<!\w)\$[A-Za-z_]\w*"),  # $VARIABLES
    ("snake", r"(?<![\w.])_*[A-Za-z0-9]+(?:_+[A-Za-z0-9]+)+_*(?:\(\))?"),
    ("dotted", r"(?<![\w.])[A-Za-z_]\w*(?:(?:\.|::|->)[A-Za-z_]\w*)+(?:\(\))?"),  # dotted names, files
    ("call", r"(?<!\w)[A-Za-z_]\w*\(\)"),
    ("plus", r"(?<!\w)\+\d{1,3}(?:[ -]?\(?\d{1,5}\)?){2,6}(?!\w)"),  # telephone numbers
    ("zero", r"(?<![\w.,-])0\d{2,4}[ -]\d{3}[ -]?\d{3,4}(?![\w-])"),
    ("camel", r"(?<![\w.])[a-z]{2,30}(?:[A-Z][a-z0-9]{1,30}){1,8}(?:\(\))?(?!\w)"),  # useEffect
    ("dashed", r"(?<![\w-])\(?\d{3}\)?[ -]\d{3}-\d{4}(?![\w-])|(?<![\w-])\d{3}-\d{4}(?![\w-])"),
)
"""What a form cannot be without, and the form. They are tried in this order."""
_SIGNS: dict[str, tuple[tuple[str, Pattern | None], ...]] = {
    ":": (("scheme", Pattern(r":(?<=[3a-zA-Z]:)")), ("dotted", Pattern("::"))),
    "@": (("at", None), ("tag", None)),
    ".": (("www", Pattern(r"www\.")), ("dots", Pattern(r"\.\d+\.\d")), ("dotted", Pattern(r"\.[A-Za-z_]"))),
    "`": (("quote", None),),
    "/": (("slash", None),),
    "\\": (("slash", None),),
    "-": (("dashed", Pattern(r"-[\da-fA-F]{4}")), ("option", Pattern(r"-(?<![\w-]-)[-A-Za-z]")), ("dotted", Pattern("->"))),
    "#": (("tag", None),),
    "$": (("dollar", None),),
    "_": (("snake", None),),
    "(": (("call", Pattern(r"\(\)")),),
    "0": (("zero", Pattern(r"0\d{2,4}[ -]\d{3}")),),
    "+": (("plus", Pattern(r"\+\d")),),
}
"""A character, and the forms that may be there where the text holds it and the pattern is found."""
_MARKS = frozenset(_SIGNS)
_CAMEL = Pattern(r"[A-Z](?<=[a-z][a-z][A-Z])[a-z]")
_LETTER_FIRST = Pattern(  # K3, TXN-008, H2O
    r"(?<![A-Za-z0-9\u00c0-\u024f])(?<![\d][-.])[A-Za-z]++-?\d[A-Za-z0-9]*+(?:[-.](?=[A-Za-z]{0,20}\d)[A-Za-z0-9]++)*+(?![A-Za-z0-9\u00c0-\u024f])"
)
_LETTER_DIGIT, _DIGIT_LETTER = Pattern(r"\d(?:(?<=[A-Za-z]\d)|(?<=[A-Za-z]-\d))"), Pattern(r"\d[A-Za-z]")
_DIGIT_FIRST = Pattern(
    r"(?<![A-Za-z0-9\u00c0-\u024f])\d++[A-Za-z][A-Za-z0-9]*+(?:-(?=[A-Za-z]{0,20}\d)[A-Za-z0-9]++)*+(?![A-Za-z0-9\u00c0-\u024f])"
)  # 12a, 4K, 1RM
_NOT_SERIAL = Pattern(r"(?:mid|pre|post|early|late|since|under|over|top|non|ca|approx|no|day|week|phase|section|part|step)-?\d", IGNORECASE)
_VERSION = Pattern(r"v\d+(?:\.\d+)+")
_PHONE = Pattern(r"\+?[\d ()-]+")
_PROSE = Pattern(
    r"(?:[A-Za-z]\.)+[A-Za-z]?\.?"  # e.g., U.S.
    r"|[a-z]+\.[A-Z][a-z]+"  # a full stop without its blank
    r"|\d{1,2}\.\d{1,2}\.(?:19|20)?\d\d|(?:19|20)\d\d\.\d{1,2}\.\d{1,2}"  # a date
    r"|\d{1,3}(?:\.\d{3})+"  # thousands
)


def take_exact(canvas: Canvas) -> None:
    """Take what has a form of its own, before anything else is read."""
    signs = {"version"} if "v" in canvas.words and canvas.has_digit else set[str]()
    if _CAMEL.search(canvas.rest):
        signs.add("camel")
    for mark in _MARKS & canvas.chars:
        signs.update(name for name, sign in _SIGNS[mark] if sign is None or sign.search(canvas.rest) is not None)
    if signs:
        canvas.take(_exact_forms(frozenset(signs)), _exact)


@lru_cache(maxsize=256)
def _exact_forms(signs: frozenset[str]) -> Pattern:
    """One pattern of the forms whose signs a text holds."""
    return Pattern("|".join(form for sign, form in _FORMS if sign in signs))


def take_serials(canvas: Canvas) -> None:
    """Take words that begin with letters and hold digits (`K3`, `TXN-008`)."""
    if _LETTER_DIGIT.search(canvas.rest):
        canvas.take(_LETTER_FIRST, _serial)


def take_mixed(canvas: Canvas) -> None:
    """Take what is left of words that begin with digits (`12a`); after the quantities, which need no blank (`512Mi`)."""
    if _DIGIT_LETTER.search(canvas.rest):
        canvas.take(_DIGIT_FIRST, _serial)


def _exact(match: re.Match[str]) -> list[Value] | None:
    written = match[0]
    if _PROSE.fullmatch(written):
        return None
    if _PHONE.fullmatch(written):
        return [Value("code", re.sub(r"\D", "", written), written)]
    return [code(written)]


def _serial(match: re.Match[str]) -> list[Value] | None:
    return None if _NOT_SERIAL.match(match[0]) else [code(match[0])]


def code(written: str) -> Value:
    """An identifier as a value: quotes, the sentence's own mark and the `v` of `v1.2` off, in lower case."""
    bare = written.strip("`").rstrip(".,;:!?)\"'").lower().removeprefix("mailto:")
    if "://" in bare:
        bare = bare.rstrip("/")
    return Value("code", bare[1:] if _VERSION.fullmatch(bare) else bare, written)
