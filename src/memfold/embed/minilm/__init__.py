"""The bundled embedder: all-MiniLM-L6-v2 on onnxruntime, offline, without torch.

What lies in this folder was built by `scripts/build_minilm.py`: `model.onnx` (23 MB: word pieces in, unit vectors out; int8 weights,
float32 arithmetic) and `tokenizer.json`. The cosine of a vector to the original float32
model's is 0.9994 or more on ordinary sentences, and 0.997 at worst on single words.

    clean -> word pieces -> windows -> batches of similar length -> graph -> mean of the windows -> unit vector
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from memfold.embed.minilm.pieces import continuations, word_pieces
from memfold.embed.minilm.session import available_cores, run, shared_session
from memfold.embed.minilm.windows import batches, split_windows
from memfold.embed.texts import clean_texts
from memfold.embed.windows import mean_of_windows
from memfold.protocols import Vectors

DIM = 384
SLAB = 1024
"""Texts that are tokenised, sorted and run together."""


class MiniLM:
    """all-MiniLM-L6-v2: 384 numbers a text, English first, lower case.

    **Long texts.** The model reads 254 word pieces (about 190 English words) at once. A longer text is read in overlapping windows that
    begin and end at borders of words, and its vector is the mean of theirs, weighted by their numbers of word pieces and scaled
    to length 1. Up to 64 windows are read, which covers about 10,000 words; of a still longer text, 64 windows
    spread evenly from its beginning to its end.

    **What it does not see.** Case, accents and control characters. Characters outside the vocabulary (emoji, rare CJK characters)
    all look alike to it, so texts that differ in nothing else share a vector.

    Threads may share one MiniLM; all of a process share one session. Nothing is loaded before the first `embed`.
    """

    def __init__(self, threads: int | None = None) -> None:
        """`threads` run one batch; the default is all cores that this process may use."""
        if threads is not None and threads < 1:
            raise ValueError(f"threads must be at least 1, not {threads}")
        self.threads = threads or available_cores()

    @property
    def name(self) -> str:
        return "minilm-l6-v2-int8-1"

    @property
    def dim(self) -> int:
        return DIM

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Unit vectors, shape (len(texts), 384), float32, in the order of the texts; see `protocols.Embedder`.

        With other texts beside it a text's vector changes by about 1e-7 a number at most; equal texts in one call get equal vectors.
        """
        cleaned = clean_texts(texts)
        unique = list(dict.fromkeys(cleaned))
        vectors = np.empty((len(unique), DIM), np.float32)
        for begin in range(0, len(unique), SLAB):
            vectors[begin : begin + SLAB] = self._embed_slab(unique[begin : begin + SLAB])
        if len(unique) == len(cleaned):
            return vectors
        place = {text: row for row, text in enumerate(unique)}
        return vectors[[place[text] for text in cleaned]]

    def _embed_slab(self, texts: Sequence[str]) -> Vectors:
        continues = continuations()
        windows = [split_windows(pieces, continues) for pieces in word_pieces(texts)]
        flat = [window for of_text in windows for window in of_text]
        embedded = np.empty((len(flat), DIM), np.float32)
        session = shared_session(self.threads)
        for indexes, ids, mask in batches(flat):
            embedded[indexes] = run(session, ids, mask)
        return mean_of_windows(embedded, [len(of_text) for of_text in windows], [len(window) for window in flat])
