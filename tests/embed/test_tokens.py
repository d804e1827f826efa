from __future__ import annotations

import importlib.util

import pytest

from memfold.embed import tokens
from memfold.embed.tokens import COUNTERS, open_counter
from memfold.errors import MissingExtra, UnknownName

needs_bpe = pytest.mark.skipif(importlib.util.find_spec("bpe_openai") is None, reason="needs the extra 'tokens'")


@pytest.fixture(params=["wordpiece", pytest.param("o200k", marks=needs_bpe), pytest.param("cl100k", marks=needs_bpe)])
def counter(request: pytest.FixtureRequest) -> tokens.WordPieceCounter | tokens.BPECounter:
    opened = open_counter(request.param)
    assert isinstance(opened, (tokens.WordPieceCounter, tokens.BPECounter))
    assert opened.name == request.param
    return opened


def test_counts(counter: tokens.WordPieceCounter) -> None:
    assert counter.count("") == 0
    assert counter.count("The cat sat on the mat") == 6
    assert counter.count("lone \ud800 surrogate") >= 2


def test_many_at_once_count_the_same(counter: tokens.WordPieceCounter) -> None:
    texts = ["", "one", "Zwölf Boxkämpfer jagen Viktor", "你好，世界", "<|endoftext|> [SEP]", "x" * 300]
    assert counter.count_many(texts) == [counter.count(text) for text in texts]
    assert counter.count_many([]) == []


def test_long_texts_are_counted_as_a_whole(counter: tokens.WordPieceCounter) -> None:
    exact = 250_000
    assert exact <= counter.count("word " * exact) <= exact + 26


def test_control_tokens_in_a_text_are_text(counter: tokens.WordPieceCounter) -> None:
    assert counter.count("<|endoftext|>") > 1
    assert counter.count("[SEP]") > 1


def test_chinese_counts_by_character() -> None:
    assert open_counter().count("数据库在周五迁移") == 8


def test_names() -> None:
    assert open_counter().name == "wordpiece"
    assert set(COUNTERS) == {"wordpiece", "o200k", "cl100k"}
    with pytest.raises(UnknownName, match="known: wordpiece, o200k, cl100k"):
        open_counter("gpt2")


def test_a_missing_extra_is_named_when_the_counter_is_opened(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tokens, "find_spec", lambda name: None)
    with pytest.raises(MissingExtra, match=r"memfold\[tokens\]"):
        open_counter("o200k")
