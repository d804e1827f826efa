"""Which scorer finds what a question needs: the share of a question's evidence among the ten best entries.

    python -m evals.retrieval DATA [--set locomo realmem] [--stores 3 1] [--scorers hybrid dense] [--limit 10] [--json]

Each store of a set (a dialogue, a persona) is put into a database of its own, with the vectors of the bundled embedder and the atoms of the
default clusterer, and asked all of its questions that have evidence. By default three dialogues and one persona; 0 is all.
`--first` passes over stores, so that what was chosen on some is measured on others.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from evals import locomo, realmem
from evals.cache import FOLDER, CachedEmbedder
from evals.data import add_data_argument, data_folder
from evals.stores import Store
from memfold.atoms import open_clusterer
from memfold.embed import open_embedder
from memfold.retrieve import SCORERS, Retriever, open_scorer
from memfold.store.atoms import StoredAtoms
from memfold.store.shelf import StoredShelf
from memfold.store.sqlite import SqliteStore

SETS = {"locomo": locomo.load, "realmem": realmem.load}
STORES = {"locomo": 3, "realmem": 1}
COLUMNS = ("set", "scorer", "questions", "evidence", "all of it", "first", "ms a question")


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m evals.retrieval", description=__doc__)
    add_data_argument(parser)
    parser.add_argument("--set", nargs="+", choices=SETS, default=list(SETS))
    parser.add_argument("--stores", type=int, help="stores of each set (default: 3 dialogues, 1 persona); 0 is all")
    parser.add_argument("--first", type=int, default=0, help="pass over so many stores")
    parser.add_argument("--scorers", nargs="+", choices=SCORERS, default=list(SCORERS))
    parser.add_argument("--limit", type=int, default=10)
    parser.add_argument("--cache", type=Path, default=FOLDER, help=f"folder that keeps the vectors (default: {FOLDER})")
    parser.add_argument("--json", action="store_true", help="one JSON object a line")
    options = parser.parse_args()
    embedder = CachedEmbedder(open_embedder("minilm"), options.cache)
    if not options.json:
        print(f"| {' | '.join(COLUMNS)} |\n{'|---' * len(COLUMNS)}|")
    for name in options.set:
        count = STORES[name] if options.stores is None else options.stores
        stores = SETS[name](data_folder(options.data))[options.first :][: count or None]
        for row in rows(stores, embedder, options.scorers, options.limit):
            told = {"set": name, **row}
            print(json.dumps(told) if options.json else f"| {' | '.join(map(_cell, told.values()))} |", flush=True)
    embedder.save()


def rows(stores: Sequence[Store], embedder: CachedEmbedder, scorers: Sequence[str], limit: int) -> Iterator[Mapping[str, object]]:
    """A row a scorer: means over the questions that have evidence.

    `evidence` is the share of a question's evidence among the hits, `all of it` the share of questions with all of theirs, `first` with the
    first hit evidence; the time is without the embedding.
    """
    opened = [(store, _opened(store, embedder)) for store in stores]
    for scorer in map(open_scorer, scorers):
        shares: list[float] = []
        first = 0
        seconds = 0.0
        for store, retriever in opened:
            asked = [question for question in store.questions if question.evidence]
            for question, vector in zip(asked, embedder.embed([question.text for question in asked]), strict=True):
                began = time.perf_counter()
                hits = [hit.entry.id for hit in retriever.recall(scorer, question.text, vector, limit=limit)]
                seconds += time.perf_counter() - began
                shares.append(len(set(hits) & set(question.evidence)) / len(set(question.evidence)))
                first += bool(hits) and hits[0] in question.evidence
        count = max(1, len(shares))
        told = (scorer.name, len(shares), sum(shares) / count, sum(s == 1 for s in shares) / count, first / count, 1e3 * seconds / count)
        yield dict(zip(COLUMNS[1:], told, strict=True))


def _opened(store: Store, embedder: CachedEmbedder) -> Retriever:
    kept = SqliteStore(":memory:")
    kept.set_embedder(embedder.name, embedder.dim)
    kept.add(store.entries, embedder.embed([entry.embedding_text for entry in store.entries]))
    return Retriever(StoredShelf(kept, "default"), clusterer=StoredAtoms(kept, "default", open_clusterer).current)


def _cell(value: object) -> str:
    if not isinstance(value, float):
        return str(value)
    return f"{value:.3f}".removeprefix("0") if value < 1 else f"{value:.2f}"


if __name__ == "__main__":
    main()
