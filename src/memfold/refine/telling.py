"""The words by which a text tells its facts: content words, and the function words that carry meaning."""

from __future__ import annotations

from collections.abc import Sequence

from memfold.refine.text import fold
from memfold.refine.text.words import content_list

_TELLING = frozenset(
    """before after until since during up down over under off out without only both all every more less most least again still instead
    against between done gone can cannot should must may might will would vor nach bis seit ohne nur alle antes después hasta
    sin solo avant après jusque sans seulement depois até sem только до после без""".split()
)


def telling_words(text: str, content: Sequence[str] | None = None) -> frozenset[str]:
    """The content words of the text and those of its function words that carry meaning: `before`, `only`, `must` and the like.

    :param content: the text's `content_list`, where the caller has it.
    """
    return frozenset(content_list(text) if content is None else content) | _TELLING.intersection(fold(text).lower().split())
