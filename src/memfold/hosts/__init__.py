"""Memory files of other people, and Memfold's own export: read them, bring them to a new state, write that atomically.

    read     -> the entries in the file's order, with the bytes they came from
    render   -> the bytes of the next state: what did not change keeps its bytes
    replace  -> old or new on the disk, never half of one, never over somebody else's change
    erase    -> the bytes without a trace of a text outside the entries

`jsonl`: any field names. `mcp`: the MCP memory server's graph. `letta`: agent files. `export`: what `memfold export`
writes. A host keeps no journal and knows of no budget; see `memfold.protocols.Host`.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

from memfold.errors import NotAStore, UnknownName
from memfold.hosts.export import ExportHost, write_export
from memfold.hosts.fields import JsonlFields
from memfold.hosts.filehost import FileHost
from memfold.hosts.jsonl import JsonlHost
from memfold.hosts.letta import LettaHost
from memfold.hosts.mcp import McpHost
from memfold.hosts.places import keep_ids
from memfold.hosts.sniff import kind_of

__all__ = [
    "HOSTS",
    "ExportHost",
    "FileHost",
    "JsonlFields",
    "JsonlHost",
    "LettaHost",
    "McpHost",
    "keep_ids",
    "open_host",
    "write_export",
]

HOSTS: dict[str, Callable[[Path], FileHost]] = {"jsonl": JsonlHost, "mcp": McpHost, "letta": LettaHost, "export": ExportHost}
"""Host by scheme."""

_URL = re.compile(r"([A-Za-z][A-Za-z0-9+._-]+):(.*)", re.DOTALL)


def open_host(store: str | Path, *, fields: JsonlFields | None = None) -> FileHost:
    """The host of a STORE: `scheme:path`, or a path whose content says what it is.

    :param fields: which field of a JSONL file is what; a file without a scheme is then taken as JSONL.
    :raises UnknownName: no host has this scheme. :raises NotAStore: no file there, or none of the kinds that are known.
    """
    store = str(store)
    url = _URL.fullmatch(store)
    if url and url[1].lower() in HOSTS:
        scheme, path = url[1].lower(), Path(url[2])
    elif url and not Path(store).exists():
        raise UnknownName("host", url[1], HOSTS)
    else:
        path = Path(store)
        scheme = "jsonl" if fields is not None else kind_of(path)
    if scheme == "jsonl":
        return JsonlHost(path, fields)
    if fields is not None:
        raise NotAStore(f"{store}: field names can only be given for JSONL; a file of kind {scheme!r} has its own")
    return HOSTS[scheme](path)
