"""An endpoint on 127.0.0.1 that speaks the chat completions API as badly as a test wants."""

from __future__ import annotations

import json
import socket
import struct
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Literal

import pytest
from pydantic import BaseModel

from memfold.llm.limits import Clock
from memfold.protocols import ChatRequest, Message

PROXIES = ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "all_proxy")


class Verdict(BaseModel):
    """The form that these tests ask for."""

    action: Literal["delete", "merge", "preserve"]
    note: str = ""


class Endpoint:
    """Answers `act(request, nth)`: a body (dict, str or bytes), or a function of the handler that does as it likes. `nth` counts from 0."""

    def __init__(self) -> None:
        self.requests: list[dict[str, Any]] = []
        self.keys: list[str | None] = []
        self.paths: list[str] = []
        self.act: Callable[[dict[str, Any], int], Any] = lambda request, nth: self.said('{"action": "delete"}')
        self.lock = threading.Lock()
        self.flying = self.most = 0
        self.release = threading.Event()
        self.server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self.server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}/v1"
        threading.Thread(target=self.server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()

    def close(self) -> None:
        self.release.set()
        self.server.shutdown()
        self.server.server_close()

    @staticmethod
    def said(text: str, finish: str = "stop", **more: Any) -> dict[str, Any]:
        message = {"role": "assistant", "content": text}
        usage = {"prompt_tokens": 100, "completion_tokens": 10, "total_tokens": 110}
        choices = [{"index": 0, "message": message, "finish_reason": finish}]
        return {"id": "c", "object": "chat.completion", "choices": choices, "usage": usage} | more

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        owner = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                with owner.lock:
                    nth = len(owner.requests)
                    owner.requests.append(request)
                    owner.keys.append(self.headers.get("Authorization"))
                    owner.paths.append(self.path)
                    owner.flying += 1
                    owner.most = max(owner.most, owner.flying)
                try:
                    answer = owner.act(request, nth)
                    if callable(answer):
                        answer(self)
                    else:
                        respond(self, 200, answer)
                except (BrokenPipeError, ConnectionResetError):
                    pass
                finally:
                    with owner.lock:
                        owner.flying -= 1

            def log_message(self, format: str, *args: object) -> None:
                pass

        return Handler


Headers = dict[str, str] | None


def respond(handler: BaseHTTPRequestHandler, status: int, body: Any, headers: Headers = None, length: int | None = None) -> None:
    data = body if isinstance(body, bytes) else body.encode() if isinstance(body, str) else json.dumps(body).encode()
    handler.send_response(status)
    for name, value in ({"Content-Type": "application/json"} | (headers or {})).items():
        handler.send_header(name, value)
    handler.send_header("Content-Length", str(len(data) if length is None else length))
    handler.end_headers()
    handler.wfile.write(data)


class FakeClock(Clock):
    """A clock whose waits take no time."""

    def __init__(self) -> None:
        self.time = 1000.0
        self.waits: list[float] = []
        self.lock = threading.Lock()

    def now(self) -> float:
        return self.time

    def wait(self, seconds: float, stop: threading.Event) -> None:
        with self.lock:
            self.waits.append(seconds)
            self.time += max(0.0, seconds)


@pytest.fixture
def endpoint(monkeypatch: pytest.MonkeyPatch) -> Iterator[Endpoint]:
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL", *PROXIES):
        monkeypatch.delenv(name, raising=False)
    server = Endpoint()
    yield server
    server.close()


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


@pytest.fixture
def fault() -> Callable[..., Callable[[BaseHTTPRequestHandler], None]]:
    """Make an answer with a status: `fault(429, "slow down", {"Retry-After": "2"})`."""

    def make(status: int, message: Any = "out of order", headers: dict[str, str] | None = None) -> Callable[[BaseHTTPRequestHandler], None]:
        body = {"error": message if isinstance(message, dict) else {"message": message}}
        return lambda handler: respond(handler, status, body, headers)

    return make


@pytest.fixture
def raw() -> Callable[..., Callable[[BaseHTTPRequestHandler], None]]:
    """Make an answer of any bytes; `length` is what its header claims."""

    def make(body: Any, headers: dict[str, str] | None = None, length: int | None = None) -> Callable[[BaseHTTPRequestHandler], None]:
        def answer(handler: BaseHTTPRequestHandler) -> None:
            respond(handler, 200, body, headers, length)
            if length is not None:
                handler.close_connection = True
                handler.connection.shutdown(socket.SHUT_RDWR)

        return answer

    return make


@pytest.fixture
def reset() -> Callable[[BaseHTTPRequestHandler], None]:
    """An answer that resets the connection."""

    def answer(handler: BaseHTTPRequestHandler) -> None:
        handler.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        handler.close_connection = True
        handler.connection.close()

    return answer


@pytest.fixture
def ask() -> Callable[..., ChatRequest[Any]]:
    """Make a request."""

    def make(text: str = "Two notes.", purpose: str = "judge", schema: type[BaseModel] = Verdict, **more: Any) -> ChatRequest[Any]:
        return ChatRequest((Message("system", "You judge."), Message("user", text)), schema, purpose, **more)

    return make


@pytest.fixture
def verdict() -> type[Verdict]:
    return Verdict
