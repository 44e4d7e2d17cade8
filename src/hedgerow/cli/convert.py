"""hedgerow convert: a table in another format."""

from __future__ import annotations

import math
from typing import Any

import click

from hedgerow.cli.options import QUIET_OPTION, SAFE_CELLS_OPTION, data_options, say, source_of
from hedgerow.cli.output import watched
from hedgerow.data.quotes import shell_word
from hedgerow.data.schema import Kind, Schema


@click.command("convert")
@click.argument("data")
@click.argument("output")
@SAFE_CELLS_OPTION
@data_options
@QUIET_OPTION
def command(data: str, output: str, safe_cells: bool, reading: dict[str, Any], quiet: bool) -> None:
    """Write DATA as OUTPUT, in the format that OUTPUT's name tells (.csv, .tsv, .arff, .parquet, .feather)."""
    from hedgerow.data.infer import repeated
    from hedgerow.data.write import Writer

    source, is_plain = source_of(data, reading), output.removesuffix(".gz").endswith((".csv", ".tsv", "-"))
    with Writer(output, safe_cells=safe_cells) as writer, watched(source, "converting", quiet):
        for batch in source.batches():
            writer.add(batch)
    for note in (*writer.notes, *_kinds_lost(source.schema, is_plain)):
        source.note(note)
    idle = repeated(source.schema) if is_plain else ()  # the format does not tell words from texts
    for note in source.notes:
        say(note, quiet or note in idle)


def _kinds_lost(schema: Schema, is_plain: bool) -> list[str]:
    """Return what must be said again when delimited text is read back: levels that look like numbers."""
    from hedgerow.data.formats.delimited import numbers_of

    if not is_plain:
        return []
    numbers = [
        column.name
        for column in schema.columns
        if column.kind is Kind.NOMINAL and column.levels and not any(map(math.isnan, numbers_of(column.levels)))
    ]
    return [
        f"column {name!r} is nominal, but looks numeric: read it back with --nominal {shell_word(name)}"
        for name in numbers
    ]
