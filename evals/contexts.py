"""What a question's context holds: clusterer, scorer and packer crossed, as in RSM-full's Table 3.

    python -m evals.contexts DATA [--set locomo] [--stores 3] [--tokens 500 1000 2000] [--systems NAME ...] [--json]

A system is CLUSTERER/SCORER/PACKER. Each store is put into a database of its own through `Memory`, and asked all of its questions through
`Memory.context`, with the bundled embedder and counter. `evidence` is the share of a question's evidence that was packed, `words` the
share of the gold answer's content words that stand in the text, `tokens` the mean length.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from evals import halumem, locomo, realmem
from evals.cache import FOLDER, CachedEmbedder
from evals.data import add_data_argument, data_folder
from evals.stores import Store
from evals.words import content_stems, share
from memfold.config import PackSettings
from memfold.embed import open_embedder
from memfold.memory import Memory
from memfold.recalling import RecallSettings

SETS = {"locomo": locomo.load, "realmem": realmem.load, "halumem": halumem.load}
SYSTEMS = tuple(f"rsm/{scorer}/{packer}" for scorer in ("hybrid", "dense", "v1") for packer in ("arranged", "grouped", "flat"))
COLUMNS = ("set", "system", "budget", "questions", "evidence", "words", "tokens")


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m evals.contexts", description=__doc__)
    add_data_argument(parser)
    parser.add_argument("--set", choices=SETS, default="locomo")
    parser.add_argument("--stores", type=int, default=3, help="the first so many; 0 is all")
    parser.add_argument("--tokens", type=int, nargs="+", default=[500, 1000, 2000])
    parser.add_argument("--systems", nargs="+", default=SYSTEMS)
    parser.add_argument("--cache", type=Path, default=FOLDER, help=f"folder that keeps the vectors (default: {FOLDER})")
    parser.add_argument("--json", action="store_true", help="one JSON object a line")
    options = parser.parse_args()
    embedder = CachedEmbedder(open_embedder("minilm"), options.cache)
    stores = SETS[options.set](data_folder(options.data))[: options.stores or None]
    if not options.json:
        print(f"| {' | '.join(COLUMNS)} |\n{'|---' * len(COLUMNS)}|")
    for system in options.systems:
        for row in rows(stores, embedder, system, options.tokens):
            told = {"set": options.set, **row}
            print(json.dumps(told) if options.json else f"| {' | '.join(map(str, told.values()))} |", flush=True)
    embedder.save()


def rows(stores: list[Store], embedder: CachedEmbedder, system: str, budgets: list[int]) -> Iterator[dict[str, Any]]:
    """A row a budget: means over the questions."""
    clusterer, scorer, packer = system.split("/")
    seen: dict[int, list[tuple[float | None, float | None, int]]] = {budget: [] for budget in budgets}
    for store in stores:
        with Memory.open(":memory:", embedder=embedder, recalling=RecallSettings(clusterer)) as memory:
            memory.add(store.entries)
            for question in store.questions:
                for budget in budgets:
                    context = memory.context(question.text, max_tokens=budget, scorer=scorer, packing=PackSettings(packer))
                    packed = {hit.entry.id for hit in context.packed}
                    evidence = sum(id in packed for id in question.evidence) / len(question.evidence) if question.evidence else None
                    words = content_stems(question.answer)
                    seen[budget].append((evidence, share(words, content_stems(context.text)) if words else None, context.tokens))
    for budget, found in seen.items():
        evidence, words = ([one[column] for one in found if one[column] is not None] for column in (0, 1))
        means = [round(sum(values) / len(values), 3) if values else None for values in (evidence, words)]
        tokens = round(sum(tokens for _, _, tokens in found) / len(found))
        yield {"system": system, "budget": budget, "questions": len(found), "evidence": means[0], "words": means[1], "tokens": tokens}


if __name__ == "__main__":
    main()
