"""Frozen settings per stage. Nothing here reads the environment."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class RefineSettings:
    """What bounds a refinement. `None` is no bound; the budget always bounds it.

    :param max_judgements: judgements asked for in this run.
    :param max_edits: edits made in this run.
    :param max_seconds: wall-clock seconds after which no new pair is judged.
    :param guards: whether guards may veto the judge (the paper's baselines are evaluated without).
    """

    max_judgements: int | None = None
    max_edits: int | None = None
    max_seconds: float | None = None
    guards: bool = True
