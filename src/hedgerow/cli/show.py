"""hedgerow show: print a saved model."""

from __future__ import annotations

import click

from hedgerow.cli.options import JSON_OPTION
from hedgerow.cli.output import show
from hedgerow.errors import UsageError


@click.command("show")
@click.argument("model")
@click.option("--member", type=int, metavar="NUMBER", help="Print one member of a committee, counted from 0.")
@JSON_OPTION
def command(model: str, member: int | None, as_json: bool) -> None:
    """Print the model saved in the file MODEL, and how it came about."""
    from hedgerow.models.committee import Committee
    from hedgerow.models.files import load
    from hedgerow.report.build import model_report

    loaded = load(model)
    report = model_report(loaded)
    if member is not None:
        if not isinstance(loaded, Committee):
            raise UsageError(f"{model} holds a model of kind {loaded.kind!r}, which has no members")
        report["text"] = loaded.member(member)
    show({**report, "file": model}, as_json)
