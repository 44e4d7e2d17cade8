"""hedgerow predict: predictions for a file of any length, in constant memory."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import click

from hedgerow.cli.options import QUIET_OPTION, layout_options, say, source_of
from hedgerow.cli.test import check_predicts
from hedgerow.data.schema import Kind, Schema
from hedgerow.data.source import Source
from hedgerow.data.table import Table, Text
from hedgerow.models.model import Model


@click.command("predict")
@click.argument("model")
@click.argument("data")
@click.option("-o", "--output", default="-", metavar="FILE", help="Where to (default: standard output, as CSV).")
@click.option("--with-data", is_flag=True, help="Put the columns that the model uses in front of its predictions.")
@click.option("--rule", is_flag=True, help="Add the rule that decides each row; of rules that vote, the first.")
@layout_options
@QUIET_OPTION
def command(
    model: str, data: str, output: str, with_data: bool, rule: bool, reading: dict[str, Any], quiet: bool
) -> None:
    """Predict every row of DATA with the model saved in MODEL, in the order of the rows.

    Columns are matched by name and levels by value. For classes, the probability of each follows the prediction; a row
    that rules leave without an answer has an empty prediction. MODEL may also be rules in a text file.
    """
    from hedgerow.data.write import Writer
    from hedgerow.models.files import load

    source = source_of(data, reading)
    learned = load(model, source)
    check_predicts(learned, model)
    source = source.reopened(schema=as_words(learned.schema) if with_data else learned.schema)
    with Writer(output) as writer:
        for table in predicted(learned, source, with_data, rule):
            writer.add(table)
    for note in source.notes:
        say(note, quiet)


def predicted(model: Model, source: Source, with_data: bool, rule: bool = False) -> Iterator[Table]:
    """Yield the predictions batch by batch; the source then has notes on levels that the model does not know."""
    from hedgerow.data.align import align
    from hedgerow.models.predictions import predictions

    beside: list[str] | None = None
    for batch in source.batches():
        aligned = align(batch, model.schema)
        for note in aligned.notes:
            source.note(note)
        if with_data and beside is None:
            beside = [name for name in batch.schema.names if name != model.schema.target or not is_absent(batch[name])]
        yield predictions(model, aligned.table, None if beside is None else batch.select(beside), rule=rule)


def as_words(schema: Schema) -> Schema:
    """Return the schema with its nominal columns as text, so that levels unknown to the model are kept as they are."""
    changed = {c.name: replace(c, kind=Kind.TEXT, levels=()) for c in schema.columns if c.kind is Kind.NOMINAL}
    return schema.with_columns(changed)


def is_absent(values: Any) -> bool:
    """Tell whether a target column holds nothing, as when the data have none."""
    return bool((values.missing if isinstance(values, Text) else values != values).all())
