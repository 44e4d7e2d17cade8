"""hedgerow predict: predictions for a file of any length, in constant memory."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import click

from hedgerow.cli.options import QUIET_OPTION, SAFE_CELLS_OPTION, layout_options, open_data, print_note
from hedgerow.cli.output import show_reading_progress
from hedgerow.cli.test import check_predicts
from hedgerow.cli.training.decisions import decide, decision_options
from hedgerow.data.bags.source import bag_names
from hedgerow.data.formats.documents.folder_source import FolderSource
from hedgerow.data.table.schema import NAMES, Column, Kind, Schema
from hedgerow.data.table.source import Source
from hedgerow.data.table.table import Table, Text
from hedgerow.data.text.strip_mail import StrippedSource
from hedgerow.models.base.model import Model
from hedgerow.models.base.unknown_rows import unknown_rows_note

FILE = "file"  # the column that tells which file of a folder each row is


@click.command("predict")
@click.argument("model")
@click.argument("data")
@click.option("-o", "--output", default="-", metavar="FILE", help="The output file (default: standard output, as CSV).")
@click.option("--with-data", is_flag=True, help="Put the columns that the model uses before its predictions.")
@click.option("--rule", is_flag=True, help="Add the rule that decides each row; if rules vote, the first of them.")
@decision_options
@SAFE_CELLS_OPTION
@layout_options
@QUIET_OPTION
def command(
    model: str,
    data: str,
    output: str,
    with_data: bool,
    rule: bool,
    threshold: tuple[str, ...],
    costs: str | None,
    safe_cells: bool,
    reading: dict[str, Any],
    quiet: bool,
) -> None:
    """Predict every row of DATA with the model saved in MODEL, in the order of the rows.

    Columns are matched by name and levels by value. For classes, the probability of each follows the prediction; a row
    for which rules make no decision has an empty prediction. For a folder of texts the first column names the file, for
    rows that are grouped into bags the bag. The predicted class is the most probable one unless --threshold or --costs
    decide; the probabilities do not depend on them. MODEL may also be rules in a text file.
    """
    from hedgerow.data.write import Writer
    from hedgerow.models.files.model_file import load

    source = open_data(data, reading)
    learned = load(model, source)
    check_predicts(learned, model)
    learned = decide(learned, threshold, costs)
    named = naming(source, learned.schema)
    schema = nominal_to_text(learned.schema) if with_data else learned.schema
    source = source.reopen(schema=schema if named is None else add_name_column(schema, named))
    with Writer(output, safe_cells=safe_cells) as writer, show_reading_progress(source, "predicting", quiet):
        for table in predict_batches(learned, source, with_data, rule, named):
            writer.add(table)
    for note in (*source.notes, *writer.notes):
        print_note(note, quiet)


def predict_batches(
    model: Model, source: Source, with_data: bool, rule: bool = False, named: str | None = None
) -> Iterator[Table]:
    """Yield the predictions batch by batch; the source then has notes on unknown values.

    `named` is the column with the file name of each row, if there is one; it comes first.
    """
    from hedgerow.data.bags.align import align
    from hedgerow.models.views.predictions import predict_with_unknown as predicted_of

    beside: list[str] = [] if named is None else [named]
    first, rows, silent = True, 0, 0
    for batch in source.batches():
        aligned = align(batch, model.schema)
        for note in aligned.notes:
            source.note(note)
        if with_data and first:
            others = (name for name in batch.schema.names if name != named)
            beside += [name for name in others if name != model.schema.target or not is_absent(batch[name])]
        first = False
        prediction_table = predicted_of(model, aligned.table, batch.select(beside) if beside else None, rule=rule)
        rows, silent = rows + len(batch), silent + prediction_table.n_unknown
        yield prediction_table.table
    if silent:
        source.note(unknown_rows_note(model.schema, silent, rows, model.decider))


def naming(source: Source, schema: Schema) -> str | None:
    """Return the column that names rows which are files of a folder, or bags; None if there is none."""
    if is_folder(source) and FILE not in schema:
        return FILE
    return bag_names(source, schema)


def is_folder(source: Source) -> bool:
    """Return whether each row is a file of a folder."""
    inner = source.inner if isinstance(source, StrippedSource) else source
    return isinstance(inner, FolderSource)


def add_name_column(schema: Schema, name: str) -> Schema:
    """Return the schema with a first column for the names of files, which no model looks at."""
    return Schema((Column(name, Kind.TEXT, ignored=NAMES), *schema.columns), schema.target)


def nominal_to_text(schema: Schema) -> Schema:
    """Return the schema with its nominal columns as text, so that levels unknown to the model are preserved."""
    changed = {c.name: replace(c, kind=Kind.TEXT, levels=()) for c in schema.columns if c.kind is Kind.NOMINAL}
    return schema.with_columns(changed)


def is_absent(values: Any) -> bool:
    """Return whether a target column is empty, as when the data have none."""
    return bool((values.missing if isinstance(values, Text) else values != values).all())
