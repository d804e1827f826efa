"""Word pieces to windows that the model can read, and windows to batches of bounded size."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from memfold.embed.minilm.pieces import Pieces
from memfold.embed.windows import window_starts

CAPACITY = 254
"""Word pieces in a window: the model's 256 positions less the two marks at its ends."""
OVERLAP = 50
"""Word pieces that neighbouring windows share at least, as long as a text has no more than `MOST_WINDOWS`."""
MOST_WINDOWS = 64
"""Windows read of one text, enough for 13,000 word pieces (about 10,000 words); a longer text is sampled evenly."""
SNAP = 16
"""How far a window's end may move to avoid cutting a word: less than half of `OVERLAP`, so that no gap opens."""

START, END = 101, 102
BATCH_TOKENS = 2048
"""Rows times columns of a batch at most."""
BATCH_ROWS = 32


def split_windows(pieces: Pieces, continues: NDArray[np.bool_]) -> list[Pieces]:
    """The windows of one text, in order, at most `CAPACITY` pieces each, as `window_starts` lays them out.

    Their ends are moved inwards to borders of words where one is near. `continues` says for each piece of the vocabulary
    whether it continues a word.
    """
    if len(pieces) <= CAPACITY:
        return [pieces]
    return [_snap(pieces, start, continues) for start in window_starts(len(pieces), CAPACITY, OVERLAP, MOST_WINDOWS)]


def _snap(pieces: Pieces, start: int, continues: NDArray[np.bool_]) -> Pieces:
    end = start + CAPACITY
    if start:
        starts_word = ~continues[pieces[start : start + SNAP]]
        start += int(np.argmax(starts_word)) if starts_word.any() else 0
    if end < len(pieces):
        ends_word = ~continues[pieces[end - SNAP + 1 : end + 1]][::-1]
        end -= int(np.argmax(ends_word)) if ends_word.any() else 0
    return pieces[start:end]


def batches(windows: Sequence[Pieces]) -> Iterator[tuple[list[int], NDArray[np.int32], NDArray[np.int32]]]:
    """Batches of windows of similar length, longest first: their indexes, padded piece numbers with marks, and mask.

    Both arrays are int32 of shape (rows, tokens) with at most `BATCH_ROWS` rows and about `BATCH_TOKENS` cells, so that the memory of
    a run does not depend on how many texts there are or how long they are.
    """
    order = sorted(range(len(windows)), key=lambda index: -len(windows[index]))
    while order:
        tokens = len(windows[order[0]]) + 2
        rows = min(BATCH_ROWS, max(1, BATCH_TOKENS // tokens))
        batch, order = order[:rows], order[rows:]
        ids = np.zeros((len(batch), tokens), np.int32)
        mask = np.zeros((len(batch), tokens), np.int32)
        for row, index in enumerate(batch):
            length = len(windows[index]) + 2
            ids[row, 0], ids[row, 1 : length - 1], ids[row, length - 1] = START, windows[index], END
            mask[row, :length] = 1
        yield batch, ids, mask
