"""What a store still knows at smaller and smaller budgets: `python -m evals.retention DATA --set locomo`."""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeAlias

from evals import halumem, locomo, realmem
from evals.cache import FOLDER, CachedEmbedder, CountedTokens
from evals.data import add_data_argument, data_folder
from evals.figures import FIGURES, Score, all_points, by_category, means, scores
from evals.stores import Store
from evals.systems import SYSTEMS, State, limit_of, unrefined
from memfold.embed import open_embedder
from memfold.embed.tokens import WordPieceCounter

SETS: dict[str, Callable[[Path], list[Store]]] = {"locomo": locomo.load, "realmem": realmem.load, "halumem": halumem.load}
BUDGETS = (0.7, 0.6, 0.5, 0.4, 0.3)
MEANS = (*FIGURES[:-1], "all_points", "shown")
COUNTS = ("size", "entries", "missed", "judged", "deletes", "merges", "vetoes", "seconds", "judge s", "embed s")
COLUMNS = ("system", "budget", *MEANS, *COUNTS)
HEAD = "| " + " | ".join(COLUMNS) + " |\n|" + "---|" * len(COLUMNS)
Row: TypeAlias = dict[str, Any]


def main() -> None:
    options = _arguments()
    embedder = CachedEmbedder(open_embedder("minilm"), options.cache)
    stores = SETS[options.set](data_folder(options.data))[: options.stores]
    rows: list[Row] = []
    if not options.json:
        print(HEAD)
    for row in table(stores, options.systems, options.budgets, embedder):
        rows.append({"set": options.set, **row})
        print(json.dumps(rows[-1]) if options.json else line(row), flush=True)
    if options.plot:
        from evals.plot import draw

        draw(rows, options.plot)


def table(
    stores: Sequence[Store],
    systems: Sequence[str],
    budgets: Sequence[float],
    embedder: CachedEmbedder,
    tokens: CountedTokens | None = None,
) -> Iterator[Row]:
    """A row for the whole set, and one for each system at each budget, over all stores together.

    :param tokens: counts what fits into the figures' 1,000 tokens; by default the pieces of the bundled tokenizer.
    """
    tokens = tokens or CountedTokens(WordPieceCounter().count_many)
    embedder.embed([text for store in stores for text in _texts(store)])
    embedder.save()
    yield _row("unrefined", [(store, unrefined(store)) for store in stores], embedder, tokens)
    for name in systems:
        runs: list[tuple[Store, list[State]]] = []
        for number, store in enumerate(stores, 1):
            if sys.stderr.isatty():
                print(f"{name}: store {number} of {len(stores)}", end="\r", file=sys.stderr, flush=True)
            runs.extend((store, run(store, budgets, embedder)) for run in SYSTEMS[name])
        for place in range(len(budgets)):
            at_budget = [(store, states[place]) for store, states in runs]
            yield _row(name, at_budget, embedder, tokens, runs=len(SYSTEMS[name]))
        embedder.save()


def _row(name: str, reached: Sequence[tuple[Store, State]], embedder: CachedEmbedder, tokens: CountedTokens, runs: int = 1) -> Row:
    """The figures of all stores at one budget; with several runs of each store, their mean."""
    scored: list[Score] = []
    vetoes: Counter[str] = Counter()
    for store, state in reached:
        scored.extend(scores(store, state, embedder, tokens))
        vetoes.update(state.costs.vetoes)
    costs, states = [state.costs for _, state in reached], [state for _, state in reached]
    gold = sum(len(store.gold) for store, _ in reached)

    def total(values: Iterable[float]) -> float:
        return sum(values) / runs if runs > 1 else sum(values)

    return {
        "system": name,
        "budget": states[0].budget,
        **means(scored),
        "all_points": sum(all_points(store, state) * len(store.gold) for store, state in reached) / gold if gold else None,
        "size": sum(state.bytes for state in states) / sum(limit_of(store, 1) for store, _ in reached),
        "entries": total(len(state.entries) for state in states),
        "missed": total(not state.met for state in states),
        "judged": total(cost.judged for cost in costs),
        "deletes": total(cost.deletes for cost in costs),
        "merges": total(cost.merges for cost in costs),
        "vetoes": total(vetoes.values()),
        "seconds": total(cost.seconds for cost in costs),
        "judge s": total(cost.judging for cost in costs),
        "embed s": total(cost.embedding for cost in costs),
        "guards": dict(vetoes.most_common()),
        "categories": by_category(scored),
        "questions": len(scored) // runs,
        "bytes": total(state.bytes for state in states),
        "longest": max(len(entry.text) for state in states for entry in state.entries),
    }


def line(row: Mapping[str, Any]) -> str:
    """A row as a line of a Markdown table; details that only JSON has are left out."""
    return "| " + " | ".join(_cell(name, row[name]) for name in COLUMNS) + " |"


def _cell(name: str, value: Any) -> str:
    if name in ("budget", "size"):
        return f"{value:.0%}" if name == "budget" else f"{value:.1%}"
    if name == "shown":
        return f"{value:.0f}"
    if name in MEANS:
        return "" if value is None else f"{value:.3f}"
    return f"{value:.1f}" if isinstance(value, float) else f"{value}"


def _texts(store: Store) -> list[str]:
    return [entry.embedding_text for entry in store.entries] + [question.text for question in store.questions]


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m evals.retention", description=__doc__)
    add_data_argument(parser)
    parser.add_argument("--set", default="locomo", choices=list(SETS), help="the data set (default: locomo)")
    usual = [name for name in SYSTEMS if "@" not in name]
    parser.add_argument("--systems", nargs="+", default=usual, choices=list(SYSTEMS), metavar="NAME", help=", ".join(SYSTEMS))
    parser.add_argument("--budgets", nargs="+", type=float, default=BUDGETS, help="shares of the bytes (default: 0.7 0.6 0.5 0.4 0.3)")
    parser.add_argument("--stores", type=int, help="only the first so many dialogues, personas or users")
    parser.add_argument("--cache", type=Path, default=FOLDER, help=f"folder that keeps the vectors (default: {FOLDER})")
    parser.add_argument("--plot", type=Path, metavar="PNG", help="draw the figures over the budgets (needs matplotlib)")
    parser.add_argument("--json", action="store_true", help="one JSON object a line, with categories and guards")
    return parser.parse_args()


if __name__ == "__main__":
    main()
