"""Reading a JSONL file streams: `python -m benchmarks.jsonl`.

A file of 10,000 and one of 100,000 lines are read by `JsonlHost(path).iter_entries()`, each in a process of its own. The
peak memory of the two should be about the same; the time is divided by that of bare `json.loads` of every line.
"""

from __future__ import annotations

import argparse
import json
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

from benchmarks.process import Row, measured, peak_megabytes, show
from benchmarks.synthetic import entries
from memfold.hosts import JsonlHost

SIZES = (10_000, 100_000)
HEADINGS = ("lines", "file MB", "seconds", "json.loads", "ratio", "peak MB", "MB over start")


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.jsonl", description=__doc__)
    parser.add_argument("--sizes", type=int, nargs="+", default=SIZES, help="numbers of lines (default: 10000 100000)")
    parser.add_argument("--worker", metavar="FILE", help=argparse.SUPPRESS)
    parser.add_argument("--json", action="store_true", help="one JSON object a line instead of the table")
    options = parser.parse_args()
    if options.worker:
        print(json.dumps(read(Path(options.worker))))
    else:
        show(HEADINGS, rows(options.sizes), as_json=options.json)


def rows(sizes: Sequence[int] = SIZES) -> Iterator[Row]:
    """One row of figures a size."""
    with tempfile.TemporaryDirectory(prefix="memfold-benchmark-") as folder:
        for n in sizes:
            yield measured("benchmarks.jsonl", "--worker", str(_written(n, Path(folder))))


def read(path: Path) -> Row:
    """Time and memory of reading one file, in this process."""
    start = peak_megabytes()
    began = time.perf_counter()
    count = sum(1 for _ in JsonlHost(path).iter_entries())
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
