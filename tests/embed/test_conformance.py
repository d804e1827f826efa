"""Every embedder of ours through the suite, and embedders with one fault each that the suite must catch."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from memfold.embed import HashingEmbedder, OpenAIEmbedder
from memfold.protocols import Embedder, Vectors
from memfold.testing import embedder as suite


@pytest.fixture(params=["minilm", "hashing", "openai"])
def embedder(request: pytest.FixtureRequest) -> Embedder:
    if request.param == "minilm":
        return request.getfixturevalue("minilm")
    if request.param == "hashing":
        return HashingEmbedder()
    return OpenAIEmbedder("toy", base_url=request.getfixturevalue("endpoint").url, window_characters=700, batch=7)


@pytest.mark.parametrize("check", suite.CHECKS, ids=lambda check: check.__name__)
def test_conforms(check: suite.Check, embedder: Embedder) -> None:
    check(embedder)


def test_every_check_is_in_the_table() -> None:
    written = {name for name in vars(suite) if name.startswith("check_") and name != "check_embedder"}
    assert {check.__name__ for check in suite.CHECKS} == written


class Faulty(HashingEmbedder):
    """A sound embedder with one fault."""

    def __init__(self, fault: str) -> None:
        super().__init__()
        self.fault = fault
        self.calls = 0

    @property
    def name(self) -> str:
        return f"name-{self.calls}" if self.fault == "name changes" else "faulty"

    def embed(self, texts: Sequence[str]) -> Vectors:
        self.calls += 1
        if self.fault == "cut at 500 characters":
            texts = [text[:500] for text in texts]
        if self.fault == "crashes on surrogates":
            for text in texts:
                text.encode()
        vectors = super().embed(texts)
        if self.fault == "all ones":
            return np.full_like(vectors, self.dim**-0.5)
        if self.fault == "float64":
            return vectors.astype(np.float64)  # type: ignore[return-value]
        if self.fault == "not unit":
            return vectors * np.float32(1.01)
        if self.fault == "not a number" and "" in texts:
            return vectors * np.float32("nan")
        if self.fault == "sorted by length":
            return vectors[sorted(range(len(texts)), key=lambda i: len(texts[i]))]
        if self.fault == "no columns when empty" and not len(texts):
            return np.empty((0, 0), np.float32)
        if self.fault == "leans on its neighbours" and len(texts) > 1:
            mixed = vectors + np.float32(0.001) * vectors.mean(axis=0)
            return mixed / np.linalg.norm(mixed, axis=1, keepdims=True)
        if self.fault == "drifts":
            mixed = vectors + np.float32(0.001 * self.calls)
            return mixed / np.linalg.norm(mixed, axis=1, keepdims=True)
        return vectors


FAULTS = {
    "all ones": "share a vector|is nearer to",
    "float64": "not float32",
    "not unit": "has length",
    "not a number": "has length nan",
    "sorted by length": "order",
    "no columns when empty": "gave shape",
    "leans on its neighbours": "beside other texts differ|order",
    "drifts": "list and a tuple|second call",
    "cut at 500 characters": "long text changes nothing",
    "name changes": "changed by embedding",
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_faulty_embedder_does_not_pass(fault: str) -> None:
    with pytest.raises(AssertionError, match=FAULTS[fault]):
        suite.check_embedder(Faulty(fault))


def test_an_embedder_that_crashes_on_odd_text_does_not_pass() -> None:
    with pytest.raises(UnicodeEncodeError):
        suite.check_embedder(Faulty("crashes on surrogates"))
