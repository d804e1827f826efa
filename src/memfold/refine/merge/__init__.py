"""Merging two texts without a model."""

from memfold.refine.merge.texts import concatenated, merged_text, on_another_day, revised

__all__ = ["concatenated", "merged_text", "on_another_day", "revised"]
