"""What tokens cost: a small table that a file of yours adds to and overrides.

The file is TOML or JSON, model -> price of a million tokens in and out:

    "gpt-5-mini" = { in = 0.25, out = 2.0 }
    "my-model" = { in = 0.1, out = 0.4, batch = 1.0 }     # no discount for batch files

A model that stands in neither costs 0 and is reported as not known: a model on your own machine has no price.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any, cast

from memfold.errors import BadParameter

AS_OF = "2025-11"
"""When the table was written. Prices change: check those that matter to you."""
BATCH_SHARE = 0.5
"""What the batch services of the larger providers take of the price."""
MILLION = 1_000_000
_DATED = re.compile(r"-(?:\d{8}|\d{4}-\d{2}-\d{2}|latest)$")


@dataclass(frozen=True, slots=True)
class Price:
    """US dollars for a million tokens in and out, unless your file means another currency. `batch` is the share that batch files cost."""

    tokens_in: float
    tokens_out: float
    batch: float = BATCH_SHARE


@dataclass(frozen=True, slots=True)
class Cost:
    """An amount; `known` is False where no price stands for the model, and the amount then is 0."""

    amount: float
    known: bool


PRICES: Mapping[str, Price] = MappingProxyType(
    {
        "gpt-5": Price(1.25, 10.0),
        "gpt-5-mini": Price(0.25, 2.0),
        "gpt-5-nano": Price(0.05, 0.4),
        "gpt-4.1": Price(2.0, 8.0),
        "gpt-4.1-mini": Price(0.4, 1.6),
        "gpt-4.1-nano": Price(0.1, 0.4),
        "gpt-4o": Price(2.5, 10.0),
        "gpt-4o-mini": Price(0.15, 0.6),
        "o3": Price(2.0, 8.0),
        "o4-mini": Price(1.1, 4.4),
        "claude-sonnet-4-5": Price(3.0, 15.0),
        "claude-haiku-4-5": Price(1.0, 5.0),
        "gemini-2.5-pro": Price(1.25, 10.0),
        "gemini-2.5-flash": Price(0.3, 2.5),
        "gemini-2.5-flash-lite": Price(0.1, 0.4),
        "deepseek-chat": Price(0.28, 0.42),
    }
)


class Prices:
    """The table, and what a file adds to it.

    :param file: path of the user's prices; "" for none.
    :raises BadParameter: the file cannot be read as prices, with the place.
    """

    def __init__(self, file: str = "") -> None:
        self._table = {**PRICES, **(_read(Path(file)) if file else {})}

    def price(self, model: str) -> Price | None:
        """The price of a model, by its name, without a date at its end, or without a provider's name before it; None if unknown."""
        bare = model.rpartition("/")[2]
        for name in (model, _DATED.sub("", model), bare, _DATED.sub("", bare)):
            if name in self._table:
                return self._table[name]
        return None

    def cost(self, model: str, tokens_in: int, tokens_out: int, *, batch: bool = False) -> Cost:
        """What so many tokens cost."""
        price = self.price(model)
        if price is None:
            return Cost(0.0, known=False)
        amount = (tokens_in * price.tokens_in + tokens_out * price.tokens_out) / MILLION
        return Cost(amount * price.batch if batch else amount, known=True)


def _read(file: Path) -> dict[str, Price]:
    try:
        text = file.read_text("utf-8")
        held: Any = json.loads(text) if file.suffix.lower() == ".json" else tomllib.loads(text)
    except (OSError, ValueError) as error:
        raise BadParameter(f"the prices in {file} cannot be read: {error}") from error
    if not isinstance(held, dict):
        raise BadParameter(f"{file} must hold a table: model -> {{in = …, out = …}}")
    return {name: _price(file, name, value) for name, value in cast("dict[str, Any]", held).items()}


def _price(file: Path, name: str, value: Any) -> Price:
    wanted = f'{file}: the price of {name!r} must be {{"in": number, "out": number}}, US dollars for a million tokens'
    held = cast("dict[str, Any]", value) if isinstance(value, dict) else {}
    if held.keys() - {"in", "out", "batch"} or not {"in", "out"} <= held.keys():
        raise BadParameter(wanted)
    numbers = (held["in"], held["out"], held.get("batch", BATCH_SHARE))
    if not all(isinstance(number, (int, float)) and not isinstance(number, bool) and 0 <= number < float("inf") for number in numbers):
        raise BadParameter(wanted)
    return Price(*(float(number) for number in numbers))
