"""Requests and tokens a minute, and requests at once: waiting until the next may go."""

from __future__ import annotations

import threading
import time
from collections import deque

from memfold.config import ModelSettings

MINUTE = 60.0


class Clock:
    """Time as the limits see it; a test brings its own."""

    def now(self) -> float:
        """Seconds from some fixed moment; never goes back."""
        return time.monotonic()

    def wait(self, seconds: float, stop: threading.Event) -> None:
        """Let this time pass, or less when `stop` is set meanwhile."""
        if seconds > 0:
            stop.wait(seconds)


class Limits:
    """Over any 60 seconds at most so many requests and (estimated) tokens begin. Thread-safe.

    Who asks gets a place in time at once and waits for it outside the lock, so that the order of the places is the order of asking. A
    request of more tokens than a minute may have goes alone in its minute.
    """

    def __init__(self, settings: ModelSettings, clock: Clock | None = None) -> None:
        self.clock = clock or Clock()
        self.seats = threading.Semaphore(max(1, settings.concurrency))
        self._requests = settings.requests_per_minute
        self._tokens = settings.tokens_per_minute
        self._lock = threading.Lock()
        self._begun: deque[tuple[float, int]] = deque()
        self._not_before = 0.0

    def wait(self, tokens: int, stop: threading.Event) -> bool:
        """Wait for the next place; False when stopped meanwhile.

        :param tokens: that the request will probably take, in and out.
        """
        at = self._place(tokens)
        while (left := at - self.clock.now()) > 0 and not stop.is_set():
            self.clock.wait(left, stop)
        return not stop.is_set()

    def hold(self, seconds: float) -> None:
        """Nothing new begins for so long: the endpoint asked for a pause."""
        with self._lock:
            self._not_before = max(self._not_before, self.clock.now() + seconds)

    def _place(self, tokens: int) -> float:
        with self._lock:
            at = max(self.clock.now(), self._not_before)
            if self._requests is None and self._tokens is None:
                return at
            if self._begun:
                at = max(at, self._begun[-1][0])
            tokens = min(tokens, self._tokens) if self._tokens is not None else 0
            at = self._free(at, tokens)
            self._begun.append((at, tokens))
            return at

    def _free(self, at: float, tokens: int) -> float:
        """The first moment from `at` on at which the minute before it has room; what no later one needs is dropped."""
        while self._begun:
            oldest = self._begun[0][0] + MINUTE
            full = self._requests is not None and len(self._begun) >= max(1, self._requests)
            full = full or (self._tokens is not None and sum(taken for _, taken in self._begun) + tokens > self._tokens)
            if oldest > at and not full:
                break
            self._begun.popleft()
            at = max(at, oldest) if full else at
        return at
