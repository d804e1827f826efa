"""Texts to vectors."""

from __future__ import annotations

from memfold.embed.minilm import MiniLM

__all__ = ["MiniLM"]
