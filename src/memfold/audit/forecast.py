"""What a smaller budget would probably take: an estimate from sizes and cosines alone.

The walk is the paper's (MemRefine 3.2): the most similar pair first, until the budget is met. In place of a judge it
takes the smaller side of every pair, so it is the most that a pair can give: a merge saves less and a preserved pair
nothing, and a real run will go further down than the cosine said here. Exact copies go first. Pairs whose values
differ are left alone, as the guards of a refinement leave them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from memfold.audit.result import Forecast

Kind: TypeAlias = Literal["near", "judgement", "kept"]


@dataclass(frozen=True, slots=True)
class Step:
    """A pair of positions on the way down."""

    a: int
    b: int
    cosine: float
    kind: Kind


@dataclass(slots=True)
class _Walk:
    """What has gone so far, in bytes by kind."""

    near: int = 0
    judgement: int = 0
    pairs: int = 0
    kept: int = 0
    cosine: float | None = None


def make_forecast(total: int, spare: int, sizes: Sequence[int], steps: Sequence[Step], shares: Sequence[float]) -> tuple[Forecast, ...]:
    """One forecast a share of `total`, in the order given.

    :param total: bytes of all entries. :param spare: bytes of exact copies, not in `sizes`.
    :param sizes: bytes of each entry that is no exact copy of another.
    :param steps: pairs of positions in `sizes`, by falling cosine.
    """
    waiting = sorted(set(shares), reverse=True)
    ready: dict[float, Forecast] = {}
    walk = _Walk()
    alive = [True] * len(sizes)
    for step in steps:
        while waiting and _over(total, spare, walk, waiting[0]) <= 0:
            share = waiting.pop(0)
            ready[share] = _reading(total, spare, walk, share)
        if not waiting:
            break
        if not (alive[step.a] and alive[step.b]):
            continue
        if step.kind == "kept":
            walk.kept += 1
            continue
        smaller = min((step.a, step.b), key=lambda position: (sizes[position], position))
        alive[smaller] = False
        walk.pairs, walk.cosine = walk.pairs + 1, step.cosine
        if step.kind == "near":
            walk.near += sizes[smaller]
        else:
            walk.judgement += sizes[smaller]
    for share in waiting:
        ready[share] = _reading(total, spare, walk, share)
    return tuple(ready[share] for share in shares)


def _over(total: int, spare: int, walk: _Walk, share: float) -> int:
    return total - spare - walk.near - walk.judgement - int(total * share)


def _reading(total: int, spare: int, walk: _Walk, share: float) -> Forecast:
    """The state of the walk as a forecast. The last entry to go may save more than was needed: it counts up to the need."""
    limit = int(total * share)
    over = total - limit
    exact = min(spare, over)
    near = min(walk.near, over - exact)
    judgement = min(walk.judgement, over - exact - near)
    missing = over - exact - near - judgement
    return Forecast(share, limit, over, exact, near, judgement, missing, walk.pairs, walk.kept, walk.cosine)
