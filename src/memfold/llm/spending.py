"""Budgets in calls, tokens and money: asked before every sending, so that a run stops between two requests."""

from __future__ import annotations

import threading
from dataclasses import dataclass

from memfold.config import ModelSettings
from memfold.llm.prices import Prices
from memfold.protocols import Failure

USUAL_REPLY = 300
"""Tokens that a reply is taken to have before any has come."""


@dataclass(frozen=True, slots=True)
class Held:
    """What is set aside for a request in flight."""

    tokens: int
    cost: float


class Spending:
    """What was spent, and what is set aside for requests in flight. Thread-safe.

    Calls are exact: never one too many. Tokens and money are known only afterwards: a request is sent when its estimate still fits
    beside all that is in flight, so the budget is passed at most by how far the estimates of what was in flight fell short.
    """

    def __init__(self, settings: ModelSettings, prices: Prices, model: str, *, batch: bool = False) -> None:
        """:param batch: money is counted at the price of batch files."""
        self._settings = settings
        self._batch = batch
        self._prices = prices
        self._model = model
        self._free = threading.Condition()
        self.calls = 0
        self.tokens = 0
        self.cost = 0.0
        self._flying: list[Held] = []
        self._replies = 0
        self._reply_tokens = 0

    def hold(self, tokens_in: int, max_tokens: int | None, stop: threading.Event) -> Held | Failure:
        """Set aside what a request will probably take, or say that it no longer fits.

        Where only what others in flight may take stands in the way, this waits until they are back.
        """
        with self._free:
            while not stop.is_set():
                tokens_out = self._usual(max_tokens)
                held = Held(tokens_in + tokens_out, self._cost(tokens_in, tokens_out))
                spent, may_pass = self._missing(held)
                if not spent:
                    self.calls += 1
                    self._flying.append(held)
                    return held
                if not may_pass:
                    return Failure("spent", spent)
                self._free.wait(0.5)
        return Failure("unreachable", "interrupted")

    def settle(self, held: Held, tokens_in: int, tokens_out: int) -> float:
        """A request is back: count what it really took; returns its cost."""
        cost = self._cost(tokens_in, tokens_out)
        with self._free:
            self._flying.remove(held)
            self.tokens += tokens_in + tokens_out
            self.cost += cost
            if tokens_out:
                self._replies += 1
                self._reply_tokens += tokens_out
            self._free.notify_all()
        return cost

    def plan(self, tokens_in: int, max_tokens: int | None) -> Failure | None:
        """Set aside what a request will take that is answered in some later run; a failure where it no longer fits."""
        with self._free:
            tokens_out = self._usual(max_tokens)
            held = Held(tokens_in + tokens_out, self._cost(tokens_in, tokens_out))
            spent, _ = self._missing(held)
            if spent:
                return Failure("spent", spent)
            self.calls += 1
            self._flying.append(held)
        return None

    def take(self, tokens_in: int, tokens_out: int) -> float:
        """Count what a reply took that an earlier run asked for; returns its cost."""
        cost = self._cost(tokens_in, tokens_out)
        with self._free:
            self.calls += 1
            self.tokens += tokens_in + tokens_out
            self.cost += cost
        return cost

    def _cost(self, tokens_in: int, tokens_out: int) -> float:
        return self._prices.cost(self._model, tokens_in, tokens_out, batch=self._batch).amount

    def _usual(self, max_tokens: int | None) -> int:
        usual = self._reply_tokens // self._replies if self._replies else USUAL_REPLY
        return usual if max_tokens is None else min(usual, max_tokens)

    def _missing(self, held: Held) -> tuple[str, bool]:
        """Which budget has no room for this, "" if none; and whether it may have room when what is in flight is back."""
        limits = self._settings
        if limits.max_calls is not None and self.calls >= limits.max_calls:
            return f"the budget of {limits.max_calls:,} calls is spent", False
        if limits.max_tokens is not None:
            flying = sum(one.tokens for one in self._flying)
            if self.tokens + flying + held.tokens > limits.max_tokens:
                told = f"of the budget of {limits.max_tokens:,} tokens {self.tokens:,} are spent"
                return f"{told}, and the next request may take {held.tokens:,}", bool(flying)
        if limits.max_cost is not None:
            flying = sum(one.cost for one in self._flying)
            if self.cost + flying + held.cost > limits.max_cost:
                told = f"of the budget of {limits.max_cost:g} {self.cost:.4f} is spent, and the next request may take {held.cost:.4f}"
                return told, bool(self._flying)
        return "", False
