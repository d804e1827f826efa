"""Is it a claim at all? What a model's reply holds is looked at before anything else is done with it; no model is asked.

Turned away are items without text, stand-ins ("N/A"), giant values, sentences of the prompt, what says nothing, and what was said before.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable
from functools import lru_cache

from memfold.extract.claims import Claim, Work
from memfold.extract.prompts import Prompts
from memfold.extract.replies import Said
from memfold.types import Kind

_STAND_INS = frozenset(
    """n a|na|none|null|nil|unknown|unspecified|undefined|nothing|empty|string|text|todo|tbd|not applicable|no information|none mentioned|
    not specified|not mentioned|not available|not provided|no data|no facts|no entries|no details|no events|no new information|
    nothing to remember|no information available|keine|nichts|ninguno|aucun|无|なし|없음""".replace("\n    ", "").split("|")
)
"""What models write into a field that has nothing to hold, as `plain` gives it."""
_WORD = re.compile(r"\w+")
_SHINGLE = 5
"""Words in a row that the prompt and a claim share before the claim is suspected."""
NOTHING = ("it stands in for nothing", "it states no fact", "said before")
"""Reasons that make a reply empty rather than bad: the model said that there is nothing."""
LEAKED = 0.6
"""Share of a claim's rows of words that stand in the prompt, from which it comes from there."""


def plain(text: str) -> str:
    """The text's words in one form, to compare texts letter by letter."""
    return " ".join(_WORD.findall(unicodedata.normalize("NFKC", text).casefold()))


def screen(work: Work, items: Iterable[Said], kind: Kind, window: int, step: str) -> list[Claim]:
    """The items that are claims, each once, in order; the others are noted as rejected."""
    given = list(items)
    times = Counter(plain(item.text) for item in given)
    seen: set[str] = set()
    out: list[Claim] = []
    for position, item in enumerate(given, start=1):
        text, key = " ".join(item.text.split()), plain(item.text)
        why = _refusal(work, text, key) or (_loop(work, key, times[key]) if key not in seen else NOTHING[2])
        seen.add(key)
        if why:
            work.reject(text, step, why)
        else:
            turns = _places(work, item.turns)
            out.append(Claim(text, kind, turns, " ".join(item.when.split()), ((window, item.number or position),)))
    return out


def _refusal(work: Work, text: str, key: str) -> str:
    """Why a text is no claim; "" where it may be one."""
    if not text:
        return "it has no text"
    if not key or key in _STAND_INS or plain(text.strip("\"'<>[]{}().")) in _STAND_INS:
        return NOTHING[0]
    if len(text) > work.settings.longest:
        return f"it is longer than {work.settings.longest:,} characters"
    if _leaked(work, key):
        return "it is a sentence of the prompt, not of the conversation"
    return NOTHING[1] if work.tools.reader.says_nothing(text) else ""


def _leaked(work: Work, key: str) -> bool:
    """Whether the words stand in the prompts and not in the conversation."""
    prompt = _plain_prompts(work.tools.prompts)
    words = key.split()
    rows = [" ".join(words[i : i + _SHINGLE]) for i in range(max(1, len(words) - _SHINGLE + 1))]
    held = sum(f" {row} " in f" {prompt} " for row in rows) / len(rows)
    return held >= LEAKED and len(words) > 2 and not any(key in plain(turn.text) for turn in work.turns)


@lru_cache(maxsize=8)
def _plain_prompts(prompts: Prompts) -> str:
    return plain(prompts.all())


def _loop(work: Work, key: str, times: int) -> str:
    """Why a claim that came many times in one reply is not taken: nobody says just that."""
    if times < work.settings.loop:
        return ""
    words = set(key.split())
    said = (len(words.intersection(plain(f"{turn.speaker} {turn.text}").split())) / len(words) for turn in work.turns)
    return "" if max(said, default=0.0) >= 0.8 else f"the model repeated it {times} times"


def _places(work: Work, numbers: Iterable[int]) -> tuple[int, ...]:
    """The places of the turns with these numbers; numbers of no turn are passed over."""
    known = [number for number in dict.fromkeys(numbers) if 1 <= number <= len(work.turns)]
    return tuple(number - 1 for number in known)
