"""The measurement of the guards."""

import importlib.util
import json
import os
from pathlib import Path

import pytest

SCRIPT = Path(__file__).resolve().parents[2] / "evals" / "guards.py"
PAIRS = [
    {"a": "Ana owns a red boat.", "b": "Ana owns a boat.", "relation": "a_covers_b", "action": "delete", "target": "b"},
    {"a": "The code is 4417.", "b": "The code is 4471.", "relation": "distinct", "action": "preserve", "target": ""},
    {"a": "Ana lives in Lyon, as a nurse.", "b": "Ana lives in Nice, as a nurse.", "relation": "update", "action": "delete", "target": "a"},
    {
        "a": "Ana owns a red boat.",
        "b": "Ana owns a boat with 2 sails.",
        "relation": "overlap",
        "action": "merge",
        "target": "",
        "merged": "Ana owns a red boat with 2 sails.",
    },
]


@pytest.fixture(scope="module")
def script():
    spec = importlib.util.spec_from_file_location("evals_guards", SCRIPT)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_each_label_counts_where_it_belongs(script, tmp_path):
    rows = [
        {"id": f"p{number}", "source": "own/1", "confidence": "high", "a_time": "2025-01-01", "b_time": "2025-06-01T10:00"} | pair
        for number, pair in enumerate(PAIRS)
    ]
    rows.append(rows[0] | {"id": "low", "confidence": "low"})
    (tmp_path / "pairs.jsonl").write_text("\n".join(map(json.dumps, rows)))
    found = script.measure(tmp_path)
    everything = found["shares vetoed"][-1]
    assert everything == {
        "source": "all", "right": 0, "lossy": 0.8,
        "wider": 0, "update": 1, "update latest": 0, "merge": 0, "cut": 1, "n": 11,
    }  # fmt: skip
    assert found["by guard"]["lossy"] == {"digits": 2, "newer": 1, "values": 1}
    assert [row["source"] for row in found["shares vetoed"]] == ["own", "all"]


def test_a_folder_without_pairs_is_an_error_with_a_cure(script, tmp_path, monkeypatch):
    monkeypatch.setattr("sys.argv", ["guards.py", str(tmp_path)])
    with pytest.raises(SystemExit, match="give the folder"):
        script.main()


@pytest.mark.skipif("MEMFOLD_DATA" not in os.environ, reason="needs the labelled pairs under $MEMFOLD_DATA/judge_pairs")
def test_the_rates_that_the_documentation_gives(script):
    everything = script.measure(Path(os.environ["MEMFOLD_DATA"]) / "judge_pairs")["shares vetoed"][-1]
    assert everything["right"] <= 0.10
    assert everything["lossy"] >= 0.80
