from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memfold.embed.texts import clean_text, clean_texts, segments

any_text = st.text(st.characters(), max_size=300)
with_surrogates = st.text(st.characters(categories=["Cs", "Lu", "So"]), max_size=50)


@given(st.one_of(any_text, with_surrogates))
def test_clean_text_can_be_written_and_stays_clean(text: str) -> None:
    cleaned = clean_text(text)
    cleaned.encode("utf-8")
    assert clean_text(cleaned) == cleaned


@given(st.text())
def test_sound_text_is_left_alone(text: str) -> None:
    assert clean_text(text) == text


def test_surrogates_are_mended() -> None:
    assert clean_text("a\ud800b") == "a\ufffdb"
    assert clean_text("\ud83e\udd84") == "🦄"
    assert clean_texts(["é\udfff", "ok"]) == ["é\ufffd", "ok"]


def test_a_bare_string_is_refused() -> None:
    with pytest.raises(TypeError):
        clean_texts("abc")


@given(st.text(st.sampled_from("ab \n\u3000"), max_size=400), st.integers(1, 60))
def test_segments_join_to_the_text(text: str, most: int) -> None:
    parts = list(segments(text, most))
    assert "".join(parts) == text
    assert all(0 < len(part) <= most for part in parts) or text == ""


def test_segments_are_cut_at_white_space() -> None:
    assert list(segments("aaaa bbbb cccc", 10)) == ["aaaa bbbb", " cccc"]
    assert list(segments("a" * 25, 10)) == ["a" * 10, "a" * 10, "a" * 5]
