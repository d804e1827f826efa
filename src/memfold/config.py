"""Frozen settings per stage. Nothing here reads the environment."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

Order: TypeAlias = Literal["cosine", "safest"]
"""Which edit is made next: that of the most similar pair (the paper's), or the one that is least likely to lose a fact."""
ORDERS: tuple[Order, ...] = ("cosine", "safest")
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
    :param neighbours: in the order "safest", how many of its nearest each entry makes a pair with.
    :param loss: in the order "safest", what is least in the next edit.
    """

    max_judgements: int | None = None
    max_edits: int | None = None
    max_seconds: float | None = None
    guards: bool = True
    min_saving: float = 0.05
    order: Order | None = None
    neighbours: int = 32
    loss: Loss = "chance"
