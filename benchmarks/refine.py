"""How long a refinement takes besides embedding and judging, and how much memory: `python -m benchmarks.refine`.

A store of n entries goes to 50 % of its bytes with a scripted judge that deletes 45 % of the pairs, merges 35 % and
preserves the rest. Measured twice: `memory` is `Memory.refine(apply=True)` on a database; `loop` is the bare algorithm with
its edits in a list. The time is divided by that of the arithmetic in `arithmetic.py`, taken in the same process right after.
`ratio` is of time on the wall; `cpu ratio` of processor time, which holds on a machine that has other work to do.
"""

from __future__ import annotations

import argparse
import json
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from benchmarks.arithmetic import unavoidable
from benchmarks.process import Row, measured, peak_megabytes, show
from benchmarks.synthetic import Table, entries, vectors
from memfold import Decision, Edit, Entry, Memory, Pair, RefineSettings
from memfold.refine import Measures, Refinement, Report
from memfold.refine.judges.scripted import ScriptedJudge
from memfold.store.size import entry_bytes
from memfold.store.sqlite import SqliteStore

SIZES = (5_000, 10_000, 20_000)
HEADINGS = ("what", "entries", "merges", "edits", "judged", "seconds", "arithmetic", "ratio", "cpu ratio", "peak MB", "MB over start")
START = datetime(2026, 1, 1, tzinfo=UTC)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.refine", description=__doc__)
    parser.add_argument("--sizes", type=int, nargs="+", default=SIZES, help="numbers of entries (default: 5000 10000 20000)")
    parser.add_argument("--what", nargs="+", default=["memory", "loop"], choices=["memory", "loop"])
    parser.add_argument("--json", action="store_true", help="one JSON object a line instead of the table")
    parser.add_argument("--worker", nargs=3, metavar=("WHAT", "N", "FOLDER"), help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.worker:
        what, n, folder = options.worker
        print(json.dumps(WORKERS[what](int(n), Path(folder))))
    else:
        show(HEADINGS, rows(options.sizes, options.what), as_json=options.json)


def rows(sizes: Sequence[int] = SIZES, what: Sequence[str] = ("memory", "loop")) -> Iterator[Row]:
    """One row of figures for each size and kind of run, as they come."""
    for n in sizes:
        with tempfile.TemporaryDirectory(prefix="memfold-benchmark-") as folder:
            measured("benchmarks.refine", "--worker", "prepare", str(n), folder)
            for kind in what:
                yield measured("benchmarks.refine", "--worker", kind, str(n), folder)


def prepare(n: int, folder: Path) -> Row:
    """The vectors in a file and the entries in a database, made by a process that is not measured."""
    made = vectors(n)
    np.save(folder / "vectors.npy", made)
    store = SqliteStore(folder / "store.db")
    store.set_embedder(Table.name, Table.dim)
    store.add(entries(n), made)
    store.close()
    return {}


def through_memory(n: int, folder: Path) -> Row:
    """The real thing: a database, a journal row and a transaction an edit."""
    embedder, start = Table(folder / "vectors.npy"), peak_megabytes()
    with Memory.open(folder / "store.db", embedder=embedder) as memory:
        began = Spent()
        report = memory.refine(budget="50%", apply=True, judge=ScriptedJudge.mix(seed=1), settings=RefineSettings(guards=False))
        spent = began.until_now()
    return _figures("memory", n, report, spent, start, folder)


def bare_loop(n: int, folder: Path) -> Row:
    """The algorithm alone, with its edits in a list."""
    embedder, start = Table(folder / "vectors.npy"), peak_megabytes()
    held, given = list(entries(n)), np.load(folder / "vectors.npy")
    size = sum(map(entry_bytes, held))
    judge = ScriptedJudge.mix(seed=1)
    report = Report("default", judge.name, "bytes", "50%", size // 2, size, size, n, size)
    began = Spent()
    Refinement(
        judge=judge,
        embedder=embedder,
        ledger=ListLedger(),
        report=report,
        measures=Measures(entry_bytes, entry_bytes),
        clock=lambda: START,
        settings=RefineSettings(guards=False),
    ).run(held, given)
    return _figures("loop", n, report, began.until_now(), start, folder)


@dataclass(frozen=True, slots=True)
class Spent:
    """Seconds on the wall and of the processor."""

    wall: float = field(default_factory=time.perf_counter)
    cpu: float = field(default_factory=time.process_time)

    def until_now(self) -> Spent:
        return Spent(time.perf_counter() - self.wall, time.process_time() - self.cpu)


def _figures(what: str, n: int, report: Report, spent: Spent, start: float, folder: Path) -> Row:
    peak = peak_megabytes()
    if not report.met:
        raise RuntimeError(f"the budget was missed by {report.missed_by} bytes: {report.why}")
    given = np.load(folder / "vectors.npy")
    wall = min(unavoidable(given, report.merges, time.perf_counter) for _ in range(2))
    cpu = unavoidable(given, report.merges, time.process_time)
    counts = (n, report.merges, report.edits, report.judgements)
    return dict(zip(HEADINGS, (what, *counts, spent.wall, wall, spent.wall / wall, spent.cpu / cpu, peak, peak - start), strict=True))


class ListLedger:
    """A ledger that keeps the edits in a list."""

    def __init__(self) -> None:
        self.edits: list[Edit] = []

    def keys(self) -> NDArray[np.int64]:
        return np.empty(0, np.int64)

    def begin(self, key: int, alone: bool = True) -> bool:
        return True

    def recall(self, key: int) -> Decision | None:
        return None

    def record(self, key: int, decision: Decision) -> None:
        """Nothing is remembered."""

    def issued(self, width: int) -> Sequence[tuple[str, str, float, int]]:
        return ()

    def issue(self, width: int, pair: Pair, key: int) -> None:
        """Nothing is remembered."""

    def retire(self, width: int, pairs: Sequence[Pair]) -> None:
        """Nothing is remembered."""

    def preserve(self, key: int) -> None:
        """Nothing is remembered."""

    def commit(self, edit: Edit, vectors: Mapping[str, np.ndarray], unchanged: Sequence[Entry]) -> None:
        self.edits.append(edit)

    def current(self, id: str) -> Entry | None:
        return None

    def revisions(self) -> Mapping[str, int] | None:
        return None

    def flush(self) -> None:
        """Nothing is held back."""


WORKERS = {"prepare": prepare, "memory": through_memory, "loop": bare_loop}

if __name__ == "__main__":
    main()
