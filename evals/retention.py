"""What a LoCoMo dialogue still knows at smaller and smaller budgets: `python -m evals.retention DATA`."""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeAlias

from evals import locomo
from evals.cache import FOLDER, CachedEmbedder
from evals.data import add_data_argument, data_folder
from evals.figures import FIGURES, Score, by_category, means, scores
from evals.locomo import Dialogue
from evals.systems import SYSTEMS, State, limit_of, unrefined
from memfold.embed import open_embedder

BUDGETS = (0.7, 0.6, 0.5, 0.4, 0.3)
COUNTS = ("size", "entries", "missed", "judged", "deletes", "merges", "vetoes", "seconds", "judge s", "embed s")
COLUMNS = ("system", "budget", *FIGURES, *COUNTS)
HEAD = "| " + " | ".join(COLUMNS) + " |\n|" + "---|" * len(COLUMNS)
Row: TypeAlias = dict[str, Any]


def main() -> None:
    options = _arguments()
    embedder = CachedEmbedder(open_embedder("minilm"), options.cache)
    dialogues = locomo.load(data_folder(options.data))[: options.dialogues]
    rows: list[Row] = []
    if not options.json:
        print(HEAD)
    for row in table(dialogues, options.systems, options.budgets, embedder):
        rows.append(row)
        print(json.dumps(row) if options.json else line(row), flush=True)
    if options.plot:
        from evals.plot import draw

        draw(rows, options.plot)


def table(dialogues: Sequence[Dialogue], systems: Sequence[str], budgets: Sequence[float], embedder: CachedEmbedder) -> Iterator[Row]:
    """A row for the whole store, and one for each system at each budget, over all dialogues together."""
    embedder.embed([text for dialogue in dialogues for text in _texts(dialogue)])
    embedder.save()
    yield _row("unrefined", dialogues, [unrefined(dialogue) for dialogue in dialogues], embedder)
    for name in systems:
        states: list[list[State]] = []
        for number, dialogue in enumerate(dialogues, 1):
            if sys.stderr.isatty():
                print(f"{name}: dialogue {number} of {len(dialogues)}", end="\r", file=sys.stderr, flush=True)
            states.append(SYSTEMS[name](dialogue, budgets, embedder))
        for at_budget in zip(*states, strict=True):
            yield _row(name, dialogues, at_budget, embedder)
        embedder.save()


def _row(name: str, dialogues: Sequence[Dialogue], states: Sequence[State], embedder: CachedEmbedder) -> Row:
    scored: list[Score] = []
    vetoes: Counter[str] = Counter()
    for dialogue, state in zip(dialogues, states, strict=True):
        scored.extend(scores(dialogue, state, embedder))
        vetoes.update(state.costs.vetoes)
    costs = [state.costs for state in states]
    return {
        "system": name,
        "budget": states[0].budget,
        **means(scored),
        "size": sum(state.bytes for state in states) / sum(limit_of(dialogue, 1) for dialogue in dialogues),
        "entries": sum(len(state.entries) for state in states),
        "missed": sum(not state.met for state in states),
        "judged": sum(cost.judged for cost in costs),
        "deletes": sum(cost.deletes for cost in costs),
        "merges": sum(cost.merges for cost in costs),
        "vetoes": sum(vetoes.values()),
        "seconds": sum(cost.seconds for cost in costs),
        "judge s": sum(cost.judging for cost in costs),
        "embed s": sum(cost.embedding for cost in costs),
        "guards": dict(vetoes.most_common()),
        "categories": by_category(scored),
        "questions": len(scored),
        "bytes": sum(state.bytes for state in states),
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
    if name in FIGURES:
        return "" if value is None else f"{value:.3f}"
    return f"{value:.1f}" if isinstance(value, float) else f"{value}"


def _texts(dialogue: Dialogue) -> list[str]:
    return [entry.embedding_text for entry in dialogue.entries] + [question.text for question in dialogue.scored]


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m evals.retention", description=__doc__)
    add_data_argument(parser)
    parser.add_argument("--systems", nargs="+", default=list(SYSTEMS), choices=list(SYSTEMS), metavar="NAME", help=", ".join(SYSTEMS))
    parser.add_argument("--budgets", nargs="+", type=float, default=BUDGETS, help="shares of the bytes (default: 0.7 0.6 0.5 0.4 0.3)")
    parser.add_argument("--dialogues", type=int, help="only the first so many")
    parser.add_argument("--cache", type=Path, default=FOLDER, help=f"folder that keeps the vectors (default: {FOLDER})")
    parser.add_argument("--plot", type=Path, metavar="PNG", help="draw the figures over the budgets (needs matplotlib)")
    parser.add_argument("--json", action="store_true", help="one JSON object a line, with categories and guards")
    return parser.parse_args()


if __name__ == "__main__":
    main()
