"""A later state with the earlier one behind it: `… on Friday (earlier: Monday)`. Only the word for "earlier" comes from a table."""

from __future__ import annotations

import re

from memfold.refine.merge.covering import Clauses, news_of
from memfold.refine.merge.joints import SPACELESS, TRAILING, sentences_of
from memfold.refine.merge.openings import LEANING, SEARCHED, alike, end_of, shared_beginning, spans_of
from memfold.refine.text import clauses, content_words
from memfold.refine.text.language import language

_SHORT = 10
"""Words of the longest earlier state that is put in brackets."""
_EARLIER = {
    "en": "earlier", "de": "früher", "es": "antes", "fr": "avant", "pt": "antes", "it": "prima", "nl": "eerder", "ru": "раньше",
    "vi": "trước đây", "ar": "سابقاً", "zh": "以前", "ja": "以前", "ko": "이전",
}  # fmt: skip
_SINGLE = re.compile(r"(?<![^\W_])'|'(?![^\W_])")
_GROUP = re.compile(rf"\s?[(（](?:{'|'.join(sorted(set(_EARLIER.values())))})[:：]\s?([^()（）\n]*)[)）]")


def revised_field(head: str, old: str, new: str) -> str | None:
    """The new value of a field with the old one behind it, where the texts are `head: value`; None where they are not."""
    if not head.rstrip().endswith((":", "：")) or max(len(spans_of(old)), len(spans_of(new))) > _SHORT or _GROUP.search(old + new):
        return None
    body, value = new.strip().rstrip(TRAILING), old.strip().rstrip(TRAILING)
    return f"{body}{_earlier(new, [value])}" if _is_whole(value) else None


def revised_text(old: str, new: str) -> str | None:
    """The new text with `(earlier: …)` behind what replaces the one stale sentence of the old text; None where that does not fit.

    What was earlier than either already stands in the same brackets behind it, the latest first: `Bonn (earlier: Rome; Oslo)`.
    """
    if language(old) != language(new):
        return None
    before_new, new_text = _without_group(new)
    before_old, old_text = _without_group(old)
    if before_new is None or before_old is None:
        return None
    stale = news_of(Clauses.of(new_text), old_text)
    if not stale:
        return new if not before_old else None
    if len(stale) != 1:
        return None
    parts = ["".join(sentence) for sentence in sentences_of(clauses(new_text))]
    if (before_new or before_old) and len(parts) > 1:
        return None
    found = _replaced(parts, stale[0]) or _told_otherwise(parts, stale[0])
    if found is None:
        return None
    at, end, value = found
    states = list(dict.fromkeys([*before_new, value, *before_old]))
    parts[at] = f"{parts[at][:end]}{_earlier(new, states)}{parts[at][end:]}"
    return "".join(parts).strip()


def _replaced(parts: list[str], stale: str) -> tuple[int, int, str] | None:
    """The sentence that differs from the stale one in one place, where that place ends, and what stood there."""
    for at, part in enumerate(parts[:SEARCHED]):
        place = _one_difference(stale, part)
        if place is None or stale.lstrip().startswith(place[0]):  # somebody else is no later state of somebody
            continue
        if _is_whole(place[0]) and _outside_quotes(part[: place[1]]):
            return at, place[1], place[0]
    return None


def _told_otherwise(parts: list[str], stale: str) -> tuple[int, int, str] | None:
    """The sentence that begins like the stale one for longest, where it ends, and how the stale one goes on."""
    shared, at = max(((shared_beginning(part, stale), -at) for at, part in enumerate(parts[:SEARCHED])), default=(0, 0))
    if not shared or len(spans_of(stale)) - shared > _SHORT:
        return None
    value = stale[end_of(stale, shared) :].strip(TRAILING)
    return (-at, len(parts[-at].rstrip().rstrip(TRAILING)), value) if value and _is_whole(value) else None


def _without_group(text: str) -> tuple[list[str] | None, str]:
    """What stands in the text's `(earlier: …)`, latest first, and the text without it; None where there are several."""
    found = _GROUP.findall(text)
    if len(found) > 1:
        return None, text
    states = re.split(r"[;；]\s?", found[0]) if found else []
    return states, _GROUP.sub("", text)


def _is_whole(value: str) -> bool:
    """Whether brackets and quotation marks are closed, and it holds no sentence end or semicolon."""
    return not re.search(r"[;；()（）\n]|[.!?。！？]\s", value) and value.count('"') % 2 == 0


def _outside_quotes(before: str) -> bool:
    """Whether no quotation mark is open at the end of the text; apostrophes inside words are none."""
    return before.count('"') % 2 == 0 and len(_SINGLE.findall(before)) % 2 == 0


def _earlier(text: str, values: list[str]) -> str:
    word = _EARLIER[language(text)]
    wide = SPACELESS.search(text)
    return f"（{word}：{'；'.join(values)}）" if wide else f" ({word}: {'; '.join(values)})"


def _one_difference(old: str, new: str) -> tuple[str, int] | None:
    """The value in `old` that `new` replaces, and where the new one ends; None unless the frames are alike and the value short."""
    left, right = spans_of(old), spans_of(new)
    start = alike(left, right)
    tail = alike(left[start:][::-1], right[start:][::-1])
    gone, come = left[start : len(left) - tail], right[start : len(right) - tail]
    frame = start + tail
    if not gone or not come or frame < max(len(gone), len(come)) or len(gone) > _SHORT:
        return None
    if {gone[-1][0], come[-1][0]} & LEANING:
        return None
    if not content_words(" ".join(word for word, _, _ in left[:start] + left[len(left) - tail :])):
        return None
    return old[gone[0][1] : gone[-1][2]], come[-1][2]
