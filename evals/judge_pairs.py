"""How often a judge is right on labelled pairs, and how many of its deletions lose a fact.

    python -m evals.judge_pairs DATA [--judge J ...] [--no-guards] [--json]

DATA holds `judge_pairs/*.jsonl`, or those files themselves: one pair a line, `{"id", "source", "a", "a_time", "b",
"b_time", "relation", "action", "target", "confidence"}`, with `cosine` where it is known (else the bundled embedder gives
it) and `lang` where it is not English. By default `embedded` is shown beside `similarity` at 0.7, 0.8 and 0.9.

- right: the judge does what the label says; a deletion also has to hit a side that may go;
- lossy: a deletion where the label does not delete, or deletes the other side, which this one does not cover;
- found: deletions that are not lossy, as a share of the pairs that the label deletes from.

For `same` and `low_value` either side may go; for `update` only the one that the label names.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from evals.data import add_data_argument, data_folder
from memfold.refine.guards import check
from memfold.refine.judges import open_judge
from memfold.types import Decision, Entry, Pair

BESIDE = ("embedded", "similarity:0.7", "similarity:0.8", "similarity:0.9")
FORMS = ("%Y-%m-%dT%H:%M", "%Y-%m-%d", "%b %d, %Y, %H:%M:%S", "%I:%M %p on %d %B, %Y")
WRITTEN = ("authored", "own", "worlds")
"""Sources that were written for the purpose, in several registers; those of `worlds` name a store behind the register."""
_ORDINAL_TIME = re.compile(r"(?:session_)?(\d+)(?:_observation)?")
_DAY_ONE = datetime(2000, 1, 1)


@dataclass(frozen=True, slots=True)
class Labelled:
    """A pair with what a careful reader would do."""

    pair: Pair
    source: str
    relation: str
    action: str
    target: str
    confident: bool
    language: str

    @property
    def group(self) -> str:
        """The part of the source that names the kind of store."""
        head, _, rest = self.source.partition("/")
        return f"{head}/{rest.partition('/')[0]}" if head in WRITTEN else head

    @property
    def store(self) -> str:
        """The part of the source that names the store, or the register where it names none."""
        return self.source.rpartition("/")[2]

    def may_go(self, side: str) -> bool:
        """Whether deleting this side loses nothing by the label."""
        if self.action != "delete":
            return False
        return self.relation in ("same", "low_value") or side == self.target


def read_pairs(folder: Path) -> list[Labelled]:
    """All labelled pairs of a data folder; cosines that are not written there come from the bundled embedder.

    :raises SystemExit: there are no such files.
    """
    where = folder / "judge_pairs" if (folder / "judge_pairs").is_dir() else folder
    files = sorted(where.glob("*.jsonl"))
    if not files:
        raise SystemExit(f"no *.jsonl in {where}: labelled pairs are expected there")
    rows: list[dict[str, Any]] = [json.loads(line) for file in files for line in file.read_text("utf-8").splitlines()]
    unmeasured = [row for row in rows if "cosine" not in row]
    if unmeasured:
        for row, cosine in zip(unmeasured, _cosines(unmeasured), strict=True):
            row["cosine"] = cosine
    return [_labelled(row) for row in rows]


def _cosines(rows: Sequence[dict[str, Any]]) -> list[float]:
    from memfold.embed import open_embedder

    embedder = open_embedder("minilm")
    print(f"embedding {len(rows)} pairs with {embedder.name}", file=sys.stderr)
    vectors = embedder.embed([row[side] for row in rows for side in ("a", "b")])
    return [float(cosine) for cosine in (vectors[::2] * vectors[1::2]).sum(axis=1)]


def _labelled(row: dict[str, Any]) -> Labelled:
    a, b = (Entry(f"{row['id']}-{side}", row[side], occurred_at=when(row.get(f"{side}_time", ""))) for side in ("a", "b"))
    return Labelled(
        Pair(a, b, row["cosine"]),
        row["source"],
        row["relation"],
        row["action"],
        row["target"],
        row["confidence"] == "high",
        row.get("lang", "en"),
    )


def when(written: str) -> datetime | None:
    """A time in one of the data sets' forms; the number of a session counts as days. None where there is none."""
    for form in FORMS:
        try:
            return datetime.strptime(written, form)
        except ValueError:
            continue
    ordinal = _ORDINAL_TIME.fullmatch(written)
    return _DAY_ONE + timedelta(days=int(ordinal[1])) if ordinal else None


@dataclass(frozen=True, slots=True)
class Score:
    """The figures of a judge on some pairs; shares are None where there is nothing to share."""

    pairs: int
    right: float | None
    right_confident: float | None
    deletions: int
    lossy: float | None
    lossy_confident: float | None
    found: float | None

    @classmethod
    def of(cls, judged: Sequence[tuple[Labelled, Decision]]) -> Score:
        sure = [one for one in judged if one[0].confident]
        deleted = [one for one in judged if one[1].action == "delete"]
        deletable = [one for one in judged if one[0].action == "delete"]
        return cls(
            len(judged),
            share_of(judged, is_right),
            share_of(sure, is_right),
            len(deleted),
            share_of(deleted, is_lossy),
            share_of([one for one in deleted if one[0].confident], is_lossy),
            share_of(deletable, is_right),
        )

    def as_dict(self) -> dict[str, float | int | None]:
        return {name: getattr(self, name) for name in Score.__slots__}


def is_right(label: Labelled, decision: Decision) -> bool:
    return label.may_go(decision.target) if decision.action == "delete" else decision.action == label.action


def is_lossy(label: Labelled, decision: Decision) -> bool:
    return decision.action == "delete" and not label.may_go(decision.target)


def share_of(judged: Sequence[tuple[Labelled, Decision]], holds: Callable[[Labelled, Decision], bool]) -> float | None:
    return round(sum(holds(*one) for one in judged) / len(judged), 4) if judged else None


def judge_all(name: str, pairs: Sequence[Labelled], guarded: bool) -> tuple[list[tuple[Labelled, Decision]], float]:
    """The decisions of a judge, and the seconds of processor time that it took without the guards."""
    judge = open_judge(name)
    began = time.process_time()
    decisions = judge.decide([label.pair for label in pairs])
    seconds = time.process_time() - began
    if guarded:
        decisions = [check(label.pair, decision) for label, decision in zip(pairs, decisions, strict=True)]
    return list(zip(pairs, decisions, strict=True)), seconds


def tables(judged: Sequence[tuple[Labelled, Decision]]) -> dict[str, dict[str, Score]]:
    """Scores over all pairs, and by source, relation and language."""
    keys: dict[str, Callable[[Labelled], str]] = {
        "all": lambda label: "all",
        "source": lambda label: label.group,
        "relation": lambda label: label.relation,
        "language": lambda label: label.language,
    }
    out: dict[str, dict[str, Score]] = {}
    for table, key in keys.items():
        groups: dict[str, list[tuple[Labelled, Decision]]] = defaultdict(list)
        for one in judged:
            groups[key(one[0])].append(one)
        out[table] = {name: Score.of(group) for name, group in sorted(groups.items())}
    return out


def _row(name: str, score: Score) -> str:
    shares = (score.right, score.right_confident, score.lossy, score.lossy_confident, score.found)
    right, sure, lossy, lossy_sure, found = ("    -" if share is None else f"{share:5.1%}" for share in shares)
    return f"{name:24} {score.pairs:6} {right:>7} {sure:>7} {score.deletions:6} {lossy:>7} {lossy_sure:>7} {found:>7}"


def print_tables(name: str, found: dict[str, dict[str, Score]], *, full: bool = True) -> None:
    """The scores as a table, by source, relation and language where `full`."""
    print(f"\n{name}")
    print(f"{'':24} {'pairs':>6} {'right':>7} {'(sure)':>7} {'del.':>6} {'lossy':>7} {'(sure)':>7} {'found':>7}")
    for table, scores in found.items():
        if table == "all" or full:
            print("\n".join(_row(group, score) for group, score in scores.items()))


def main(argv: Iterable[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    add_data_argument(parser)
    parser.add_argument("--judge", action="append", help="a judge's name; may be given more than once")
    parser.add_argument("--guards", action=argparse.BooleanOptionalAction, default=True, help="the guards may veto (default)")
    parser.add_argument("--json", action="store_true", help="one JSON object a judge")
    arguments = parser.parse_args(None if argv is None else list(argv))
    pairs = read_pairs(data_folder(arguments.data))
    names: list[str] = arguments.judge or list(BESIDE)
    for name in names:
        judged, seconds = judge_all(name, pairs, arguments.guards)
        found = tables(judged)
        rate = len(pairs) / max(seconds, 1e-9)
        if arguments.json:
            shown = {table: {group: score.as_dict() for group, score in scores.items()} for table, scores in found.items()}
            print(json.dumps({"judge": name, "guards": arguments.guards, "pairs_a_second": round(rate), **shown}))
        else:
            print_tables(f"{name}: {rate:,.0f} pairs a second of processor time", found, full=name == names[0] or bool(arguments.judge))


if __name__ == "__main__":
    main()
