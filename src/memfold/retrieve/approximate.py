"""An approximate index over a matrix (usearch, HNSW over float16), for namespaces so large that one product over all is too slow.

It only proposes candidates; their cosines are computed from the matrix. An entry is known to it by its place. It is built when it is
first needed, which takes minutes for some 100,000 entries, and kept beside the store's other copies; what changes later is followed.

A file is written only right after it was built, while nobody else writes, and only if nothing has changed meanwhile: an index from
which entries were taken out still holds their vectors in its memory.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import Any, Protocol, cast

import numpy as np
from numpy.typing import NDArray

from memfold.errors import MissingExtra, ReadOnlyStore
from memfold.protocols import Mark, Shelf, Vector, Vectors
from memfold.retrieve.matrix import Matrix

CONNECTIONS, EXPANSION = 16, 64
"""HNSW's M and efConstruction."""
PAGE = 4096


class _Index(Protocol):
    """What is used of `usearch.index.Index`."""

    expansion_search: int

    def add(self, keys: NDArray[np.uint64], vectors: Vectors) -> object: ...
    def remove(self, keys: NDArray[np.uint64]) -> object: ...
    def contains(self, keys: NDArray[np.uint64]) -> NDArray[np.bool_]: ...
    def search(self, vectors: Vector, count: int) -> Any: ...
    def save(self, path: str) -> None: ...
    def load(self, path: str) -> None: ...


class Nearest:
    """Rows near a vector. In step with a matrix: call `refresh` after the matrix's."""

    def __init__(self, matrix: Matrix, index: _Index) -> None:
        self._matrix = matrix
        self._index = index

    def __call__(self, q: Vector, count: int) -> NDArray[np.intp]:
        """About the `count` nearest rows, ascending."""
        self._index.expansion_search = max(EXPANSION, count)
        keys = np.asarray(self._index.search(q, count).keys, np.uint64)
        rows = self._matrix.rows_at(keys.astype(np.int64))
        return rows[self._matrix.embedded[rows]]

    def refresh(self) -> None:
        """Follow what changed in the matrix."""
        news = self._matrix.news()
        if news is None:
            self._index = _empty(self._matrix.dim)
            _fill(self._index, self._matrix)
        elif news:
            self.follow(news)

    def follow(self, places: Sequence[int]) -> None:
        """Take out what stood at these places, and take in what stands there now."""
        keys = np.unique(np.array(places, np.uint64))
        here = np.asarray(self._index.contains(keys), np.bool_)
        if here.any():
            self._index.remove(keys[here])
        rows = self._matrix.rows_at(keys.astype(np.int64))
        _add(self._index, self._matrix, rows[self._matrix.embedded[rows]])


def open_nearest(shelf: Shelf, matrix: Matrix) -> Nearest:
    """The index over a matrix: from its file where there is one, else built now.

    :raises MissingExtra: usearch is not installed.
    """
    index = _empty(matrix.dim)
    matrix.news()
    kept = _kept(shelf)
    if kept is not None:
        path, mark = kept
        changed = shelf.changed(mark)
        if changed is not None:
            index.load(str(path))
            nearest = Nearest(matrix, index)
            nearest.follow(changed)
            return nearest
    _fill(index, matrix)
    if matrix.mark is not None:
        _save(index, shelf, matrix.mark)
    return Nearest(matrix, index)


def _empty(dim: int) -> _Index:
    # A process that loads usearch before onnxruntime dies when the latter is loaded; the other way round both work.
    os.environ.setdefault("ORT_DISABLE_TELEMETRY", "1")
    import_module("onnxruntime")
    try:
        from usearch.index import Index  # pyright: ignore[reportMissingTypeStubs]
    except ImportError as error:
        raise MissingExtra("an approximate index", "ann") from error
    made: Any = Index(ndim=dim, metric="ip", dtype="f16", connectivity=CONNECTIONS, expansion_add=EXPANSION)
    return cast("_Index", made)


def _fill(index: _Index, matrix: Matrix) -> None:
    rows = np.flatnonzero(matrix.embedded)
    for low in range(0, len(rows), PAGE):
        _add(index, matrix, rows[low : low + PAGE])


def _add(index: _Index, matrix: Matrix, rows: NDArray[np.intp]) -> None:
    if len(rows):
        index.add(matrix.places[rows].astype(np.uint64), matrix.vectors(rows))


def _kept(shelf: Shelf) -> tuple[Path, Mark] | None:
    """The file, and the state that its name tells."""
    beside = shelf.file
    for path in sorted(beside.parent.glob(f"{beside.name}.near.*")) if beside is not None else ():
        told = path.name.rsplit(".", 2)[1:]
        if all(part.lstrip("-").isdigit() for part in told):
            return path, (int(told[0]), int(told[1]))
    return None


def _save(index: _Index, shelf: Shelf, mark: Mark) -> None:
    beside = shelf.file
    if beside is None:
        return
    part = beside.with_name(f"{beside.name}.{os.getpid()}.part")
    try:
        with shelf.exclusive():
            if shelf.mark() != mark:
                return  # built again, and kept then, by the next process
            beside.parent.mkdir(exist_ok=True)
            part.touch(0o600)
            index.save(str(part))
            for old in beside.parent.glob(f"{beside.name}.near.*"):
                old.unlink(missing_ok=True)
            os.replace(part, beside.with_name(f"{beside.name}.near.{mark[0]}.{mark[1]}"))
    except (ReadOnlyStore, PermissionError):  # not kept then; it is built again by the next process
        return
    finally:
        part.unlink(missing_ok=True)
