"""A later state with the earlier one behind it: `… on Friday (earlier: Monday)`. Only the word for "earlier" comes from a table."""

from __future__ import annotations

from memfold.refine.merge.covering import Clauses, news_of, sentences_of
from memfold.refine.merge.joints import SHORT, SPACELESS, TRAILING
from memfold.refine.merge.openings import SEARCHED, alike, end_of, same_beginning, spans_of
from memfold.refine.text import clauses, content_words
from memfold.refine.text.language import language

_EARLIER = {
    "en": "earlier", "de": "früher", "es": "antes", "fr": "avant", "pt": "antes", "it": "prima", "nl": "eerder", "ru": "раньше",
    "vi": "trước đây", "ar": "سابقاً", "zh": "以前", "ja": "以前", "ko": "이전",
}  # fmt: skip


def revised_field(head: str, old: str, new: str) -> str | None:
    """The new value of a field with the old one behind it, where the texts are `head: value`; None where they are not."""
    if not head.rstrip().endswith((":", "：")) or max(len(spans_of(old)), len(spans_of(new))) > SHORT:
        return None
    return f"{new.strip().rstrip(TRAILING)}{_earlier(new, old.strip().rstrip(TRAILING))}"


def revised_text(old: str, new: str) -> str | None:
    """The new text with `(earlier: …)` behind what replaces the one stale sentence of the old text; None where that does not fit."""
    stale = news_of(Clauses.of(new), old)
    if not stale:
        return new
    if len(stale) != 1:
        return None
    parts = sentences_of(clauses(new))
    for at, part in enumerate(parts[:SEARCHED]):
        place = _one_difference(stale[0], part)
        if place is not None:
            value, end = place
            parts[at] = f"{part[:end]}{_earlier(new, value)}{part[end:]}"
            return "".join(parts)
    at, shared = same_beginning(parts, stale[0])
    if at is None or len(spans_of(stale[0])) - shared > SHORT:
        return None
    body = parts[at].rstrip().rstrip(TRAILING)
    parts[at] = f"{body}{_earlier(new, stale[0][end_of(stale[0], shared) :].strip(TRAILING))}{parts[at][len(body) :]}"
    return "".join(parts)


def _earlier(text: str, value: str) -> str:
    word = _EARLIER[language(text)]
    return f"（{word}：{value}）" if SPACELESS.search(text) else f" ({word}: {value})"


def _one_difference(old: str, new: str) -> tuple[str, int] | None:
    """The value in `old` that `new` replaces, and where the new one ends; None unless the frames are alike and the value short."""
    left, right = spans_of(old), spans_of(new)
    start = alike(left, right)
    tail = alike(left[start:][::-1], right[start:][::-1])
    gone, come = left[start : len(left) - tail], right[start : len(right) - tail]
    frame = start + tail
    if not gone or not come or frame < max(len(gone), len(come)) or len(gone) > SHORT:
        return None
    if not content_words(" ".join(word for word, _, _ in left[:start] + left[len(left) - tail :])):
        return None
    return old[gone[0][1] : gone[-1][2]], come[-1][2]
