"""What a model was used for and what it took, by purpose."""

from __future__ import annotations

import threading
from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from memfold.protocols import ChatReply
from memfold.types import JSON


@dataclass(slots=True)
class Use:
    """Sums over the requests of one purpose.

    :param requests: what was asked, remembered replies included.
    :param calls: what was sent, retries included. :param cached: requests that a remembered reply answered.
    :param seconds: sum over the requests; with several in flight more than the clock's.
    :param failures: how many requests ended without a value, by kind.
    """

    requests: int = 0
    calls: int = 0
    cached: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    cost: float = 0.0
    seconds: float = 0.0
    failures: Counter[str] = field(default_factory=Counter[str])

    def add(self, reply: ChatReply[Any]) -> None:
        """Count a reply."""
        self.requests += 1
        self.calls += reply.calls
        self.cached += reply.value is not None and reply.calls == 0
        self.tokens_in += reply.tokens_in
        self.tokens_out += reply.tokens_out
        self.cost += reply.cost
        self.seconds += reply.seconds
        if reply.failure is not None:
            self.failures[reply.failure.kind] += 1

    def as_dict(self) -> dict[str, JSON]:
        """The sums as JSON."""
        failures: dict[str, JSON] = dict(sorted(self.failures.items()))
        return {
            "requests": self.requests,
            "calls": self.calls,
            "cached": self.cached,
            "tokens_in": self.tokens_in,
            "tokens_out": self.tokens_out,
            "cost": self.cost,
            "seconds": self.seconds,
            "failures": failures,
        }


class Usage:
    """Thread-safe sums by purpose. `usage["judge"].calls`; a purpose never used has zeros."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._of: dict[str, Use] = {}

    def add(self, purpose: str, reply: ChatReply[Any]) -> None:
        """Count a reply."""
        with self._lock:
            self._of.setdefault(purpose, Use()).add(reply)

    def __getitem__(self, purpose: str) -> Use:
        with self._lock:
            return self._of.get(purpose, Use())

    @property
    def purposes(self) -> tuple[str, ...]:
        """The purposes used so far, sorted."""
        with self._lock:
            return tuple(sorted(self._of))

    @property
    def total(self) -> Use:
        """The sums over all purposes."""
        total = Use()
        with self._lock:
            for use in self._of.values():
                for name in ("requests", "calls", "cached", "tokens_in", "tokens_out", "cost", "seconds"):
                    setattr(total, name, getattr(total, name) + getattr(use, name))
                total.failures += use.failures
        return total

    def as_dict(self) -> dict[str, JSON]:
        """Purpose -> sums, and the total under "total"."""
        by: dict[str, JSON] = {purpose: self[purpose].as_dict() for purpose in self.purposes}
        by["total"] = self.total.as_dict()
        return by
