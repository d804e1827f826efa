"""A small conversation of our own, a model with scripted replies by what is asked, and stores to observe into."""

from __future__ import annotations

import json
import threading
from dataclasses import dataclass, field
from datetime import datetime, timedelta, timezone

import pytest
from pydantic import ValidationError

from memfold.embed import open_embedder
from memfold.memory import Memory
from memfold.protocols import ChatReply, Failure
from memfold.types import Session, Turn

ZONE = timezone(timedelta(hours=2))
BEGAN = datetime(2031, 5, 14, 10, tzinfo=ZONE)
LINES = [
    ("Ada", "Hi Ben! Long time no see."),
    ("Ben", "How is the new job going?"),
    ("Ada", "I work at Globex now, since last Monday. The team has 12 people."),
    ("Ben", "And how is the dog?"),
    ("Ada", "Rex is 9 years old and he sleeps all day, because his hip hurts."),
    ("Ben", "I sold my blue bicycle yesterday, for 140 euros."),
    ("Ada", "Thanks, bye!"),
]


def said(text, *turns, when="", number=0):
    return {"number": number, "text": text, "turns": list(turns), "when": when}


@dataclass
class Scripted:
    """A model that answers by what is asked: a value, a failure, a list of them in turn, or a function of the request."""

    replies: dict
    name: str = "scripted"
    asked: list = field(default_factory=list)
    rounds: list = field(default_factory=list)
    lock: threading.Lock = field(default_factory=threading.Lock)

    def complete_many(self, requests):
        self.rounds.append([request.purpose for request in requests])
        return [self.one(request) for request in requests]

    def one(self, request):
        self.asked.append(request)
        reply = self.replies.get(request.purpose, {"draft": EMPTY, "events": {"events": []}}.get(request.purpose))
        if isinstance(reply, list):
            reply = reply.pop(0)
        if callable(reply):
            reply = reply(request)
        if isinstance(reply, Failure):
            return ChatReply(failure=reply, calls=1)
        if reply is None:
            return ChatReply(failure=Failure("bad_reply", f"no reply to {request.purpose}"), calls=1)
        try:
            return ChatReply(request.schema.model_validate(reply), calls=1, tokens_in=10, tokens_out=5)
        except ValidationError as error:
            return ChatReply(failure=Failure("bad_reply", str(error)), calls=1)

    def purposes(self):
        return [request.purpose for request in self.asked]


EMPTY = {"entries": [], "details": [], "relations": []}


def rows(request, name):
    """The JSON lines between a request's marks of this name."""
    lines = request.messages[-1].content.split("\n")
    first = next(n for n, line in enumerate(lines) if line.startswith(f"<<{name} "))
    last = lines.index(f"{lines[first].split(' ', 1)[1]} {name}>>")
    return [json.loads(line) for line in lines[first + 1 : last]]


def all_supported(request):
    return {
        "claims": [
            {"claim": row["claim"], "facts": [{"fact": "it", "label": "supported"}], "text": row["text"]} for row in rows(request, "claims")
        ]
    }


def none_supported(request):
    """Nothing is supported but what the conversation says in these words."""
    label = {"Ada's team at Globex has 12 people.": "supported"}
    return {
        "claims": [
            {"claim": row["claim"], "facts": [{"fact": "it", "label": label.get(row["text"], "unsaid")}], "text": ""}
            for row in rows(request, "claims")
        ]
    }


@pytest.fixture
def tell():
    return said


@pytest.fixture
def rows_of():
    return rows


@pytest.fixture
def supported():
    return all_supported


@pytest.fixture
def unsupported():
    return none_supported


@pytest.fixture
def scripted():
    """Makes a model: `scripted(draft=…, events=…, verify=…)`."""
    return lambda **replies: Scripted(replies)


@pytest.fixture
def session():
    """Makes a session of (speaker, text) pairs, by default the conversation above."""

    def make(lines=LINES, id="s1", began=BEGAN):
        return Session(id, tuple(Turn(f"{id}:{n}", who, text) for n, (who, text) in enumerate(lines, start=1)), began)

    return make


@pytest.fixture(scope="session")
def minilm():
    return open_embedder("minilm")


@pytest.fixture
def memory(minilm):
    with Memory.open(":memory:", embedder=minilm, clock=lambda: datetime(2031, 6, 1)) as opened:
        yield opened


@pytest.fixture
def outcome_of(memory, session):
    """Extracts one session and gives its outcome: `outcome_of(model, settings=…)`."""

    def run(model, lines=LINES, **more):
        return memory.observe([session(lines)], "ada", model=model, **more).outcomes[0]

    return run
