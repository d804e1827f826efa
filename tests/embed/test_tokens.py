from __future__ import annotations

import importlib.util
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memfold.embed import tokens
from memfold.embed.minilm.pieces import TOKENIZER, count_pieces
from memfold.embed.texts import clean_text
from memfold.embed.tokens import COUNTERS, open_counter
from memfold.errors import BadParameter, EndpointError, MissingExtra, UnknownName

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
    assert set(COUNTERS) == {"wordpiece", "o200k", "cl100k", "tiktoken", "tokenizer"}
    with pytest.raises(UnknownName, match="known: wordpiece, o200k, cl100k, tiktoken, tokenizer"):
        open_counter("gpt2")
    with pytest.raises(BadParameter, match="wordpiece:8: the token counter 'wordpiece' takes no parameter"):
        open_counter("wordpiece:8")


def test_a_missing_extra_is_named_when_the_counter_is_opened(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tokens, "find_spec", lambda name: None)
    with pytest.raises(MissingExtra, match=r"memfold\[tokens\]"):
        open_counter("o200k")
    with pytest.raises(MissingExtra, match=r"memfold\[tiktoken\]"):
        open_counter("tiktoken:o200k_base")


PIECES = [
    "[SEP]",
    "<|x|>",
    "##ing",
    "don't",
    "naïve",
    "İΣ",
    "x" * 99,
    "y" * 100,
    "z" * 101,
    "A1b2",
    "__init__",
    "ﬁn",
    "家",
    "e\u0301",
    "👩‍👩‍👧",
]
SPACES = [" ", "\n", "\r\n", "\t", "\x00", "\x1c", "\u2028", "\xa0", "", "\u200b", "\ud83d", "\ude00"]


@given(st.lists(st.one_of(st.sampled_from(PIECES), st.sampled_from(SPACES), st.text(max_size=6))).map("".join))
def test_looking_up_gives_what_the_tokenizer_gives(text: str) -> None:
    assert LOOKING_UP.count(text) == count_pieces([clean_text(text)])[0]


@given(st.lists(st.lists(st.one_of(st.sampled_from(PIECES), st.sampled_from(SPACES), st.text(max_size=6))).map("".join)))
def test_word_pieces_end_with_their_line(lines: list[str]) -> None:
    text = "\n".join(lines)
    assert LOOKING_UP.count(text) == sum(LOOKING_UP.count_many([f"{line}\n" for line in lines]))


def test_what_is_remembered_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tokens, "MOST_CHUNKS", 5)
    counter = tokens.WordPieceCounter()
    assert [counter.count(f"{n} apples cost {n}.50") for n in range(20)] == [6] * 20


LOOKING_UP = tokens.WordPieceCounter()


def test_a_tokenizer_from_a_file_or_its_folder() -> None:
    counter = open_counter(f"tokenizer:{TOKENIZER}")
    assert counter.name == f"tokenizer:{TOKENIZER}"
    assert counter.count("The cat sat on the mat") == 6
    assert counter.count("") == 0
    assert counter.count("[SEP]") == 3
    assert counter.count("a \ud800 b") >= 2
    assert counter.count("word " * 60_000) >= 60_000
    assert open_counter(f"tokenizer:{TOKENIZER.parent}").count("The cat") == 2


def test_many_texts_with_a_tokenizer_from_a_file() -> None:
    counter = tokens.TokenizerCounter(str(TOKENIZER))
    texts = ["", "one", "Zwölf Boxkämpfer", "word " * 30_000]
    assert counter.count_many(texts) == [counter.count(text) for text in texts]
    assert counter.count_many([]) == []


def test_a_tokenizer_that_is_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(BadParameter, match="there is no file"):
        open_counter(f"tokenizer:{tmp_path / 'absent.json'}")
    with pytest.raises(BadParameter, match="there is no file"):
        open_counter(f"tokenizer:{tmp_path}")
    (tmp_path / "broken.json").write_text("{}")
    with pytest.raises(BadParameter, match="holds no tokenizer"):
        open_counter(f"tokenizer:{tmp_path / 'broken.json'}")
    with pytest.raises(BadParameter, match="for example tokenizer:"):
        open_counter("tokenizer")

    def unreachable(name: str) -> None:
        raise OSError("no network")

    monkeypatch.setattr("tokenizers.Tokenizer", type("Tokenizer", (), {"from_pretrained": unreachable}))
    with pytest.raises(EndpointError, match=r"no network.*download its tokenizer\.json"):
        open_counter("tokenizer:some/model")


def test_tiktoken(monkeypatch: pytest.MonkeyPatch) -> None:
    tiktoken = pytest.importorskip("tiktoken")
    ranks = {bytes([byte]): byte for byte in range(256)} | {b"th": 256, b"the": 257}
    small = tiktoken.Encoding("small", pat_str=r"\w+|\W", mergeable_ranks=ranks, special_tokens={"<|end|>": 258})
    monkeypatch.setattr(tiktoken, "get_encoding", lambda name: small)
    counter = open_counter("tiktoken")
    assert counter.name == "tiktoken:o200k_base"
    assert counter.count("the path") == 1 + 1 + 3
    assert counter.count("<|end|>") == 7
    assert counter.count("\ud800") == 3
    assert counter.count("") == 0
    with pytest.raises(UnknownName, match="cl100k_base"):
        open_counter("tiktoken:gpt-9")


@pytest.mark.parametrize("failure", [OSError("no network"), ValueError("hash mismatch")])
def test_tiktoken_without_its_ranks(monkeypatch: pytest.MonkeyPatch, failure: Exception) -> None:
    tiktoken = pytest.importorskip("tiktoken")

    def fails(name: str) -> None:
        raise failure

    monkeypatch.setattr(tiktoken, "get_encoding", fails)
    with pytest.raises(EndpointError, match=r"TIKTOKEN_CACHE_DIR.*o200k"):
        open_counter("tiktoken:cl100k_base")
