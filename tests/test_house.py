"""What the house promises about itself: few public names, an import that costs nothing and does nothing."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import memfold

PUBLIC = [
    "AsyncMemory", "Budget", "Context", "Decision", "Edit", "Entry", "ExtractSettings", "Filter", "GuardSettings", "Hit",
    "JsonlFields", "Link", "MemfoldError", "Memory", "ModelSettings", "PackSettings", "Pair", "RecallSettings", "RefineSettings",
    "Report", "Session", "Source", "Turn", "__version__", "open_model",
]  # fmt: skip
HEAVY = ("numpy", "onnxruntime", "tokenizers", "rich", "click", "matplotlib", "openai", "sqlite3", "asyncio", "importlib.metadata")
BARE = [sys.executable, "-c", "pass"]
IMPORT = [sys.executable, "-c", "import memfold"]
HELP = [sys.executable, "-c", "import sys; sys.argv = ['memfold', '--help']; from memfold.cli import main; main()"]


def test_public_names_are_pinned() -> None:
    assert sorted(memfold.__all__) == sorted(PUBLIC)
    assert all(getattr(memfold, name) is not None for name in memfold.__all__)


def test_import_loads_nothing_heavy() -> None:
    loaded = _run([sys.executable, "-c", "import sys, memfold; print(*sys.modules)"]).split()
    assert not set(HEAVY) & set(loaded)
    assert "memfold.store" not in loaded


def test_help_loads_no_model_and_no_arrays() -> None:
    code = "import sys, memfold.cli; print(*sys.modules)"
    assert not {"numpy", "onnxruntime", "tokenizers", "matplotlib", "openai"} & set(_run([sys.executable, "-c", code]).split())


def test_import_leaves_no_file_and_no_environment(tmp_path: Path) -> None:
    code = "import os; before = dict(os.environ); import memfold, memfold.types, memfold.cli; print(dict(os.environ) == before)"
    unchanged = _run([sys.executable, "-B", "-c", code], cwd=tmp_path, env=_home(tmp_path))
    assert unchanged.strip() == "True"
    assert list(tmp_path.rglob("*")) == []


def test_import_takes_under_150_ms() -> None:
    _assert_quick(IMPORT, 0.150)


def test_help_takes_under_300_ms() -> None:
    _assert_quick(HELP, 0.300)


def _assert_quick(command: list[str], allowed: float) -> None:
    """The best of several starts over the best of several bare starts of Python, taken in turns in the same run.

    `allowed` is meant for a machine on which Python itself starts within 40 ms; on one that is slower at the moment
    it grows in proportion.
    """
    bare, full = [], []
    for _ in range(7):
        bare.append(_seconds(BARE))
        full.append(_seconds(command))
        if min(full) - min(bare) < allowed / 2:
            break
    over = min(full) - min(bare)
    assert over < allowed * max(1.0, min(bare) / 0.040), f"{over * 1000:.0f} ms over a bare start of {min(bare) * 1000:.0f} ms"


def _seconds(command: list[str]) -> float:
    start = time.perf_counter()
    _run(command)
    return time.perf_counter() - start


def _home(folder: Path) -> dict[str, str]:
    return {**os.environ, "HOME": str(folder), "XDG_CACHE_HOME": str(folder / "cache"), "XDG_CONFIG_HOME": str(folder / "config")}


def _run(command: list[str], cwd: Path | None = None, env: dict[str, str] | None = None) -> str:
    return subprocess.run(command, cwd=cwd, env=env, check=True, capture_output=True, text=True, timeout=60).stdout
