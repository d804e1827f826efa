"""Atoms: vectors become clusters as they arrive, each with a centroid and a basis (RSM-full)."""
