"""`memfold judge`: try a judge on pairs of one's own."""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, BinaryIO

import click

from memfold.cli.judges import JudgeChoice, judge_options
from memfold.cli.models import STOPPED, WAITING, tell_files
from memfold.cli.options import ExampleCommand, json_option
from memfold.cli.show import counted, emit

if TYPE_CHECKING:
    from memfold.protocols import Embedder, Judge
    from memfold.refine.guards import GuardSettings
    from memfold.types import JSON, Decision, Entry, Pair

BATCH = 128
"""Pairs judged between two prints."""


@dataclass(frozen=True, slots=True)
class Asked:
    """One line of the input: its id as it stands there, and the two sides."""

    id: JSON
    a: Entry
    b: Entry


@click.command(
    cls=ExampleCommand,
    example="""\
memfold judge pairs.jsonl
memfold judge pairs.jsonl --judge similarity:0.8 --no-guards""",
)
@click.argument("pairs", type=click.Path(exists=True, dir_okay=False, allow_dash=True), metavar="PAIRS")
@judge_options
@click.option("--no-guards", is_flag=True, help="The bare judge.")
@click.option("--embedder", default="minilm", show_default=True, metavar="NAME", help="Who makes the vectors for the cosine.")
@json_option
def judge(pairs: str, judge: JudgeChoice, no_guards: bool, embedder: str, as_json: bool) -> None:
    """Try a judge on pairs of your own: one decision a line, after the guards.

    PAIRS is JSONL with {"id", "a", "b", "a_time", "b_time"} a line, or - for stdin; the times may be left out. Each
    decision is {"id", "relation", "action", "target", "merged", "reason", "confidence", "veto"}; where a model gave no answer
    also "failed". A model whose replies are still to come, that cannot be reached, or whose budget is spent ends it (exit code 4 or 5).
    """
    if judge.spec.partition(":")[0] == "pagerank":
        raise click.UsageError(
            "pagerank ranks the entries of a store by their links, which loose pairs do not have; "
            "try it with: memfold refine STORE --budget B --judge pagerank:0.8"
        )
    from memfold.embed import open_embedder
    from memfold.refine.guards import GuardSettings
    from memfold.refine.judges import open_judge

    vectors = open_embedder(embedder)
    guards = None if no_guards else GuardSettings(updates=judge.updates)
    model = judge.model.open() if judge.asks else None
    decides = open_judge(judge.spec, judge.asking(model, guards))
    counts: Counter[str] = Counter()
    halts: set[str] = set()
    unread: list[str] = []
    with _opened(pairs) as file:
        asked = _read(file, "stdin" if pairs == "-" else pairs, unread)
        while batch := list(islice(asked, BATCH)):
            for line, decision in zip(batch, _decide(batch, decides, vectors, guards), strict=True):
                if decision.halt:
                    halts.add(decision.halt)
                    counts[decision.halt] += 1
                    continue
                emit(_shown(line.id, decision))
                counts["failed" if decision.failed else f"vetoed {decision.proposed}" if decision.veto else decision.action] += 1
            if halts - {"waiting"}:
                break
    told = ", ".join(f"{count:,} {what}" for what, count in sorted(counts.items()))
    click.echo(f"{counted(counts.total(), 'pair')} by {decides.name}" + (f": {told}" if told else ""), err=True)
    if unread:
        click.echo(f"{counted(len(unread), 'time')} could not be read and count as none: {', '.join(unread[:3])}", err=True)
    tell_files(model)
    if halts:
        raise click.exceptions.Exit(WAITING if halts == {"waiting"} else STOPPED)


def _opened(pairs: str) -> AbstractContextManager[BinaryIO]:
    return nullcontext(sys.stdin.buffer) if pairs == "-" else open(pairs, "rb")


def _decide(batch: Sequence[Asked], judge: Judge, embedder: Embedder, guards: GuardSettings | None) -> list[Decision]:
    from memfold.refine.guards import check
    from memfold.types import Pair

    vectors = embedder.embed([side.text for asked in batch for side in (asked.a, asked.b)])
    cosines = (vectors[::2] * vectors[1::2]).sum(axis=1)
    pairs: list[Pair] = [Pair(asked.a, asked.b, float(cosine)) for asked, cosine in zip(batch, cosines, strict=True)]
    decisions = judge.decide(pairs)
    if guards is None:
        return decisions
    return [check(pair, decision, guards) for pair, decision in zip(pairs, decisions, strict=True)]


def _shown(id: JSON, decision: Decision) -> dict[str, JSON]:
    failed: dict[str, JSON] = {"failed": True} if decision.failed else {}
    return {
        "id": id,
        "relation": decision.relation,
        "action": decision.action,
        "target": decision.target,
        "merged": decision.merged,
        "reason": decision.reason,
        "confidence": round(decision.confidence, 4),
        "veto": decision.veto,
        **failed,
    }


def _read(file: BinaryIO, name: str, unread: list[str]) -> Iterator[Asked]:
    """The pairs, line by line; times that cannot be read are told in `unread` and taken as none.

    :raises BadEntry: a line holds no pair; the message gives its number and the cure.
    """
    for number, raw in enumerate(file, 1):
        if raw.strip():
            yield _asked(raw.removeprefix(b"\xef\xbb\xbf") if number == 1 else raw, number, f"{name}, line {number}", unread)


def _asked(raw: bytes, number: int, where: str, unread: list[str]) -> Asked:
    from memfold.errors import BadEntry
    from memfold.hosts.times import parse_time
    from memfold.types import Entry

    cure = 'write {"id": "1", "a": "one text", "b": "the other"} on one line'
    try:
        data: JSON = json.loads(raw)
    except UnicodeDecodeError as error:
        raise BadEntry(f"{where} is not UTF-8 ({error.reason} at byte {error.start}); convert the file: iconv -t utf-8") from error
    except (ValueError, RecursionError) as error:
        raise BadEntry(f"{where} is not JSON ({error}): {raw[:60].decode('utf-8', 'replace').strip()!r}; {cure}") from error
    if not isinstance(data, dict):
        raise BadEntry(f"{where} holds no object; {cure}")
    sides: list[Entry] = []
    for side in ("a", "b"):
        text, stated = data.get(side), data.get(f"{side}_time")
        if not isinstance(text, str):
            found = f"{text!r}" if side in data else f"only {', '.join(map(repr, data)) or 'nothing'}"
            raise BadEntry(f"{where} needs a text in {side!r}, found {found[:80]}; {cure}")
        time = parse_time(stated)
        if time is None and stated not in (None, ""):
            unread.append(f"{stated!r} ({where})")
        sides.append(Entry(f"{number}{side}", text, created_at=time))
    return Asked(data.get("id", number), *sides)
