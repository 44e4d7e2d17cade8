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
def progress(what: str, quiet: bool, work: float = 0.0, rest: float = 0.0, parts: int = 0) -> Iterator[Progress]:
    """Yield a callback that draws a progress bar with the remaining time; None if there is no terminal.

    The bar appears after a moment, whether the callback is used or not, and disappears at the end. Inside `one_bar` it
    is a stage of the bar of the whole job: of so much `work`, with the `rest` of the job after it, in any unit. If the
    callback counts work itself, `parts` is how many of its counts are one of these units.
    """
    if _open:
        with _open[-1].stage(what, work, rest, parts):
            yield _open[-1]
        return
    if quiet or not has_terminal():
        yield None
        return
    with one_bar(quiet), _open[-1].stage(what, 1.0, 0.0, 0):
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

    def stage(
        self, what: str, work: float = 0.0, rest: float = 0.0, parts: int = 0
    ) -> AbstractContextManager[Progress]:
        """Return a context that draws a stage."""
        return progress(what, self.quiet, work, rest, parts)


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


class _Bar:
    """A progress line on standard error: the stage, the share of the work done, the remaining time."""

    def __init__(self) -> None:
        self.start = monotonic()
        self.what, self.done = "", 0
        self.total: int | None = None
        self.passed, self.work, self.rest, self.parts = 0.0, 0.0, 0.0, 0
        self.end: float | None = None  # when the work will be done, as it seems
        self.drawn: Any = None
        self.is_over = False
        self.lock = Lock()
        self.timer = Timer(PROGRESS_DELAY, self._show)  # for work that does not call back
        self.timer.daemon = True
        self.timer.start()

    @contextmanager
    def stage(self, what: str, work: float, rest: float, parts: int) -> Iterator[None]:
        """Begin a stage, and count its work when it is over."""
        self.what, self.done, self.total = what, 0, None
        self.work, self.rest, self.parts = work, rest, parts
        self._show_if_due()
        if self.drawn is not None:
            self.drawn.refresh()
        try:
            yield
        finally:
            self.passed, self.work = self.passed + self.work, 0.0

    @property
    def share(self) -> float | None:
        """The share of the whole work that is done; None if unknown."""
        whole = self.passed + self.work + self.rest
        if not whole or (self.total is None and self.passed == 0):
            return None
        return (self.passed + self.work * (self.done / self.total if self.total else 0.0)) / whole

    def __call__(self, done: int, total: int | None) -> None:
        self.done, self.total = done, total
        if self.parts and total:  # what follows takes less, too, if this takes less than expected
            work = total / self.parts
            self.work, self.rest = work, self.rest * (work / self.work if self.work else 1.0)
        self._show_if_due()

    def _show_if_due(self) -> None:
        if monotonic() - self.start >= PROGRESS_DELAY:
            self._show()

    def _show(self) -> None:
        with self.lock:
            if self.is_over:
                return
            if self.drawn is None:
                self.drawn = _make_progress(self)
            share = self.share
            counted = "" if share is None else f"{share:.0%}"
            if share is None and self.done:
                counted = f"{self.done:,}"
            now = monotonic()
            self.end = now + (now - self.start) * (1 - share) / share if share is not None and share >= EARLY else None
            task = self.drawn.task_ids[0]
            completed, total = (0, None) if share is None else (share * PARTS, PARTS)
            self.drawn.update(task, completed=completed, total=total, description=self.what, counted=counted)

    def stop(self) -> None:
        """Remove the bar."""
        self.timer.cancel()
        with self.lock:
            self.is_over = True
        if self.drawn is not None:
            self.drawn.stop()


def _make_progress(bar_of_job: _Bar) -> Any:
    from rich.console import Console
    from rich.progress import BarColumn, ProgressColumn, TextColumn
    from rich.progress import Progress as Lines
    from rich.text import Text

    class TimeLeft(ProgressColumn):
        """The remaining time, which goes on between two callbacks."""

        def render(self, task: Any) -> Text:  # noqa: ARG002
            end = bar_of_job.end
            return Text("" if end is None else f"about {rough_time(max(end - monotonic(), 0.0))} left")

    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        TextColumn("{task.fields[counted]}"),
        TimeLeft(),
    )
    bar = Lines(*columns, console=Console(stderr=True), transient=True)
    bar.add_task("", total=None, counted="")
    bar.start()
    return bar
