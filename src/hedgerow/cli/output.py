"""What the verbs print: a report as text or as JSON, and progress on a terminal."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from threading import Lock, Timer
from time import monotonic
from typing import IO, TYPE_CHECKING, Any

import click

from hedgerow.layout.terminal import clean_lines

if TYPE_CHECKING:
    from hedgerow.data.table.source import Source
    from hedgerow.data.table.table import Table

Progress = Callable[[int, int | None], None] | None

COLUMNS = 100  # of text that no terminal shows
NARROWEST, WIDEST = 60, 160
PLAIN_TERMINALS = {"dumb", "linux"}  # their fonts lack the blocks of histograms, or they have no control codes
PROGRESS_DELAY = 0.5  # seconds before progress shows: what is quicker needs none


def show(report: Mapping[str, Any], as_json: bool, in_color: bool = False) -> None:
    """Print a report, as wide as the terminal and in characters of its encoding."""
    if as_json:
        from hedgerow.layout.json_values import to_json

        click.echo(to_json(report))
    else:
        from hedgerow.layout.terminal import fit_encoding
        from hedgerow.report.whole.text import render

        columns = terminal_width(sys.stdout)
        text = render(
            report, columns, folded=sys.stdout.isatty(), in_color=in_color
        )  # elsewhere a rule is a line, as programs want it
        if sys.stdout.isatty() and not in_color:  # for parts that do not clean what they show
            text = clean_lines(text)
        colored = True if in_color else None  # else click decides
        click.echo(fit_encoding(text, stream_encoding(sys.stdout)), nl=False, color=colored)


def print_safely(line: str) -> None:
    """Print a line on standard error; control characters in names and values are neutralized."""
    click.echo(clean_lines(line), err=True)


def terminal_width(stream: IO[str]) -> int:
    """Return the maximum width of lines: that of the terminal, within reason."""
    if not stream.isatty():
        return COLUMNS
    return min(max(shutil.get_terminal_size((COLUMNS, 24)).columns, NARROWEST), WIDEST)


def stream_encoding(stream: IO[str]) -> str:
    """Return the encoding of the output."""
    if stream.isatty() and os.environ.get("TERM") in PLAIN_TERMINALS:
        return "ascii"
    return getattr(stream, "encoding", None) or "utf-8"


@contextmanager
def progress(what: str, quiet: bool) -> Iterator[Progress]:
    """Yield a callback that draws a progress bar with the remaining time; None if there is no terminal.

    The bar appears after a moment, whether the callback is used or not, and disappears at the end.
    """
    if quiet or not sys.stderr.isatty() or os.environ.get("TERM") == "dumb":
        yield None
        return
    bar = _Bar(what)
    try:
        yield bar
    finally:
        bar.stop()


@contextmanager
def show_reading_progress(source: Source, what: str, quiet: bool) -> Iterator[None]:
    """Show the progress of reading data while its rows are used."""
    with progress(what, quiet) as tell:
        source.report_progress_to(tell)
        try:
            yield
        finally:
            source.report_progress_to(None)


def read_all(source: Source, quiet: bool) -> Table:
    """Return all rows of a source, showing the progress of reading."""
    with show_reading_progress(source, "reading", quiet):
        return source.read()


class _Bar:
    """A progress line on standard error: the step, the share done, the remaining time."""

    def __init__(self, what: str) -> None:
        self.what, self.start = what, monotonic()
        self.done = 0
        self.total: int | None = None
        self.drawn: Any = None
        self.is_over = False
        self.lock = Lock()
        self.timer = Timer(PROGRESS_DELAY, self._show)  # for work that does not call back
        self.timer.daemon = True
        self.timer.start()

    def __call__(self, done: int, total: int | None) -> None:
        self.done, self.total = done, total
        if monotonic() - self.start >= PROGRESS_DELAY:
            self._show()

    def _show(self) -> None:
        with self.lock:
            if self.is_over:
                return
            if self.drawn is None:
                self.drawn = _make_progress(self.what)
            counted = f"{self.done:,}" if self.done else ""
            of = "" if self.total is None else f"/{self.total:,}"
            task = self.drawn.task_ids[0]
            self.drawn.update(task, completed=self.done, total=self.total, counted=counted + of)

    def stop(self) -> None:
        self.timer.cancel()
        with self.lock:
            self.is_over = True
        if self.drawn is not None:
            self.drawn.stop()


def _make_progress(what: str) -> Any:
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

    columns = TextColumn("{task.description}"), BarColumn(), TextColumn("{task.fields[counted]}"), TimeRemainingColumn()
    bar = Progress(*columns, console=Console(stderr=True), transient=True)
    bar.add_task(what, total=None, counted="")
    bar.start()
    return bar
