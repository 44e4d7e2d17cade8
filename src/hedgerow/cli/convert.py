"""hedgerow convert: a table in another format."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import click

from hedgerow.cli.options import QUIET_OPTION, SAFE_CELLS_OPTION, data_options, open_data, print_note
from hedgerow.cli.output import show_reading_progress
from hedgerow.data.table.schema import Kind, Schema
from hedgerow.layout.quotes import quote_for_shell


@click.command("convert")
@click.argument("data")
@click.argument("output")
@SAFE_CELLS_OPTION
@data_options
@QUIET_OPTION
def command(data: str, output: str, safe_cells: bool, reading: dict[str, Any], quiet: bool) -> None:
    """Convert DATA to OUTPUT, in the format of its name (.csv, .tsv, .jsonl, .arff, .parquet, .feather).

    \b
      hedgerow convert loans.csv loans.parquet
      hedgerow convert loans.arff loans.csv
    """  # noqa: D301
    from hedgerow.data.table.schema_notes import sentence_column_notes
    from hedgerow.data.write import Writer

    source, is_plain = open_data(data, reading), output.removesuffix(".gz").endswith((".csv", ".tsv", "-"))
    with Writer(output, safe_cells=safe_cells) as writer, show_reading_progress(source, "converting", quiet):
        for batch in source.batches():
            writer.add(batch)
    for note in (*writer.notes, *_lost_kinds(source.schema, is_plain)):
        source.note(note)
    idle = sentence_column_notes(source.schema) if is_plain else ()  # the format does not tell words from texts
    for note in source.notes:
        print_note(note, quiet or note in idle)


def _lost_kinds(schema: Schema, is_plain: bool) -> list[str]:
    """Return the options needed when delimited text is read back: for levels that look like numbers or dates."""
    if not is_plain:
        return []
    looks = {
        column.name: _describe_level_type(column.levels) for column in schema.columns if column.kind is Kind.NOMINAL
    }
    return [
        f"column {name!r} is nominal, but looks {like}: read it back with --nominal {quote_for_shell(name)}"
        for name, like in looks.items()
        if like
    ]


def _describe_level_type(levels: Sequence[str]) -> str:
    """Return the kind that levels would be mistaken for; empty if none."""
    from hedgerow.data.table.date_forms import detect_pattern
    from hedgerow.data.table.delimited import parse_numbers

    if levels and not any(map(math.isnan, parse_numbers(levels))):
        return "numeric"
    return "like dates" if detect_pattern(levels) else ""
