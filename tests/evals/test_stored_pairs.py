"""Our labelled worlds, and pairs of public stores by their ids."""

import os
from pathlib import Path

import pytest
from evals.stored_pairs import OWN, agreement, label_rows, public, read_stored_pairs, worlds

RELATIONS = {"same", "a_covers_b", "b_covers_a", "overlap", "update", "distinct", "low_value"}


def test_our_labels_are_sound():
    pairs = read_stored_pairs()
    assert len(pairs) == len((OWN / "labels" / "worlds.csv").read_text("utf-8").splitlines()) - 1 > 10_000
    for label in pairs:
        assert label.relation in RELATIONS
        assert label.target in (("a", "b") if label.action == "delete" else ("",))
        assert {"a_covers_b": "b", "b_covers_a": "a"}.get(label.relation, label.target) == label.target
        assert label.pair.a.id != label.pair.b.id
        assert 0.2 < label.pair.cosine <= 1.001


def test_no_pair_is_labelled_twice():
    seen = [(label.source, frozenset((label.pair.a.id, label.pair.b.id))) for label in read_stored_pairs()]
    assert len(seen) == len(set(seen))


def test_the_worlds_are_told_in_order_of_speaker_and_time():
    entries = [entry for store in worlds().values() for entry in store.values()]
    assert len(entries) > 10_000
    assert any(entry.text.startswith("Hedda: ") for entry in entries)
    assert sum(entry.occurred_at is not None for entry in entries) > 0.9 * len(entries)


def test_two_readers_agree_as_the_card_says():
    found = agreement(read_stored_pairs(), read_stored_pairs(labels=OWN / "labels" / "second"))
    assert found["pairs"] == 800
    assert (round(found["alike"], 2), round(found["kappa"], 2)) == (0.88, 0.82)
    assert found["both_sure"] > 0.99


def test_another_version_of_a_store_is_told(monkeypatch):
    name, store = next(iter(worlds().items()))
    kept = dict(list(store.items())[:1])
    monkeypatch.setattr("evals.stored_pairs.worlds", lambda: {name: kept})
    with pytest.raises(SystemExit, match="another version"):
        read_stored_pairs()


def test_stores_that_the_folder_lacks_are_named(tmp_path, capsys):
    assert len(read_stored_pairs(tmp_path)) == len(read_stored_pairs())
    assert "letta ezra" in capsys.readouterr().err


def test_the_public_stores_hold_what_was_labelled():
    if "MEMFOLD_DATA" not in os.environ:
        pytest.skip("MEMFOLD_DATA names no folder of public data")
    data = Path(os.environ["MEMFOLD_DATA"])
    named = list(label_rows())
    stores = {row["store"] for row in named if not row["source"].startswith("worlds/")}
    assert {name.partition(" ")[2] for name in public(data)} == stores
    assert len(read_stored_pairs(data)) == len(named)
