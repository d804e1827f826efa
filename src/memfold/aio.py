"""`Memory` for asyncio programs: the same object, run in a thread."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Iterator
from functools import wraps
from pathlib import Path
from typing import Any, Self

from memfold.memory import Memory


class AsyncMemory:
    """Every method of `Memory`, awaited: `await memory.recall("…")`. Calls are made one after the other, in a thread.

    Methods that give an iterator give a list. Open with `await AsyncMemory.open(…)`, which takes what `Memory.open` takes.
    """

    def __init__(self, memory: Memory) -> None:
        self.memory = memory
        self._turn = asyncio.Lock()

    @classmethod
    async def open(cls, store: str | Path, **settings: Any) -> AsyncMemory:
        """See `Memory.open`."""
        return cls(await asyncio.to_thread(Memory.open, store, **settings))

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *exception: object) -> None:
        await self.close()

    def __getattr__(self, name: str) -> Callable[..., Coroutine[Any, Any, Any]]:
        method = getattr(self.memory, name)
        if name.startswith("_") or not callable(method):
            raise AttributeError(f"AsyncMemory has the methods of Memory; for {name!r} use .memory")

        @wraps(method)
        async def awaited(*args: Any, **named: Any) -> Any:
            async with self._turn:
                return await asyncio.to_thread(_whole, method, *args, **named)

        return awaited


def _whole(method: Callable[..., Any], *args: Any, **named: Any) -> Any:
    result = method(*args, **named)
    return list(result) if isinstance(result, Iterator) else result  # pyright: ignore[reportUnknownArgumentType, reportUnknownVariableType]
