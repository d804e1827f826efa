"""How many lossy deletions the guards catch, and how many right ones they hold up, on labelled pairs.

    python -m evals.guards DATA_FOLDER [--json]

DATA_FOLDER holds `*.jsonl` files of pairs: `{"id", "source", "a", "a_time", "b", "b_time", "relation", "action", "target",
"confidence"}`, where a right merge may have its text in `merged`. The labels stand in for a judge; only labels of high confidence count:

- right: the deletion that the label asks for (updates apart) must pass;
- lossy: deleting either side of a `distinct`, `overlap` or `update` pair, or the wider side of a covering one, must be vetoed;
- update: deleting the older state passes only with updates="latest";
- merge: the label's own merged text must pass; the same text without its last third must not (`cut`).
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Any

from memfold.refine.guards import GuardSettings, check
from memfold.types import Decision, Entry, Pair

FORMS = ("%Y-%m-%dT%H:%M", "%Y-%m-%d", "%b %d, %Y, %H:%M:%S", "%I:%M %p on %d %B, %Y")
GROUPS = ("right", "lossy", "wider", "update", "update latest", "merge", "cut")
LATEST = GuardSettings(updates="latest")
HISTORY = GuardSettings()


def when(written: str) -> datetime | None:
    for form in FORMS:
        try:
            return datetime.strptime(written or "", form)
        except ValueError:
            continue
    return None


def source_of(row: dict[str, Any], file: Path) -> str:
    source = str(row.get("source", file.stem))
    head, _, rest = source.partition("/")
    return source if head == "authored" else head if rest else source


def attempts(row: dict[str, Any]) -> Iterator[tuple[str, Decision, GuardSettings]]:
    """What a judge might do to the pair, and the group in which it counts."""
    action, target, relation = row["action"], row["target"], row["relation"]
    other = "b" if target == "a" else "a"
    if action == "delete" and relation == "update":
        yield "update", Decision("delete", target, "update"), HISTORY
        yield "update latest", Decision("delete", target, "update"), LATEST
        yield "lossy", Decision("delete", other, "update"), HISTORY
    elif action == "delete":
        yield "right", Decision("delete", target), HISTORY
        if relation in ("a_covers_b", "b_covers_a"):
            yield "wider", Decision("delete", other), HISTORY
    elif relation in ("distinct", "overlap", "update"):
        yield "lossy", Decision("delete", "a"), HISTORY
        yield "lossy", Decision("delete", "b"), HISTORY
    merged = row.get("merged")
    if action == "merge" and merged:
        yield "merge", Decision("merge", merged=merged), HISTORY
        yield "cut", Decision("merge", merged=merged[: len(merged) * 2 // 3]), HISTORY


def measure(folder: Path) -> dict[str, Any]:
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    vetoes: dict[str, Counter[str]] = defaultdict(Counter)
    examples: dict[str, list[tuple[str, str, str]]] = defaultdict(list)
    checks, seconds = 0, 0.0
    for file in sorted(folder.glob("*.jsonl")):
        for line in file.read_text(encoding="utf-8").splitlines():
            row = json.loads(line)
            if row.get("confidence") != "high" or "relation" not in row:
                continue
            sides = [Entry(side, row[side], occurred_at=when(row.get(f"{side}_time", ""))) for side in ("a", "b")]
            pair = Pair(sides[0], sides[1], float(row.get("cosine", 0.0)))
            for group, decision, settings in attempts(row):
                began = time.perf_counter()
                answer = check(pair, decision, settings)
                seconds += time.perf_counter() - began
                checks += 1
                for source in (source_of(row, file), "all"):
                    counts[source][group] += 1
                    counts[source][f"{group} vetoed"] += bool(answer.veto)
                if answer.veto:
                    vetoes[group][answer.veto] += 1
                examples[f"{group} {answer.veto or 'passed'}"].append((str(row["id"]), decision.target, answer.reason))
    rows = [
        {"source": source} | {g: c[f"{g} vetoed"] / c[g] for g in GROUPS if c[g]} | {"n": sum(c[g] for g in GROUPS)}
        for source, c in sorted(counts.items(), key=lambda item: (item[0] == "all", item[0]))
    ]
    by_guard = {group: dict(found.most_common()) for group, found in vetoes.items()}
    return {"shares vetoed": rows, "by guard": by_guard, "milliseconds a check": 1000 * seconds / max(checks, 1), "examples": examples}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, help="folder with *.jsonl files of labelled pairs")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.add_argument("--show", default="", help="list the pairs of one outcome, such as 'right values' or 'lossy passed'")
    asked = parser.parse_args()
    if not any(asked.folder.glob("*.jsonl")):
        sys.exit(f"no *.jsonl file in {asked.folder}: give the folder with labelled pairs")
    found = measure(asked.folder)
    examples = found.pop("examples")
    if asked.show:
        for example in examples.get(asked.show, []):
            print("\t".join(example))
        return
    if asked.json:
        print(json.dumps(found))
        return
    print(f"{'share vetoed, by source':28}" + "".join(f"{group:>15}" for group in GROUPS))
    for row in found["shares vetoed"]:
        print(f"{row['source']:28}" + "".join(f"{row[group]:15.3f}" if group in row else f"{'':15}" for group in GROUPS))
    for group, guards in found["by guard"].items():
        print(f"{group:14} " + ", ".join(f"{name} {count}" for name, count in guards.items()))
    print(f"{found['milliseconds a check']:.2f} ms a check")


if __name__ == "__main__":
    main()
