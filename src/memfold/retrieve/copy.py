"""A copy of a namespace's vectors in a file beside the store, opened as a memory map.

The file is written once and never changed: it is the state that its mark names, and what came later is read from the store.
It is written while nobody else writes to the store, so that no copy can hold what a `forget` has just taken out.

Layout: one line of JSON padded to 4,096 bytes; places (int64), numbers of words (int32), whether embedded (1 byte); the vectors (float32,
a row an entry), each part beginning at a multiple of 4,096 bytes.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

import numpy as np

from memfold.protocols import Mark, Shelf, ShelfRows

BLOCK = 4096
FORM = "memfold vectors 1"


@dataclass(frozen=True, slots=True)
class Copy:
    """An opened copy: the rows, mapped and read-only, and the state that they are."""

    rows: ShelfRows
    mark: Mark


def read_copy(path: Path, shelf: Shelf) -> Copy | None:
    """Open the copy; None where there is none, or one of something else. Costs the same for any size."""
    try:
        with path.open("rb") as file:
            head = file.read(BLOCK)
            size = os.fstat(file.fileno()).st_size
    except FileNotFoundError:
        return None
    told = _header(head)
    if told is None or told["shelf"] != shelf.name or told["dim"] != shelf.dim:
        return None
    count, dim = int(told["count"]), int(told["dim"])
    offsets, total = _layout(count, dim)
    if size != total or not count * dim:
        return None
    rows = ShelfRows(
        np.memmap(path, np.int64, "r", offsets[0], (count,)),
        np.memmap(path, np.float32, "r", offsets[3], (count, dim)),
        np.memmap(path, np.int32, "r", offsets[1], (count,)),
        np.memmap(path, np.bool_, "r", offsets[2], (count,)),
    )
    return Copy(rows, (int(told["mark"][0]), int(told["mark"][1])))


def write_copy(path: Path, shelf: Shelf) -> None:
    """Write the copy anew from the store, a page at a time, and put it in the place of the old one in one step.

    To be called inside `shelf.exclusive()`.
    """
    path.parent.mkdir(exist_ok=True)
    part = path.with_name(f"{path.name}.{os.getpid()}")
    count, dim, mark = shelf.count(), shelf.dim, shelf.mark()
    offsets, total = _layout(count, dim)
    header = {"form": FORM, "shelf": shelf.name, "dim": dim, "count": count, "mark": mark}
    try:
        with part.open("wb") as file:
            os.chmod(part, 0o600)
            file.write(json.dumps(header).encode().ljust(BLOCK))
            row = 0
            for page in shelf.pages():
                for offset, values, width in zip(offsets, _parts(page), (8, 4, 1, 4 * dim), strict=True):
                    file.seek(offset + width * row)
                    file.write(np.ascontiguousarray(values).data)
                row += len(page.places)
            file.truncate(total)
            file.flush()
            os.fsync(file.fileno())
        os.replace(part, path)
    finally:
        part.unlink(missing_ok=True)


def _parts(page: ShelfRows) -> Iterator[np.ndarray[Any, Any]]:
    yield page.places.astype(np.int64)
    yield page.words.astype(np.int32)
    yield page.embedded.astype(np.bool_)
    yield page.vectors.astype(np.float32)


def _layout(count: int, dim: int) -> tuple[tuple[int, int, int, int], int]:
    """Where places, words, flags and vectors begin, and the length of the file."""
    starts = [BLOCK]
    for width in (8, 4, 1):
        starts.append(starts[-1] + -(-count * width // BLOCK) * BLOCK)
    return (starts[0], starts[1], starts[2], starts[3]), starts[3] + count * 4 * dim


def _header(head: bytes) -> dict[str, Any] | None:
    try:
        told = json.loads(head)
    except ValueError:  # not one of ours
        return None
    if not isinstance(told, dict):
        return None
    header = cast("dict[str, Any]", told)
    return header if header.get("form") == FORM else None
