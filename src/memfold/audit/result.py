"""What an audit found, as plain values. `Audit.as_dict` is JSON; `memfold.audit.text` and `.plot` show it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from typing import Literal, TypeAlias

from memfold.types import JSON

Bucket: TypeAlias = Literal["day", "week", "month", "year"]
Difference: TypeAlias = Literal["value", "word"]


@dataclass(frozen=True, slots=True)
class GrowthPoint:
    """The store at the end of the bucket that begins on `start`: entries and bytes so far, undated ones left out."""

    start: date
    entries: int
    bytes: int


@dataclass(frozen=True, slots=True)
class Growth:
    """The store over time, without gaps between the buckets. Entries without a time are counted apart."""

    bucket: Bucket
    points: tuple[GrowthPoint, ...]
    undated: int
    undated_bytes: int

    def as_dict(self) -> dict[str, JSON]:
        points: list[JSON] = [{"start": p.start.isoformat(), "entries": p.entries, "bytes": p.bytes} for p in self.points]
        return {"bucket": self.bucket, "points": points, "undated": self.undated, "undated_bytes": self.undated_bytes}


@dataclass(frozen=True, slots=True)
class Copies:
    """Entries that say the same. `spare` is how many bytes go when only the largest stays."""

    ids: tuple[str, ...]
    texts: tuple[str, ...]
    spare: int

    def as_dict(self) -> dict[str, JSON]:
        return {"ids": list(self.ids), "texts": list(self.texts), "spare": self.spare}


@dataclass(frozen=True, slots=True)
class Suspects:
    """Entries of the same frame whose values differ: similar, and not to be merged away by similarity.

    `frame` is the text of the first with its values masked. `difference` is `value` where numbers, dates, names,
    codes, quotations or a negation differ, `word` where one plain word does (which may be only another wording).
    `values` are the values of each entry, in the order of `ids`. `cosine` is the highest among them.
    """

    frame: str
    difference: Difference
    ids: tuple[str, ...]
    texts: tuple[str, ...]
    values: tuple[tuple[str, ...], ...]
    cosine: float

    def as_dict(self) -> dict[str, JSON]:
        return {
            "frame": self.frame,
            "difference": self.difference,
            "ids": list(self.ids),
            "texts": list(self.texts),
            "values": [list(values) for values in self.values],
            "cosine": round(self.cosine, 4),
        }


@dataclass(frozen=True, slots=True)
class Cosines:
    """How close each entry's nearest neighbour is: `counts[i]` entries in [edges[i], edges[i + 1])."""

    edges: tuple[float, ...]
    counts: tuple[int, ...]
    median: float | None

    def as_dict(self) -> dict[str, JSON]:
        median = None if self.median is None else round(self.median, 4)
        return {"edges": [round(edge, 4) for edge in self.edges], "counts": list(self.counts), "median": median}


@dataclass(frozen=True, slots=True)
class Grouping:
    """The atoms that entries make where none is bounded: how many, the share of them with two members or more, and their mean and
    largest size.

    Where nearly all stand alone atoms add nothing to plain search; where one holds much of the store, it crowds out the rest.
    """

    atoms: int
    shared: float
    mean: float
    largest: int

    def as_dict(self) -> dict[str, JSON]:
        return {"atoms": self.atoms, "shared": round(self.shared, 4), "mean": round(self.mean, 4), "largest": self.largest}


@dataclass(frozen=True, slots=True)
class Forecast:
    """What a budget of `share` of the bytes would probably take. An estimate, see `memfold.audit.forecast`.

    `over` bytes have to go to reach `limit`. `exact` and `near` of them are copies; `judgement` are in pairs that a
    judge has to decide; `missing` are left when no pair above the floor remains. `pairs` is how many pairs would be
    touched, down to `cosine` (None: none); `kept` pairs on the way were left alone since their values differ.
    """

    share: float
    limit: int
    over: int
    exact: int
    near: int
    judgement: int
    missing: int
    pairs: int
    kept: int
    cosine: float | None

    def as_dict(self) -> dict[str, JSON]:
        sizes = {name: getattr(self, name) for name in ("limit", "over", "exact", "near", "judgement", "missing", "pairs", "kept")}
        return {"share": self.share, **sizes, "cosine": None if self.cosine is None else round(self.cosine, 4)}


@dataclass(frozen=True, slots=True)
class Audit:
    """What a namespace holds and how much of it is redundant.

    `bytes` are those that budgets count; `tokens` are of the texts, counted by `counter` (None: not counted).
    `near` leaves exact copies out: each of its texts stands for all entries that are exactly equal to it.
    """

    entries: int
    bytes: int
    tokens: int | None
    counter: str
    growth: Growth
    exact: tuple[Copies, ...]
    near: tuple[Copies, ...]
    suspects: tuple[Suspects, ...]
    cosines: Cosines
    forecast: tuple[Forecast, ...]
    near_cosine: float
    floor: float
    grouping: Grouping | None = None

    def __str__(self) -> str:
        from memfold.audit.text import render

        return render(self)

    def as_dict(self) -> dict[str, JSON]:
        """The audit as JSON."""
        return {
            "entries": self.entries,
            "bytes": self.bytes,
            "tokens": self.tokens,
            "counter": self.counter,
            "growth": self.growth.as_dict(),
            "exact": [copies.as_dict() for copies in self.exact],
            "near": [copies.as_dict() for copies in self.near],
            "suspects": [suspects.as_dict() for suspects in self.suspects],
            "cosines": self.cosines.as_dict(),
            "forecast": [forecast.as_dict() for forecast in self.forecast],
            "grouping": None if self.grouping is None else self.grouping.as_dict(),
            "near_cosine": self.near_cosine,
            "floor": self.floor,
        }
