"""Files of replies, line by line, from whatever provider or person they come.

A line names its request in `custom_id` (or `key`), and its reply stands in one of these places:

    {"custom_id": …, "response": {"status_code": 200, "body": {…}}}      OpenAI, and most others
    {"custom_id": …, "result": {"type": "succeeded", "message": {…}}}    the messages API
    {"custom_id": …, "choices": […]}   or any other body beside the id   a bare completion
    {"custom_id": …, "reply": "text" or {…}}                             written by hand
    {"custom_id": …, "error": {…}}                                       an error
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Any, cast

from memfold.llm.completion import Fault, fault_of, read_body
from memfold.llm.raw import RawReply
from memfold.protocols import Failure

ERRORS = 3
"""So many errors that may pass, told for one request, and it is given up; before, it stays open to be sent again."""
NOTED = 20
"""Notes on single lines at most."""


class Replies:
    """Replies by id. Of several usable ones to a request the last counts: files in the order of their names, lines as they stand."""

    def __init__(self) -> None:
        self._replies: dict[str, RawReply] = {}
        self._faults: dict[str, list[Fault]] = {}
        self._notes: list[str] = []
        self.counts: Counter[str] = Counter()
        """`lines`, `replies`, `errors`, `duplicates`, `unknown`, `broken`."""

    @classmethod
    def of_files(cls, paths: Sequence[Path], known: Collection[str]) -> Replies:
        """What stands in the files.

        :param known: ids that were asked; replies to others are counted and passed over.
        """
        replies = cls()
        for path in paths:
            with path.open("rb") as file:
                for number, line in enumerate(file, 1):
                    if line.strip(b"\xef\xbb\xbf \t\r\n\x00"):
                        replies.take(line, f"{path.name} line {number}", known)
        return replies

    @property
    def notes(self) -> tuple[str, ...]:
        """What was passed over, and why; without any reply's text."""
        counts = self.counts
        more = [f"and {counts['broken'] - NOTED:,} broken lines more"] if counts["broken"] > NOTED else []
        unknown = [f"{counts['unknown']:,} replies to requests that are not of this folder were passed over"] if counts["unknown"] else []
        duplicates = [f"{counts['duplicates']:,} requests had several replies: the last counts"] if counts["duplicates"] else []
        errors = [f"{counts['errors']:,} errors instead of replies"] if counts["errors"] else []
        return (*self._notes, *more, *errors, *unknown, *duplicates)

    def get(self, id: str) -> RawReply | None:
        """The reply to a request, or the failure that it ended in; None while it is open."""
        reply = self._replies.get(id)
        if reply is not None:
            return reply
        faults = self._faults.get(id, [])
        if not faults or (faults[-1].passing and len(faults) < ERRORS):
            return None
        last = faults[-1]
        kind = "rejected" if last.kind == "unreachable" else last.kind
        status = f" {last.status}" if last.status else ""
        return RawReply(failure=Failure(kind, f"the batch service answered with an error{status}" + _times(len(faults))))

    def settled(self, id: str) -> bool:
        """Whether nothing more is to be expected for this request."""
        return self.get(id) is not None

    def take(self, line: bytes, where: str, known: Collection[str]) -> None:
        """Read one line; never raises."""
        self.counts["lines"] += 1
        try:
            held: Any = json.loads(line.decode("utf-8-sig"))
        except (ValueError, RecursionError):
            self._broken(f"{where} is no JSON")
            return
        if not isinstance(held, dict):
            self._broken(f"{where} is no JSON object")
            return
        answer = cast("dict[str, Any]", held)
        id = answer.get("custom_id", answer.get("key"))
        if not isinstance(id, str):
            self._broken(f"{where} has no custom_id")
        elif id not in known:
            self.counts["unknown"] += 1
        else:
            self._keep(id, _read(answer))

    def _broken(self, note: str) -> None:
        self.counts["broken"] += 1
        if self.counts["broken"] <= NOTED:
            self._notes.append(f"{note}: passed over")

    def _keep(self, id: str, came: RawReply | Fault) -> None:
        if isinstance(came, Fault):
            self.counts["errors"] += 1
            self._faults.setdefault(id, []).append(came)
            return
        self.counts["duplicates" if id in self._replies else "replies"] += 1
        self._replies[id] = came


def _times(count: int) -> str:
    return f", {count} times" if count > 1 else ""


def _read(line: Mapping[str, Any]) -> RawReply | Fault:
    """The reply or the error in a line."""
    response = line.get("response")
    if isinstance(response, dict):
        held = cast("dict[str, Any]", response)
        status = held.get("status_code", 200)
        status = status if isinstance(status, int) else 0
        body = held.get("body", held)
        if status >= 400:
            return fault_of(cast("dict[str, Any]", body).get("error", body) if isinstance(body, dict) else body, status)
        return line_error if (line_error := _error(line)) else read_body(body)
    if isinstance(response, str):
        return RawReply(response)
    result = line.get("result")
    if isinstance(result, dict):
        held = cast("dict[str, Any]", result)
        return read_body(held["message"]) if "message" in held else fault_of(held.get("error", held.get("type")), 0)
    if error := _error(line):
        return error
    if "reply" in line:
        reply = line["reply"]
        return RawReply(reply if isinstance(reply, str) else json.dumps(reply, ensure_ascii=False))
    return read_body(line.get("body", line))


def _error(line: Mapping[str, Any]) -> Fault | None:
    return fault_of(line["error"]) if line.get("error") else None
