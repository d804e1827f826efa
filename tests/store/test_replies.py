"""Replies remembered in the store's file, and what forgetting and compacting make of them."""

import threading

import pytest

from memfold import Entry, Memory
from memfold.llm import ScriptedModel
from memfold.store.replies import StoredReplies


@pytest.fixture
def replies(store):
    return StoredReplies(store.connection)


def test_a_reply_comes_back(replies):
    assert replies.get("k") is None
    replies.put("k", '{"text": "Rosa keeps hens. 🦄 \ud800"}')
    replies.put("k2", "")
    assert replies.get("k") == '{"text": "Rosa keeps hens. 🦄 \ud800"}'
    assert replies.get("k2") == ""
    replies.put("k", "later")
    assert (replies.get("k"), len(replies)) == ("later", 2)


def test_several_threads(replies):
    def work(number):
        for i in range(20):
            replies.put(f"{number}-{i}", "x")

    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(replies) == 80


@pytest.mark.parametrize(
    "written",
    [
        '{"text": "PRIYA moved"}',
        '{"text": "\\u0050riya moved"}',
        '{"text": "Pri\\u0079a"}',
        "no JSON, but priya",
        '{"text": "Pri\\ya"}',
    ],
)
def test_purging_sees_through_escapes(replies, written):
    replies.put("gone", written)
    replies.put("stays", '{"text": "Tom keeps bees"}')
    assert replies.purge(lambda text: "priya" in text.casefold()) == 1
    assert replies.get("gone") is None
    assert replies.get("stays") is not None


def test_drop(replies):
    replies.put("a", "1")
    replies.put("b", "2")
    assert replies.drop() == 2
    assert len(replies) == 0


def test_forgetting_leaves_no_byte_of_a_reply(tmp_path):
    """After `forget`, no file holds the name: not the cache either, nor the write-ahead log."""
    from pydantic import BaseModel

    from memfold.protocols import ChatRequest, Message

    class Merged(BaseModel):
        text: str

    def ask(cache, *texts):
        model = ScriptedModel(lambda request: {"text": request.messages[0].content}, cache=cache)
        return model.complete_many([ChatRequest((Message("user", text),), Merged, "merge") for text in texts])

    with Memory.open(tmp_path / "agent.db", embedder="hashing") as memory:
        memory.add([Entry("p", "Priya moved to Oslo."), Entry("t", "Tom keeps bees.")])
        cache = StoredReplies(memory.opened.store.connection)
        first = ask(cache, "Priya moved to Oslo in May.", "Tom keeps bees.")
        assert [reply.calls for reply in first] == [1, 1]
        again = ask(cache, "Priya moved to Oslo in May.", "Tom keeps bees.")
        assert [reply.calls for reply in again] == [0, 0]
        assert traces(tmp_path) != []
        memory.forget("Priya", apply=True)
        assert traces(tmp_path) == []
        last = ask(cache, "Tom keeps bees.")
        assert [reply.calls for reply in last] == [0]
    assert traces(tmp_path) == []


def traces(folder):
    return [path.name for path in folder.rglob("*") if path.is_file() and b"priya" in path.read_bytes().lower()]
