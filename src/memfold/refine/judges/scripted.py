"""The double that ships for tests and benchmarks: decides by a function of yours, or by a seeded draw."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from hashlib import blake2b
from typing import TypeAlias

from memfold.types import Action, Decision, Entry, Pair, Target

Rule: TypeAlias = Callable[[Pair], Decision]


class ScriptedJudge:
    """Answers what its rule says and remembers what it was asked.

    :param rule: a pair to its decision; `judge` is filled in where the rule leaves it empty.
    :param name: what judgements are remembered under; give rules that differ names that differ.
    """

    def __init__(self, rule: Rule, *, name: str = "scripted", floor: float = -1.0, costly: bool = False) -> None:
        self._rule = rule
        self.name = name
        self.floor = floor
        self.costly = costly
        self.asked: list[tuple[str, str]] = []
        """Ids of the pairs asked about, in order."""

    @classmethod
    def mix(cls, *, delete: float = 0.45, merge: float = 0.35, seed: int = 0) -> ScriptedJudge:
        """Deletes and merges the given shares of all pairs and preserves the rest.

        A decision depends on the two ids and the seed alone, so it is the same in any order of pairs and sides. The
        merged text is the longer of the two.

        :raises ValueError: a share is negative, or the two are more than 1 together.
        """
        if delete < 0 or merge < 0 or delete + merge > 1:
            raise ValueError(f"the shares {delete} to delete and {merge} to merge must be >= 0 and at most 1 together")
        return cls(_Draw(delete, merge, seed), name=f"scripted:{delete:g}:{merge:g}:{seed}")

    def decide(self, pairs: Sequence[Pair]) -> list[Decision]:
        """One decision a pair, in order."""
        return [self._one(pair) for pair in pairs]

    def _one(self, pair: Pair) -> Decision:
        self.asked.append((pair.a.id, pair.b.id))
        decision = self._rule(pair)
        return decision if decision.judge else replace(decision, judge=self.name)


class _Draw:
    """The seeded rule: two numbers in [0, 1) from a hash of the ids choose the action and the side."""

    def __init__(self, delete: float, merge: float, seed: int) -> None:
        self._delete, self._merge, self._seed = delete, merge, seed

    def __call__(self, pair: Pair) -> Decision:
        first, second = sorted((pair.a.id, pair.b.id))
        written = f"{self._seed}\0{len(first)}\0{first}\0{second}".encode("utf-8", "surrogatepass")
        digest = blake2b(written, digest_size=16).digest()
        drawn = int.from_bytes(digest[:8], "big") / 2**64
        action: Action = "preserve"
        if drawn < self._delete:
            action = "delete"
        elif drawn < self._delete + self._merge:
            action = "merge"
        target: Target = ""
        if action == "delete":
            target = "a" if (digest[8] < 128) == (pair.a.id == first) else "b"
        merged = _longer(pair.a, pair.b) if action == "merge" else ""
        return Decision(action, target=target, merged=merged, reason=f"drawn {drawn:.3f} with seed {self._seed}")


def _longer(a: Entry, b: Entry) -> str:
    return max(a.text, b.text, key=lambda text: (len(text), text))
