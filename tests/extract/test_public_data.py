"""Whole public dialogues, where MEMFOLD_DATA names the folder that holds them."""

from __future__ import annotations

import os
from itertools import islice
from pathlib import Path

import pytest

from memfold.embed import open_embedder
from memfold.extract.formats import read_sessions
from memfold.memory import Memory

pytestmark = pytest.mark.skipif("MEMFOLD_DATA" not in os.environ, reason="MEMFOLD_DATA names no data folder")


def first(name: str, sessions: int):
    return list(islice(read_sessions(Path(os.environ["MEMFOLD_DATA"]) / name), sessions))


@pytest.mark.parametrize(("name", "count"), [("locomo/locomo10.json", 19), ("halumem/pilot_slice_user0.jsonl", 5)])
def test_turns_of_public_dialogues_are_kept_with_their_sources(name, count):
    sessions = first(name, count)
    with Memory.open(":memory:", embedder=open_embedder("hashing")) as memory:
        report = memory.observe(sessions, "ada")
        assert report.states == {"stored": count}
        turns = {turn.id: turn for session in sessions for turn in session.turns}
        kept = [entry.sources[0].turn for entry in report.entries]
        assert 0.7 * len(turns) < len(kept) <= len(turns)
        assert all(turns[id].text in entry.text for id, entry in zip(kept, report.entries, strict=True))


@pytest.mark.parametrize(("name", "count"), [("locomo/locomo10.json", 4), ("halumem/pilot_slice_user0.jsonl", 2)])
def test_a_model_that_repeats_the_turns_is_believed_and_costs_at_most_five_requests(
    memory, scripted, rows_of, tell, supported, name, count
):
    def parrot(request):
        return [tell(f"{row['speaker']} said: {row['text']}"[:900], row["turn"]) for row in rows_of(request, "turns")]

    model = scripted(
        draft=lambda request: {"entries": parrot(request)}, events=lambda request: {"events": parrot(request)}, verify=supported
    )
    report = memory.observe(first(name, count), "ada", model=model)
    assert report.states == {"stored": count}
    assert all(outcome.asked <= 5 for outcome in report.outcomes)
    assert all(entry.sources and entry.sources[0].span for entry in report.entries)
    assert not [claim for claim in report.rejected if "no turn" in claim.reason]
