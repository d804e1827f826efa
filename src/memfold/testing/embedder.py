"""What every embedder must keep, as checks for ours and for yours. Needs no test framework; with pytest:

    import pytest
    from memfold.testing.embedder import CHECKS

    @pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
    def test_my_embedder(check):
        check(MyEmbedder())

A check returns nothing, or raises AssertionError with what is wrong. `check_embedder` runs them all.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TypeAlias

import numpy as np

from memfold.protocols import Embedder, Vectors

Check: TypeAlias = Callable[[Embedder], None]

TOLERANCE = 1e-6
"""How much a number of a vector may differ when the same text is embedded again, or beside other texts.

Endpoints that compute in half precision miss it; to check such a one for everything else, set a larger value on this module.
"""

TEXTS = (
    "The ferry to the island leaves at 7:40.",
    "Marta keeps bees on the roof of the library.",
    "Water the ferns twice a week.",
    "The printer on the second floor is out of toner again.",
)
LOOK_ALIKES = (
    ("The locker code is 4417.", "The locker code is 4471."),
    ("Iris is allergic to peanuts.", "Iris is not allergic to peanuts."),
    ("The dog chased the cat.", "The cat chased the dog."),
    ("The kettle is green.", "The kettle is green and blue."),
)
ODD_TEXTS = (
    "",
    " ",
    "\n\t\r\n",
    "\x00",
    "before\x00after",
    "\ud800",
    "lone \udfff surrogate \ud83d",
    "\ufeffbyte order mark",
    "🦄",
    "👩‍👩‍👧‍👦 and 🏳️‍🌈",
    "e\u0301\u0301\u0301\u0301",
    "\u202eright to left\u202c",
    "数据库在周五迁移。",
    "ประชุมเลื่อนไปวันศุกร์",
    "اجتماع يوم الجمعة",
    "x" * 1200,
    "[CLS] [SEP] <|endoftext|> </s>",
    "{}\\'\"`%s\u2028",
)


def check_name_and_dim(embedder: Embedder) -> None:
    """The name is a text that stays, the dimension a positive number that stays."""
    _require(embedder.name.strip() != "", f"the name is {embedder.name!r}")
    before = embedder.name, embedder.dim
    embedder.embed(TEXTS)
    _require((embedder.name, embedder.dim) == before, f"name and dim changed by embedding from {before} to {(embedder.name, embedder.dim)}")
    _require(embedder.dim > 0, f"the dimension is {embedder.dim}")


def check_shape(embedder: Embedder) -> None:
    """One row a text, as many columns as `dim` says, float32; lists and tuples are taken alike."""
    _embed(embedder, TEXTS[:1])
    _embed(embedder, TEXTS)
    _require(_gap(_embed(embedder, list(TEXTS)), _embed(embedder, TEXTS)) <= TOLERANCE, "a list and a tuple of the same texts differ")


def check_empty_sequence(embedder: Embedder) -> None:
    """No texts give an array of shape (0, dim)."""
    _embed(embedder, [])


def check_unit_length(embedder: Embedder) -> None:
    """Every vector has length 1."""
    _embed(embedder, [*TEXTS, *(text for pair in LOOK_ALIKES for text in pair), " ".join(TEXTS * 30)])


def check_order(embedder: Embedder) -> None:
    """Row i belongs to text i, whatever the lengths of the texts."""
    texts = [text * repeats for text in TEXTS for repeats in (1, 15, 3)]
    forward, backward = _embed(embedder, texts), _embed(embedder, texts[::-1])
    _require(_gap(forward, backward[::-1]) <= TOLERANCE, "the rows do not follow the order of the texts")


def check_same_text(embedder: Embedder) -> None:
    """The same text gives the same vector: in a later call, and twice in one call."""
    first, again = _embed(embedder, TEXTS), _embed(embedder, TEXTS)
    _require(_gap(first, again) <= TOLERANCE, "a second call gave other vectors")
    twice = _embed(embedder, [TEXTS[0], *TEXTS, TEXTS[0]])
    _require(_gap(twice[0], twice[-1]) <= TOLERANCE, "a text that comes twice in one call got two vectors")


def check_batch_independence(embedder: Embedder) -> None:
    """A text's vector does not depend on what is embedded beside it."""
    beside = [*TEXTS, " ".join(TEXTS * 10), "", *(text for pair in LOOK_ALIKES for text in pair)]
    together = _embed(embedder, beside * 2)
    for row, text in enumerate(beside):
        gap = _gap(_embed(embedder, [text])[0], together[row])
        _require(gap <= TOLERANCE, f"{text[:40]!r} alone and beside other texts differ by {gap:.2g}")


def check_different_texts(embedder: Embedder) -> None:
    """Texts that differ in one value, a negation, the order of words or an addition have different vectors."""
    for one, other in LOOK_ALIKES:
        gap = _gap(*_embed(embedder, [one, other]))
        _require(gap > 10 * TOLERANCE, f"{one!r} and {other!r} share a vector")


def check_similarity(embedder: Embedder) -> None:
    """A text is nearer to a variant of itself than to texts about something else."""
    for one, other in LOOK_ALIKES:
        vectors = _embed(embedder, [one, other, *TEXTS])
        cosines = vectors[1:] @ vectors[0]
        _require(bool(cosines[0] > cosines[1:].max()), f"{one!r} is nearer to {TEXTS[int(cosines[1:].argmax())]!r} than to {other!r}")


def check_long_text(embedder: Embedder) -> None:
    """A text of a thousand words and more gets a vector in which its beginning, middle and end count."""
    sentences = [f"On day {day} we counted {day * 7 % 90} boats in the harbour of the old town." for day in range(100)]
    variants = [" ".join(sentences)]
    for place in (0, 50, 99):
        changed = sentences[:]
        changed[place : place + 1] = ["Granny's recipe for plum cake wants twelve eggs, cinnamon and a slow oven."] * 4
        variants.append(" ".join(changed))
    vectors = _embed(embedder, variants)
    for place, vector in zip(("beginning", "middle", "end"), vectors[1:], strict=True):
        _require(_gap(vectors[0], vector) > 10 * TOLERANCE, f"a change at the {place} of a long text changes nothing: it was cut")


def check_odd_texts(embedder: Embedder) -> None:
    """Empty texts, control characters, lone surrogates, emoji and scripts of all kinds get unit vectors too."""
    _embed(embedder, ODD_TEXTS)
    for text in ODD_TEXTS:
        _embed(embedder, [text])


def check_threads(embedder: Embedder) -> None:
    """Several threads may embed at once."""
    alone = _embed(embedder, TEXTS)
    with ThreadPoolExecutor(4) as pool:
        for vectors in pool.map(embedder.embed, [TEXTS] * 8):
            _require(_gap(alone, vectors) <= TOLERANCE, "vectors differ when several threads embed at once")


CHECKS: tuple[Check, ...] = (
    check_name_and_dim,
    check_shape,
    check_empty_sequence,
    check_unit_length,
    check_order,
    check_same_text,
    check_batch_independence,
    check_different_texts,
    check_similarity,
    check_long_text,
    check_odd_texts,
    check_threads,
)


def check_embedder(embedder: Embedder) -> None:
    """All checks, one after the other.

    :raises AssertionError: the first thing that is wrong.
    """
    for check in CHECKS:
        check(embedder)


def _embed(embedder: Embedder, texts: Sequence[str]) -> Vectors:
    """The vectors, with shape, dtype, finiteness and length checked."""
    vectors = embedder.embed(texts)
    _require(vectors.shape == (len(texts), embedder.dim), f"{len(texts)} texts gave shape {vectors.shape}, dim is {embedder.dim}")
    _require(vectors.dtype == np.float32, f"the vectors are {vectors.dtype}, not float32")
    lengths = np.linalg.norm(vectors, axis=1)
    for text, length in zip(texts, lengths, strict=True):
        _require(bool(abs(length - 1) <= 1e-5), f"the vector of {text[:40]!r} has length {length:.6f}, not 1")
    return vectors


def _gap(one: Vectors, other: Vectors) -> float:
    return float(np.abs(one - other).max())


def _require(condition: bool, message: str) -> None:
    if not condition:
        raise AssertionError(message)
