"""How much faster a run over an endpoint is with several judgements outstanding: `python -m benchmarks.orders`.

A store of n entries goes to 50 % of its bytes with a scripted judge that takes 200 ms for a pair: it deletes 45 % of the pairs, merges
35 % and preserves the rest, by their contents. `one at a time` is computed: its judgements times the latency, and the time of the
run without any; all others are measured. `calls` are all judgements paid for, `unused` those of them that no edit came to need,
`same` the share of the entries that the order `cosine` ends with.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from benchmarks.process import Row, show
from benchmarks.refine import START, ListLedger
from benchmarks.synthetic import DIM, entries, vectors
from memfold import Decision, Entry, Pair, RefineSettings
from memfold.protocols import Vectors
from memfold.refine import Measures, Refinement, Report
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
    parser.add_argument("--json", action="store_true", help="one JSON object a line instead of the table")
    options = parser.parse_args()
    show(HEADINGS, rows(options.entries, options.latency, options.widths, options.ahead), as_json=options.json)


def rows(n: int = 2000, latency: float = 0.2, widths: Sequence[int] = WIDTHS, ahead: Sequence[int] = AHEAD) -> Iterator[Row]:
    """One row of figures for each order, as they come."""
    table = Table(n)
    single = table.run(0.0, RefineSettings(guards=False, order="cosine", ahead=0))
    alone = single.seconds + latency * single.calls
    yield _row("one at a time", 1, single, single, alone, alone)
    for count in ahead:
        run = table.run(latency, RefineSettings(guards=False, order="cosine", ahead=count))
        if run.left != single.left:
            raise RuntimeError("looking ahead changed the result")
        yield _row("cosine, ahead", count, run, single, run.seconds, alone)
    for width in widths:
        slow = 0.0 if width == 1 else latency
        run = table.run(slow, RefineSettings(guards=False, order="window", window=width))
        yield _row("window", width, run, single, run.seconds if slow else run.seconds + latency * run.calls, alone)


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

    def run(self, latency: float, settings: RefineSettings) -> Run:
        """To 50 % of the bytes."""
        size, n = sum(map(entry_bytes, self.entries)), len(self.entries)
        judge = slow_judge(latency)
        report = Report("default", judge.name, "bytes", "50%", size // 2, size, size, n, size)
        measures = Measures(entry_bytes, entry_bytes)
        refinement = Refinement(judge, self, ListLedger(), report, measures, lambda: START, settings)
        began = time.perf_counter()
        refinement.run(self.entries, self.vectors)
        seconds = time.perf_counter() - began
        if not report.met:
            raise RuntimeError(f"the budget was missed by {report.missed_by} bytes: {report.why}")
        return Run(report, dict(refinement.working.entries), seconds)


def slow_judge(latency: float) -> ScriptedJudge:
    """Draws by the two contents, since merges bring the same content under other ids."""
    mix = ScriptedJudge.mix(seed=1)

    def rule(pair: Pair) -> Decision:
        time.sleep(latency)
        named = replace(pair, a=replace(pair.a, id=pair.a.digest().hex()), b=replace(pair.b, id=pair.b.digest().hex()))
        return mix.decide([named])[0]

    return ScriptedJudge(rule, name="slow", costly=True)


def _row(order: str, outstanding: int, run: Run, single: Run, seconds: float, alone: float) -> Row:
    report = run.report
    same = sum(single.left.get(id) == entry for id, entry in run.left.items()) / len(single.left)
    counts = run.calls, report.unused, f"{run.calls / single.calls - 1:+.1%}"
    shares = seconds, alone / seconds, f"{same:.1%}", report.preserved, report.edits
    return dict(zip(HEADINGS, (order, outstanding, *counts, *shares), strict=True))


if __name__ == "__main__":
    main()
