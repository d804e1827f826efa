"""With the store's memory of replies, no request is paid for twice, however a run ends."""

from __future__ import annotations

import pytest

from memfold.llm import ScriptedModel
from memfold.protocols import Failure


@pytest.fixture
def script(tell):
    """Replies by what is asked; those named in `halted` are spent."""
    halted: set[str] = set()

    def reply(asked):
        if asked.purpose in halted:
            return Failure("spent", "the budget is spent")
        return {
            "draft": {"entries": [tell("Ada keeps 40 bees.", 3), tell("Ada works at Globex.", 3)], "details": [], "relations": []},
            "events": {"events": []},
            "verify": {"claims": [{"claim": 1, "facts": [{"fact": "bees", "label": "unsaid"}], "text": ""}]},
        }[asked.purpose]

    reply.halted = halted
    return reply


def test_a_run_that_was_cut_off_asks_only_what_was_not_answered(memory, session, script):
    script.halted.add("verify")
    model = ScriptedModel(script, cache=memory.replies)
    first = memory.observe([session()], "ada", model=model)
    assert (first.stopped, first.states) == ("spent", {"halted": 1})
    assert list(memory.entries("ada")) == []
    script.halted.clear()
    again = ScriptedModel(script, cache=memory.replies)
    second = memory.observe([session()], "ada", model=again)
    assert second.states == {"stored": 1}
    assert [asked.purpose for asked in again.asked] == ["verify"]
    assert (second.outcomes[0].asked, second.outcomes[0].calls) == (3, 1)
    assert [entry.text for entry in memory.entries("ada")] == ["Ada works at Globex."]


def test_another_namespace_gets_the_same_from_remembered_replies(memory, session, script):
    memory.observe([session()], "ada", model=ScriptedModel(script, cache=memory.replies))
    model = ScriptedModel(script, cache=memory.replies)
    memory.observe([session()], "ben", model=model)
    assert model.asked == ()
    told = [[(entry.id, entry.text) for entry in memory.entries(name)] for name in ("ada", "ben")]
    assert told[0] == told[1]


def test_what_was_forgotten_is_in_no_reply_and_does_not_come_back(tmp_path, minilm, session, script):
    from memfold.memory import Memory

    with Memory.open(tmp_path / "a.db", embedder=minilm) as memory:
        memory.observe([session()], "ada", model=ScriptedModel(script, cache=memory.replies))
        memory.forget("Globex", apply=True)
        assert memory.observe([session()], "ada", model=ScriptedModel(script, cache=memory.replies)).states == {"known": 1}
        assert list(memory.entries("ada")) == []
    assert not any(b"Globex" in path.read_bytes() for path in tmp_path.iterdir())
