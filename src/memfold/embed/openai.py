"""Embeddings from any endpoint that speaks OpenAI's API (OpenAI, Ollama, vLLM, llama.cpp, OpenRouter …), by its official client.

A reply is not trusted: count, order, dimension and every number are checked, and vectors are scaled to length 1.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from functools import cached_property
from importlib import import_module
from importlib.util import find_spec
from typing import Any, cast

import numpy as np

from memfold.embed.texts import clean_texts
from memfold.embed.windows import mean_of_windows, window_starts
from memfold.errors import BadReply, EndpointError, MissingExtra
from memfold.protocols import Vectors

KEY = "OPENAI_API_KEY"
EMPTY = "(empty)"
"""What is sent for a text without visible characters: the API refuses empty ones."""
MOST_WINDOWS = 64
REQUEST_CHARACTERS = 200_000
"""Characters in one request at most, to stay below the API's limit of tokens."""


class OpenAIEmbedder:
    """The embedding model of an endpoint.

    A text of more than `window_characters` is sent in overlapping windows of that size, at most 64 of them (spread over the whole of a text
    that would need more); its vector is their mean, weighted by length and scaled to length 1.
    """

    def __init__(
        self,
        model: str,
        *,
        base_url: str | None = None,
        dimensions: int | None = None,
        batch: int = 128,
        window_characters: int = 6000,
        timeout: float = 60.0,
        retries: int = 2,
    ) -> None:
        """The key is taken from the environment variable OPENAI_API_KEY when the first request is made; a local server needs none.

        :param base_url: as in `http://127.0.0.1:11434/v1`; else the environment variable OPENAI_BASE_URL, else OpenAI itself.
        :param dimensions: ask the model for shorter vectors, where it can.
        :param batch: texts in one request at most.
        :param window_characters: the longest text sent in one piece; lower it for models with a window under 8,000 tokens.
        :param timeout: seconds for one try. :param retries: further tries after a failure that may pass.
        :raises MissingExtra: the package `openai` is not installed.
        """
        if find_spec("openai") is None:
            raise MissingExtra("the OpenAI embedder", "openai")
        if batch < 1 or window_characters < 1:
            raise ValueError("batch and window_characters must be at least 1")
        self.model = model
        self.base_url = base_url or os.environ.get("OPENAI_BASE_URL") or "https://api.openai.com/v1"
        self.dimensions = dimensions
        self.batch = batch
        self.window_characters = window_characters
        self.timeout = timeout
        self.retries = retries
        self._dim = dimensions

    @property
    def name(self) -> str:
        return f"openai:{self.model}" + (f"@{self.dimensions}" if self.dimensions else "")

    @property
    def dim(self) -> int:
        """Length of a vector, learnt from the first reply (a request is made if there was none yet)."""
        if self._dim is None:
            self._request([EMPTY])
        return cast("int", self._dim)

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Unit vectors, shape (len(texts), dim), float32, in the order of the texts.

        :raises EndpointError: the endpoint refused, failed or stayed silent after all tries.
        :raises BadReply: the reply has the wrong number of vectors, an unknown order, another dimension, or numbers that are none.
        """
        cleaned = [text if text.strip() else EMPTY for text in clean_texts(texts)]
        if not cleaned:
            return np.empty((0, self.dim), np.float32)
        unique = list(dict.fromkeys(cleaned))
        windows = [self._windows(text) for text in unique]
        flat = [window for of_text in windows for window in of_text]
        embedded = np.concatenate([self._request(batch) for batch in self._batches(flat)])
        vectors = mean_of_windows(embedded, [len(of_text) for of_text in windows], [len(window) for window in flat])
        place = {text: row for row, text in enumerate(unique)}
        return vectors[[place[text] for text in cleaned]]

    def _windows(self, text: str) -> list[str]:
        size = self.window_characters
        starts = window_starts(len(text), size, size // 10, MOST_WINDOWS)
        windows = [text[start : start + size] for start in starts]
        return [window if window.strip() else EMPTY for window in windows]

    def _batches(self, windows: Sequence[str]) -> Iterator[list[str]]:
        batch: list[str] = []
        size = 0
        for window in windows:
            if batch and (len(batch) == self.batch or size + len(window) > REQUEST_CHARACTERS):
                yield batch
                batch, size = [], 0
            batch.append(window)
            size += len(window)
        yield batch

    def _request(self, texts: list[str]) -> Vectors:
        """One request: unit vectors of the texts, checked."""
        openai: Any = import_module("openai")
        extra = {"dimensions": self.dimensions} if self.dimensions else {}
        try:
            reply = self._client.embeddings.create(model=self.model, input=texts, encoding_format="float", **extra)
        except openai.APIStatusError as error:
            cure = f"; set the environment variable {KEY}" if error.status_code in (401, 403) else ""
            raise EndpointError(f"{self.base_url} answered {error.status_code} for {self.model!r}: {error.message[:500]}{cure}") from error
        except openai.APITimeoutError as error:
            raise EndpointError(f"{self.base_url} gave no answer within {self.timeout:g} seconds") from error
        except openai.APIConnectionError as error:
            raise EndpointError(f"{self.base_url} cannot be reached ({error.__cause__ or error}); is the server running?") from error
        except (openai.APIError, ValueError) as error:
            raise BadReply(f"{self.base_url} sent a reply that is not JSON of the embeddings API: {error}") from error
        return self._checked(reply, len(texts))

    def _checked(self, reply: Any, count: int) -> Vectors:
        """The reply's vectors in the order of the request, scaled to length 1.

        :raises BadReply: as `embed` says.
        """
        data = getattr(reply, "data", None)
        if not isinstance(data, list):
            raise BadReply(f"{self.base_url} sent a reply without a list of embeddings")
        rows = {getattr(item, "index", None): getattr(item, "embedding", None) for item in cast("list[Any]", data)}
        if rows.keys() != set(range(count)) or len(cast("list[Any]", data)) != count:
            raise BadReply(f"{self.base_url} sent {len(cast('list[Any]', data))} embeddings for {count} texts, or indexes that do not fit")
        try:
            vectors = np.array([rows[index] for index in range(count)], np.float64)
        except (TypeError, ValueError) as error:
            raise BadReply(f"{self.base_url} sent embeddings that are not rows of numbers of one length") from error
        if vectors.ndim != 2 or not vectors.shape[1]:
            raise BadReply(f"{self.base_url} sent embeddings that are not rows of numbers")
        if self._dim is not None and vectors.shape[1] != self._dim:
            raise BadReply(f"{self.base_url} sent vectors of {vectors.shape[1]} numbers, expected {self._dim}")
        lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
        if not (np.isfinite(lengths).all() and (lengths > 0).all()):
            raise BadReply(f"{self.base_url} sent a vector that is zero, infinite or not a number")
        self._dim = vectors.shape[1]
        return (vectors / lengths).astype(np.float32)

    @cached_property
    def _client(self) -> Any:
        openai: Any = import_module("openai")
        key = os.environ.get(KEY)
        if not key and self.base_url.startswith("https://api.openai.com"):
            raise EndpointError(f"{self.base_url} needs a key: set the environment variable {KEY}")
        return openai.OpenAI(api_key=key or "none", base_url=self.base_url, timeout=self.timeout, max_retries=self.retries)
