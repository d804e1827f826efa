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
LATE = 0.5
"""Seconds without news after which a bar shows that something goes on."""
PLAIN = 60.0
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
        os.write(2, b"\nending between two edits (Ctrl-C again stops at once)\n")


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
        self._drawing = threading.RLock()
        self._late = threading.Timer(LATE, self._wait_visibly)
        self._late.daemon = True

    def __enter__(self) -> Meter:
        if self._live:
            self._late.start()
        return self

    def __exit__(self, *exception: object) -> None:
        self.clear()

    def clear(self) -> None:
        """Take the bar off the screen."""
        self._late.cancel()
        with self._drawing:
            if self._bar is not None:
                self._bar.stop()
            self._bar, self._what = None, ""

    def told(self, what: str, done: int, total: int) -> None:
        """So many of so many entries are embedded, or so many stored; when all are, they are compared with each other."""
        self._interrupt.check()
        if what == "stored" and self._due(what):
            self._show(what, f"{done:,}", 0, None)
        elif what != "stored" and done == total and self._due("comparing"):
            self._show("comparing", f"{total:,} entries", 0, None)
        elif self._due(what):
            self._show(what, f"{done:,} of {total:,}", done, total)

    def step(self, report: Report) -> None:
        """The run is so far."""
        self._interrupt.check()
        if not self._due(""):
            return
        over = report.missed_by
        vetoes = sum(report.vetoes.values())
        told = f"{_short(over, report.unit)} over, {report.judgements:,} pairs, {report.edits:,} edits, {vetoes:,} vetoes"
        goal = max(0, report.before - report.limit)
        self._show("", told, goal - over, goal)

    def _due(self, what: str) -> bool:
        now = time.monotonic()
        wait = REFRESH if self._live else PLAIN
        if (what == self._what or not self._live) and now - self._shown < wait:
            return False
        self._shown = now
        return True

    def _wait_visibly(self) -> None:
        """Show that something goes on while the store is being read, which tells nothing itself."""
        with self._drawing:
            if self._bar is None and not self._late.finished.is_set():
                self._show("reading", "", 0, None)

    def _show(self, what: str, told: str, done: int, total: int | None) -> None:
        with self._drawing:
            if not self._live:
                click.echo(f"{what} {told}".strip(), err=True)
            elif self._bar is None or what != self._what:
                self.clear()
                self._bar = _bar()
                self._task = self._bar.add_task(what, total=total, completed=done, told=told, left="left" if total else "")
                self._bar.start()
            else:
                self._bar.update(self._task, total=total, completed=done, told=told)
            self._what = what


def _short(amount: int, unit: str) -> str:
    """`1.3 MB`, `12 kB`, `980 bytes`, `1,200 entries`."""
    if unit != "bytes" or amount < 10_000:
        return f"{amount:,} {unit}"
    return f"{amount / 1e6:.1f} MB" if amount >= 1_000_000 else f"{amount // 1000} kB"


def _bar() -> Progress:
    """A bar that goes away when it is done: what, bar, told, elapsed, left."""
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn
    from rich.table import Column

    from memfold.cli.show import console

    words = [TextColumn("{task.description}", markup=False), BarColumn(None), TextColumn("{task.fields[told]}", markup=False)]
    times = [
        TimeElapsedColumn(table_column=Column(no_wrap=True, min_width=7)),
        TextColumn("{task.fields[left]}", table_column=Column(no_wrap=True, min_width=4)),
        TimeRemainingColumn(compact=True, table_column=Column(no_wrap=True, min_width=5)),
    ]
    return Progress(*words, *times, console=console(err=True), transient=True, expand=True)
