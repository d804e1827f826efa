"""Progress on stderr, and Ctrl-C that ends a run between two edits."""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from types import FrameType
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from rich.progress import Progress

    from memfold.refine.report import Report

REFRESH = 0.1
"""Seconds between two updates of the bar."""
PLAIN = 10.0
"""Seconds between two lines where stderr is no terminal."""


class Interrupt:
    """The first Ctrl-C is remembered, and raised by `check` between two edits; the second ends the process at once.

    While `waiting` for a person's answer, the first is raised on the spot.
    """

    def __init__(self) -> None:
        self.asked = False
        self.waiting = False
        self._before: Any = None

    def __enter__(self) -> Interrupt:
        if threading.current_thread() is threading.main_thread():
            self._before = signal.signal(signal.SIGINT, self._on_signal)
        return self

    def __exit__(self, *exception: object) -> None:
        if self._before is not None:
            signal.signal(signal.SIGINT, self._before)

    def check(self) -> None:
        """Raise what was remembered.

        :raises KeyboardInterrupt: Ctrl-C was pressed.
        """
        if self.asked:
            raise KeyboardInterrupt

    def _on_signal(self, number: int, frame: FrameType | None) -> None:
        if self.asked:
            signal.signal(signal.SIGINT, signal.SIG_DFL)
            os.kill(os.getpid(), signal.SIGINT)
        self.asked = True
        if self.waiting:
            raise KeyboardInterrupt
        os.write(2, b"\nending between two edits; Ctrl-C again stops at once (what was done stays, and is in the journal)\n")


class Meter:
    """Shows how far a command has come: a bar on a terminal, now and then a line elsewhere; nothing on stdout.

    `told` is Memory's `on_progress`, `step` its `on_step`.
    """

    def __init__(self, interrupt: Interrupt, *, live: bool = True) -> None:
        self._interrupt = interrupt
        self._live = live and sys.stderr.isatty()
        self._bar: Progress | None = None
        self._task: Any = None
        self._what = ""
        self._shown = time.monotonic()

    def __enter__(self) -> Meter:
        return self

    def __exit__(self, *exception: object) -> None:
        self.clear()

    def clear(self) -> None:
        """Take the bar off the screen."""
        if self._bar is not None:
            self._bar.stop()
        self._bar, self._what = None, ""

    def told(self, what: str, done: int, total: int) -> None:
        """So many of so many entries are embedded, or stored."""
        self._interrupt.check()
        if self._due(what):
            self._show(what, f"{done:,} of {total:,}" if total > done else f"{done:,}", done, total)

    def step(self, report: Report) -> None:
        """The run is so far."""
        self._interrupt.check()
        if not self._due("refine"):
            return
        over = report.missed_by
        vetoes = sum(report.vetoes.values())
        told = f"{over:,} {report.unit} over · {report.judgements:,} pairs · {report.edits:,} edits · {vetoes:,} vetoes"
        goal = max(0, report.before - report.limit)
        self._show("refine", told, goal - over, goal)

    def _due(self, what: str) -> bool:
        now = time.monotonic()
        wait = REFRESH if self._live else PLAIN
        if (what == self._what or not self._live) and now - self._shown < wait:
            return False
        self._shown = now
        return True

    def _show(self, what: str, told: str, done: int, total: int) -> None:
        if not self._live:
            click.echo(f"{what}: {told}", err=True)
        elif self._bar is None or what != self._what:
            self.clear()
            self._bar = _bar()
            self._task = self._bar.add_task(what, total=total, completed=done, told=told)
            self._bar.start()
        else:
            self._bar.update(self._task, total=total, completed=done, told=told)
        self._what = what


def _bar() -> Progress:
    """A bar that goes away when it is done: what, bar, told, elapsed, left."""
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

    from memfold.cli.show import console

    out = console(err=True)
    wide = max(6, min(40, out.width - 86))
    words = [TextColumn("{task.description}"), BarColumn(wide), TextColumn("{task.fields[told]}", markup=False)]
    return Progress(*words, TimeElapsedColumn(), TimeRemainingColumn(), console=out, transient=True)
