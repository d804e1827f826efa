"""`refine --review`: a person's word on each edit, before it is made."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

import click

from memfold.cli.progress import Interrupt
from memfold.cli.show import console, edits_table, on_one_line

if TYPE_CHECKING:
    from memfold.types import Decision, Edit, Pair

KEYS = {
    "y": "yes, make this edit",
    "n": "no, keep the two apart, also in later runs",
    "e": "edit the merged text, then make the edit",
    "a": "yes, and yes to every other edit of this kind (delete or merge) in this run",
    "q": "quit: leave this one and all that follow; what was made stays",
    "?": "show this help",
}


class Reviewer:
    """Asks before each edit and remembers what was answered for all of a kind. Call it as `Memory.refine`'s `review`.

    Answers are read from stdin line by line, so that a script can give them.
    """

    def __init__(self, interrupt: Interrupt, before_asking: Callable[[], None], *, err: bool = False) -> None:
        """`before_asking` clears the screen of a progress bar; `err` asks on stderr instead of stdout."""
        self.out = console(err=err)
        self._err = err
        self._interrupt = interrupt
        self._before_asking = before_asking
        self._all: set[str] = set()

    def __call__(self, pair: Pair, decision: Decision, edit: Edit) -> Decision | None:
        """The decision to carry out, or None to end the run."""
        if decision.action in self._all:
            return decision
        self._before_asking()
        texts = {pair.a.id: pair.a.text, pair.b.id: pair.b.text}
        self.out.print(edits_table([edit], lambda id: texts.get(id, ""), width=self.out.width))
        while True:
            answer = self._read(f"{edit.action} this? [y,n,e,a,q,?] ")
            if answer is None:
                self.out.print("no more answers: the review ends here")
                return None
            match answer.strip().lower()[:1]:
                case "y":
                    return decision
                case "n":
                    return replace(decision, action="preserve", target="", merged="", reason="you said no")
                case "a":
                    self._all.add(decision.action)
                    return decision
                case "q":
                    return None
                case "e":
                    edited = self._edited(decision, edit)
                    if edited is not None:
                        return edited
                case _:
                    self.out.print("\n".join(f"  {key}  {what}" for key, what in KEYS.items()))

    def _edited(self, decision: Decision, edit: Edit) -> Decision | None:
        """The decision with the text that the person made of the merge; None to ask again."""
        if decision.action != "merge":
            self.out.print("a delete has no merged text to edit; answer y or n")
            return None
        text = self._text(edit.after[0].text)
        if not text or text == edit.after[0].text:
            self.out.print("the text is as it was; answer y to take it so")
            return None
        longer = _weight(text) - _weight(edit.after[0].text)
        if longer >= edit.saved:
            self.out.print(f"that text is {longer - edit.saved + 1:,} bytes too long: nothing would be saved; shorten it, or answer n")
            return None
        return replace(decision, merged=text, reason=f"{decision.reason} (merged text edited by you)")

    def _text(self, text: str) -> str:
        """The text from the person's editor where there is one, else from one line of input."""
        if sys.stdin.isatty() and (os.environ.get("VISUAL") or os.environ.get("EDITOR")):
            return (click.edit(text + "\n") or text).strip()
        self.out.print(f"now: {on_one_line(text)}")
        return (self._read("new: ") or "").strip()

    def _read(self, prompt: str) -> str | None:
        """A line of input; None at its end."""
        click.echo(prompt, nl=False, err=self._err)
        self._interrupt.waiting = True
        try:
            line = sys.stdin.readline()
        except KeyboardInterrupt:
            click.echo(err=self._err)
            raise
        finally:
            self._interrupt.waiting = False
        if not sys.stdin.isatty():
            click.echo(line.rstrip("\n"), err=self._err)
        return line if line else None


def _weight(text: str) -> int:
    """Bytes that a text takes inside an entry's JSON."""
    return len(json.dumps(text, ensure_ascii=False).encode("utf-8", "surrogatepass"))
