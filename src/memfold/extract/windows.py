"""A session as the model reads it: numbered turns, in windows that fit one request."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from memfold.extract.claims import Work
from memfold.extract.prompts import lines

_LINE = 24
"""Tokens that a turn's number, time and speaker take at most."""


@dataclass(frozen=True, slots=True)
class Piece:
    """A turn, or a part of one that is too long for a window. `place` is the turn's place in the session."""

    place: int
    text: str
    tokens: int


def windows(work: Work) -> list[list[Piece]]:
    """The session cut at its turns into windows of at most `settings.window` tokens, neighbours sharing `settings.overlap` turns.

    A turn that is longer than a window is cut between its words. Every turn is in at least one window, in order.
    """
    room = max(work.settings.window, 2 * _LINE)
    pieces = [piece for place, turn in enumerate(work.turns) for piece in _pieces(work, place, turn.text, room - _LINE)]
    out: list[list[Piece]] = []
    current: list[Piece] = []
    for piece in pieces:
        if current and sum(p.tokens for p in current) + piece.tokens > room:
            out.append(current)
            current = _tail(current, work.settings.overlap, room - piece.tokens)
        current.append(piece)
    return [*out, current] if current else out


def _tail(pieces: Sequence[Piece], most: int, room: int) -> list[Piece]:
    """The last pieces, as many as are wanted and leave half of the room or more."""
    kept: list[Piece] = []
    for piece in reversed(pieces[-most:] if most else []):
        if sum(p.tokens for p in kept) + piece.tokens > room // 2:
            break
        kept.insert(0, piece)
    return kept


def _pieces(work: Work, place: int, text: str, room: int) -> list[Piece]:
    tokens = work.tools.counter.count(text)
    if tokens <= room or len(text) < 2:
        return [Piece(place, text, tokens + _LINE)]
    half = len(text) // 2
    blank = text.rfind(" ", half // 2, half)
    cut = blank + 1 if blank > 0 else half
    return [*_pieces(work, place, text[:cut], room), *_pieces(work, place, text[cut:], room)]


def shown(work: Work, pieces: Iterable[Piece]) -> str:
    """The pieces as lines of JSON: the turn's number (from 1), its time where one is known, who speaks, what is said."""
    return lines(_row(work, piece) for piece in pieces)


def shown_turns(work: Work, places: Iterable[int]) -> str:
    """The turns at these places, in order, as `shown` gives them."""
    return shown(work, (Piece(place, work.turns[place].text, 0) for place in sorted(set(places))))


def _row(work: Work, piece: Piece) -> dict[str, object]:
    turn = work.turns[piece.place]
    time = {"time": turn.time.strftime("%A %Y-%m-%d %H:%M")} if turn.time else {}
    return {"turn": piece.place + 1, **time, "speaker": turn.speaker or turn.role, "text": piece.text}
