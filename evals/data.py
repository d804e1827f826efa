"""Where the data sets lie: a folder given by the user, with the sub-folders and files that README.md names."""

from __future__ import annotations

import argparse
import os
from pathlib import Path


def add_data_argument(parser: argparse.ArgumentParser) -> None:
    """The argument DATA of every evaluation."""
    parser.add_argument("data", nargs="?", help="folder with the data sets (default: the environment variable MEMFOLD_DATA)")


def data_folder(given: str | None) -> Path:
    """The folder that the user gave, or that MEMFOLD_DATA names.

    :raises SystemExit: neither, or there is no such folder.
    """
    named = given or os.environ.get("MEMFOLD_DATA", "")
    if not named:
        raise SystemExit("where is the data? give its folder, or set MEMFOLD_DATA; evals/README.md says where to get it")
    if not Path(named).is_dir():
        raise SystemExit(f"there is no folder {named}")
    return Path(named)
