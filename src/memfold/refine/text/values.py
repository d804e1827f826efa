"""The values in a text that a memory must not lose."""

from __future__ import annotations

from datetime import datetime
from functools import lru_cache

from memfold.refine.text.canvas import DIGIT, Canvas
from memfold.refine.text.codes import take_exact, take_mixed, take_serials
from memfold.refine.text.dates import take_dates
from memfold.refine.text.language import language
from memfold.refine.text.names import speaker_value, take_names
from memfold.refine.text.numbers import joined_spans, joined_units, take_numbers, take_ordinals, take_spans
from memfold.refine.text.sentences import speaker
from memfold.refine.text.spelled import spelled_out
from memfold.refine.text.times import take_times
from memfold.refine.text.value import Value, ValueKind, stands_for
from memfold.refine.text.words import fold

__all__ = ["Value", "ValueKind", "stands_for", "values"]

_REMEMBERED = 4000
"""Characters: longer texts are read anew each time."""


def values(text: str, when: datetime | None = None) -> frozenset[Value]:
    """The values of the text: numbers, quantities, ordinals, dates, times, names, codes, and who speaks.

    Relative dates (`yesterday`, `next Friday`, `two weeks ago`) count from `when`, the entry's time. Compare with
    `stands_for` where a more precise value may replace a vaguer one. Linear in the length of the text.
    """
    day = when.replace(hour=0, minute=0, second=0, microsecond=0, tzinfo=None) if when else None
    return _remembered(text, day) if len(text) <= _REMEMBERED else _values(text, day)


def _values(text: str, day: datetime | None) -> frozenset[Value]:
    spoken_by, said = speaker(text)
    by = speaker_value(spoken_by, announced=text[:20].lstrip().lower().startswith("speaker ")) if spoken_by else None
    folded = fold(said if by else text)
    canvas = Canvas(folded)
    tongue = language(folded, canvas.words)
    take_exact(canvas)
    canvas.write(spelled_out(canvas.rest, tongue, canvas.words))
    take_times(canvas, tongue)
    take_dates(canvas, tongue, day)
    joined_units(canvas)
    take_spans(canvas)
    if canvas.has_digit and DIGIT.search(canvas.rest):
        take_ordinals(canvas, tongue, day.date() if day else None)
        take_serials(canvas)
        canvas.rest = joined_spans(canvas.rest)
        take_numbers(canvas, tongue)
        take_mixed(canvas)
    take_names(canvas, tongue, talk=by is not None)
    return frozenset([by, *canvas.found] if by else canvas.found)


_remembered = lru_cache(maxsize=4096)(_values)
