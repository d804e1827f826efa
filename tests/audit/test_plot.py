from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from memfold.audit import Audit, audit
from memfold.audit.plot import plot
from memfold.errors import MissingExtra
from memfold.protocols import Vectors
from memfold.types import Entry

Embed = Callable[[Sequence[str]], Vectors]


def some(embed: Embed, count: int, dated: bool = True) -> Audit:
    texts = [f"The {'red' if n % 3 else 'blue'} cup number {n // 4} stands on shelf {n % 5}." for n in range(count)]
    start = datetime(2025, 1, 1)
    entries = [Entry(str(n), text, created_at=start + timedelta(days=3 * n) if dated else None) for n, text in enumerate(texts)]
    return audit(entries, embed(texts), measure=lambda entry: len(entry.text))


def test_a_picture_is_drawn_in_the_form_of_the_suffix(embed: Embed, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    path = plot({"default": some(embed, 40)}, tmp_path / "out.svg")
    assert path == tmp_path / "out.svg"
    assert path.stat().st_size > 10_000
    assert "<svg" in path.read_text("utf-8")


def test_many_namespaces_and_stores_without_anything(embed: Embed, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    plot({f"n{k}": some(embed, 4 + k) for k in range(8)}, tmp_path / "many.png")
    plot({"empty": some(embed, 0), "one": some(embed, 1, dated=False)}, tmp_path / "empty.svg")
    plot({}, tmp_path / "none.svg")
    assert (tmp_path / "many.png").read_bytes().startswith(b"\x89PNG")
    assert "no entry has a time" in (tmp_path / "empty.svg").read_text("utf-8")


def test_without_matplotlib_the_extra_is_named(embed: Embed, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    with pytest.raises(MissingExtra, match=r"memfold\[plot\]"):
        plot({"a": some(embed, 2)}, tmp_path / "out.png")
