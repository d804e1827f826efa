"""A context of 200 hits beside counting their texts once: `python -m benchmarks.packing`.

200 hits of 40 atoms are packed into 500, 1,000 and 4,000 tokens by the grouped packer. `count ms` is counting the texts of the 200 hits
once, `pack ms` the whole of packing, `beyond ms` the difference. `new` counters have not seen a word before; all times are
of the processor, the best of several turns.
"""

from __future__ import annotations

import argparse
import importlib.util
import time
from collections.abc import Callable, Iterator
from dataclasses import replace

from benchmarks.process import Row, show
from benchmarks.synthetic import entries
from memfold.config import PackSettings
from memfold.embed import open_counter
from memfold.pack import open_packer
from memfold.pack.gauge import Gauge
from memfold.protocols import TokenCounter
from memfold.types import Hit

HITS, ATOMS, TURNS = 200, 40, 15
BUDGETS = (500, 1000, 4000)
HEADINGS = ("counter", "template", "max tokens", "tokens", "entries", "count ms", "pack ms", "beyond ms")


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.packing", description=__doc__)
    parser.add_argument("--json", action="store_true", help="one JSON object a line instead of the table")
    show(HEADINGS, rows(), as_json=parser.parse_args().json)


def rows() -> Iterator[Row]:
    """One row a counter, template and budget."""
    hits = hits_of(HITS)
    texts = [hit.entry.text for hit in hits]
    names = ["wordpiece", *(["o200k"] if importlib.util.find_spec("bpe_openai") else [])]
    for name in names:
        kept = open_counter(name)
        kept.count("warm")
        ways: list[tuple[str, Callable[[], TokenCounter]]] = [(name, lambda kept=kept: kept)]
        if name == "wordpiece":
            ways.append((f"{name}, new", open_counter))
        for told, opened in ways:
            for template in ("markdown", "json", "chat"):
                packer = open_packer(settings=PackSettings(template=template))
                for budget in BUDGETS:
                    context = packer.pack(hits, budget, kept)
                    counted = _best(opened, lambda counter: Gauge(counter).costs(texts))
                    packed = _best(opened, lambda counter, packer=packer, budget=budget: packer.pack(hits, budget, counter))
                    figures = (told, template, budget, context.tokens, len(context.packed), counted, packed, packed - counted)
                    yield dict(zip(HEADINGS, figures, strict=True))


def hits_of(count: int) -> list[Hit]:
    """Hits of the synthetic store, some atoms with many and some with one."""
    found = [Hit(entry, 1 - n / count, atom=n * n % ATOMS, atom_score=0.0) for n, entry in enumerate(entries(count))]
    return [replace(hit, atom_score=1 - (hit.atom or 0) / ATOMS) for hit in found]


def _best(opened: Callable[[], TokenCounter], work: Callable[[TokenCounter], object]) -> float:
    """Milliseconds of the processor, the least of `TURNS`."""
    best = float("inf")
    for _ in range(TURNS):
        counter = opened()
        began = time.process_time()
        work(counter)
        best = min(best, time.process_time() - began)
    return best * 1000


if __name__ == "__main__":
    main()
