"""Retrieval: a question finds entries, each with a score and why it was found (RSM-full)."""
