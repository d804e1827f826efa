"""Frozen settings per stage. Nothing here reads the environment."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

Order: TypeAlias = Literal["cosine", "window", "safest"]
"""Which edit is made next: that of the most similar pair (the paper's), the same with several disjoint pairs being judged at once,
or the one that is least likely to lose a fact."""
ORDERS: tuple[Order, ...] = ("cosine", "window", "safest")
Loss: TypeAlias = Literal["chance", "per byte", "value", "value per byte"]
"""How the expected loss of an edit is measured, see `memfold.refine.safest.LOSSES`."""


@dataclass(frozen=True, slots=True)
class RefineSettings:
    """What bounds a refinement. `None` is no bound; the budget always bounds it.

    :param max_judgements: judgements asked for in this run.
    :param max_edits: edits made in this run.
    :param max_seconds: wall-clock seconds after which no new pair is judged.
    :param guards: whether guards may veto the judge (the paper's baselines are evaluated without).
    :param min_saving: in [0, 1]; with guards on, a merge that saves no more than this share of its two sides is not
        worth rewriting them, and preserves (two observations of one MCP entity take the same room joined or apart).
    :param order: `None` is the order that the judge prefers, else "cosine".
    :param ahead: in the order "cosine", how many of the pairs that probably come next are judged ahead; the result is the same.
    :param window: in the order "window", how many judgements are outstanding; 1 is the order "cosine". 0 is as many as are useful.
    :param neighbours: in the order "safest", how many of its nearest each entry makes a pair with.
    :param loss: in the order "safest", what is least in the next edit.
    """

    max_judgements: int | None = None
    max_edits: int | None = None
    max_seconds: float | None = None
    guards: bool = True
    min_saving: float = 0.05
    order: Order | None = None
    ahead: int = 8
    window: int = 16
    neighbours: int = 32
    loss: Loss = "chance"


@dataclass(frozen=True, slots=True)
class ModelSettings:
    """How a language model is reached and what it may cost. Keys come from the environment or a file, never from here.

    :param base_url: of an OpenAI-compatible endpoint; "" is OpenAI's own.
    :param key_file: a file that holds the key; "" takes it from the environment variable OPENAI_API_KEY.
    :param concurrency: requests in flight at once.
    :param requests_per_minute: None is no limit, and so for the tokens (in and out).
    :param timeout: seconds that one request may take.
    :param tries: how often a request is sent at most where sending it again may help.
    :param max_calls: requests in all, retries included; None is no limit, and so for the next two.
    :param max_tokens: in and out.
    :param max_cost: in the currency of the prices.
    :param prices: a file that adds to or overrides the table of prices, see `memfold.llm.prices`; "" takes the table alone.
    """

    base_url: str = ""
    key_file: str = ""
    concurrency: int = 16
    requests_per_minute: int | None = None
    tokens_per_minute: int | None = None
    timeout: float = 120.0
    tries: int = 5
    max_calls: int | None = None
    max_tokens: int | None = None
    max_cost: float | None = None
    prices: str = ""
