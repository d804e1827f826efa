"""The one meaning of "size" (promise 1): bytes of an entry's JSON, as `memfold export` would write it.

MemRefine B, Memory size accounting: `json` with `ensure_ascii=False`, embeddings not counted. Every budget, report
and benchmark calls this function.
"""

from __future__ import annotations

import json

from memfold.types import Entry

_ENCODE = json.JSONEncoder(ensure_ascii=False).encode


def entry_json(entry: Entry) -> str:
    """The entry as one line of JSON without ASCII escapes, fields at their default left out."""
    return _ENCODE(entry.as_dict())


def entry_bytes(entry: Entry) -> int:
    """UTF-8 length of `entry_json`; lone surrogates count the three bytes that they would take."""
    return len(entry_json(entry).encode("utf-8", "surrogatepass"))
