"""hedgerow convert: a table in another format."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import click

from hedgerow.cli.options import QUIET_OPTION, SAFE_CELLS_OPTION, data_options, say, source_of
from hedgerow.cli.output import watched
from hedgerow.data.table.schema import Kind, Schema
from hedgerow.layout.quotes import quote_for_shell


@click.command("convert")
@click.argument("data")
@click.argument("output")
@SAFE_CELLS_OPTION
@data_options
@QUIET_OPTION
def command(data: str, output: str, safe_cells: bool, reading: dict[str, Any], quiet: bool) -> None:
    """Convert DATA to OUTPUT, in the format given by the name of OUTPUT (.csv, .tsv, .arff, .parquet, .feather)."""
    from hedgerow.data.table.schema_notes import repeated
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
    """Return the options needed when delimited text is read back: for levels that look like numbers or dates."""
    if not is_plain:
        return []
    looks = {column.name: _looks(column.levels) for column in schema.columns if column.kind is Kind.NOMINAL}
    return [
        f"column {name!r} is nominal, but looks {like}: read it back with --nominal {quote_for_shell(name)}"
        for name, like in looks.items()
        if like
    ]


def _looks(levels: Sequence[str]) -> str:
    """Return the kind that levels would be mistaken for; empty if none."""
    from hedgerow.data.table.dates import pattern_of
    from hedgerow.data.table.delimited import numbers_of

    if levels and not any(map(math.isnan, numbers_of(levels))):
        return "numeric"
    return "like dates" if pattern_of(levels) else ""
