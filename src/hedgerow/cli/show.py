"""hedgerow show: print a saved model."""

from __future__ import annotations

import click

from hedgerow.cli.options import JSON_OPTION
from hedgerow.cli.output import show


@click.command("show")
@click.argument("model")
@JSON_OPTION
def command(model: str, as_json: bool) -> None:
    """Print the model saved in the file MODEL, and how it came about."""
    from hedgerow.models.files import load
    from hedgerow.report.build import model_report

    show({**model_report(load(model)), "file": model}, as_json)
