"""hedgerow predict: predictions for a file of any length, in constant memory."""

from __future__ import annotations

from typing import Any

import click

from hedgerow.cli.options import QUIET_OPTION, data_options, say, source_of


@click.command("predict")
@click.argument("model")
@click.argument("data")
@click.option("-o", "--output", default="-", metavar="FILE", help="Where to (default: standard output, as CSV).")
@click.option("--with-data", is_flag=True, help="Put the columns that the model uses in front of its predictions.")
@data_options
@QUIET_OPTION
def command(model: str, data: str, output: str, with_data: bool, reading: dict[str, Any], quiet: bool) -> None:
    """Predict every row of DATA with the model saved in MODEL, in the order of the rows.

    Columns are matched by name and levels by value. For classes, the probability of each follows the prediction.
    """
    from hedgerow.data.write import Writer
    from hedgerow.learn.predictions import predictions
    from hedgerow.models.files import load

    learned = load(model)
    source = source_of(data, reading, schema=learned.schema)
    with Writer(output) as writer:
        for batch in source.batches():
            writer.add(predictions(learned, batch, with_data))
    for note in source.notes:
        say(note, quiet)
