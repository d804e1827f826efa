"""Where windows lie, how they are batched, and how their vectors become one."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from memfold.embed.minilm import windows as layout
from memfold.embed.windows import mean_of_windows, window_starts


@given(length=st.integers(0, 5000), capacity=st.integers(10, 300), overlap=st.integers(0, 9), most=st.integers(2, 40))
def test_windows_span_the_text(length: int, capacity: int, overlap: int, most: int) -> None:
    starts = window_starts(length, capacity, overlap, most)
    assert starts[0] == 0
    assert len(starts) <= most
    if length <= capacity:
        assert starts == [0]
        return
    assert starts[-1] + capacity == length
    steps = np.diff(starts)
    assert (steps > 0).all()
    assert steps.max() - steps.min() <= 1
    if len(starts) < most:
        assert steps.max() <= capacity - overlap
        assert (len(starts) - 1) * (capacity - overlap) + capacity < length + capacity - overlap


# A vocabulary in which even numbers begin a word and odd ones continue it.
CONTINUES = np.arange(1000) % 2 == 1


@given(seed=st.integers(0, 10**6), length=st.integers(0, 2000), continuing=st.floats(0, 1))
def test_windows_cover_every_piece_in_order(seed: int, length: int, continuing: float) -> None:
    random = np.random.default_rng(seed)
    text = random.integers(0, 499, length, np.int32) * 2 + (random.random(length) < continuing).astype(np.int32)
    windows = layout.split_windows(text, CONTINUES)
    assert all(len(window) <= layout.CAPACITY for window in windows)
    end = 0
    for window in windows:
        begin = (window.ctypes.data - text.ctypes.data) // 4
        assert begin <= end
        assert (text[begin : begin + len(window)] == window).all()
        assert begin + len(window) > end or len(text) == 0
        end = begin + len(window)
    assert end == len(text)


@given(seed=st.integers(0, 10**6), length=st.integers(255, 1200), continuing=st.floats(0, 1))
def test_windows_begin_and_end_at_words_where_one_is_near(seed: int, length: int, continuing: float) -> None:
    text = (np.random.default_rng(seed).random(length) < continuing).astype(np.int32)
    words = "".join(map(str, text))
    windows = layout.split_windows(text, CONTINUES)
    for window in windows[1:]:
        begin = (window.ctypes.data - text.ctypes.data) // 4
        assert words[begin] == "0" or "0" not in words[begin : begin + layout.SNAP]
    for window in windows[:-1]:
        end = (window.ctypes.data - text.ctypes.data) // 4 + len(window)
        assert words[end] == "0" or "0" not in words[end - layout.SNAP + 1 : end + 1]


def test_a_huge_text_is_sampled_from_end_to_end() -> None:
    text = np.arange(1_000_000, dtype=np.int32) * 2 % 1000
    windows = layout.split_windows(text, CONTINUES)
    begins = [(window.ctypes.data - text.ctypes.data) // 4 for window in windows]
    assert len(windows) == layout.MOST_WINDOWS
    assert begins[0] == 0
    assert begins[-1] + len(windows[-1]) == len(text)
    assert max(np.diff(begins)) < 1.01 * len(text) / (layout.MOST_WINDOWS - 1)


@given(st.lists(st.integers(0, layout.CAPACITY), max_size=120))
def test_batches_hold_each_window_once_and_stay_small(lengths: list[int]) -> None:
    windows = [np.arange(5, 5 + length, dtype=np.int32) for length in lengths]
    seen: list[int] = []
    for indexes, ids, mask in layout.batches(windows):
        assert ids.shape == mask.shape
        assert ids.shape[0] <= layout.BATCH_ROWS
        assert ids.size <= max(layout.BATCH_TOKENS, ids.shape[1])
        for index, row, kept in zip(indexes, ids, mask, strict=True):
            length = len(windows[index]) + 2
            assert row[:length].tolist() == [layout.START, *windows[index].tolist(), layout.END]
            assert kept.tolist() == [1] * length + [0] * (ids.shape[1] - length)
        seen += indexes
    assert sorted(seen) == list(range(len(windows)))


def test_the_mean_is_weighted_and_scaled() -> None:
    vectors = np.array([[1, 0], [0, 1], [0, 1], [1, 0]], np.float32)
    means = mean_of_windows(vectors, [1, 2, 1], [0, 30, 10, 5])
    assert means[0].tolist() == [1, 0]
    assert means[1].tolist() == [0, 1]
    assert means[2].tolist() == [1, 0]
    both = mean_of_windows(vectors[:2], [2], [30, 40])[0]
    assert both == pytest.approx([0.6, 0.8])


def test_empty_texts_beside_long_ones_weigh_something() -> None:
    vectors = np.array([[1, 0], [0, 1], [0, 1]], np.float32)
    with np.errstate(all="raise"):
        assert mean_of_windows(vectors, [1, 2], [0, 3, 3]).tolist() == [[1, 0], [0, 1]]
