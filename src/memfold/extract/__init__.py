"""Extraction: a conversation becomes complete, verified memories (ProMem)."""
