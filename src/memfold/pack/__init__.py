"""Packing: hits become the text of a prompt that never exceeds its budget of tokens (RSM-full)."""
