"""hedgerow describe: what is in a table."""

from __future__ import annotations

from typing import Any

import click

from hedgerow.cli.options import JSON_OPTION, data_options, table_of
from hedgerow.cli.output import show


@click.command("describe")
@click.argument("data")
@data_options
@JSON_OPTION
def command(data: str, reading: dict[str, Any], as_json: bool) -> None:
    """Show what is in DATA: kinds, levels, missing values, class shares, suspicious columns."""
    from hedgerow.report.data import describe_report

    table, notes = table_of(data, reading)
    report = describe_report(table)
    said = tuple(column.left_out for column in table.schema.columns if column.ignored)
    notes = [note for note in notes if not note.startswith(said)]  # the report has a place for these
    show({**report, "source": data, "notes": [*report["notes"], *notes]}, as_json)
