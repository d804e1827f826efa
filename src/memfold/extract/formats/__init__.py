"""Conversations as other programs write them, to sessions of turns.

| name | what |
|---|---|
| `messages` | OpenAI messages: a list of `{"role", "content"}`, `{"messages": […]}`, or a list of such; content may be a list of parts |
| `chatgpt` | the `conversations.json` of a ChatGPT export: of each tree the branch that is shown last |
| `locomo` | `session_1`, `session_1_date_time` …, turns with `speaker`, `dia_id`, `text`; one dialogue, a sample, or a list of samples |
| `halumem` | JSONL, a user a line with `sessions` of a `dialogue` |
| `jsonl` | JSONL: a turn a line (`role` or `speaker`, `content` or `text`, perhaps `session`), or a session a line |
| `text` | `Name: text`, perhaps with a time before it; a line `---`, or an empty line between several turns, begins a new session |

Instructions to a model and what its tools say are nobody's words and are passed over, as are pictures and empty messages. Where turns have
times, a pause of eight hours begins a new session. JSONL is read as it streams in; the others as a whole.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TypeAlias

from memfold.errors import BadConversation, UnknownName
from memfold.extract.formats.documents import chatgpt, locomo, message_file
from memfold.extract.formats.lines import halumem, jsonl
from memfold.extract.formats.messages import from_messages
from memfold.extract.formats.sniff import sniff
from memfold.extract.formats.transcript import transcript
from memfold.types import Session

__all__ = ["FORMATS", "from_messages", "read_sessions", "sniff"]

Format: TypeAlias = Callable[[Path], Iterator[Session]]
FORMATS: dict[str, Format] = {
    "messages": message_file,
    "chatgpt": chatgpt,
    "locomo": locomo,
    "halumem": halumem,
    "jsonl": jsonl,
    "text": transcript,
}


def read_sessions(path: str | Path, format: str = "") -> Iterator[Session]:
    """The sessions of a file, in order; none of them is empty.

    :param format: one of `FORMATS`; "" looks at the file.
    :raises BadConversation: it cannot be read; where, and what would be. :raises UnknownName: there is no such format.
    :raises OSError: the file cannot be opened.
    """
    path = Path(path)
    if format and format not in FORMATS:
        raise UnknownName("format", format, FORMATS)
    found = False
    for session in FORMATS[format or sniff(path)](path):
        if session.turns:
            found = True
            yield session
    if not found:
        raise BadConversation(f"{path} holds no turn with a text; known formats: {', '.join(FORMATS)}")
