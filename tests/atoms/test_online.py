"""The write rule and its variants, against a plain reading of them in float64."""

from __future__ import annotations

from math import inf

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from memfold.atoms import CLUSTERERS, AtomSettings, open_clusterer
from memfold.atoms.sketch import Sketch
from memfold.errors import BadParameter, DuplicateId, UnknownName
from memfold.protocols import Restorable, Vectors

GATE = 0.6


def rows(*degrees: float) -> Vectors:
    angles = np.radians(degrees)
    return np.stack([np.cos(angles), np.sin(angles)], axis=1).astype(np.float32)


def stream(seed: int, count: int, dim: int = 12, topics: int = 4, noise: float = 0.8) -> Vectors:
    random = np.random.default_rng(seed)
    x = random.standard_normal((topics, dim))[random.integers(topics, size=count)] + noise * random.standard_normal((count, dim))
    return (x / np.linalg.norm(x, axis=1, keepdims=True)).astype(np.float32)


def ids(vectors: Vectors, start: int = 0) -> list[str]:
    return [f"e{number}" for number in range(start, start + len(vectors))]


def cosine(a: np.ndarray, b: np.ndarray) -> float:
    return float(a @ b / (np.linalg.norm(a) * np.linalg.norm(b)))


def plain(vectors: Vectors, centroid: float, member: float, at_most: float = inf, full: float = inf) -> list[int]:
    """The write rule as the docstring states it, one double loop."""
    held: list[list[np.ndarray]] = []
    out = []
    for x in vectors.astype(np.float16).astype(np.float64):
        by_centroid = [cosine(x, np.sum(atom, axis=0)) if len(atom) < full else -2 for atom in held]
        by_member = [max(cosine(x, y) for y in atom) if len(atom) < full else -2 for atom in held]
        if held and max(by_centroid) >= centroid:
            chosen = int(np.argmax(by_centroid))
        elif held and max(by_member) >= member:
            chosen = int(np.argmax(by_member))
        elif len(held) >= at_most:
            chosen = int(np.argmax(by_centroid))
        else:
            held.append([])
            chosen = len(held) - 1
        held[chosen].append(x)
        out.append(chosen)
    return out


@pytest.mark.parametrize(
    ("name", "chosen", "gates"),
    [
        ("rsm", AtomSettings(GATE, max_members=None), (GATE, GATE)),
        ("rsm", AtomSettings(GATE, member_cosine=0.75, max_members=None), (GATE, 0.75)),
        ("rsm", AtomSettings(GATE, max_members=5), (GATE, GATE, inf, 5)),
        ("cent-merge", AtomSettings(GATE, max_members=None), (GATE, inf)),
        ("max-member", AtomSettings(GATE, max_members=None), (inf, GATE)),
        ("max-member", AtomSettings(GATE, max_members=3), (inf, GATE, inf, 3)),
        ("online-k-means", AtomSettings(max_atoms=7), (inf, inf, 7)),
        ("online-k-means", AtomSettings(), (inf, inf, 16)),
        ("dp-means", AtomSettings(GATE, max_atoms=5), (GATE, inf, 5)),
        ("streaming-proto", AtomSettings(GATE, max_bytes=6 * 12 * 4 + 3), (GATE, inf, 6)),
    ],
)
def test_write_rule_is_the_plain_one(name: str, chosen: AtomSettings, gates: tuple[float, ...]) -> None:
    for seed in range(3):
        vectors = stream(seed, 90)
        assert open_clusterer(name, chosen).add(ids(vectors), vectors) == plain(vectors, *gates)


def test_centroid_comes_before_members() -> None:
    clusterer = open_clusterer("rsm", AtomSettings(0.8))
    # 0 and 30 are one atom; 75 another; 52 is nearer to the member 75 (23 degrees) than to the centroid 15 (37 degrees)
    assert clusterer.add(list("abcd"), rows(0, 30, 75, 52)) == [0, 0, 1, 1]
    # -36.5 reaches the member at 0 (cosine 0.804) but not the centroid at 15
    assert clusterer.add(["e"], rows(-36.5)) == [0]
    assert open_clusterer("cent-merge", AtomSettings(0.8)).add(list("abcde"), rows(0, 30, 75, 52, -36.5)) == [0, 0, 1, 1, 2]


def test_gate_is_met_by_equality() -> None:
    x = np.array([[1, 0], [0.6, 0.8]], np.float16).astype(np.float32)
    gate = float(x[1, 0].astype(np.float64) / np.sqrt(np.square(x[1].astype(np.float64)).sum()))
    for name in ("rsm", "cent-merge", "max-member"):
        assert open_clusterer(name, AtomSettings(gate)).add(["a", "b"], x) == [0, 0]
        assert open_clusterer(name, AtomSettings(np.nextafter(gate, 1))).add(["a", "b"], x) == [0, 1]


def test_ties_go_to_the_lowest_atom() -> None:
    for name in ("rsm", "max-member", "cent-merge", "algorithm-e"):
        assert open_clusterer(name, AtomSettings(0.6)).add(list("abc"), rows(45, -45, 0)) == [0, 1, 0]


def test_equal_vectors_are_one_atom() -> None:
    vectors = np.repeat(stream(1, 1), 300, axis=0)
    for name in ("rsm", "max-member", "algorithm-e"):
        assert set(open_clusterer(name, AtomSettings(1.0, max_members=None)).add(ids(vectors), vectors)) == {0}


def test_zero_vectors_stay_alone() -> None:
    clusterer = open_clusterer("rsm", AtomSettings(0.1))
    assert clusterer.add(["a", "b"], np.zeros((2, 4), np.float32)) == [0, 1]
    assert clusterer.leading().tolist() == [[0, 0, 0, 0]] * 2
    assert [atom.basis.shape for atom in clusterer.atoms()] == [(4, 0)] * 2


@pytest.mark.parametrize("name", CLUSTERERS)
def test_batches_do_not_matter(name: str) -> None:
    if name == "k-means":
        pytest.skip("clusters everything anew")
    vectors, chosen = stream(5, 200), AtomSettings(GATE, max_bytes=9 * 12 * 4)
    at_once, one_by_one = open_clusterer(name, chosen), open_clusterer(name, chosen)
    expected = at_once.add(ids(vectors), vectors)
    assert [one_by_one.add([id], x[None])[0] for id, x in zip(ids(vectors), vectors, strict=True)] == expected
    assert np.array_equal(at_once.leading(), one_by_one.leading())


@pytest.mark.parametrize("name", ["rsm", "cent-merge", "max-member"])
def test_a_sketch_misses_nothing(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("memfold.atoms.online.SKETCHED", 8)
    for dim, gate in ((12, 0.6), (200, 0.45)):
        vectors = stream(5, 400, dim, topics=40)
        at_once, one_by_one = open_clusterer(name, AtomSettings(gate)), open_clusterer(name, AtomSettings(gate))
        for low in range(0, 400, 100):  # batches and removals between single ones
            one_by_one.remove(["e1003", f"e{900 + low}"])
            at_once.remove(["e1003", f"e{900 + low}"])
            expected = at_once.add(ids(vectors[:99], 1000 + low), vectors[low : low + 99])
            one_by_one.add(ids(vectors[:30], 1000 + low), vectors[low : low + 30])
            single = zip(ids(vectors[:69], 1030 + low), vectors[low + 30 : low + 99], strict=True)
            assert [one_by_one.add([id], x[None])[0] for id, x in single] == expected[30:]
        assert list(one_by_one.numbers()) == list(at_once.numbers())
        assert 1 < len(at_once.numbers()) < 396


def test_bounds_of_a_sketch_hold() -> None:
    vectors = stream(2, 300, dim=150, topics=9)
    sketch = Sketch(150)
    for low in (0, 5, 250):
        found = sketch.near(vectors[: low + 50], set(), vectors[-1], 0.3)
        true = vectors[: low + 50] @ vectors[-1]
        assert np.allclose(found[true >= 0.3], true[true >= 0.3], atol=1e-5)
        assert ((found == -4) <= (true < 0.3)).all()


@pytest.mark.parametrize("name", CLUSTERERS)
def test_clusterers_keep_their_word(name: str) -> None:
    vectors, chosen = stream(7, 120), AtomSettings(GATE, rank=3, max_bytes=9 * 12 * 4)
    clusterer = open_clusterer(name, chosen)
    assert (list(clusterer.atoms()), list(clusterer.numbers()), len(clusterer.leading())) == ([], [], 0)
    clusterer.add(ids(vectors), vectors)
    clusterer.remove([*ids(vectors)[10:40], "nobody"])
    atoms = clusterer.atoms()
    assert list(clusterer.numbers()) == [atom.id for atom in atoms] == sorted(atom.id for atom in atoms)
    assert clusterer.leading().shape == clusterer.centroids().shape == (len(atoms), 12)
    for place, atom in enumerate(atoms):
        held = vectors[[int(id[1:]) for id in atom.members]].astype(np.float16).astype(np.float64)
        assert atom.members == clusterer.members(atom.id)
        assert {clusterer.atom_of(id) for id in atom.members} == {atom.id}
        assert atom.centroid == pytest.approx(held.mean(axis=0), abs=1e-6)
        assert clusterer.centroids()[place] == pytest.approx(held.mean(axis=0) / np.linalg.norm(held.mean(axis=0)), abs=1e-5)
        assert atom.basis.T @ atom.basis == pytest.approx(np.eye(atom.basis.shape[1]), abs=1e-5)
        assert atom.summary.shape == (atom.basis.shape[1],)
        if atom.basis.shape[1]:
            assert atom.summary[0] >= 0
            assert np.array_equal(clusterer.leading()[place], atom.basis[:, 0])
    assert clusterer.atom_of("e15") is None
    with pytest.raises(DuplicateId):
        clusterer.add(["new", "e0" if name != "fifo" else "e119"], vectors[:2])
    assert clusterer.atom_of("new") is None


def test_matrices_cannot_be_written_to() -> None:
    clusterer = open_clusterer()
    clusterer.add(["a"], rows(0))
    with pytest.raises(ValueError, match="read-only"):
        clusterer.leading()[0, 0] = 3


def components(vectors: Vectors, gate: float) -> list[int]:
    wide = vectors.astype(np.float16).astype(np.float64)
    wide /= np.linalg.norm(wide, axis=1, keepdims=True)
    near = wide @ wide.T >= gate - 1e-12
    label = list(range(len(wide)))
    for a, b in zip(*np.nonzero(near), strict=True):
        old, new = label[a], label[b]
        label = [new if one == old else one for one in label]
    return label


@given(st.integers(0, 10_000), st.integers(2, 60), st.sampled_from([0.4, 0.6, 0.8]))
@settings(max_examples=20, deadline=None)
def test_max_member_refines_connected_components(seed: int, count: int, gate: float) -> None:
    vectors = stream(seed, count, dim=5)
    atoms = open_clusterer("max-member", AtomSettings(gate, max_members=None)).add(ids(vectors), vectors)
    label = components(vectors, gate)
    for atom in set(atoms):
        assert len({label[row] for row in range(count) if atoms[row] == atom}) == 1


@given(st.integers(0, 10_000), st.sampled_from([0.5, 0.7, 0.9]))
@settings(max_examples=20, deadline=None)
def test_algorithm_e_lets_in_all_that_a_member_does(seed: int, gate: float) -> None:
    vectors, rank = stream(seed, 24, dim=16), 8
    clusterer = open_clusterer("algorithm-e", AtomSettings(gate, rank=rank, max_members=None))
    for place, x in enumerate(vectors):
        atoms = [atom for atom in clusterer.atoms() if len(atom.members) <= rank]
        near = [max(abs(float(vectors[int(id[1:])] @ x)) for id in atom.members) for atom in atoms]
        for atom, most in zip(atoms, near, strict=True):
            assert np.linalg.norm(atom.basis.T @ x) >= most - 2e-3  # vectors are held in float16
        before = len(clusterer.numbers())
        clusterer.add([f"e{place}"], x[None])
        if near and max(near) >= gate + 2e-3:
            assert len(clusterer.numbers()) == before


@pytest.mark.parametrize("name", [name for name in CLUSTERERS if isinstance(open_clusterer(name, AtomSettings(max_bytes=1)), Restorable)])
@given(seed=st.integers(0, 10_000), count=st.integers(1, 40), dropped=st.sets(st.integers(0, 39)))
@settings(max_examples=12, deadline=None)
def test_restored_is_what_it_was(name: str, seed: int, count: int, dropped: set[int]) -> None:
    vectors, chosen = stream(seed, count + 10), AtomSettings(GATE, rank=3, max_bytes=9 * 12 * 4)
    first, later = vectors[:count], vectors[count:]
    grown = open_clusterer(name, chosen)
    where = dict(zip(ids(first), grown.add(ids(first), first), strict=True))
    grown.leading()
    grown.remove([id for id in where if int(id[1:]) in dropped])
    kept = {id: atom for id, atom in where.items() if int(id[1:]) not in dropped}
    assume(kept)
    loaded = open_clusterer(name, chosen)
    assert isinstance(loaded, Restorable)
    assert isinstance(grown, Restorable)
    loaded.restore(list(kept), first[[int(id[1:]) for id in kept]], list(kept.values()), grown.next_id)
    for start in (count, 100):
        assert list(grown.numbers()) == list(loaded.numbers())
        assert np.array_equal(grown.leading(), loaded.leading())
        assert np.array_equal(grown.centroids(), loaded.centroids())
        for a, b in zip(grown.atoms(), loaded.atoms(), strict=True):
            assert a.members == b.members
            assert np.array_equal(a.centroid, b.centroid)
            assert np.array_equal(a.basis, b.basis)
        assert grown.add(ids(later, start), later) == loaded.add(ids(later, start), later)


def test_restored_piece_by_piece_in_any_order_of_atoms() -> None:
    vectors = stream(3, 40)
    grown, loaded = open_clusterer("rsm", AtomSettings(GATE)), open_clusterer("rsm", AtomSettings(GATE))
    where = grown.add(ids(vectors), vectors)
    assert isinstance(loaded, Restorable)
    for rows_ in ([row for row in range(40) if where[row] > 2], [row for row in range(40) if where[row] <= 2]):
        loaded.restore([f"e{row}" for row in rows_], vectors[rows_], [where[row] for row in rows_])
    assert list(loaded.numbers()) == list(grown.numbers())
    assert np.array_equal(loaded.centroids(), grown.centroids())


def test_ids_are_never_given_twice() -> None:
    clusterer = open_clusterer("rsm", AtomSettings(0.9))
    assert clusterer.add(["a", "b"], rows(0, 90)) == [0, 1]
    clusterer.remove(["b"])
    assert list(clusterer.numbers()) == [0]
    assert clusterer.add(["b"], rows(90)) == [2]


def test_full_atom_takes_again_after_a_removal() -> None:
    clusterer = open_clusterer("rsm", AtomSettings(0.9, max_members=2))
    assert clusterer.add(list("abc"), rows(0, 1, 2)) == [0, 0, 1]
    clusterer.remove(["a"])
    assert clusterer.add(["d"], rows(0.5)) == [0]
    assert clusterer.add(["e"], rows(0.5)) == [1]


def test_at_the_cap_full_atoms_take_again() -> None:
    for name, last in (("rsm", 1), ("algorithm-e", 0)):  # the subspaces of both are the whole plane: a tie
        clusterer = open_clusterer(name, AtomSettings(0.95, max_members=2, max_atoms=2))
        assert clusterer.add(list("abcde"), rows(0, 1, 90, 2, 80)) == [0, 0, 1, 1, last]


def test_fifo_keeps_the_newest() -> None:
    clusterer = open_clusterer("fifo", AtomSettings(max_bytes=2 * 2 * 4))
    clusterer.add(list("abc"), rows(0, 1, 2))
    clusterer.add(["d"], rows(3))
    assert [atom.members for atom in clusterer.atoms()] == [("c",), ("d",)]


def test_k_means_finds_plain_clusters() -> None:
    vectors = rows(0, 90, 180, 2, 92, 182, 1)
    clusterer = open_clusterer("k-means", AtomSettings(max_atoms=3))
    assert clusterer.add(ids(vectors), vectors) == [0, 1, 2, 0, 1, 2, 0]


def test_oja_turns_to_where_the_stream_is() -> None:
    random = np.random.default_rng(0)
    plane = np.linalg.qr(random.standard_normal((20, 2)))[0]
    x = random.standard_normal((400, 2)) @ plane.T + 0.05 * random.standard_normal((400, 20))
    clusterer = open_clusterer("oja", AtomSettings(rank=2))
    clusterer.add(ids(x), (x / np.linalg.norm(x, axis=1, keepdims=True)).astype(np.float32))
    assert np.linalg.norm(clusterer.atoms()[0].basis.T @ plane) > 1.35  # sqrt(2) were the plane itself


def test_bad_parameters_are_told() -> None:
    with pytest.raises(UnknownName, match="rsm-centroid"):
        open_clusterer("rms")
    for name, chosen in (
        ("rsm", AtomSettings(0.0)),
        ("rsm", AtomSettings(rank=-1)),
        ("rsm", AtomSettings(max_atoms=0)),
        ("rsm", AtomSettings(max_members=0)),
        ("fifo", AtomSettings()),
        ("k-means", AtomSettings()),
    ):
        with pytest.raises(BadParameter):
            open_clusterer(name, chosen)
    clusterer = open_clusterer()
    clusterer.add(["a"], rows(0))
    with pytest.raises(ValueError, match="length"):
        clusterer.add(["b"], np.ones((1, 3), np.float32))


def test_names_tell_what_decides_and_nothing_else() -> None:
    name = open_clusterer("rsm", AtomSettings(0.6)).name
    assert name == open_clusterer("rsm", AtomSettings(0.6, rank=2, int8="all")).name
    others = [AtomSettings(0.7), AtomSettings(member_cosine=0.7), AtomSettings(0.6, max_members=None), AtomSettings(0.6, write_rule="max")]
    assert name not in {open_clusterer("rsm", other).name for other in others}
