"""Frozen settings per stage. Nothing here reads the environment."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

Order: TypeAlias = Literal["cosine", "window", "safest"]
"""Which edit is made next: that of the most similar pair (the paper's), the same with several disjoint pairs being judged at once,
or the one that is least likely to lose a fact."""
ORDERS: tuple[Order, ...] = ("cosine", "window", "safest")
Loss: TypeAlias = Literal["chance", "per byte", "value", "value per byte"]
"""How the expected loss of an edit is measured, see `memfold.refine.safest.LOSSES`."""
Times: TypeAlias = Literal["minute", "day", "none"]
"""How much of its time an entry of a context shows. A time that is a midnight without a zone is a day."""


@dataclass(frozen=True, slots=True)
class RefineSettings:
    """What bounds a refinement. `None` is no bound; the budget always bounds it.

    :param max_judgements: judgements asked for in this run.
    :param max_edits: edits made in this run.
    :param max_seconds: wall-clock seconds after which no new pair is judged.
    :param guards: whether guards may veto the judge (the paper's baselines are evaluated without).
    :param min_saving: in [0, 1]; with guards on, a merge that saves no more than this share of its two sides is not
        worth rewriting them, and preserves (two observations of one MCP entity take the same room joined or apart).
    :param order: `None` is the order that the judge prefers, else "cosine".
    :param ahead: in the order "cosine", how many of the pairs that probably come next are judged ahead; the result is the same.
    :param window: in the order "window", how many judgements are outstanding; 1 is the order "cosine". 0 is as many as are useful.
    :param neighbours: in the order "safest", how many of its nearest each entry makes a pair with.
    :param loss: in the order "safest", what is least in the next edit.
    """

    max_judgements: int | None = None
    max_edits: int | None = None
    max_seconds: float | None = None
    guards: bool = True
    min_saving: float = 0.05
    order: Order | None = None
    ahead: int = 8
    window: int = 16
    neighbours: int = 32
    loss: Loss = "chance"


@dataclass(frozen=True, slots=True)
class ModelSettings:
    """How a language model is reached and what it may cost. Keys come from the environment or a file, never from here.

    :param base_url: of an OpenAI-compatible endpoint; "" is OpenAI's own.
    :param key_file: a file that holds the key; "" takes it from the environment variable OPENAI_API_KEY.
    :param concurrency: requests in flight at once.
    :param requests_per_minute: None is no limit, and so for the tokens (in and out).
    :param timeout: seconds that one request may take.
    :param tries: how often a request is sent at most where sending it again may help.
    :param max_calls: requests in all, retries included; None is no limit, and so for the next two.
    :param max_tokens: in and out.
    :param max_cost: in the currency of the prices.
    :param prices: a file that adds to or overrides the table of prices, see `memfold.llm.prices`; "" takes the table alone.
    """

    base_url: str = ""
    key_file: str = ""
    concurrency: int = 16
    requests_per_minute: int | None = None
    tokens_per_minute: int | None = None
    timeout: float = 120.0
    tries: int = 5
    max_calls: int | None = None
    max_tokens: int | None = None
    max_cost: float | None = None
    prices: str = ""


@dataclass(frozen=True, slots=True)
class ExtractSettings:
    """How conversations become entries (ProMem). The four switches are the paper's ablations.

    The cosines belong to an embedding model; these are for the bundled one.

    :param completeness: abstract events independently of the draft, and add those that the draft misses.
    :param verification: check each claim against the turns; without it, whatever passes the free checks of form is kept.
    :param relations: add the edges that a question needs and the turns support.
    :param anchoring: link details to the event of the same turns.
    :param entailment: who decides on a claim that the free checks doubt: the model, or values and vectors alone.
    :param check_all: put every claim before the model that decides, not only those that the free checks doubt: that he bought what the
        turns say he sold, only reading finds.
    :param coverage_cosine: an event is missing when no claim of the draft is so similar (the paper's tau_comp).
    :param same_cosine: claims that similar, with equal values, are one (tau_sim of the paper's first version).
    :param match_cosine: a turn that similar to a claim is evidence (tau_match).
    :param update_cosine: entries of the store that similar are looked at for an older value of the same thing.
    :param evidence: turns that a claim is checked against at most, beside those that the model cites.
    :param unsaid: largest share of a claim's telling words that its evidence may lack before the claim is doubted.
    :param longest: characters of a claim at most; what is longer is no claim.
    :param loop: a claim that comes so often in one reply is a model that repeats itself, unless a turn says just that.
    :param window: tokens of a session that are put into one request at most; a longer session is split at its turns.
    :param overlap: turns that two windows share.
    :param sessions: sessions whose requests are sent together.
    :param reply_tokens: tokens of a reply at most; None leaves it to the endpoint.
    """

    completeness: bool = True
    verification: bool = True
    relations: bool = True
    anchoring: bool = True
    entailment: Literal["model", "local"] = "model"
    check_all: bool = True
    coverage_cosine: float = 0.6
    same_cosine: float = 0.8
    match_cosine: float = 0.6
    update_cosine: float = 0.6
    evidence: int = 3
    unsaid: float = 0.5
    longest: int = 1000
    loop: int = 10
    window: int = 6000
    overlap: int = 2
    sessions: int = 32
    reply_tokens: int | None = None


WriteRule: TypeAlias = Literal["centroid_then_max", "centroid", "max"]
"""What lets an entry join an atom: its centroid, else one of its members (the paper's); its centroid alone (cent-merge); a member alone."""
Int8: TypeAlias = Literal["", "basis", "all"]


@dataclass(frozen=True, slots=True)
class AtomSettings:
    """How entries become atoms (RSM-full, Tables 9 and 12).

    :param join_cosine: from this cosine on an entry joins an atom (the paper's tau), in (0, 1]. It belongs to an embedding model, this
        one to the bundled: see docs/papers/rsm-full.md.
    :param rank: columns of an atom's basis at most (the paper's k); 0 keeps the centroid alone.
    :param write_rule: what is compared with `join_cosine`.
    :param member_cosine: the same for the comparison with members; None is `join_cosine`.
    :param max_members: an atom of RSM, its variants or Algorithm E with so many takes no more, and the next entry like it begins
        another; None is no bound (the paper's).
    :param max_atoms: when there are so many, an entry joins the nearest; None is no bound, but 16 for Online K-Means and DP-means.
    :param max_bytes: the storage that Streaming-Proto, k-means and FIFO may take, 4 d bytes a vector.
    :param int8: what is stored in 8 bits: nothing, the basis, or the centroid too.
    :param seed: of offline k-means and of Oja's first subspace.
    """

    join_cosine: float = 0.7
    rank: int = 8
    write_rule: WriteRule = "centroid_then_max"
    member_cosine: float | None = None
    max_members: int | None = 8
    max_atoms: int | None = None
    max_bytes: int | None = None
    int8: Int8 = ""
    seed: int = 0


@dataclass(frozen=True, slots=True)
class PackSettings:
    """How hits become a context. `None` is no limit; the budget of tokens always limits it.

    :param packer: a name of `memfold.pack.PACKERS`: `arranged`, `grouped` (RSM-full's) or `flat`.
    :param template: a name of `memfold.pack.TEMPLATES`: the form of the text.
    :param share: with "proportional", an atom takes at most its part of the budget by `Hit.atom_score`; what it does not use goes to
        the next, and what is left at the end to whatever still fits. With "none" the best atom takes what it can.
    :param headings: with "many", atoms of which a single entry is shown need no heading (most atoms have one member); with "all"
        every atom has one, as in the paper.
    :param max_atoms: atoms of which entries are shown; hits without an atom do not count.
    :param max_entries: entries that are shown.
    :param times: how much of its time each entry shows.
    """

    packer: str = "arranged"
    template: str = "markdown"
    share: Literal["none", "proportional"] = "none"
    headings: Literal["many", "all"] = "many"
    max_atoms: int | None = None
    max_entries: int | None = None
    times: Times = "minute"


@dataclass(frozen=True, slots=True)
class RetrieveSettings:
    """How a question finds entries.

    :param scorer: a name of `memfold.retrieve.SCORERS`.
    :param words_weight: of "hybrid": what all of a question's words in one entry are worth beside a cosine.
    :param rank_constant: of "rrf": an entry gets 1 / (rank_constant + rank) of each ranking.
    :param pool: of "rrf" and of a re-ranker: so many of the best are looked at.
    :param atoms: of "v1" and "centroid": entries come from so many of the best atoms; from more where those hold too few.
    :param saturation: BM25's k1. :param length_weight: BM25's b.
    :param common: words that more than this share of the entries have are passed over, unless the question has no other.
    :param file_from: entries from which a copy of the vectors is kept in a file beside the store; None never keeps one.
    :param approximate_from: entries from which an approximate index finds the candidates (extra "ann"); None is always exact.
    :param candidates: what the approximate index is asked for at least.
    """

    scorer: str = "hybrid"
    words_weight: float = 0.45
    rank_constant: float = 10.0
    pool: int = 100
    atoms: int = 10
    saturation: float = 1.2
    length_weight: float = 0.3
    common: float = 0.2
    file_from: int | None = 32_768
    approximate_from: int | None = None
    candidates: int = 200
