"""What the verbs print: a report as text or as JSON, and progress on a terminal."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import IO, TYPE_CHECKING, Any

import click

from hedgerow.cli.progress import progress
from hedgerow.layout.terminal import clean_lines

if TYPE_CHECKING:
    from hedgerow.data.table.source import Source
    from hedgerow.data.table.table import Table

COLUMNS = 100  # of text that no terminal shows
NARROWEST, WIDEST = 60, 160
PLAIN_TERMINALS = {"dumb", "linux"}  # their fonts lack the blocks of histograms, or they have no control codes


def show(report: Mapping[str, Any], as_json: bool, in_color: bool = False, full: bool = True) -> None:
    """Print a report, as wide as the terminal and in characters of its encoding; of a training only one screen.

    With `full`, everything is printed.
    """
    if as_json:
        from hedgerow.layout.json_values import to_json

        click.echo(to_json(report))
    else:
        from hedgerow.layout.terminal import fit_encoding
        from hedgerow.report.whole.text import render

        columns = terminal_width(sys.stdout)
        text = render(
            report, columns, folded=sys.stdout.isatty(), in_color=in_color, full=full
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
