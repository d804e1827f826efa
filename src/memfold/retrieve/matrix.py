"""The vectors of a namespace as one matrix, so that a question is one matrix-vector product over all entries: exact, and linear in them.

The rows are a base and a tail. The base is a copy in a file, mapped into memory (`copy`), or, for fewer entries than
`file_from`, rows in memory. What the store says has changed since goes to the tail, and the rows that it replaces are dead from
then on: `alive` is what counts. A large tail, or many dead rows, and base and tail are made one anew.

Before each search `prepare` and, in the snapshot that the search reads, `refresh` bring the matrix to the store's state, whoever
changed it. `forget` removes the file; the next `prepare` writes it anew without what was forgotten.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from memfold.errors import ReadOnlyStore
from memfold.protocols import Mark, Shelf, ShelfRows, Vector, Vectors
from memfold.retrieve.copy import read_copy, write_copy

FILE_FROM = 32_768
"""Entries from which the copy in a file pays: fewer are read from the store in some hundredths of a second."""
SLACK = 4_096
"""Rows that a tail, or the dead rows, may always have before everything is put together anew."""


class Matrix:
    """The vectors of a shelf.

    Rows never move between two changes of `version`. All arrays but `vectors` are in memory, 14 bytes an entry.

    :param file_from: keep a copy in a file from so many entries on; None never does.
    """

    def __init__(self, shelf: Shelf, *, file_from: int | None = FILE_FROM) -> None:
        self._shelf = shelf
        self._file_from = file_from
        self._path: Path | None = None
        self.version = 0
        """Goes up with every change of a row."""
        self._news: list[int] | None = None
        self._mark: Mark | None = None
        self._set(_nothing(shelf.dim))

    # What is asked

    def __len__(self) -> int:
        """How many rows there are, dead ones too."""
        return len(self.places)

    @property
    def dim(self) -> int:
        return self._base.shape[1]

    def product(self, q: Vector) -> Vectors:
        """The product of every row with `q`, shape (rows,), float32. That of a dead row means nothing."""
        if not len(self._tail):
            return self._base @ q
        return np.concatenate([self._base @ q, self._tail @ q])

    def exact(self, rows: NDArray[np.intp], q: Vector) -> NDArray[np.float64]:
        """The products of some rows with `q` to more places, the same wherever a row stands, shape (len(rows),)."""
        return (self.vectors(rows).astype(np.float64) * q.astype(np.float64)).sum(axis=1)

    def vectors(self, rows: NDArray[np.intp]) -> Vectors:
        """Some rows, shape (len(rows), dim)."""
        out = np.empty((len(rows), self.dim), np.float32)
        early = rows < len(self._base)
        out[early] = self._base[rows[early]]
        out[~early] = self._tail[rows[~early] - len(self._base)]
        return out

    def rows_at(self, places: NDArray[np.int64]) -> NDArray[np.intp]:
        """The living rows of the entries at these places, in order of the rows; places without one are passed over."""
        if self._sorted is None:
            order = np.flatnonzero(self.alive)
            order = order[np.argsort(self.places[order], kind="stable")]
            self._sorted = self.places[order], order
        known, order = self._sorted
        if not len(known):
            return np.zeros(0, np.intp)
        found = np.minimum(np.searchsorted(known, places), len(known) - 1)
        return np.sort(order[found[known[found] == places]])

    # In step with the store

    def prepare(self) -> None:
        """See to the copy in the file: open it, or write it where it is missing or far behind. Outside of any snapshot."""
        if self._file_from is None or (self._mark and self._path is None and len(self) < self._file_from):
            return
        path = self._shelf.file
        if path is None or not self._shelf.dim:
            return
        if self._mark is None:
            self._open(path)
        held = int(self.alive.sum()) if self._mark else self._shelf.count()
        lost = self._path is not None and not path.exists()
        if lost or (held >= self._file_from and (path != self._path or self._behind())):
            self._write(path)

    def refresh(self) -> None:
        """Bring the rows to the state of the store that is read now. Costs what changed."""
        mark = self._shelf.mark()
        if mark == self._mark:
            return
        changed = None if self._mark is None or self.dim != self._shelf.dim else self._shelf.changed(self._mark)
        self._tell(changed)
        if changed is None:
            self._path = None
            self._set(_joined(list(self._shelf.pages()), self._shelf.dim))
        elif changed:
            self._replace(changed)
        self._mark = mark

    def news(self) -> list[int] | None:
        """The places of all rows that came, changed or went since this was asked last; None: anything may have."""
        news, self._news = self._news, []
        return news

    def _tell(self, changed: list[int] | None) -> None:
        self._news = None if changed is None or self._news is None else self._news + changed

    @property
    def mark(self) -> Mark | None:
        """The state of the store that the rows are; None before the first."""
        return self._mark

    def _open(self, path: Path) -> None:
        copy = read_copy(path, self._shelf)
        if copy is not None:
            self._set(copy.rows)
            self._path, self._mark = path, copy.mark

    def _write(self, path: Path) -> None:
        try:
            with self._shelf.exclusive():
                if self._file_from is not None and self._shelf.dim and self._shelf.count() >= self._file_from:
                    write_copy(path, self._shelf)
                self._tell(self._shelf.changed(self._mark) if self._mark else None)
        except (ReadOnlyStore, PermissionError):  # no copy then: the rows are read from the store, and the answers are the same
            self._file_from = None
            self._tell(None)
        self._path = self._mark = None
        self._set(_nothing(self._shelf.dim))
        self._open(path)

    def _behind(self) -> bool:
        """Whether the tail, or the dead rows, are a quarter of it all."""
        dead = len(self) - int(self.alive.sum())
        return 4 * max(len(self._tail), dead) > len(self) + SLACK

    def _set(self, rows: ShelfRows) -> None:
        self._base: Vectors = rows.vectors
        self._buffer = np.zeros((0, self._base.shape[1]), np.float32)
        self._tail: Vectors = self._buffer
        self.places = np.array(rows.places)
        """Where each row's entry stands in the store, int64, shape (rows,)."""
        self.words = np.array(rows.words)
        """How many words each text has, int32, shape (rows,)."""
        self.embedded = np.array(rows.embedded)
        """Whether a row is alive and has a vector, shape (rows,)."""
        self.alive = np.ones(len(self.places), np.bool_)
        """Whether a row still is an entry of the store, shape (rows,)."""
        self._touched()

    def _touched(self) -> None:
        self._sorted: tuple[NDArray[np.int64], NDArray[np.intp]] | None = None
        self.version += 1

    def _replace(self, changed: list[int]) -> None:
        """Let the rows at these places die, and put what stands there now into the tail."""
        dead = self.rows_at(np.array(changed, np.int64))
        new = self._shelf.rows(changed)
        if not len(dead) and not len(new.places):
            return  # of other namespaces
        self.alive[dead] = self.embedded[dead] = False
        self._buffer[dead[dead >= len(self._base)] - len(self._base)] = 0
        self._append(new.vectors)
        self.places = np.concatenate([self.places, new.places])
        self.words = np.concatenate([self.words, new.words])
        self.embedded = np.concatenate([self.embedded, new.embedded])
        self.alive = np.concatenate([self.alive, np.ones(len(new.places), np.bool_)])
        self._touched()
        if self._path is None and self._behind():
            self._compact()

    def _append(self, vectors: Vectors) -> None:
        used, need = len(self._tail), len(self._tail) + len(vectors)
        if need > len(self._buffer):
            larger = np.zeros((max(need, 2 * used, 64), self.dim), np.float32)
            larger[:used] = self._tail
            self._buffer = larger
        self._buffer[used:need] = vectors
        self._tail = self._buffer[:need]

    def _compact(self) -> None:
        rows = np.flatnonzero(self.alive)
        rows = rows[np.argsort(self.places[rows], kind="stable")]
        self._set(ShelfRows(self.places[rows], self.vectors(rows), self.words[rows], self.embedded[rows]))


def _nothing(dim: int) -> ShelfRows:
    return ShelfRows(np.zeros(0, np.int64), np.zeros((0, dim), np.float32), np.zeros(0, np.int32), np.zeros(0, np.bool_))


def _joined(pages: list[ShelfRows], dim: int) -> ShelfRows:
    held = pages or [_nothing(dim)]
    return ShelfRows(
        np.concatenate([page.places for page in held]),
        np.concatenate([page.vectors for page in held]),
        np.concatenate([page.words for page in held]),
        np.concatenate([page.embedded for page in held]),
    )
