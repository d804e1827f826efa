"""Each measurement in a process of its own, so that its peak memory is its own."""

from __future__ import annotations

import json
import resource
import subprocess
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, TypeAlias

ROOT = Path(__file__).resolve().parent.parent


Row: TypeAlias = dict[str, Any]


def measured(module: str, *arguments: str) -> Row:
    """Run `python -m module ARGUMENTS` and read the JSON object on the last line that it prints.

    :raises CalledProcessError: it failed; what it said is on stderr.
    """
    command = [sys.executable, "-m", module, *arguments]
    done = subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True)
    return json.loads(done.stdout.splitlines()[-1])


def peak_megabytes() -> float:
    """Largest resident memory of this process so far, in 10^6 bytes (Linux counts in KiB, macOS in bytes)."""
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak / 1e6 if sys.platform == "darwin" else peak * 1024 / 1e6


def show(headings: Sequence[str], rows: Iterable[Row], *, as_json: bool) -> None:
    """Print rows as they come: as a Markdown table, or one JSON object a line."""
    if not as_json:
        print(f"| {' | '.join(headings)} |\n{'|---' * len(headings)}|", flush=True)
    for row in rows:
        print(json.dumps(row) if as_json else f"| {' | '.join(map(_cell, row.values()))} |", flush=True)


def _cell(value: Any) -> str:
    return f"{value:.2f}" if isinstance(value, float) else f"{value:,}" if isinstance(value, int) else str(value)
