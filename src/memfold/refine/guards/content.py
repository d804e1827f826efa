"""No statement is lost, though it holds no value: what goes must be said by what stays."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator

from memfold.refine.guards.reading import Clause, Reading
from memfold.refine.text.generic import GENERIC, OF_VALUES
from memfold.refine.text.lexicon import ENGLISH
from memfold.refine.text.polarity import negations
from memfold.refine.text.words import script, stem

SHARE, FEW = 0.45, 5
"""A delete loses content where less than this share of the victim's claims stands in what stays, and at least so many do not:
fewer new words are taken for another way to say the same."""
MERGE_SHARE, MERGE_FEW = 0.6, 2
"""The same for a merge, which has no reason to leave anything out."""
MIDDLE = 4
"""Words that one side may say where the other says something else, for both to count as one frame."""
LONG_FRAME = 7
"""Words of a frame that is found although more stands before it."""
THAI_MIDDLE = 12
"""The same in characters, for scripts whose words are written in letters and without spaces."""
_PREFIX = 5
_SPACELESS = ("han", "hiragana", "kana", "spaceless")


def unsaid(victim: Reading, kept: Reading, *, merged: bool = False) -> list[str]:
    """The content words of the victim's claims that the kept text lacks, endings aside; [] where enough of them stand there."""
    share, few = (MERGE_SHARE, MERGE_FEW) if merged else (SHARE, FEW)
    new = not_said(victim.claims, kept.words)
    if victim.is_note and len(victim.claims) == 1 and negations(victim.said) and (denied := not_said(victim.claims, kept.claims)):
        return denied  # what a category or a value of the kept text names is not denied there
    said = 1 - len(new) / len(victim.claims) if victim.claims else 1.0
    if said == 0 and not _kin(victim, kept):
        few = min(few, _few_of_unsaid(victim))
    return new if len(new) >= few and said < share else []


def not_said(words: Iterable[str], held: Collection[str]) -> list[str]:
    """Those of the words that are not held, nor begin like one that is, in order."""
    beginnings = {word[:_PREFIX] for word in held if len(word) >= _PREFIX}
    return sorted(word for word in words if word not in held and not (len(word) >= _PREFIX and word[:_PREFIX] in beginnings))


def _kin(victim: Reading, kept: Reading) -> bool:
    """Whether a claim of the victim begins like a word of the kept text, as forms and compounds of one word do."""
    beginnings = {word[:4] for word in kept.words if len(word) >= 4}
    return any(len(word) >= 4 and word[:4] in beginnings for word in victim.claims)


def _few_of_unsaid(victim: Reading) -> int:
    """From how many words on a text is lost of which what stays says nothing at all: one in a note about somebody or something by
    name, and in scripts without spaces, where one sentence is many pieces; two in other notes; more in talk.
    """
    if any(script(word[0]) in _SPACELESS for word in victim.claims):
        return 1
    if not victim.is_note:
        return FEW
    return 1 if any(value.kind == "name" for value in victim.facts) else 2


def aligned(victim: Reading, kept: Reading) -> Iterator[tuple[Clause, Clause]]:
    """The pairs of clauses that speak of the same and of little else: two thirds of the shorter one's content words are shared, and
    half of the longer one's. A clause that both have word for word needs no partner.
    """
    for clause in _changed(victim, kept):
        for other in kept.clauses:
            shared, sizes = len(clause.words & other.words), sorted((len(clause.words), len(other.words)))
            if shared >= min(2, sizes[0]) and 3 * shared >= 2 * sizes[0] and 2 * shared >= sizes[1]:
                yield clause, other


def _changed(victim: Reading, kept: Reading) -> list[Clause]:
    """The clauses of the victim that the kept text does not hold word for word."""
    rows = {clause.row for clause in kept.clauses}
    return [clause for clause in victim.clauses if clause.row not in rows]


def _related(victim: Reading, kept: Reading) -> Iterator[tuple[Clause, Clause]]:
    return ((clause, other) for clause in _changed(victim, kept) for other in kept.clauses if not clause.words.isdisjoint(other.words))


def replaced(victim: Reading, kept: Reading) -> tuple[str, str] | None:
    """What the victim says where the kept text says something else in the same frame: ("blue cheese", "smoked eel")."""
    for clause, other in _related(victim, kept):
        found = _one_difference(clause.row, other.row)
        if found is not None and _says_something(clause.words):
            mine, theirs = found
            new, instead = _news(mine), _news(theirs)
            of_one_kind = all(word in ENGLISH for word in new) == all(word in ENGLISH for word in instead)
            if any(stem(word) not in kept.stems for word in new) and instead and of_one_kind:
                return " ".join(mine), " ".join(theirs)
    return None


def _says_something(words: frozenset[str]) -> bool:
    """Whether a clause is more than mood: two telling words, or none that is of mood."""
    return sum(map(telling, words)) > 1 or words.isdisjoint(GENERIC)


def exchanged(victim: Reading, kept: Reading) -> bool:
    """Whether the texts part only in who is who: `Ana owes Ben 20`, `Ben owes Ana 20`."""
    names = {value.canonical for value in victim.values if value.kind == "name"}
    for clause, other in _related(victim, kept) if len(names) > 1 else ():
        mine, theirs = clause.row, other.row
        if mine != theirs and sorted(mine) == sorted(theirs) and _without(mine, names) == _without(theirs, names):
            return True
    return False


def _without(row: tuple[str, ...], names: set[str]) -> list[str]:
    return ["" if word in names else word for word in row]


_INSIGNIFICANT = frozenset(
    "a an the is are was were be been has have had to of that this and s it its will would as by for so also".split()
)


def telling(word: str) -> bool:
    """Whether a content word names something, rather than a mood or an amount."""
    return word not in GENERIC and not word[0].isdigit()


def _news(row: tuple[str, ...]) -> list[str]:
    return [word for word in row if word not in _INSIGNIFICANT and word not in OF_VALUES and not word[0].isdigit()]


def _one_difference(one: tuple[str, ...], other: tuple[str, ...]) -> tuple[tuple[str, ...], tuple[str, ...]] | None:
    """The differing middles of two rows of words that begin and end alike, where the common part is the larger."""
    least = min(len(one), len(other))
    start = next((i for i in range(least) if one[i] != other[i]), least)
    tail = next((i for i in range(least - start) if one[-1 - i] != other[-1 - i]), least - start)
    mine, theirs = one[start : len(one) - tail], other[start : len(other) - tail]
    longest = THAI_MIDDLE if any("\u0e00" <= word[0] <= "\u0eff" for word in mine) else MIDDLE
    if not start and tail >= LONG_FRAME and len(theirs) > longest:
        theirs = theirs[-longest:]  # what else stands before somebody does not hide that it is somebody else
    frame, middle = start + tail, max(len(mine), len(theirs))
    return (mine, theirs) if mine and theirs and middle <= longest and frame >= max(middle, 2) else None


def same_but_digits(one: str, other: str) -> bool:
    """Whether two different texts are equal when all their digits are blanked: `locker 4417`, `locker 4471`."""
    return one != other and len(one) == len(other) and _blanked(one) == _blanked(other)


def _blanked(text: str) -> str:
    return "".join("#" if char.isnumeric() else char for char in text)
