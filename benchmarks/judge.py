"""The embedded judge beside the embedder that it follows: processor time of judging pairs and of embedding their texts.

    python -m benchmarks.judge [--pairs 1000] [--rounds 3] [--json]

`unseen` pairs bring two new texts each, which have to be read first; `seen` pairs are made of texts that the judge knows from others,
as most are in a store. Cosines are given. Both sides run in one process on one thread, taking turns; figures are medians of the rounds.
"""

from __future__ import annotations

import argparse
import random
import statistics
import time
from collections.abc import Iterator, Sequence

from benchmarks.embed import sentences
from benchmarks.process import Row, show
from memfold.embed import MiniLM
from memfold.refine.judges.embedded import EmbeddedJudge
from memfold.types import Entry, Pair

HEADINGS = ("pairs", "count", "pairs a second", "judge s", "embed s", "judge / embed")
PAIRS, ROUNDS = 1000, 3


def pairs_of(count: int, seed: int) -> tuple[list[Pair], list[Pair]]:
    """Pairs of two texts that no other pair has, and as many of the same texts in other company.

    Every second pair tells one thing twice, with a few words more or less.
    """
    pick = random.Random(seed)
    entries = [Entry(f"{seed}-{number}", text) for number, text in enumerate(sentences(2 * count, seed))]
    for at in range(0, len(entries), 4):
        entries[at + 1] = Entry(entries[at + 1].id, entries[at].text.replace(" (note", ", as was said before (note"))
    unseen = [Pair(a, b, pick.uniform(0.5, 0.95)) for a, b in zip(entries[::2], entries[1::2], strict=True)]
    mixed = pick.sample(entries, len(entries))
    return unseen, [Pair(a, b, pick.uniform(0.5, 0.95)) for a, b in zip(mixed[::2], mixed[1::2], strict=True)]


def rows(count: int = PAIRS, rounds: int = ROUNDS) -> Iterator[Row]:
    """A row for `unseen` and one for `seen` pairs."""
    embedder = MiniLM(threads=1)
    EmbeddedJudge().decide(pairs_of(2, 0)[0])  # what is read once a process
    unseen, seen, embedded = [], [], []
    for seed in range(1, rounds + 1):
        judge, (new, known) = EmbeddedJudge(), pairs_of(count, seed)
        unseen.append(_seconds(judge, new))
        seen.append(_seconds(judge, known))
        began = time.process_time()
        embedder.embed([entry.text for pair in new for entry in (pair.a, pair.b)])
        embedded.append(time.process_time() - began)
    for name, judged in (("unseen", unseen), ("seen", seen)):
        ratio = statistics.median(one / other for one, other in zip(judged, embedded, strict=True))
        judging, embedding = statistics.median(judged), statistics.median(embedded)
        values = (name, count, round(count / judging), judging, embedding, ratio)
        yield dict(zip(HEADINGS, values, strict=True))


def _seconds(judge: EmbeddedJudge, pairs: Sequence[Pair]) -> float:
    began = time.process_time()
    judge.decide(pairs)
    return time.process_time() - began


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.judge", description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--pairs", type=int, default=PAIRS)
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    parser.add_argument("--json", action="store_true", help="one JSON object a line")
    arguments = parser.parse_args()
    show(HEADINGS, rows(arguments.pairs, arguments.rounds), as_json=arguments.json)


if __name__ == "__main__":
    main()
