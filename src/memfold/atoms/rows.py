"""Rows of numbers in one array that grows by a quarter, so that adding one at a time stays linear."""

from __future__ import annotations

from typing import Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

Number = TypeVar("Number", bound=np.generic)
LEAST = 16


class Rows(Generic[Number]):
    """Rows of one shape, in the order in which they came."""

    def __init__(self, shape: tuple[int, ...], dtype: type[Number]) -> None:
        self._array: NDArray[Number] = np.zeros((LEAST, *shape), dtype)
        self._size = 0

    def __len__(self) -> int:
        return self._size

    @property
    def all(self) -> NDArray[Number]:
        """The rows so far, a view that the next `append` may leave behind."""
        return self._array[: self._size]

    def append(self, rows: NDArray[Number]) -> None:
        """Add rows, shape (n, *shape)."""
        end = self._size + len(rows)
        if end > len(self._array):
            grown = np.zeros((max(end, len(self._array) * 5 // 4), *self._array.shape[1:]), self._array.dtype)
            grown[: self._size] = self.all
            self._array = grown
        self._array[self._size : end] = rows
        self._size = end
