"""Other programs' memory files, shrunk and brought back: `python -m evals.files DATA`.

Each file is copied into a temporary folder, refined there to a budget with its edits applied, and undone; then its bytes
must be those of the original. The LoCoMo dialogue goes through a Memfold database; there, its entries must be the same.
"""

from __future__ import annotations

import argparse
import json
import shutil
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeAlias

from evals import locomo
from evals.cache import FOLDER, CachedEmbedder
from evals.data import add_data_argument, data_folder
from memfold import Memory, RefineSettings, Report
from memfold.embed import open_embedder

Row: TypeAlias = dict[str, Any]
COLUMNS = (
    "store", "budget", "bytes", "after", "missed by", "entries", "left", "deletes", "merges", "judged", "vetoes", "seconds",
    "file", "file after", "beside", "undone",
)  # fmt: skip
BUDGETS: Mapping[str, Sequence[int]] = {
    "mcp_memory/memory_graph.jsonl": (50,),
    "letta/memgpt_agent_with_convo.af": (70, 60, 50, 40, 30),
    "letta/co-3.af": (70, 60, 50, 40, 30),
    "letta/ezra.af": (70, 60, 50, 40, 30),
    "letta/void.af": (70, 60, 50, 40, 30),
}


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m evals.files", description=__doc__)
    add_data_argument(parser)
    parser.add_argument("--judge", default="embedded", help="embedded (default), similarity:0.8, pagerank:0.8")
    parser.add_argument("--no-guards", action="store_true", help="the judge alone")
    parser.add_argument("--cache", type=Path, default=FOLDER, help=f"folder that keeps the vectors (default: {FOLDER})")
    parser.add_argument("--json", action="store_true", help="one JSON object a line, with the vetoes by guard")
    options = parser.parse_args()
    embedder = CachedEmbedder(open_embedder("minilm"), options.cache)
    if not options.json:
        print("| " + " | ".join(COLUMNS) + " |\n|" + "---|" * len(COLUMNS))
    for row in rows(data_folder(options.data), embedder, options.judge, guards=not options.no_guards):
        print(json.dumps(row) if options.json else "| " + " | ".join(_cell(row[name]) for name in COLUMNS) + " |", flush=True)
    embedder.save()


def rows(data: Path, embedder: CachedEmbedder, judge: str, *, guards: bool) -> Iterator[Row]:
    """A row for each file and budget, then the first LoCoMo dialogue. Files that the folder lacks are passed over."""
    for name, budgets in BUDGETS.items():
        for budget in budgets if (data / name).is_file() else ():
            yield there_and_back(data / name, name, budget, embedder, judge, guards=guards)
    if (data / locomo.FILE).is_file():
        dialogue = locomo.load(data)[0]
        for budget in (70, 60, 50, 40, 30):
            yield through_a_database(dialogue, budget, embedder, judge, guards=guards)


def there_and_back(path: Path, name: str, budget: int, embedder: CachedEmbedder, judge: str, *, guards: bool) -> Row:
    """Refine a copy of a file, and undo it. `undone` says whether its bytes are the original's."""
    with tempfile.TemporaryDirectory(prefix="memfold-eval-") as folder:
        copy = Path(folder) / path.name
        shutil.copyfile(path, copy)
        original = copy.read_bytes()
        with Memory.open(copy, embedder=embedder) as memory:
            row = _row(memory, name, budget, judge, guards=guards, same=lambda: copy.read_bytes() == original, file=copy)
    return row


def through_a_database(dialogue: locomo.Dialogue, budget: int, embedder: CachedEmbedder, judge: str, *, guards: bool) -> Row:
    """The same for entries in a database. `undone` says whether they are equal, and in their order."""
    with tempfile.TemporaryDirectory(prefix="memfold-eval-") as folder, Memory.open(Path(folder) / "agent.db", embedder=embedder) as memory:
        memory.add(dialogue.entries)
        name, file = f"locomo/{dialogue.name}", Path(folder) / "agent.db"
        return _row(memory, name, budget, judge, guards=guards, same=lambda: tuple(memory.entries()) == dialogue.entries, file=file)


def _row(memory: Memory, name: str, budget: int, judge: str, *, guards: bool, same: Callable[[], bool], file: Path) -> Row:
    size, began = file.stat().st_size, time.perf_counter()
    reports = [
        memory.refine(namespace, budget=f"{budget}%", apply=True, judge=judge, settings=RefineSettings(guards=guards))
        for namespace in memory.namespaces()
    ]
    seconds = time.perf_counter() - began
    row = _figures(reports) | {"store": name, "budget": budget, "seconds": seconds, "file": size, "file after": file.stat().st_size}
    row["beside"] = memory.disk_bytes() - file.stat().st_size
    for report in reversed(reports):
        if report.edits:
            memory.undo(report.run)
    return row | {"undone": same()}


def _figures(reports: Sequence[Report]) -> Row:
    guards: Counter[str] = Counter()
    for report in reports:
        guards.update(report.vetoes)
    total: Callable[[str], int] = lambda name: sum(getattr(report, name) for report in reports)  # noqa: E731
    return {
        "bytes": total("bytes_before"),
        "after": total("bytes_after"),
        "missed by": total("missed_by"),
        "entries": total("entries_before"),
        "left": total("entries_after"),
        "deletes": total("deletes"),
        "merges": total("merges"),
        "judged": total("judgements"),
        "vetoes": guards.total(),
        "guards": dict(guards.most_common()),
    }


def _cell(value: Any) -> str:
    if isinstance(value, bool):
        return "identical" if value else "DIFFERENT"
    return f"{value:.1f}" if isinstance(value, float) else str(value)


if __name__ == "__main__":
    main()
