"""The onnxruntime session over the bundled graph: made at first use, once a process, shared by all threads."""

from __future__ import annotations

import os
import threading
from collections.abc import Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from memfold.protocols import Vectors

MODEL = Path(__file__).parent / "model.onnx"

Ids = NDArray[np.int32]


class Session(Protocol):
    """What we use of `onnxruntime.InferenceSession`; `run` may be called from several threads at once."""

    def run(self, output_names: Sequence[str] | None, input_feed: Mapping[str, Any]) -> list[Vectors]: ...


_sessions: dict[tuple[int, int], Session] = {}
_building = threading.Lock()


def available_cores() -> int:
    """The cores that this process may use (its affinity where the system tells it, else all)."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def shared_session(threads: int) -> Session:
    """The process's session that runs one batch on this many threads.

    The process id is part of the key, because the threads of a session do not survive a fork.
    """
    key = (os.getpid(), threads)
    session = _sessions.get(key)
    if session is None:
        with _building:
            session = _sessions.get(key) or _sessions.setdefault(key, _build(threads))
    return session


def _build(threads: int) -> Session:
    # onnxruntime collects usage data on some systems unless this is set before its import; nothing here phones home.
    os.environ.setdefault("ORT_DISABLE_TELEMETRY", "1")
    onnxruntime: Any = import_module("onnxruntime")
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    options.log_severity_level = 3
    # Idle threads sleep instead of spinning: a tenth less CPU for a batch and half for one sentence, and faster on a busy machine.
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    return onnxruntime.InferenceSession(str(MODEL), options, providers=["CPUExecutionProvider"])


def run(session: Session, ids: Ids, mask: Ids) -> Vectors:
    """Unit vectors of a batch of windows, shape (batch, 384), from word pieces and mask, both of shape (batch, tokens)."""
    return session.run(None, {"input_ids": ids, "attention_mask": mask})[0]
