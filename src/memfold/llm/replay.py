"""Replies recorded in a file, and given again: for tests, for evaluations that others can repeat, for demonstrations without a key.

A recording is a JSONL file: first {"memfold": "recording", "model": name}, then {"key", "reply"} lines. It holds what the model said,
and of what was asked only a hash: no request, no key of yours, no address. What a model said may repeat your texts.
"""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any, cast

from memfold.errors import BadParameter
from memfold.llm.raw import Arrived, Asked, RawReply, cache_key
from memfold.protocols import Failure, ReplyCache


class Recording:
    """A `ReplyCache` in a file. Each reply is on the disk when `put` returns; a line cut off by a crash is passed over.

    :param model: whose replies these are; "" takes the name that the file has.
    :raises BadParameter: the file is no recording, or one of another model.
    """

    def __init__(self, path: str | Path, model: str = "") -> None:
        self.path = Path(path).expanduser()
        self._lock = threading.Lock()
        self._replies: dict[str, str] = {}
        try:
            lines = self.path.read_text("utf-8", errors="surrogateescape").splitlines() if self.path.exists() else []
        except OSError as error:
            raise BadParameter(f"the recording {self.path} cannot be read: {error.strerror}") from error
        held = [parsed for line in lines if (parsed := _parsed(line)) is not None]
        if lines and (not held or held[0].get("memfold") != "recording"):
            raise BadParameter(f"{self.path} is no recording of replies; name another file")
        self.model = str(held[0].get("model", "")) if held else model
        if model and self.model != model:
            raise BadParameter(f"{self.path} holds replies of {self.model!r}, not of {model!r}; name another file")
        for line in held[1:]:
            if isinstance(line.get("key"), str) and isinstance(line.get("reply"), str):
                self._replies[line["key"]] = line["reply"]

    def __len__(self) -> int:
        return len(self._replies)

    def get(self, key: str) -> str | None:
        with self._lock:
            return self._replies.get(key)

    def put(self, key: str, reply: str) -> None:
        """Keep a reply.

        :raises BadParameter: the file cannot be written.
        """
        with self._lock:
            if self._replies.get(key) == reply:
                return
            try:
                self._append({"key": key, "reply": reply})
            except OSError as error:
                raise BadParameter(f"the recording {self.path} cannot be written: {error.strerror}") from error
            self._replies[key] = reply

    def _append(self, line: dict[str, str]) -> None:
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with self.path.open("ab+") as file:
            end = file.seek(0, os.SEEK_END)
            if not end:
                file.write(f"{json.dumps({'memfold': 'recording', 'model': self.model})}\n".encode())
            else:
                file.seek(end - 1)
                if file.read(1) != b"\n":
                    file.write(b"\n")
            file.write(f"{json.dumps(line)}\n".encode())
            file.flush()
            os.fsync(file.fileno())


class ReplayModel:
    """Gives recorded replies; a request that was not recorded fails.

    :raises BadParameter: there is no such recording.
    """

    def __init__(self, path: str | Path) -> None:
        self.recording = Recording(path)
        if not self.recording.path.exists():
            raise BadParameter(f"there is no recording {self.recording.path}; make one with record:{self.recording.path}:MODEL")

    @property
    def name(self) -> str:
        """The recorded model's: what was judged with it stays judged."""
        return self.recording.model

    def send(self, requests: Sequence[Asked], arrived: Arrived) -> None:
        """Give what was recorded."""
        told = f"{self.recording.path} holds no reply to this request: the texts, the prompts or the order differ from when it was recorded"
        for index, request in enumerate(requests):
            reply = self.recording.get(cache_key(self.name, request))
            arrived(index, RawReply(reply) if reply is not None else RawReply(failure=Failure("unreachable", told)))


class Recorded:
    """A `ReplyCache` that keeps a recording too: what the inner cache knows already is recorded when it is asked for."""

    def __init__(self, recording: Recording, inner: ReplyCache | None = None) -> None:
        self.recording = recording
        self.inner = inner

    def get(self, key: str) -> str | None:
        reply = self.recording.get(key)
        if reply is None and self.inner is not None and (reply := self.inner.get(key)) is not None:
            self.recording.put(key, reply)
        return reply

    def put(self, key: str, reply: str) -> None:
        self.recording.put(key, reply)
        if self.inner is not None:
            self.inner.put(key, reply)


def _parsed(line: str) -> dict[str, Any] | None:
    try:
        held = json.loads(line)
    except ValueError:
        return None
    return cast("dict[str, Any]", held) if isinstance(held, dict) else None
