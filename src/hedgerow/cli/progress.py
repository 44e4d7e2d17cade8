"""Progress on a terminal: one bar for a whole job, and the remaining time that its work suggests."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from threading import Lock, Timer
from time import monotonic
from typing import Any

from hedgerow.training.monitor import Monitor, Progress

PROGRESS_DELAY = 0.5  # seconds before progress shows: what is quicker needs none
EARLY = 0.03  # share of the work before which the remaining time is not estimated
PARTS = 1000  # of the bar
_open: list[_Bar] = []  # the bar of the whole job, if there is one


@contextmanager
def progress(what: str, quiet: bool, work: float = 0.0, rest: float = 0.0) -> Iterator[Progress]:
    """Yield a callback that draws a progress bar with the remaining time; None if there is no terminal.

    The bar appears after a moment, whether the callback is used or not, and disappears at the end. Inside `one_bar` it
    is a stage of the bar of the whole job: of so much `work`, with the `rest` of the job after it, in any unit.
    """
    if _open:
        with _open[-1].stage(what, work, rest):
            yield _open[-1]
        return
    if quiet or not has_terminal():
        yield None
        return
    with one_bar(quiet), _open[-1].stage(what, 1.0, 0.0):
        yield _open[-1]


@contextmanager
def one_bar(quiet: bool) -> Iterator[None]:
    """Show all progress inside as one bar."""
    if quiet or not has_terminal() or _open:
        yield
        return
    bar = _Bar()
    _open.append(bar)
    try:
        yield
    finally:
        _open.remove(bar)
        bar.stop()


class TerminalMonitor(Monitor):
    """Follows a job by bars on the terminal, unless it is to be quiet."""

    def __init__(self, quiet: bool) -> None:
        self.quiet = quiet

    def stage(self, what: str, work: float = 0.0, rest: float = 0.0) -> AbstractContextManager[Progress]:
        """Return a context that draws a stage."""
        return progress(what, self.quiet, work, rest)


def rough_time(seconds: float) -> str:
    """Return a time in round numbers.

    >>> [rough_time(seconds) for seconds in (0.2, 7.3, 42, 100, 4000, 40000)]
    ['1 s', '7 s', '40 s', '2 min', '65 min', '11 h']
    """
    if seconds < 10:
        return f"{max(round(seconds), 1)} s"
    if seconds < 90:
        return f"{round(seconds / 5) * 5} s"
    if seconds < 2 * 3600:
        minutes = seconds / 60
        return f"{round(minutes) if minutes < 10 else round(minutes / 5) * 5} min"
    return f"{round(seconds / 3600)} h"


def has_terminal() -> bool:
    """Whether standard error is a terminal that can draw a bar."""
    return sys.stderr.isatty() and os.environ.get("TERM") != "dumb"


def time_left(elapsed: float, share: float) -> str:
    """Return about how long the rest takes if it goes on as before; empty while too little is done to tell.

    >>> time_left(10, 0.25), time_left(60, 0.2), time_left(1, 0.01)
    ('about 30 s left', 'about 4 min left', '')
    """
    return f"about {rough_time(elapsed * (1 - share) / share)} left" if EARLY <= share <= 1 else ""


class _Bar:
    """A progress line on standard error: the stage, the share of the work done, the remaining time."""

    def __init__(self) -> None:
        self.start = monotonic()
        self.what, self.done = "", 0
        self.total: int | None = None
        self.passed, self.work, self.rest = 0.0, 0.0, 0.0
        self.drawn: Any = None
        self.is_over = False
        self.lock = Lock()
        self.timer = Timer(PROGRESS_DELAY, self._show)  # for work that does not call back
        self.timer.daemon = True
        self.timer.start()

    @contextmanager
    def stage(self, what: str, work: float, rest: float) -> Iterator[None]:
        """Begin a stage, and count its work when it is over."""
        self.what, self.done, self.total = what, 0, None
        self.work, self.rest = work, rest
        self._show_if_due()
        if self.drawn is not None:
            self.drawn.refresh()
        try:
            yield
        finally:
            self.passed, self.work = self.passed + work, 0.0

    @property
    def share(self) -> float | None:
        """The share of the whole work that is done; None if unknown."""
        whole = self.passed + self.work + self.rest
        if not whole or (self.total is None and self.passed == 0):
            return None
        return (self.passed + self.work * (self.done / self.total if self.total else 0.0)) / whole

    def __call__(self, done: int, total: int | None) -> None:
        self.done, self.total = done, total
        self._show_if_due()

    def _show_if_due(self) -> None:
        if monotonic() - self.start >= PROGRESS_DELAY:
            self._show()

    def _show(self) -> None:
        with self.lock:
            if self.is_over:
                return
            if self.drawn is None:
                self.drawn = _make_progress()
            share = self.share
            counted = "" if share is None else f"{share:.0%}"
            if share is None and self.done:
                counted = f"{self.done:,}"
            left = "" if share is None else time_left(monotonic() - self.start, share)
            task = self.drawn.task_ids[0]
            completed, total = (0, None) if share is None else (share * PARTS, PARTS)
            self.drawn.update(task, completed=completed, total=total, description=self.what, counted=counted, left=left)

    def stop(self) -> None:
        """Remove the bar."""
        self.timer.cancel()
        with self.lock:
            self.is_over = True
        if self.drawn is not None:
            self.drawn.stop()


def _make_progress() -> Any:
    from rich.console import Console
    from rich.progress import BarColumn, TextColumn
    from rich.progress import Progress as Lines

    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        TextColumn("{task.fields[counted]}"),
        TextColumn("{task.fields[left]}"),
    )
    bar = Lines(*columns, console=Console(stderr=True), transient=True)
    bar.add_task("", total=None, counted="", left="")
    bar.start()
    return bar
