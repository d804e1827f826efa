"""Cases: how other memory systems hurt their users, as small inputs with the right behaviour."""

from datetime import UTC, datetime

import pytest

from memfold import Entry, Memory


@pytest.fixture
def now():
    return datetime(2026, 3, 1, 12, tzinfo=UTC)


@pytest.fixture
def open_memory(tmp_path, now):
    """Opens a database of this test, each time anew, with the hashing embedder."""
    opened = []

    def open_again(name="agent.db", texts=()):
        memory = Memory.open(tmp_path / name, embedder="hashing", clock=lambda: now)
        opened.append(memory)
        if texts:
            memory.add(Entry(f"e{i:02d}", text, created_at=now) for i, text in enumerate(texts))
        return memory

    yield open_again
    for memory in opened:
        memory.close()
