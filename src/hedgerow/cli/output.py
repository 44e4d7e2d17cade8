"""What the verbs print: a report as text or as JSON, and progress on a terminal."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import click

Progress = Callable[[int, int], None] | None


def show(report: dict[str, Any], as_json: bool) -> None:
    """Print a report."""
    if as_json:
        from hedgerow.report.plain import to_json

        click.echo(to_json(report))
    else:
        from hedgerow.report.text import render

        click.echo(render(report), nl=False)


@contextmanager
def progress(what: str, quiet: bool) -> Iterator[Progress]:
    """Yield a callback that draws a bar with the remaining time; None when nobody watches a terminal."""
    if quiet or not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn
    from rich.progress import Progress as Bar

    columns = TextColumn(what), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn()
    with Bar(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(what, total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)
