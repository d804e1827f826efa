"""Throughput and memory of the bundled embedder beside the bare onnxruntime session.

    python benchmarks/embed.py [--texts 1000] [--rounds 5] [--threads N] [--json]

Both sides run in one process, taking turns, so that a slow spell of the machine hits both alike. "bare" runs the session on batches
that were tokenised, sorted and padded beforehand: the arithmetic that `MiniLM.embed` cannot avoid. "embed" starts from
texts. The ratio is bare seconds over embed seconds, the median over the rounds (1 = no overhead; the target is 0.9).
Peak memory is that of a fresh process that only embeds the same texts.
"""

from __future__ import annotations

import argparse
import json
import random
import resource
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass

from memfold.embed import MiniLM
from memfold.embed.minilm.pieces import continuations, word_pieces
from memfold.embed.minilm.session import run, shared_session
from memfold.embed.minilm.windows import batches, split_windows

TARGET = 0.9

WHO = ("Vera", "Tomasz", "the neighbour", "our landlord", "the new trainee", "my sister", "Dr. Osei", "the book club")
DID = (
    "moved the meeting to",
    "booked a table for",
    "finished the report on",
    "forgot the keys on",
    "started a course in",
    "called about the leak on",
)
WHEN = ("Monday", "the 3rd of June", "the second week of May", "Thursday at 15:30", "last winter", "the first Sunday of Advent")
WHY = (
    "because the train was late again",
    "since the old contract ends in 2026",
    "although nobody had asked for it",
    "and wants to be reminded one day before",
    "which cost 240 euros more than planned",
    "so the room in the cellar is free until then",
)


@dataclass(frozen=True)
class Result:
    """What was measured on one kind of text; seconds are of the median round."""

    texts: str
    count: int
    pieces: int
    bare_seconds: float
    embed_seconds: float
    texts_per_second: float
    ratio: float
    cpu_ratio: float
    peak_mib: float


def sentences(count: int, seed: int) -> list[str]:
    """Notes as people write them: 8 to 35 words, no two alike."""
    pick = random.Random(seed)
    texts: list[str] = []
    for number in range(count):
        parts = [f"{pick.choice(WHO)} {pick.choice(DID)} {pick.choice(WHEN)} {pick.choice(WHY)}" for _ in range(pick.choice((1, 1, 1, 2)))]
        texts.append(f"{', and '.join(parts)} (note {number}).")
    return texts


def documents(count: int, seed: int) -> list[str]:
    """Texts of about 1,000 words: several windows each."""
    return [" ".join(sentences(45, seed + number)) for number in range(count)]


def measure(name: str, texts: Sequence[str], rounds: int, threads: int | None) -> Result:
    model = MiniLM(threads=threads)
    session = shared_session(model.threads)
    pieces = word_pieces(texts)
    prepared = list(batches([window for of_text in pieces for window in split_windows(of_text, continuations())]))

    def bare() -> None:
        for _, ids, mask in prepared:
            run(session, ids, mask)

    def embed() -> None:
        model.embed(texts)

    bare()
    walls: list[tuple[float, float]] = []
    cpus: list[tuple[float, float]] = []
    for turn in range(rounds):
        order = (bare, embed) if turn % 2 == 0 else (embed, bare)
        times = {side: timed(side) for side in order}
        walls.append((times[bare][0], times[embed][0]))
        cpus.append((times[bare][1], times[embed][1]))
    embed_seconds = statistics.median(wall for _, wall in walls)
    return Result(
        texts=name,
        count=len(texts),
        pieces=sum(len(of_text) for of_text in pieces),
        bare_seconds=statistics.median(wall for wall, _ in walls),
        embed_seconds=embed_seconds,
        texts_per_second=len(texts) / embed_seconds,
        ratio=statistics.median(one / other for one, other in walls),
        cpu_ratio=statistics.median(one / other for one, other in cpus),
        peak_mib=peak_of_fresh_process(name, len(texts), threads),
    )


def timed(side: Callable[[], None]) -> tuple[float, float]:
    """Wall and CPU seconds of one run."""
    wall, cpu = time.perf_counter(), time.process_time()
    side()
    return time.perf_counter() - wall, time.process_time() - cpu


KINDS: dict[str, Callable[[int, int], list[str]]] = {"sentences": sentences, "documents": documents}


def peak_of_fresh_process(kind: str, count: int, threads: int | None) -> float:
    """MiB of resident memory at most, of a process that only embeds."""
    command = [sys.executable, __file__, "--peak", kind, "--texts", str(count)] + (["--threads", str(threads)] if threads else [])
    return float(subprocess.run(command, capture_output=True, text=True, check=True).stdout)


def own_peak() -> float:
    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit / 2**20


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--texts", type=int, default=1000, help="sentences to embed; documents are a fiftieth of that")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--threads", type=int, default=None)
    parser.add_argument("--json", action="store_true", help="one JSON object a line instead of a table")
    parser.add_argument("--peak", choices=KINDS, help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.peak:
        MiniLM(threads=args.threads).embed(KINDS[args.peak](args.texts, 1))
        print(own_peak())
        return 0
    counts = {"sentences": args.texts, "documents": max(1, args.texts // 50)}
    results = [measure(kind, make(counts[kind], 1), args.rounds, args.threads) for kind, make in KINDS.items()]
    if args.json:
        for result in results:
            print(json.dumps(asdict(result)))
        return 0
    print(f"{'texts':<10} {'count':>6} {'pieces':>7} {'bare s':>7} {'embed s':>8} {'texts/s':>8} {'ratio':>6} {'cpu':>6} {'peak MiB':>9}")
    for r in results:
        print(
            f"{r.texts:<10} {r.count:>6} {r.pieces:>7} {r.bare_seconds:>7.2f} {r.embed_seconds:>8.2f} {r.texts_per_second:>8.1f} "
            f"{r.ratio:>6.3f} {r.cpu_ratio:>6.3f} {r.peak_mib:>9.0f}"
        )
    print(f"ratio: bare seconds over embed seconds; target {TARGET}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
