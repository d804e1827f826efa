"""The calibration of atoms on a store of a few made-up vectors."""

from __future__ import annotations

import argparse

import numpy as np
import pytest
from evals.calibrate_atoms import ROOMS, Case, clustered, recall, table

from memfold.atoms import AtomSettings


@pytest.fixture
def case() -> Case:
    angles = np.radians([0, 2, 90, 91, 135])
    rows = np.stack([np.cos(angles), np.sin(angles), np.zeros(5)], axis=1).astype(np.float32)
    return Case(list("abcde"), rows, [400, 400, 400, 50, 400], rows[[0, 3]], [(0, 1), (2,)])


def test_whole_atoms_are_packed_best_first(case: Case) -> None:
    flat = recall([case], None)
    assert flat == {"evidence 500": 0.75, "evidence 1000": 1.0, "evidence 2000": 1.0, "evidence 4000": 1.0}
    assert recall([case], [clustered(case, "rsm", AtomSettings(0.9))]) == flat
    assert recall([case], [clustered(case, "online-k-means", AtomSettings(max_atoms=1))]) == flat


def test_a_row_for_each_setting(case: Case) -> None:
    asked = {"cosines": [0.9, 0.99999], "member": [0.0], "max_members": [0, 1], "rank": 8, "cent_merge": True, "no_recall": False}
    rows = list(table([case], argparse.Namespace(**asked)))
    assert [row["variant"] for row in rows] == ["flat", *["rsm", "cent-merge"] * 4]
    assert all(set(row) == set(rows[0]) for row in rows)
    joined, bounded = rows[1], rows[3]
    assert (joined["atoms"], joined["largest"], joined["mean size"]) == (3, 2.0, 5 / 3)
    assert joined["non-trivial"] == pytest.approx(2 / 3)
    assert joined["its share"] == 0.4
    assert joined["cent-merge more"] == 0
    assert bounded["atoms"] == 5
    assert all(0 <= rows[0][f"evidence {room}"] <= 1 for room in ROOMS)
