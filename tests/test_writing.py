"""What cannot be an entry or a conversation is refused with its cure."""

from datetime import UTC, datetime

import pytest

from memfold import Entry, Memory
from memfold.errors import BadConversation, BadEntry


@pytest.fixture
def memory():
    with Memory.open(":memory:", embedder="hashing") as opened:
        opened.add([Entry("a", "Rosa keeps hens.")])
        yield opened


@pytest.mark.parametrize(
    ("changes", "told"),
    [({"text": " "}, "forget"), ({"expires_at": "2031-01-01"}, "datetime"), ({"occurred_at": 7}, "datetime")],
)
def test_an_update_that_no_entry_can_have_is_refused(memory, changes, told):
    with pytest.raises(BadEntry, match=told):
        memory.update("a", **changes)
    assert memory.get("a").text == "Rosa keeps hens."


def test_a_time_may_be_taken_away(memory):
    memory.update("a", expires_at=datetime(2031, 1, 1, tzinfo=UTC))
    assert memory.update("a", expires_at=None).expires_at is None


def test_words_in_the_place_of_a_file_are_told(memory):
    with pytest.raises(BadConversation, match="messages"):
        memory.observe("I moved to Turku.")
