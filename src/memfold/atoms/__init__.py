"""Atoms: vectors become clusters as they arrive, each with a centroid and a basis (RSM-full).

    for each entry x:
        join the atom of the nearest centroid, if it is near enough         write rule, `atoms.online`
        else that of the nearest member, if it is near enough
        else begin an atom
    mu_m = mean of the members,  V_m = their leading right singular vectors  `atoms.basis`, when they are asked for
    score of an atom for a question q: |v1_m . q|                            `Clusterer.leading() @ q`

Every system of the paper that groups vectors is a row of `CLUSTERERS`, all with one Atom type and one protocol
(`memfold.protocols`), so that clusterer, scorer and packer can be crossed as in Table 3.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from math import inf

from memfold.atoms.fifo import FifoAtoms
from memfold.atoms.offline import OfflineAtoms
from memfold.atoms.oja import OjaSubspace
from memfold.atoms.online import Gates, OnlineAtoms
from memfold.atoms.projected import ProjectedAtoms
from memfold.atoms.sizes import charged_bytes, nominal_bytes
from memfold.config import AtomSettings
from memfold.errors import BadParameter, UnknownName
from memfold.protocols import Clusterer

__all__ = ["CLUSTERERS", "AtomSettings", "charged_bytes", "nominal_bytes", "open_clusterer"]

FEW = 16
"""The paper's K_max of Online K-Means and DP-means."""


def open_clusterer(name: str = "rsm", settings: AtomSettings = AtomSettings()) -> Clusterer:
    """An empty clusterer.

    :param name: a key of `CLUSTERERS`.
    :raises UnknownName: there is no such variant; the message lists those there are.
    :raises BadParameter: a setting makes no sense, or this variant needs one that is not given.
    """
    if name not in CLUSTERERS:
        raise UnknownName("clusterer", name, CLUSTERERS)
    _check(settings)
    return CLUSTERERS[name](settings)


def _check(settings: AtomSettings) -> None:
    for what, cosine in (("join_cosine", settings.join_cosine), ("member_cosine", settings.member_cosine)):
        if cosine is not None and not 0 < cosine <= 1:
            raise BadParameter(f"{what} is {cosine:g}; it lies above 0 and up to 1")
    if settings.rank < 0:
        raise BadParameter(f"rank is {settings.rank}; it is 0 or more")
    for what, bound in (("max_members", settings.max_members), ("max_atoms", settings.max_atoms), ("max_bytes", settings.max_bytes)):
        if bound is not None and bound < 1:
            raise BadParameter(f"{what} is {bound}; it is 1 or more, or None for no bound")


def _rsm(settings: AtomSettings) -> OnlineAtoms:
    """RSM-full (Tables 1 to 12), with `write_rule` and `int8` its variants."""
    member = settings.join_cosine if settings.member_cosine is None else settings.member_cosine
    gates = Gates(
        None if settings.write_rule == "max" else settings.join_cosine,
        None if settings.write_rule == "centroid" else member,
        settings.max_atoms,
        max_members=settings.max_members,
    )
    return OnlineAtoms(_name("rsm", gates), gates, rank=settings.rank, int8=settings.int8)


def _rsm_centroid(settings: AtomSettings) -> OnlineAtoms:
    """RSM-centroid (Tables 9, 15, 17): the same atoms, without a basis."""
    return _rsm(replace(settings, rank=0))


def _cent_merge(settings: AtomSettings) -> OnlineAtoms:
    """RSM-cent-merge (Table 22): without the max-member fallback."""
    return _rsm(replace(settings, write_rule="centroid"))


def _max_member(settings: AtomSettings) -> OnlineAtoms:
    """Members alone decide [I]: each atom is then connected in the graph of entries at least `join_cosine` alike."""
    return _rsm(replace(settings, write_rule="max"))


def _algorithm_e(settings: AtomSettings) -> ProjectedAtoms:
    """Algorithm E (Table 11)."""
    gates = Gates(settings.join_cosine, None, settings.max_atoms, max_members=settings.max_members)
    rank = max(settings.rank, 1)
    return ProjectedAtoms(_name(f"algorithm-e rank={rank}{' int8' if settings.int8 else ''}", gates), gates, rank=rank, int8=settings.int8)


def _online_k_means(settings: AtomSettings) -> OnlineAtoms:
    """Online K-Means (Tables 2, 3, 5, 20): the first K entries are the seeds, then the nearest centroid, a running mean [I]."""
    gates = Gates(inf, None, settings.max_atoms or FEW)
    return OnlineAtoms(_name("online-k-means", gates), gates, rank=settings.rank, int8=settings.int8)


def _dp_means(settings: AtomSettings) -> OnlineAtoms:
    """DP-means (Table 3): a new cluster where |x - mu| > lambda and K < K_max.

    lambda = sqrt(2 - 2 join_cosine) between unit vectors: for 0.85 the paper's sqrt(0.3).
    """
    gates = Gates(settings.join_cosine, None, settings.max_atoms or FEW)
    return OnlineAtoms(_name("dp-means", gates), gates, rank=settings.rank, int8=settings.int8)


def _streaming_proto(settings: AtomSettings) -> OnlineAtoms:
    """Streaming-Proto (Tables 1, 10, 15 to 19): centroids alone, as many as the bytes hold, then the nearest [I]."""
    gates = Gates(settings.join_cosine, None, settings.max_atoms, settings.max_bytes)
    return OnlineAtoms(_name("streaming-proto", gates), gates, rank=0)


def _oja(settings: AtomSettings) -> OjaSubspace:
    """Oja (Tables 2 and 20, k = 4)."""
    rank = max(settings.rank, 1)
    return OjaSubspace(f"oja rank={rank} seed={settings.seed}", rank=rank, seed=settings.seed)


def _k_means(settings: AtomSettings) -> OfflineAtoms:
    """Offline k-means (Tables 16 to 18)."""
    gates = _bounded("k-means", settings)
    return OfflineAtoms(_name(f"k-means seed={settings.seed}", gates), gates, rank=settings.rank, int8=settings.int8, seed=settings.seed)


def _fifo(settings: AtomSettings) -> FifoAtoms:
    """Budget-RAG (Tables 6, 7, 10, 15 to 21)."""
    gates = _bounded("fifo", settings)
    return FifoAtoms(_name("fifo", gates), gates)


def _bounded(name: str, settings: AtomSettings) -> Gates:
    if settings.max_atoms is None and settings.max_bytes is None:
        raise BadParameter(f"{name} needs a bound: give max_bytes or max_atoms")
    return Gates(at_most=settings.max_atoms, max_bytes=settings.max_bytes)


def _name(name: str, gates: Gates) -> str:
    told = {"centroid": gates.centroid, "member": gates.member, "at most": gates.at_most}
    told |= {"bytes": gates.max_bytes, "members": gates.max_members}
    return " ".join([name, *(f"{what}={value:g}" for what, value in told.items() if value is not None)])


CLUSTERERS: Mapping[str, Callable[[AtomSettings], Clusterer]] = {
    "rsm": _rsm,
    "rsm-centroid": _rsm_centroid,
    "cent-merge": _cent_merge,
    "max-member": _max_member,
    "algorithm-e": _algorithm_e,
    "online-k-means": _online_k_means,
    "dp-means": _dp_means,
    "streaming-proto": _streaming_proto,
    "oja": _oja,
    "k-means": _k_means,
    "fifo": _fifo,
}
"""Variants by name."""
