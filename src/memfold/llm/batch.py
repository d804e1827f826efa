"""A model whose replies come in files: requests are written down, and read when somebody has answered them.

The form is that of OpenAI's Batch API, which many providers and local servers take. In the folder:

    requests.jsonl      what is still open, a line each: {"custom_id", "method", "url", "body"}; give this file to the service
    responses*.jsonl    what came back: any number of files, in any order, partial, from any provider; put them here
    answered.txt        ids that had a reply, so that a reply to something else is noticed

`custom_id` is made from the request's content, so a request is written once however often it is asked, and a reply is found again
in any later run. The model's name stands in each body. Neither key nor address is in any file.
"""

from __future__ import annotations

import json
import os
import re
import threading
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, cast

from memfold.config import ModelSettings
from memfold.errors import BadParameter
from memfold.llm.dialect import response_format
from memfold.llm.prices import Prices
from memfold.llm.raw import MESSAGE_TOKENS, Arrived, Asked, RawReply, estimated_text, estimated_tokens, with_form
from memfold.llm.replies_file import Replies
from memfold.llm.spending import Spending
from memfold.protocols import Failure

URL = "/v1/chat/completions"
PREFIX = "memfold-"
_LINE_BREAKS = re.compile("[\x7f\x85\u2028\u2029]")
"""What some readers take for the end of a line, though JSON does not."""


class BatchModel:
    """Requests in, replies out, by files in a folder. One run at a time may use a folder.

    :param model: the model's name in the requests' bodies; "" writes "default", which servers with a single model take.
    :raises BadParameter: the folder is a file, or cannot be read; or a budget in money lacks a price.
    """

    def __init__(self, folder: str | Path, model: str = "", settings: ModelSettings | None = None) -> None:
        self.folder = Path(folder).expanduser()
        self.model = model
        self.settings = settings or ModelSettings()
        prices = Prices(self.settings.prices)
        if self.settings.max_cost is not None and prices.price(model) is None:
            raise BadParameter("a budget in money needs a model with a known price: batch:FOLDER:MODEL, and a file of prices that has it")
        self._spending = Spending(self.settings, prices, model, batch=True)
        self._lock = threading.Lock()
        if self.folder.exists() and not self.folder.is_dir():
            raise BadParameter(f"{self.folder} is no folder; batch:FOLDER names one in which requests.jsonl is written")
        self._open: dict[str, str] = {}
        self._counted: set[str] = set()
        self.replies = Replies()
        self.read()

    def __repr__(self) -> str:
        return f"{type(self).__name__}({str(self.folder)!r}, {self.model!r})"

    @property
    def name(self) -> str:
        return f"batch:{self.model}" if self.model else "batch"

    @property
    def requests(self) -> Path:
        """The file of what is open."""
        return self.folder / "requests.jsonl"

    @property
    def waiting(self) -> int:
        """How many requests are written down and have no reply yet."""
        with self._lock:
            return len(self._open)

    @property
    def waiting_tokens(self) -> int:
        """About how many tokens the messages of the waiting requests have."""
        with self._lock:
            bodies: list[Any] = [json.loads(line)["body"] for line in self._open.values()]
        return sum(estimated_text(message["content"]) + MESSAGE_TOKENS for body in bodies for message in body["messages"])

    @property
    def notes(self) -> tuple[str, ...]:
        """What was passed over in the files, and why."""
        return self.replies.notes

    def read(self) -> None:
        """Read all files of replies anew, and write down again what is still open."""
        with self._lock, _told(self.folder):
            self._open = dict(_requests(self.requests))
            answered = set(self._answered().read_text("utf-8").split()) if self._answered().exists() else set[str]()
            self.replies = Replies.of_files(sorted(self.folder.glob("responses*.jsonl")), self._open.keys() | answered)
            done = [id for id in self._open if self.replies.settled(id)]
            if done:
                _append(self._answered(), done)
            rewritten = {id: line for id, line in self._open.items() if id not in set(done)}
            if done or (self.requests.exists() and _lines(self.requests) != list(rewritten.values())):
                _replace(self.requests, rewritten.values())
            self._open = rewritten

    def send(self, requests: Sequence[Asked], arrived: Arrived) -> None:
        """Give the replies that have come; write down the other requests in one step, which then wait."""
        found = [self._found(request) for request in requests]
        told = self._write_down([request for request, reply in zip(requests, found, strict=True) if reply is None])
        for index, reply in enumerate(found):
            arrived(index, reply if reply is not None else RawReply(failure=told[requests[index].key]))

    def _found(self, request: Asked) -> RawReply | None:
        """The reply to a request, if one came. What it took is counted once, however often it is looked up."""
        id = PREFIX + request.key
        reply = self.replies.get(id)
        if reply is None:
            return None
        with self._lock:
            first = id not in self._counted
            self._counted.add(id)
        if not first:
            return RawReply(reply.text, reply.failure, reply.finished)
        tokens_in = reply.tokens_in or estimated_tokens(request.messages)
        tokens_out = reply.tokens_out or (estimated_text(reply.text) if reply.text else 0)
        cost = self._spending.take(tokens_in, tokens_out)
        return RawReply(reply.text, reply.failure, reply.finished, 1, tokens_in, tokens_out, cost)

    def _write_down(self, requests: Sequence[Asked]) -> dict[str, Failure]:
        """Append what is not written down yet; for each request's key what to tell of it."""
        with self._lock:
            new: dict[str, str] = {}
            spent: dict[str, Failure] = {}
            for request in requests:
                id = PREFIX + request.key
                if id not in self._open and id not in new:
                    full = self._spending.plan(estimated_tokens(request.messages), request.max_tokens)
                    if full is not None:
                        spent[request.key] = full
                    else:
                        new[id] = self._line(id, request)
            failure = self._add(new) or self._waiting()
        return {request.key: spent.get(request.key, failure) for request in requests}

    def _waiting(self) -> Failure:
        told = f"waiting for {len(self._open):,} replies: have {self.requests} answered, put responses.jsonl beside it, run again"
        return Failure("waiting", told)

    def _add(self, new: dict[str, str]) -> Failure | None:
        if not new:
            return None
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            _append(self.requests, new.values())
        except OSError as error:
            return Failure("unreachable", f"{self.requests} cannot be written ({error.strerror}); check the folder and the disk")
        self._open |= new
        return None

    def _line(self, id: str, request: Asked) -> str:
        messages = [{"role": message.role, "content": message.content} for message in with_form(request)]
        body: dict[str, Any] = {"model": self.model or "default", "messages": messages, **response_format(request, "schema")}
        if request.max_tokens is not None:
            body["max_completion_tokens"] = request.max_tokens
        line = {"custom_id": id, "method": "POST", "url": URL, "body": body}
        written = json.dumps(line, ensure_ascii=False).encode("utf-8", "replace").decode("utf-8")
        return _LINE_BREAKS.sub(lambda match: f"\\u{ord(match[0]):04x}", written)

    def _answered(self) -> Path:
        return self.folder / "answered.txt"


class _told:  # noqa: N801 (a context, like contextlib's)
    """Errors of the file system, told as ours."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: object) -> None:
        if isinstance(error, OSError):
            raise BadParameter(f"the batch folder {self.folder} cannot be used: {error.strerror or error}") from error


def _requests(path: Path) -> Iterable[tuple[str, str]]:
    """Ids and lines of the file of requests; a line that was cut off by a crash is dropped, its request was not yet told of."""
    for line in _lines(path):
        try:
            held = json.loads(line)
        except ValueError:
            continue
        if isinstance(held, dict) and isinstance(id := cast("dict[str, Any]", held).get("custom_id"), str):
            yield id, line


def _lines(path: Path) -> list[str]:
    if not path.exists():
        return []
    return [line for line in path.read_text("utf-8", errors="replace").split("\n") if line.strip()]


def _append(path: Path, lines: Iterable[str]) -> None:
    """Add lines in one write that is on the disk afterwards; after a line that a crash cut off, a new one begins."""
    with path.open("ab+") as file:
        end = file.seek(0, os.SEEK_END)
        if end:
            file.seek(end - 1)
        cut = bool(end) and file.read(1) != b"\n"
        file.write((("\n" if cut else "") + "".join(f"{line}\n" for line in lines)).encode("utf-8"))
        file.flush()
        os.fsync(file.fileno())


def _replace(path: Path, lines: Iterable[str]) -> None:
    """Write the file anew, in one step."""
    beside = path.with_suffix(".tmp")
    with beside.open("wb") as file:
        file.write("".join(f"{line}\n" for line in lines).encode("utf-8"))
        file.flush()
        os.fsync(file.fileno())
    os.replace(beside, path)
