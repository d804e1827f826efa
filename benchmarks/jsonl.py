"""Reading a JSONL file streams: `python -m benchmarks.jsonl`.

A file of 10,000 and one of 100,000 lines are read by `open_host(path).iter_entries()`, each in a process of its own. The
peak memory of the two should be about the same; the time is divided by that of bare `json.loads` of every line.
"""

from __future__ import annotations

import argparse
import json
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from benchmarks.process import measured, peak_megabytes
from benchmarks.synthetic import entries
from memfold.hosts import open_host

SIZES = (10_000, 100_000)
HEADINGS = ("lines", "file MB", "seconds", "json.loads", "ratio", "peak MB", "MB over start")


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.jsonl", description=__doc__)
    parser.add_argument("--sizes", type=int, nargs="+", default=SIZES, help="numbers of lines (default: 10000 100000)")
    parser.add_argument("--worker", metavar="FILE", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.worker:
        print(json.dumps(read(Path(options.worker))))
        return
    for row in rows(options.sizes):
        print(json.dumps(row), flush=True)


def rows(sizes: Sequence[int] = SIZES) -> list[Mapping[str, Any]]:
    """One row of figures a size."""
    with tempfile.TemporaryDirectory(prefix="memfold-benchmark-") as folder:
        return [measured("benchmarks.jsonl", "--worker", str(_written(n, Path(folder)))) for n in sizes]


def read(path: Path) -> Mapping[str, Any]:
    """Time and memory of reading one file, in this process."""
    start = peak_megabytes()
    began = time.perf_counter()
    count = sum(1 for _ in open_host(str(path)).iter_entries())
    seconds, peak = time.perf_counter() - began, peak_megabytes()
    bare = min(_bare(path) for _ in range(3))
    return dict(zip(HEADINGS, (count, path.stat().st_size / 1e6, seconds, bare, seconds / bare, peak, peak - start), strict=True))


def _bare(path: Path) -> float:
    began = time.perf_counter()
    with path.open(encoding="utf-8") as lines:
        for line in lines:
            json.loads(line)
    return time.perf_counter() - began


def _written(n: int, folder: Path) -> Path:
    path = folder / f"{n}.jsonl"
    with path.open("w", encoding="utf-8") as file:
        for entry in entries(n):
            file.write(json.dumps({"id": entry.id, "text": entry.text, "created_at": str(entry.occurred_at), "user_id": "u1"}) + "\n")
    return path


if __name__ == "__main__":
    main()
