"""An audit as plain text, for people."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from memfold.audit.result import Audit, Copies, Forecast, Grouping, Growth, Suspects

_BAR = 24
_WIDTH = 100
_ROWS = 16
"""Most lines of growth; beyond it every second, third … bucket is shown, the last one always."""


def render(audit: Audit, *, name: str = "", examples: int = 5) -> str:
    """The audit in lines of about 100 characters, with at most `examples` groups of each sort."""
    return "\n".join(_lines(audit, name, examples))


def _lines(audit: Audit, name: str, examples: int) -> Iterator[str]:
    tokens = "" if audit.tokens is None else f", {audit.tokens:,} tokens ({audit.counter})"
    yield f"{name + ': ' if name else ''}{_many(audit.entries, 'entry', 'entries')}, {audit.bytes:,} bytes{tokens}"
    if not audit.entries:
        return
    yield from _growth(audit.growth)
    yield from _copies("exact copies", audit.exact, audit.bytes, examples)
    yield from _copies("near copies", audit.near, audit.bytes, examples)
    values = [group for group in audit.suspects if group.difference == "value"]
    words = [group for group in audit.suspects if group.difference == "word"]
    yield from _suspects("same frame, other value (similarity alone must not merge these)", values, examples)
    yield from _suspects("same frame, one other word (another thing, or another wording)", words, examples)
    if audit.cosines.median is not None:
        yield ""
        yield f"nearest neighbours: half of the entries have one at a cosine of {audit.cosines.median:.2f} or more"
    if audit.grouping is not None:
        yield ""
        yield f"atoms: {told(audit.grouping)}"
    yield from _forecast(audit.forecast, audit.floor)


def told(grouping: Grouping) -> str:
    """The atoms in a line."""
    shared = f"{grouping.shared:.0%} of them with two members or more"
    return f"{grouping.atoms:,}, {shared}; {grouping.mean:.1f} entries each on average, {grouping.largest:,} in the largest"


def _growth(growth: Growth) -> Iterator[str]:
    if growth.points:
        yield ""
        yield f"growth, by {growth.bucket}"
        most = growth.points[-1].bytes or 1
        for point in growth.points[::-_every(len(growth.points))][::-1]:
            bar = "█" * max(1, round(_BAR * point.bytes / most)) if point.bytes else ""
            yield f"  {point.start.isoformat()}  {bar:<{_BAR}}  {point.entries:>7,} entries  {point.bytes:>11,} bytes"
    if growth.undated:
        yield f"  {_many(growth.undated, 'entry', 'entries')} without a time, {growth.undated_bytes:,} bytes"


def _every(points: int) -> int:
    """Of how many points one is shown."""
    return -(-points // _ROWS) or 1


def _copies(title: str, groups: Sequence[Copies], total: int, examples: int) -> Iterator[str]:
    yield ""
    if not groups:
        yield f"{title}: none"
        return
    spare = sum(group.spare for group in groups)
    count = sum(len(group.ids) for group in groups)
    yield f"{title}: {_many(len(groups), 'group')} of {count} entries, {spare:,} bytes to spare ({_share(spare, total)})"
    for group in groups[:examples]:
        yield _cut(f"  {len(group.ids)} x {group.texts[0]}")
        differing = [text for text in group.texts[1:] if text.casefold().rstrip(".! ") != group.texts[0].casefold().rstrip(".! ")]
        for text in differing[:2]:
            yield _cut(f"  {'':>{len(str(len(group.ids)))}}   {text}")
    yield from _more(len(groups) - examples)


def _suspects(title: str, groups: Sequence[Suspects], examples: int) -> Iterator[str]:
    yield ""
    if not groups:
        yield f"{title}: none"
        return
    yield f"{title}: {_many(len(groups), 'group')} of {sum(len(group.ids) for group in groups)} entries"
    for group in groups[:examples]:
        told = dict.fromkeys(", ".join(values) or "(none)" for values in group.values)
        yield _cut(f"  {group.frame}")
        yield _cut(f"      {' | '.join(told)}")
    yield from _more(len(groups) - examples)


def _forecast(forecasts: Sequence[Forecast], floor: float) -> Iterator[str]:
    if not forecasts:
        return
    yield ""
    yield "what a budget would probably take (an estimate: the smaller side of each pair, the most similar first)"
    yield "  budget       bytes       to go    exact     near    judge  no pair    pairs   down to"
    for f in forecasts:
        parts = "".join(f"  {_share(part, f.over):>7}" for part in (f.exact, f.near, f.judgement, f.missing))
        cosine = "" if f.cosine is None else f"{f.cosine:.2f}"
        yield f"  {f.share:>6.0%}  {f.limit:>10,}  {f.over:>10,}{parts}  {f.pairs:>7,}   {cosine:>7}"
    yield f"  exact, near: copies; judge: needs one to decide; no pair: nothing similar is left (cosine under {floor:g})"


def _more(left: int) -> Iterator[str]:
    if left > 0:
        yield f"  and {left:,} more"


def _many(count: int, one: str, many: str = "") -> str:
    return f"{count:,} {one if count == 1 else many or one + 's'}"


def _share(part: int, whole: int) -> str:
    return f"{100 * part / whole:.0f} %" if whole else "-"


def _cut(line: str) -> str:
    line = line.replace("\n", " ")
    return line if len(line) <= _WIDTH else line[: _WIDTH - 1] + "…"
