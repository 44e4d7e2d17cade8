"""hedgerow convert: a table in another format."""

from __future__ import annotations

from typing import Any

import click

from hedgerow.cli.options import QUIET_OPTION, data_options, say, source_of
from hedgerow.cli.output import watched


@click.command("convert")
@click.argument("data")
@click.argument("output")
@data_options
@QUIET_OPTION
def command(data: str, output: str, reading: dict[str, Any], quiet: bool) -> None:
    """Write DATA as OUTPUT, in the format that OUTPUT's name tells (.csv, .tsv, .arff, .parquet, .feather)."""
    from hedgerow.data.infer import repeated
    from hedgerow.data.write import Writer

    source, is_plain = source_of(data, reading), output.removesuffix(".gz").endswith((".csv", ".tsv", "-"))
    with Writer(output) as writer, watched(source, "converting", quiet):
        for batch in source.batches():
            writer.add(batch)
            if batch.weights is not None and is_plain:
                source.note("the row weights are lost: this format has no place for them")
    idle = repeated(source.schema) if is_plain else ()  # the format does not tell words from texts
    for note in source.notes:
        say(note, quiet or note in idle)
