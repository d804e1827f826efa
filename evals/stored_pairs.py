"""Labelled pairs that are kept as two ids and a label, and the stores that hold their texts.

`evals/pairs/worlds/*.jsonl` are stores of our own, one invented world each: talk of two friends, statements taken from it, memory points of
a user, facts that an extraction wrote, notes of working agents, several languages. The labels of their pairs are in
`evals/pairs/labels/worlds.csv`.

The other files of `evals/pairs/labels` label pairs of public stores whose texts are free for any use and stay in the user's data folder:
memory points and talk of RealMem's personas (Apache-2.0), memory blocks of Letta agents (Apache-2.0), what users say to an assistant in
LongMemEval (MIT). Where the folder lacks a store, its pairs are left out.

`python -m evals.stored_pairs` says how far a second reader, who did not see the first labels, agrees on 800 pairs of the worlds.
"""

from __future__ import annotations

import csv
import json
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from statistics import mean
from typing import Any, TypeAlias

from evals import realmem
from evals.judge_pairs import Labelled
from evals.stores import flat
from memfold import Entry
from memfold.hosts import open_host
from memfold.types import Pair

OWN = Path(__file__).parent / "pairs"
LETTA = ("ezra", "void", "co-3")
LONGMEMEVAL = ("hydrabuild_oracle_sample.json", "lightmem_longmemeval_single.json")
Stores: TypeAlias = dict[str, Mapping[str, Entry]]
"""Entries by id, by `source store`: the source names the kind of text, `realmem` or `letta`, up to its first slash."""


def read_stored_pairs(data: Path | None = None, labels: Path = OWN / "labels") -> list[Labelled]:
    """The labelled pairs of our own worlds, and of those public stores that the data folder holds.

    :param labels: the folder with the labels.
    :raises SystemExit: a store lacks an entry that a label names: it is another version than the one that was labelled.
    """
    stores = {**worlds(), **(public(data) if data else {})}
    by_store = [(_key(row["source"], row["store"]), row) for row in label_rows(labels)]
    if data and (missing := sorted({key for key, _ in by_store if key not in stores})):
        print(f"left out, as {data} lacks their stores: the labelled pairs of {', '.join(missing)}", file=sys.stderr)
    return [_labelled(row, stores[key]) for key, row in by_store if key in stores]


def label_rows(labels: Path = OWN / "labels") -> Iterator[dict[str, str]]:
    """The rows of all tables of labels in a folder."""
    for path in sorted(labels.glob("*.csv")):
        with path.open(encoding="utf-8", newline="") as table:
            yield from csv.DictReader(table)


def _key(source: str, store: str) -> str:
    return f"{source.partition('/')[0]} {store}"


def _labelled(row: Mapping[str, str], entries: Mapping[str, Entry]) -> Labelled:
    try:
        pair = Pair(entries[row["a"]], entries[row["b"]], float(row["cosine"]))
    except KeyError as missing:
        raise SystemExit(f"{row['store']} has no entry {missing}: is it another version than the one that was labelled?") from missing
    sure = row["confidence"] == "high"
    source = f"{row['source']}/{row['store']}" if row["source"].startswith("worlds/") else row["source"]
    return Labelled(pair, source, row["relation"], row["action"], row["target"], sure, row.get("lang") or "en")


def worlds(folder: Path = OWN / "worlds") -> Stores:
    """Our own stores. A turn of talk is told as `Speaker: text`."""
    return {_key("worlds", path.stem): _by_id(map(_own_entry, _lines(path))) for path in sorted(folder.glob("*.jsonl"))}


def _own_entry(row: Mapping[str, Any]) -> Entry:
    text = f"{row['speaker']}: {row['text']}" if "speaker" in row else row["text"]
    return Entry(row["id"], text, occurred_at=datetime.fromisoformat(row["time"]) if row["time"] else None)


def public(data: Path) -> Stores:
    """The public stores in a data folder that labels speak of."""
    out: Stores = {}
    for path in sorted(data.glob(realmem.FILES)):
        persona = json.loads(path.read_text("utf-8"))
        name = str(persona["_metadata"]["person_name"]).replace(" ", "_")
        out[_key("realmem", name)] = _by_id(realmem.persona(persona).entries)
        out[_key("realmem-turns", name)] = _by_id(_talk(persona["dialogues"]))
    for name in LETTA:
        if (path := data / "letta" / f"{name}.af").is_file():
            out[_key("letta", name)] = _by_id(open_host(path).read().entries)
    if all((data / "longmemeval" / name).is_file() for name in LONGMEMEVAL):
        out[_key("longmemeval", "longmemeval")] = _by_id(_asked(data / "longmemeval"))
    return out


def _talk(sessions: Iterable[Mapping[str, Any]]) -> Iterator[Entry]:
    for number, session in enumerate(sessions, 1):
        for place, turn in enumerate(session["dialogue_turns"], 1):
            text = f"{turn['speaker']}: {flat(turn['content']).strip()}"
            yield Entry(f"S{number}:T{place}", text, occurred_at=realmem.session_time(session["current_time"]))


def _asked(folder: Path) -> Iterator[Entry]:
    """What users say in both samples, an entry a turn; a session that several questions share comes once for each."""
    several, single = (json.loads((folder / name).read_text("utf-8")) for name in LONGMEMEVAL)
    sessions = [(question["id"], [(turn, turn["date"]) for turn in question["conversation"]]) for question in several["data"]]
    whole = zip(single[0]["haystack_session_ids"], single[0]["haystack_dates"], single[0]["haystack_sessions"], strict=True)
    sessions += [(name, [(turn, date) for turn in session]) for name, date, session in whole]
    for name, turns in sessions:
        for place, (turn, date) in enumerate(turns, 1):
            if turn["role"] == "user":
                text = f"User: {turn['content'].strip()}"
                yield Entry(f"{name}:{place}", text, occurred_at=datetime.strptime(date, "%Y/%m/%d (%a) %H:%M"))


def _by_id(entries: Iterable[Entry]) -> Mapping[str, Entry]:
    return {entry.id: entry for entry in entries}


def _lines(path: Path) -> Iterator[Mapping[str, Any]]:
    return map(json.loads, path.read_text("utf-8").splitlines())


def agreement(first: Sequence[Labelled], second: Sequence[Labelled]) -> dict[str, float]:
    """How far two readers of the same pairs agree on the action, in [0, 1].

    `alike` on all pairs, `both_sure` on those that both were sure of, `lossy` the first one's deletions that the second one's label
    does not allow, `kappa` Cohen's.
    """
    by_pair = {(label.source, label.pair.a.id, label.pair.b.id): label for label in first}
    both = [(by_pair[other.source, other.pair.a.id, other.pair.b.id], other) for other in second]
    alike = [_alike(one, other) for one, other in both]
    sure = [same for same, (one, other) in zip(alike, both, strict=True) if one.confident and other.confident]
    lossy = [not same for same, (one, _) in zip(alike, both, strict=True) if one.action == "delete"]
    shares = [Counter(label.action for label in side) for side in zip(*both, strict=True)]
    chance = sum(shares[0][action] * shares[1][action] for action in shares[0]) / len(both) ** 2
    agreed = mean(alike)
    return {"pairs": len(both), "alike": agreed, "both_sure": mean(sure), "lossy": mean(lossy), "kappa": (agreed - chance) / (1 - chance)}


def _alike(one: Labelled, other: Labelled) -> bool:
    if one.action != other.action:
        return False
    return one.action != "delete" or one.may_go(other.target) or other.may_go(one.target)


def main() -> None:
    first, second = read_stored_pairs(), read_stored_pairs(labels=OWN / "labels" / "second")
    print(json.dumps({name: round(value, 3) for name, value in agreement(first, second).items()}))


if __name__ == "__main__":
    main()
