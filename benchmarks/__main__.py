"""All benchmarks, as Markdown tables: `python -m benchmarks`."""

from __future__ import annotations

import subprocess
import sys

from benchmarks import atoms, jsonl, judge, refine, retrieve
from benchmarks.process import ROOT, show


def main() -> None:
    print("\nThe bundled embedder beside the bare session\n", flush=True)
    subprocess.run([sys.executable, "-m", "benchmarks.embed"], cwd=ROOT, check=True)
    print("\nThe embedded judge beside the embedder\n")
    show(judge.HEADINGS, judge.rows(), as_json=False)
    print("\nRefinement of n entries to 50 %, a scripted judge\n")
    show(refine.HEADINGS, refine.rows(), as_json=False)
    print("\nAtoms: scoring and joining\n")
    show(atoms.SCORED, atoms.scored(), as_json=False)
    print()
    show(atoms.JOINED, atoms.joined([1_000, 10_000, 100_000]), as_json=False)
    print("\nRecall beside one pass through the matrix\n")
    show(retrieve.HEADINGS, retrieve.rows([1_000, 10_000, 100_000]), as_json=False)
    print("\nReading a JSONL file\n")
    show(jsonl.HEADINGS, jsonl.rows(), as_json=False)


if __name__ == "__main__":
    main()
