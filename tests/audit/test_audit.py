from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from datetime import datetime, timedelta

import numpy as np
import pytest

from memfold.atoms import AtomSettings, open_clusterer
from memfold.audit import Audit, audit
from memfold.audit.text import render
from memfold.protocols import Vectors
from memfold.types import Entry

Embed = Callable[[Sequence[str]], Vectors]

TEXTS = [
    "Thanks!",
    "thanks",
    "Ana keeps the spare key of the shed under the third flower pot.",
    "Ana keeps the spare key of the shed under the third flower pot",
    "Under the third flower pot Ana keeps the spare key of the shed, as ever.",
    "Ana's locker code is 4417.",
    "Ben's locker code is 4471.",
    "The old bridge is closed for repairs until May.",
]


class Words:
    name = "words"

    def count(self, text: str) -> int:
        return len(text.split())


def measure(entry: Entry) -> int:
    return len(entry.text) + 10


def run(embed: Embed, texts: Sequence[str] = TEXTS, homes: Sequence[str] = (), **more: object) -> Audit:
    start = datetime(2025, 1, 1)
    entries = [
        Entry(f"e{n}", text, home=homes[n] if homes else "", created_at=start + timedelta(days=n) if n else None)
        for n, text in enumerate(texts)
    ]
    return audit(entries, embed(texts), measure=measure, **more)  # type: ignore[arg-type]


def test_counts(embed: Embed) -> None:
    found = run(embed, count_tokens=Words())
    assert (found.entries, found.bytes) == (8, sum(len(text) + 10 for text in TEXTS))
    assert (found.tokens, found.counter) == (sum(len(text.split()) for text in TEXTS), "words")
    assert run(embed).tokens is None
    assert found.growth.undated == 1


def test_exact_copies(embed: Embed) -> None:
    shed, thanks = run(embed).exact
    assert (shed.ids, shed.spare) == (("e2", "e3"), len(TEXTS[3]) + 10)
    assert (thanks.ids, thanks.spare) == (("e0", "e1"), 16)


def test_near_copies_stand_for_their_exact_ones(embed: Embed) -> None:
    (near,) = run(embed).near
    assert near.ids == ("e2", "e4")
    assert near.spare == len(TEXTS[2]) + 10


def test_suspects_tell_what_differs(embed: Embed) -> None:
    (suspects,) = run(embed).suspects
    assert suspects.difference == "value"
    assert suspects.ids == ("e5", "e6")
    assert suspects.values == (("ana", "4417"), ("ben", "4471"))
    assert suspects.frame == "▢ locker code is ▢"


def test_other_values_are_never_near_copies(embed: Embed) -> None:
    dose = ["Momo gets 2.5 mg of the medicine with her food once a day.", "Momo gets 25 mg of the medicine with her food once a day."]
    found = run(embed, dose, near_cosine=0.8)
    assert found.near == ()
    assert [s.difference for s in found.suspects] == ["value"]
    assert all(f.kept and not f.pairs for f in found.forecast)


def test_a_negation_is_shown(embed: Embed) -> None:
    found = run(embed, ["The pump in the cellar is running.", "The pump in the cellar is not running."])
    assert [s.values for s in found.suspects] == [((), ("not",))]


def test_homes_are_walls(embed: Embed) -> None:
    found = run(embed, homes=[str(n % 2) for n in range(len(TEXTS))])
    assert found.exact == ()
    assert found.suspects == ()
    assert [near.ids for near in found.near] == [("e2", "e4")]


def test_forecast_takes_copies_first(embed: Embed) -> None:
    forecast = {f.share: f for f in run(embed, shares=[0.9, 0.7, 0.3]).forecast}
    assert forecast[0.9].exact == forecast[0.9].over
    assert forecast[0.7].near > 0
    assert forecast[0.7].missing == 0
    assert forecast[0.3].missing > 0


def test_cosines_count_every_entry_once(embed: Embed) -> None:
    found = run(embed)
    assert sum(found.cosines.counts) == len(TEXTS)
    assert found.cosines.counts[-1] >= 5
    assert found.cosines.median is not None


def test_atoms_are_counted(embed: Embed) -> None:
    assert run(embed).grouping is None
    texts = [*TEXTS, *TEXTS[:1] * 3]
    entries = [Entry(f"m{number}", text) for number, text in enumerate(texts)]
    found = audit(entries, embed(texts), measure=measure, clusterer=open_clusterer("rsm", AtomSettings(0.95)))
    assert found.grouping is not None
    assert found.grouping.largest >= 4
    assert found.grouping.mean == pytest.approx(len(texts) / found.grouping.atoms)
    assert 0 < found.grouping.shared < 1
    assert f"atoms: {found.grouping.atoms}, " in str(found)
    assert found.as_dict()["grouping"] == found.grouping.as_dict()
    assert audit([], embed([]), measure=measure, clusterer=open_clusterer()).grouping is None


@pytest.mark.parametrize("texts", [[], ["Only one."], ["", ""], ["🙂", "…", "。"]])
def test_small_and_odd_stores(embed: Embed, texts: list[str]) -> None:
    found = run(embed, texts)
    assert found.entries == len(texts)
    json.dumps(found.as_dict(), allow_nan=False)
    assert render(found)


def test_json_holds_everything(embed: Embed) -> None:
    told = json.loads(json.dumps(run(embed).as_dict(), ensure_ascii=False, allow_nan=False))
    assert told["exact"][1]["texts"] == ["Thanks!", "thanks"]
    assert told["growth"]["points"][-1]["entries"] == 7
    assert [f["share"] for f in told["forecast"]] == [0.7, 0.6, 0.5, 0.4, 0.3]


def test_text_tells_numbers_and_examples(embed: Embed) -> None:
    lines = render(run(embed, count_tokens=Words()), name="ada", examples=1).splitlines()
    assert lines[0] == "ada: 8 entries, 389 bytes, 62 tokens (words)"
    told = "\n".join(lines)
    assert "exact copies: 2 groups of 4 entries" in told
    assert "and 1 more" in told
    assert "ana, 4417 | ben, 4471" in told
    assert max(map(len, lines)) <= 110


def test_an_audit_prints_as_text(embed: Embed) -> None:
    found = run(embed)
    assert str(found) == render(found)


def test_entries_and_vectors_must_match() -> None:
    with pytest.raises(ValueError, match="1 entries need as many vectors, not 0"):
        audit([Entry("a", "x")], np.empty((0, 4), dtype=np.float32), measure=measure)


def test_order_of_entries_does_not_matter(embed: Embed) -> None:
    entries = [Entry(f"e{n}", text) for n, text in enumerate(TEXTS)]
    there = audit(entries, embed(TEXTS), measure=measure)
    back = audit(entries[::-1], embed(TEXTS[::-1]), measure=measure)
    assert {frozenset(c.ids) for c in there.exact} == {frozenset(c.ids) for c in back.exact}
    assert {frozenset(s.ids) for s in there.suspects} == {frozenset(s.ids) for s in back.suspects}
    assert [(f.over, f.exact, f.near) for f in there.forecast] == [(f.over, f.exact, f.near) for f in back.forecast]
