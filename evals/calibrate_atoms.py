"""Where to put the gate of atoms for an embedder: `python -m evals.calibrate_atoms DATA --set locomo`.

Each store's entries come in their order, as turns or memories would. For every cosine and variant the table shows what atoms there are,
over all stores together, and what questions find when whole atoms are packed:

    order: atoms by |v1 . q|, inside an atom its members by cosine; entries are taken whole as long as they fit, as `evals.retention` does

`flat` is the same without atoms: entries by cosine. It says what grouping costs or brings in evidence alone, without headings.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from evals import halumem, locomo, realmem
from evals.cache import FOLDER, CachedEmbedder, CountedTokens
from evals.data import add_data_argument, data_folder
from evals.figures import fitting, shown
from evals.stores import Store
from memfold.atoms import AtomSettings, open_clusterer
from memfold.embed import open_embedder
from memfold.embed.tokens import WordPieceCounter
from memfold.protocols import Clusterer, Vectors

SETS = {"locomo": locomo.load, "realmem": realmem.load, "halumem": halumem.load}
COSINES = (0.45, 0.5, 0.55, 0.6, 0.65, 0.7, 0.75, 0.8, 0.85)
ROOMS = (500, 1000, 2000, 4000)
Row: TypeAlias = dict[str, Any]


@dataclass(frozen=True)
class Case:
    """A store with its vectors, tokens and questions."""

    ids: list[str]
    vectors: Vectors
    sizes: list[int]
    asked: Vectors
    evidence: list[tuple[int, ...]]


def main() -> None:
    options = _arguments()
    embedder = CachedEmbedder(open_embedder(options.embedder), options.cache)
    tokens = CountedTokens(WordPieceCounter().count_many)
    cases = [case(store, embedder, tokens) for store in SETS[options.set](data_folder(options.data))[: options.stores]]
    embedder.save()
    for number, row in enumerate(table(cases, options)):
        if options.json:
            print(json.dumps({"set": options.set, **row}), flush=True)
            continue
        if not number:
            print(f"| {' | '.join(row)} |\n{'|---' * len(row)}|")
        print(f"| {' | '.join(map(_cell, row.values()))} |", flush=True)


def case(store: Store, embedder: CachedEmbedder, tokens: CountedTokens) -> Case:
    places = {entry.id: place for place, entry in enumerate(store.entries)}
    questions = [question for question in store.questions if question.evidence]
    return Case(
        list(places),
        embedder.embed([entry.embedding_text for entry in store.entries]),
        tokens.counts([shown(entry) for entry in store.entries]),
        embedder.embed([question.text for question in questions]),
        [tuple(places[id] for id in question.evidence) for question in questions],
    )


def table(cases: Sequence[Case], options: argparse.Namespace) -> Iterator[Row]:
    """A row for each setting asked for, after one without atoms."""

    def found(grown: Sequence[Clusterer] | None) -> Row:
        return {} if options.no_recall else recall(cases, grown)

    if not options.no_recall:
        yield {"variant": "flat", **dict.fromkeys((*_told(AtomSettings()), *_shape([[1]], 1)), ""), **found(None)}
    for cosine, above, most in product(options.cosines, options.member, options.max_members):
        member = min(1.0, cosine + above) if above else None
        settings = AtomSettings(cosine, rank=options.rank, member_cosine=member, max_members=most or None)
        grown = [clustered(one, "rsm", settings) for one in cases]
        without = [clustered(one, "cent-merge", settings) for one in cases]
        yield {"variant": "rsm", **_told(settings), **_shape(_sizes(grown), sum(len(atoms.numbers()) for atoms in without)), **found(grown)}
        if options.cent_merge:
            sizes = _sizes(without)
            yield {"variant": "cent-merge", **_told(settings), **_shape(sizes, sum(map(len, sizes))), **found(without)}


def _told(settings: AtomSettings) -> Row:
    member = settings.member_cosine or settings.join_cosine
    return {"cosine": f"{settings.join_cosine:g}", "member cosine": f"{member:g}", "max members": str(settings.max_members or "")}


def _sizes(grown: Sequence[Clusterer]) -> list[list[int]]:
    return [[len(atoms.members(number)) for number in atoms.numbers()] for atoms in grown]


def clustered(one: Case, name: str, settings: AtomSettings) -> Clusterer:
    atoms = open_clusterer(name, settings)
    atoms.add(one.ids, one.vectors)
    return atoms


def _shape(sizes: Sequence[Sequence[int]], without: int) -> Row:
    """Atoms in all; share with two members or more; mean size; mean over stores of the largest, and of its share of the entries.

    :param without: atoms of cent-merge in all; the last column is by what share they are more.
    """
    every = [size for store in sizes for size in store]
    return {
        "atoms": len(every),
        "non-trivial": float(np.mean([size > 1 for size in every])),
        "mean size": sum(every) / len(every),
        "largest": float(np.mean([max(store) for store in sizes])),
        "its share": float(np.mean([max(store) / sum(store) for store in sizes])),
        "cent-merge more": without / len(every) - 1,
    }


def recall(cases: Sequence[Case], grown: Sequence[Clusterer] | None) -> Row:
    """Share of the evidence in contexts of so many tokens, the mean over all questions."""
    found: dict[int, list[float]] = {room: [] for room in ROOMS}
    for number, one in enumerate(cases):
        near = one.asked @ one.vectors.T
        rank = np.zeros_like(near) if grown is None else atom_ranks(one, grown[number])
        orders = np.lexsort((-near, rank), axis=1)
        for order, wanted in zip(orders.tolist(), one.evidence, strict=True):
            for room in ROOMS:
                taken = set(fitting(order, one.sizes, room))
                found[room].append(sum(row in taken for row in wanted) / len(wanted))
    return {f"evidence {room}": float(np.mean(values)) for room, values in found.items()}


def atom_ranks(one: Case, atoms: Clusterer) -> NDArray[np.float32]:
    """Minus the score of each entry's atom for each question, atoms of equal score told apart by their ids; shape (questions, entries)."""
    place = {number: place for place, number in enumerate(atoms.numbers())}
    scores = np.abs(one.asked @ atoms.leading().T)
    order = np.argsort(-scores, axis=1, kind="stable")
    ranks = np.empty_like(scores)
    np.put_along_axis(ranks, order, np.arange(scores.shape[1], dtype=np.float32)[None], axis=1)
    return ranks[:, [place[atoms.atom_of(id) or 0] for id in one.ids]]


def _cell(value: Any) -> str:
    return f"{value:.3f}" if isinstance(value, float) else str(value)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m evals.calibrate_atoms", description=__doc__.splitlines()[0] if __doc__ else "")
    add_data_argument(parser)
    parser.add_argument("--set", choices=SETS, default="locomo")
    parser.add_argument("--embedder", default="minilm", help="its name, as memfold.embed.open_embedder takes it")
    parser.add_argument("--stores", type=int, help="only the first so many")
    parser.add_argument("--cosines", type=float, nargs="+", default=COSINES, help="join_cosine")
    parser.add_argument("--member", type=float, nargs="+", default=[0.0], metavar="MORE", help="member_cosine lies so much above it")
    parser.add_argument("--max-members", type=int, nargs="+", default=[0], metavar="N", help="0 is no bound")
    parser.add_argument("--rank", type=int, default=8)
    parser.add_argument("--cent-merge", action="store_true", help="also what cent-merge's atoms find")
    parser.add_argument("--no-recall", action="store_true", help="the shape of the atoms alone")
    parser.add_argument("--cache", type=Path, default=FOLDER)
    parser.add_argument("--json", action="store_true", help="one JSON object a line")
    return parser.parse_args()


if __name__ == "__main__":
    main()
