from __future__ import annotations

import pytest

from memfold.embed import EMBEDDERS, HashingEmbedder, MiniLM, OpenAIEmbedder, open_embedder
from memfold.errors import MissingExtra, UnknownName


def test_names_give_embedders() -> None:
    assert isinstance(open_embedder(), MiniLM)
    minilm = open_embedder("minilm", threads=1)
    assert isinstance(minilm, MiniLM)
    assert minilm.threads == 1
    assert open_embedder("hashing").dim == 256
    hashing = open_embedder("hashing:64")
    assert isinstance(hashing, HashingEmbedder)
    assert hashing.dim == 64


def test_what_follows_the_first_colon_is_the_model() -> None:
    embedder = open_embedder("openai:nomic-embed-text:v1.5", base_url="http://127.0.0.1:1/v1")
    assert isinstance(embedder, OpenAIEmbedder)
    assert embedder.model == "nomic-embed-text:v1.5"
    assert embedder.name == "openai:nomic-embed-text:v1.5"
    assert embedder.base_url == "http://127.0.0.1:1/v1"


@pytest.mark.parametrize("name", ["", "bert", "minilm:l12", "openai", "openai:", "hashing:7", "hashing:x", "MiniLM", ":"])
def test_unknown_names_list_the_known_ones(name: str) -> None:
    with pytest.raises(UnknownName) as error:
        open_embedder(name)
    assert all(known in str(error.value) for known in EMBEDDERS)


def test_a_missing_package_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("memfold.embed.openai.find_spec", lambda name: None)
    with pytest.raises(MissingExtra, match=r"memfold\[openai\]"):
        open_embedder("openai:small")
