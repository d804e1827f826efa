import json

from evals.cache import CachedEmbedder
from evals.files import rows, there_and_back
from evals.plot import draw
from evals.retention import table

from evals import locomo
from memfold.embed import open_embedder


def test_a_file_goes_there_and_comes_back(tmp_path):
    path = tmp_path / "memory.jsonl"
    lines = [{"id": str(n), "text": text} for n, text in enumerate(["Tea is at four.", "Tea is at four.", "The cello is in tune."] * 2)]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    row = there_and_back(path, "memory", 60, CachedEmbedder(open_embedder("hashing"), tmp_path), "similarity:0.8", guards=False)
    assert row["undone"] is True
    assert row["left"] < row["entries"] == 6
    assert row["missed by"] == 0
    assert path.read_text(encoding="utf-8").count("\n") == 6


def test_a_dialogue_goes_through_a_database_and_files_that_lack_are_passed_over(data):
    found = list(rows(data, CachedEmbedder(open_embedder("hashing"), data), "similarity:0.8", guards=False))
    assert [(row["store"], row["budget"]) for row in found] == [("locomo/kitchen", budget) for budget in (70, 60, 50, 40, 30)]
    assert all(row["undone"] for row in found)


def test_the_plot_is_an_image(tmp_path, sample):
    found = list(table([locomo.dialogue(sample)], ["random"], (0.7, 0.5), CachedEmbedder(open_embedder("hashing"), tmp_path)))
    draw(found, tmp_path / "out.png")
    assert (tmp_path / "out.png").read_bytes().startswith(b"\x89PNG")
