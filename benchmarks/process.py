"""Each measurement in a process of its own, so that its peak memory is its own."""

from __future__ import annotations

import json
import resource
import subprocess
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent


def measured(module: str, *arguments: str) -> dict[str, Any]:
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
