"""Merging without a model: two texts into one that is no longer than both, and two entries into one (MemRefine 3.2, `Merge`).

The merge works on whole clauses, so it can leave a clause out but never invents a word. `concatenate` is the plainer
stand-in for a language model that the paper's baselines use.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from datetime import time as clock
from hashlib import blake2b

from memfold.refine.anchoring import anchored, dated
from memfold.refine.merge import concatenated, merged_text, on_another_day, revised
from memfold.types import JSON, Decision, Entry, Link

__all__ = ["DATES", "JOINT", "concatenate", "in_time_order", "instant", "merge_entries", "merge_texts", "merged_id", "most_bytes"]

JOINT = 3
"""Bytes of what may stand between two texts that share nothing: a space, a full stop or semicolon and a space, or one wide mark."""
DATES = 32
"""Bytes that dates may take in a line of the later side: its day, and what `yesterday` there is."""


def merge_texts(a: Entry, b: Entry, *, earlier: bool = False) -> str | None:
    """One text with every fact of both, no longer than the two side by side; None where that fails.

    The longer text stays; of the other come the clauses that hold a content word or value which no sentence of the
    longer one covers, in the order of the entries' times. Where the two share no words at all, they stand side by side: what that
    saves is one entry's fields. What both begin with (a speaker, a heading, a subject) is said once.
    The merged entry has the earlier time: what the later side brings of another day stands on its own line with that day before it,
    and a `yesterday` there becomes its date. Different speakers have lines of their own too. The sides may be given in either order.

    :param earlier: the texts give two states of one thing; where they differ in one place only, the later text is kept
        and the old value follows it as `(earlier: …)`.
    """
    first, second = in_time_order(a, b)
    timed, limit = _one_is_later(a, b), most_bytes(a, b)
    apart = second.time if _on_other_days(a, b) else None
    other = anchored(second.text, apart) if apart else second.text
    if earlier and timed:
        text = revised(first.text, other)
        if text is not None and _bytes(text) <= limit:
            return text
    if apart:
        text = on_another_day(first.text, other, lambda line: dated(line, apart))
    else:
        text = merged_text(first.text, other, timed=timed)
    return text if text is not None and _bytes(text) <= limit else None


def most_bytes(a: Entry, b: Entry) -> int:
    """The most bytes that a merged text of the two may have: both, a joint, and where they are of different days room for dates in
    every line of the later one.
    """
    dates = DATES * len(in_time_order(a, b)[1].text.splitlines()) if _on_other_days(a, b) else 0
    return _bytes(a.text) + _bytes(b.text) + JOINT + dates


def _on_other_days(a: Entry, b: Entry) -> bool:
    return a.time is not None and b.time is not None and a.time.date() != b.time.date()


def concatenate(a: Entry, b: Entry) -> str:
    """The older text, then the sentences of the other that it does not hold word for word. In either order of the sides."""
    first, second = in_time_order(a, b)
    return concatenated(first.text, second.text)


def merge_entries(a: Entry, b: Entry, decision: Decision, *, new_id: str, now: datetime) -> Entry:
    """The entry that takes the place of both: text and keywords from the decision, all else computed from the two.

    Links, sources, keywords and metadata are united (a metadata key that both have keeps the later side's value),
    the earliest times stay, importance is the larger, and pinned stays pinned. Where the sides' times differ, the later ones
    are kept under `metadata["times"]`. The merged entry expires with the later side, or never if one side never does. Every byte
    counts here: what a merge adds to its entry it does not save.

    :param now: becomes `updated_at` where a side had one; when the merge was made is in the journal in any case.
    :raises ValueError: the decision holds no merged text, or the sides differ in namespace or home.
    """
    if not decision.merged:
        raise ValueError(f"the decision on {a.id!r} and {b.id!r} holds no merged text")
    if (a.namespace, a.home) != (b.namespace, b.home):
        raise ValueError(f"{a.id!r} and {b.id!r} differ in namespace or home and cannot become one entry")
    first, second = in_time_order(a, b)
    metadata: dict[str, JSON] = {**first.metadata, **second.metadata}
    times = _times(first, second)
    if times:
        metadata["times"] = list[JSON](times)
    return Entry(
        id=new_id,
        text=decision.merged,
        namespace=a.namespace,
        kind=a.kind if a.kind == b.kind else "fact",
        home=a.home,
        keywords=decision.keywords or tuple(dict.fromkeys(first.keywords + second.keywords)),
        links=merged_links(first, second, new_id),
        occurred_at=_earliest(a.occurred_at, b.occurred_at),
        created_at=_earliest(a.created_at, b.created_at),
        updated_at=now if a.updated_at or b.updated_at else None,
        importance=max(a.importance, b.importance),
        pinned=a.pinned or b.pinned,
        sources=tuple(dict.fromkeys(first.sources + second.sources)),
        metadata=metadata,
        expires_at=max(a.expires_at, b.expires_at, key=_utc) if a.expires_at and b.expires_at else None,
    )


def merged_links(a: Entry, b: Entry, new_id: str) -> tuple[Link, ...]:
    """The links of both without those to each other, to themselves and to the new entry; repeated ones once."""
    gone = {a.id, b.id, new_id}
    return tuple(dict.fromkeys(link for link in a.links + b.links if link.target not in gone))


def merged_id(a: Entry, b: Entry, text: str) -> str:
    """The id of a merge: `m` and 16 hexadecimal digits, the same for the same entries and text in either order of the sides."""
    digest = blake2b(digest_size=8)
    for part in (*sorted((a.id, b.id)), text):
        written = part.encode("utf-8", "surrogatepass")
        digest.update(len(written).to_bytes(8, "big") + written)
    return f"m{digest.hexdigest()}"


def instant(entry: Entry) -> datetime | None:
    """The entry's time as a point that compares with any other; a time without zone counts as UTC."""
    time = entry.time
    return time if time is None or time.tzinfo is not None else time.replace(tzinfo=UTC)


def in_time_order(a: Entry, b: Entry) -> tuple[Entry, Entry]:
    """The earlier entry first; where a time lacks or both are the same, by id and text, so that the sides may be swapped."""
    first, second = instant(a), instant(b)
    if first is not None and second is not None and first != second:
        return (a, b) if first < second else (b, a)
    return (a, b) if (a.id, a.text) <= (b.id, b.text) else (b, a)


def _one_is_later(a: Entry, b: Entry) -> bool:
    first, second = instant(a), instant(b)
    return first is not None and second is not None and first != second


def _earliest(one: datetime | None, other: datetime | None) -> datetime | None:
    if one is None or other is None:
        return one or other
    return min(one, other, key=_utc)


def _utc(time: datetime) -> datetime:
    return time if time.tzinfo is not None else time.replace(tzinfo=UTC)


def _times(first: Entry, second: Entry) -> Sequence[str]:
    """The times that the two carry, those from earlier merges included, without the earliest, each once, in order and short."""
    times: set[str] = set()
    for entry in (first, second):
        kept = entry.metadata.get("times")
        if isinstance(kept, list):
            times.update(str(time) for time in kept)
        if entry.time is not None:
            times.add(_short(entry.time))
    earliest = _earliest(first.time, second.time)
    return sorted(times - {_short(earliest)} if earliest else times)


def _short(time: datetime) -> str:
    """`2026-03-09` for a midnight without a zone, else ISO without what is zero at its end."""
    if time.tzinfo is None and time.time() == clock.min:
        return time.date().isoformat()
    return time.isoformat(timespec="auto" if time.second or time.microsecond else "minutes")


def _bytes(text: str) -> int:
    return len(text.encode("utf-8", "surrogatepass"))
