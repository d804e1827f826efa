"""Shared by the tests of the embedders: the bundled model, and a real HTTP server that speaks the embeddings API."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from memfold.embed import HashingEmbedder, MiniLM


@pytest.fixture(scope="session")
def minilm() -> MiniLM:
    return MiniLM()


class EmbeddingServer:
    """An endpoint on 127.0.0.1 with the hashing double behind it. `spoil` may change a reply, `status` may refuse."""

    def __init__(self) -> None:
        self.requests: list[dict[str, Any]] = []
        self.keys: list[str | None] = []
        self.statuses: list[int] = []
        self.spoil: Callable[[dict[str, Any]], Any] = lambda reply: reply
        self.raw: bytes | None = None
        self.server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self.server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}/v1"
        self.thread = threading.Thread(target=self.server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
        self.thread.start()

    def close(self) -> None:
        self.server.shutdown()
        self.server.server_close()
        self.thread.join()

    def reply_to(self, request: dict[str, Any]) -> Any:
        # Real endpoints refuse these.
        if not request["input"] or any(not text for text in request["input"]):
            raise ValueError("input cannot be empty")
        vectors = HashingEmbedder(request.get("dimensions", 64)).embed(request["input"]) * 3.5
        data = [{"object": "embedding", "index": i, "embedding": vector.tolist()} for i, vector in enumerate(vectors)]
        return self.spoil({"object": "list", "model": request["model"], "data": data, "usage": {"prompt_tokens": 1, "total_tokens": 1}})

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        owner = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                owner.requests.append(request)
                owner.keys.append(self.headers.get("Authorization"))
                status = owner.statuses.pop(0) if owner.statuses else 200
                try:
                    body = json.dumps(owner.reply_to(request) if status == 200 else {"error": {"message": "out of order"}}).encode()
                except ValueError as error:
                    status, body = 400, json.dumps({"error": {"message": str(error)}}).encode()
                body = owner.raw if owner.raw is not None else body
                self.send_response(status)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, format: str, *args: object) -> None:
                pass

        return Handler


@pytest.fixture
def endpoint(monkeypatch: pytest.MonkeyPatch) -> Iterator[EmbeddingServer]:
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "all_proxy"):
        monkeypatch.delenv(name, raising=False)
    server = EmbeddingServer()
    yield server
    server.close()
