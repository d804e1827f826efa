"""Budgets as people write them: `50%`, `200KB`, `1.5MiB`, `300 entries`, `20k tokens`."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal, TypeAlias

from memfold.errors import BudgetError

Unit: TypeAlias = Literal["bytes", "tokens", "entries"]

_BYTES = {"": 1, "b": 1, "byte": 1, "bytes": 1, "kb": 10**3, "mb": 10**6, "gb": 10**9, "kib": 2**10, "mib": 2**20, "gib": 2**30}
_COUNT = {"": 1, "k": 10**3, "m": 10**6}
_WRITTEN = re.compile(r"(?P<number>\d+(?:[_,]\d{3})*(?:\.\d+)?)\s*(?P<rest>[a-z%]*(?:\s+[a-z]+)?)", re.IGNORECASE)
CURE = "write a share like 50%, bytes like 200KB or 1.5MiB, '300 entries' or '20k tokens'"


@dataclass(frozen=True, slots=True)
class Budget:
    """A storage budget: an amount of a unit, or a share of everything that the store has taken in.

    A share counts what lives now plus what earlier runs saved, so the same share asked for twice changes nothing the
    second time (MemRefine B: `r` times the size without compression).
    """

    amount: float
    unit: Unit = "bytes"
    share: bool = False

    @classmethod
    def parse(cls, written: str | int | Budget) -> Budget:
        """A budget from its written form; a bare number is bytes.

        :raises BudgetError: it cannot be understood, or a share is over 100 %.
        """
        if isinstance(written, Budget):
            return written
        match = _WRITTEN.fullmatch(str(written).strip())
        if match is None:
            raise BudgetError(f"cannot read the budget {written!r}: {CURE}")
        number = float(re.sub("[_,]", "", match["number"]))
        scale, _, noun = match["rest"].lower().partition(" ")
        noun = noun.strip()
        if scale == "%" and noun in ("", "entries", "tokens", "bytes"):
            if number > 100:
                raise BudgetError(f"the budget {written!r} is more than all there is; {CURE}")
            return cls(number / 100, _unit(noun or "bytes"), share=True)
        if scale in ("entries", "entry", "tokens", "token"):
            scale, noun = "", scale
        if noun.rstrip("s") in ("entrie", "entry", "token") and scale in _COUNT:
            return cls(float(round(number * _COUNT[scale])), _unit(noun))
        if not noun and scale in _BYTES:
            return cls(float(round(number * _BYTES[scale])), "bytes")
        raise BudgetError(f"cannot read the budget {written!r}: {CURE}")

    def limit(self, taken_in: int) -> int:
        """The largest size allowed, in the budget's unit, given all that the store has taken in (same unit)."""
        return int(self.amount * taken_in) if self.share else int(self.amount)

    def __str__(self) -> str:
        if self.share:
            return f"{self.amount * 100:g}%" + ("" if self.unit == "bytes" else f" {self.unit}")
        return f"{int(self.amount)} {self.unit}"


def _unit(noun: str) -> Unit:
    if noun.startswith("entr"):
        return "entries"
    return "tokens" if noun.startswith("token") else "bytes"
