"""How much faster a run over an endpoint is with several judgements outstanding: `python -m benchmarks.orders`.

A store of n entries goes to 50 % of its bytes with a scripted judge that takes 200 ms for a pair: it deletes 45 % of the pairs, merges
35 % and preserves the rest, by their contents. The waiting is counted on a clock of its own, as if each judgement took exactly the
latency; to it comes the processor time of the run, so that other work on the machine does not show. With `--real` the judge
sleeps in real threads, and time is that on the wall (minutes; one at a time is still computed). `calls` are all judgements paid
for, `unused` those of them that no edit came to need, `same` the share of the entries that the order `cosine` ends with.
"""

from __future__ import annotations

import argparse
import heapq
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future
from contextlib import nullcontext
from dataclasses import dataclass, replace
from unittest.mock import patch

from benchmarks.process import Row, show
from benchmarks.refine import START, ListLedger
from benchmarks.synthetic import DIM, entries, vectors
from memfold import Decision, Entry, Pair, RefineSettings
from memfold.protocols import Vectors
from memfold.refine import Measures, Refinement, Report, docket
from memfold.refine.judges.scripted import ScriptedJudge
from memfold.store.size import entry_bytes

WIDTHS = (1, 2, 4, 8, 16, 32, 64, 0)
AHEAD = (8, 64)
HEADINGS = ("order", "outstanding", "calls", "unused", "more calls", "seconds", "times faster", "same", "preserved", "edits")


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.orders", description=__doc__)
    parser.add_argument("--entries", type=int, default=2000, help="number of entries (default: 2000)")
    parser.add_argument("--latency", type=float, default=0.2, help="seconds that a judgement takes (default: 0.2)")
    parser.add_argument("--widths", type=int, nargs="*", default=WIDTHS, help="windows; 0 is as many as are useful (default: 1 2 4 … 64 0)")
    parser.add_argument("--ahead", type=int, nargs="*", default=AHEAD, help="look-aheads of the order cosine (default: 8 64)")
    parser.add_argument("--real", action="store_true", help="sleep in real threads")
    parser.add_argument("--json", action="store_true", help="one JSON object a line instead of the table")
    options = parser.parse_args()
    show(HEADINGS, rows(options.entries, options.latency, options.widths, options.ahead, options.real), as_json=options.json)


def rows(
    n: int = 2000, latency: float = 0.2, widths: Sequence[int] = WIDTHS, ahead: Sequence[int] = AHEAD, real: bool = False
) -> Iterator[Row]:
    """One row of figures for each order, as they come."""
    table = Table(n)
    single = table.run(latency, RefineSettings(guards=False, order="cosine", ahead=0), real=False)
    yield _row("one at a time", 1, single, single)
    for count in ahead:
        run = table.run(latency, RefineSettings(guards=False, order="cosine", ahead=count), real)
        if run.left != single.left:
            raise RuntimeError("looking ahead changed the result")
        yield _row("cosine, ahead", count, run, single)
    for width in widths:
        yield _row("window", width, table.run(latency, RefineSettings(guards=False, order="window", window=width), real), single)


@dataclass(frozen=True, slots=True)
class Run:
    """What a run did and left."""

    report: Report
    left: dict[str, Entry]
    seconds: float

    @property
    def calls(self) -> int:
        return self.report.judgements + self.report.unused


class Table:
    """A synthetic store; also the embedder of its texts, which knows a text by the number at its end."""

    name = "table"
    dim = DIM

    def __init__(self, n: int) -> None:
        self.entries = list(entries(n))
        self.vectors = vectors(n)

    def embed(self, texts: Sequence[str]) -> Vectors:
        return self.vectors[[int(text.rpartition(" ")[2]) for text in texts]].reshape(len(texts), DIM)

    def run(self, latency: float, settings: RefineSettings, real: bool) -> Run:
        """To 50 % of the bytes.

        :param real: sleep and look at the clock on the wall; else count.
        """
        size, n = sum(map(entry_bytes, self.entries)), len(self.entries)
        clock = Clock(latency)
        judge = slow_judge((lambda: time.sleep(latency)) if real else clock.judge)
        report = Report("default", judge.name, "bytes", "50%", size // 2, size, size, n, size)
        measures = Measures(entry_bytes, entry_bytes)
        refinement = Refinement(judge, self, ListLedger(), report, measures, lambda: START, settings)
        with nullcontext() if real else patch.object(docket, "ThreadPoolExecutor", clock.pool):
            wall, cpu = time.perf_counter(), time.process_time()
            refinement.run(self.entries, self.vectors)
            seconds = time.perf_counter() - wall if real else time.process_time() - cpu + clock.now
        if not report.met:
            raise RuntimeError(f"the budget was missed by {report.missed_by} bytes: {report.why}")
        return Run(report, dict(refinement.working.entries), seconds)


class Clock:
    """Time as it would pass if each judgement took exactly the latency, and the rest nothing. In place of a thread pool as well.

    A judgement that nobody has waited for in the end costs no time: it ends with the run, or a latency later.
    """

    def __init__(self, latency: float) -> None:
        self.latency = latency
        self.now = 0.0
        self._ahead = False
        self._free: list[float] = []

    def judge(self) -> None:
        """A judgement that is waited for at once."""
        if not self._ahead:
            self.now += self.latency

    def pool(self, threads: int, thread_name_prefix: str) -> Clock:
        """What the docket takes for a pool of so many threads, given as the times at which they are free."""
        self._free = [0.0] * threads
        return self

    def submit(self, ask: Callable[..., Decision], *arguments: object) -> Timed:
        """Judge ahead."""
        ends = max(heapq.heappop(self._free), self.now) + self.latency
        heapq.heappush(self._free, ends)
        timed = Timed(self, ends)
        self._ahead = True
        timed.set_result(ask(*arguments))
        self._ahead = False
        return timed

    def shutdown(self, *, wait: bool, cancel_futures: bool) -> None:
        """Nothing to do."""


class Timed(Future[Decision]):
    """An answer that comes at a time."""

    def __init__(self, clock: Clock, ends: float) -> None:
        super().__init__()
        self._clock = clock
        self._ends = ends

    def result(self, timeout: float | None = None) -> Decision:
        self._clock.now = max(self._clock.now, self._ends)
        return super().result(timeout)


def slow_judge(wait: Callable[[], None]) -> ScriptedJudge:
    """Draws by the two contents, since merges bring the same content under other ids. `wait` lets time pass."""
    mix = ScriptedJudge.mix(seed=1)

    def rule(pair: Pair) -> Decision:
        wait()
        named = replace(pair, a=replace(pair.a, id=pair.a.digest().hex()), b=replace(pair.b, id=pair.b.digest().hex()))
        return mix.decide([named])[0]

    return ScriptedJudge(rule, name="slow", costly=True)


def _row(order: str, outstanding: int, run: Run, single: Run) -> Row:
    report = run.report
    same = sum(single.left.get(id) == entry for id, entry in run.left.items()) / len(single.left)
    counts = run.calls, report.unused, f"{run.calls / single.calls - 1:+.1%}"
    shares = run.seconds, single.seconds / run.seconds, f"{same:.1%}", report.preserved, report.edits
    return dict(zip(HEADINGS, (order, outstanding, *counts, *shares), strict=True))


if __name__ == "__main__":
    main()
