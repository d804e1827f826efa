"""Many sessions, one round of requests at a time: what all of them ask next goes to the model together."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from memfold.extract.claims import Asking
from memfold.extract.outcome import Outcome
from memfold.protocols import ChatModel, ChatReply


def in_rounds(askings: Sequence[Asking[Outcome]], model: ChatModel) -> list[Outcome]:
    """Drive the sessions to their outcomes, in order. Each depends on its own replies alone, never on which others share its rounds."""
    outcomes: dict[int, Outcome] = {}
    replies: dict[int, list[ChatReply[Any]] | None] = dict.fromkeys(range(len(askings)))
    while replies:
        requests: list[Any] = []
        slices: dict[int, slice] = {}
        for n, received in replies.items():
            try:
                asked = askings[n].send(received)  # pyright: ignore[reportArgumentType]
            except StopIteration as done:
                outcomes[n] = done.value
                continue
            slices[n] = slice(len(requests), len(requests) + len(asked))
            requests += asked
        answered = model.complete_many(requests) if requests else []
        replies = {n: answered[place] for n, place in slices.items()}
    return [outcomes[n] for n in range(len(askings))]
