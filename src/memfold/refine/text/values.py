"""The values in a text that a memory must not lose."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal, TypeAlias

from memfold.refine.text.words import WORD, fold

ValueKind: TypeAlias = Literal["number", "quantity", "date", "time", "name", "code", "speaker"]


@dataclass(frozen=True, slots=True)
class Value:
    """One value of a text. Two values are equal when kind and canonical form are; `surface` is how it was written."""

    kind: ValueKind
    canonical: str
    surface: str = field(compare=False, default="")


_NAME = re.compile(r"(?<=[\w,;:] )[A-Z][\w'-]+")


def values(text: str, when: datetime | None = None) -> frozenset[Value]:
    """The values of the text; relative dates count from `when`. Early form: numbers and names inside sentences."""
    folded = fold(text)
    numbers = {Value("number", word.lower().replace(",", ""), word) for word in WORD.findall(folded) if any(c.isdigit() for c in word)}
    return frozenset(numbers | {Value("name", m[0].lower(), m[0]) for m in _NAME.finditer(folded)})
