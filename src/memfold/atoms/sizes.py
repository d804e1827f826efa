"""What atoms take, as the paper charges them (Tables 9 and 12): the basis and the centroid, never the members' own vectors."""

from __future__ import annotations

from collections.abc import Sequence

from memfold.config import Int8
from memfold.protocols import Atom

FLOAT = 4
"""Bytes of a float32."""


def nominal_bytes(atoms: int, columns: int, dim: int, int8: Int8 = "") -> int:
    """Bytes of `atoms` centroids and `columns` columns of bases in all, of d = `dim` components.

    (R + A) 4d in float32; R d + A 4d with bases in 8 bits; (R + A) d with centroids too. Scales are not charged, as in the paper.
    An atom of n members has min(k, n) columns, so R <= k A: with d = 4096, A = 34, R = 130 this gives the 2,624 and 1,064 KB of
    Table 16 (KB = 1,024 bytes).
    """
    return dim * (columns * (1 if int8 else FLOAT) + atoms * (1 if int8 == "all" else FLOAT))


def charged_bytes(atoms: Sequence[Atom], int8: Int8 = "") -> int:
    """`nominal_bytes` of these atoms."""
    dim = len(atoms[0].centroid) if atoms else 0
    return nominal_bytes(len(atoms), sum(atom.basis.shape[1] for atom in atoms), dim, int8)
