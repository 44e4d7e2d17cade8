"""hedgerow predict: predictions for a file of any length, in constant memory."""

from __future__ import annotations

import csv
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import click

from hedgerow.cli.decisions import decide, decision_options
from hedgerow.cli.options import QUIET_OPTION, SAFE_CELLS_OPTION, layout_options, open_data, print_note
from hedgerow.cli.output import show_reading_progress
from hedgerow.cli.test import check_order, check_predicts
from hedgerow.data.bags.source import bag_names
from hedgerow.data.formats.documents.folder_source import FolderSource
from hedgerow.data.frames.match_schema import missing_row
from hedgerow.data.table.schema import NAMES, Column, Kind, Schema
from hedgerow.data.table.source import Source
from hedgerow.data.table.table import Table, Text
from hedgerow.data.text.strip_mail import StrippedSource
from hedgerow.models.base.model import Model
from hedgerow.models.base.unknown_rows import data_faults, unknown_rows_note

COPIED = "copied to the output"
if TYPE_CHECKING:
    from hedgerow.models.views.predictions import PredictionColumns

FILE = "file"  # the column that tells which file of a folder each row is


@click.command("predict")
@click.argument("model")
@click.argument("data")
@click.option(
    "-o",
    "--output",
    default="-",
    metavar="FILE",
    help="The output file, whose ending gives the format: .csv, .tsv, .jsonl, .parquet and others (default: standard "
    "output, as CSV).",
)
@click.option("--append", is_flag=True, help="Add the rows to the end of the output file, which has the same columns.")
@click.option("--json", "as_json", is_flag=True, help="Write a JSON array with an object for each row.")
@click.option("--with-data", is_flag=True, help="Put the columns that the model uses before its predictions.")
@click.option(
    "--keep-columns",
    metavar="NAMES",
    multiple=True,
    help="Put these columns of DATA before the predictions, also ones that the model does not use, as in ID,Name.",
)
@click.option(
    "--top",
    type=click.IntRange(min=1),
    metavar="NUMBER",
    default=None,
    help="Write so many of the most probable classes with their probabilities, instead of the probabilities of all.",
)
@click.option("--rule", is_flag=True, help="Add the rule that decides each row; if rules vote, the first of them.")
@click.option(
    "--explain",
    is_flag=True,
    help="Add the reason for each prediction: the rule, the path in the tree, or the strongest contributions.",
)
@click.option(
    "--strict",
    is_flag=True,
    help="Fail if DATA lack a column that the model uses, or hold a word where it expects a number; otherwise these "
    "values count as missing.",
)
@decision_options
@SAFE_CELLS_OPTION
@layout_options
@QUIET_OPTION
def command(
    model: str,
    data: str,
    output: str,
    append: bool,
    as_json: bool,
    with_data: bool,
    keep_columns: tuple[str, ...],
    top: int | None,
    rule: bool,
    explain: bool,
    strict: bool,
    threshold: tuple[str, ...],
    costs: str | None,
    safe_cells: bool,
    reading: dict[str, Any],
    quiet: bool,
) -> None:
    """Predict every row of DATA with the model saved in MODEL, in the order of the rows.

    Columns are matched by name and levels by value; columns that the model does not use may be absent. For classes, the
    probability of each follows the prediction; a row for which rules make no decision has an empty prediction. For a
    folder of texts the first column names the file, for rows that are grouped into bags the bag. The predicted class is
    the most probable one unless --threshold or --costs decide; the probabilities do not depend on them. MODEL may also
    be rules in a text file.

    \b
      hedgerow predict loans.hedge new.csv -o predictions.csv
      hedgerow predict loans.hedge new.csv --keep-columns ID --explain
      cat new.csv | hedgerow predict loans.hedge - --json
    """  # noqa: D301
    from hedgerow.data.write import Writer
    from hedgerow.models.files.model_file import load
    from hedgerow.models.views.predictions import PredictionColumns

    check_order(model, data)
    source = open_data(data, reading)
    learned = load(model, source)
    check_predicts(learned, model)
    learned = decide(learned, threshold, costs)
    shown = PredictionColumns(rule, top or 0, explain)
    copied = CopiedColumns(parse_names(keep_columns), with_data)
    source, named = open_to_predict(source, learned, copied, strict)
    file_format = "json" if as_json else None
    with (
        Writer(output, file_format, safe_cells=safe_cells, append=append) as writer,
        show_reading_progress(source, "predicting", quiet),
    ):
        for table in predict_batches(learned, source, copied, shown, named):
            writer.add(table)
    for note in (*input_notes(source), *writer.notes):
        print_note(note, quiet)


def input_notes(source: Source) -> tuple[str, ...]:
    """Return the notes on data that have been read: first those on what they lack."""
    faults = source.options.faults
    return (*(() if faults is None else faults.notes), *source.notes)


@dataclass(frozen=True)
class CopiedColumns:
    """The columns of the data that are put before the predictions: some by name, or all that the model knows."""

    names: tuple[str, ...] = ()
    known: bool = False


def parse_names(given: Sequence[str]) -> tuple[str, ...]:
    """Return the column names in options such as `ID,Name`, each once; a name with a comma is quoted."""
    cells = (cell.strip() for row in csv.reader(given, skipinitialspace=True) for cell in row)
    return tuple(dict.fromkeys(cell for cell in cells if cell))


def open_to_predict(
    source: Source, model: Model, copied: CopiedColumns, strict: bool = False
) -> tuple[Source, str | None]:
    """Return data as a model reads them, and the column that names the file or bag of each row, if there is one."""
    named = naming(source, model.schema)
    schema = nominal_to_text(model.schema) if copied.known or copied.names else model.schema
    if named is not None:
        schema = add_name_column(schema, named)
    schema = add_text_columns(schema, [name for name in copied.names if name not in schema])
    known = [name for name in model.schema.names if name != model.schema.target] if copied.known else []
    faults = data_faults(model, kept=copied.names, copied=known, strict=strict)
    return source.reopen(schema=schema, faults=faults), named


def predict_batches(
    model: Model,
    source: Source,
    copied: CopiedColumns = CopiedColumns(),
    shown: PredictionColumns | None = None,
    named: str | None = None,
) -> Iterator[Table]:
    """Yield the predictions batch by batch, at least one table; the source then has notes on unknown values.

    `named` is the column with the file name of each row, if there is one; it comes first.
    """
    from hedgerow.data.bags.align import align
    from hedgerow.models.views.predictions import PredictionColumns, predict_with_unknown

    shown = shown or PredictionColumns()
    beside: list[str] | None = None
    rows, silent = 0, 0
    for batch in source.batches():
        aligned = align(batch, model.schema)
        for note in replace(aligned, extra=tuple(name for name in aligned.extra if name not in copied.names)).notes:
            source.note(note)
        beside = copied_names(model, batch, copied, named) if beside is None else beside
        predicted = predict_with_unknown(model, aligned.table, batch.select(beside) if beside else None, shown)
        rows, silent = rows + len(batch), silent + predicted.n_unknown
        yield predicted.table
    if beside is None:  # no rows: the header alone
        empty = missing_row(source.schema)
        beside = copied_names(model, empty, copied, named)
        one = predict_with_unknown(
            model, align(empty, model.schema).table, empty.select(beside) if beside else None, shown
        )
        source.note(f"{source.name} has no rows, so there are no predictions")
        yield one.table.slice(0, 0)
    if silent:
        source.note(unknown_rows_note(model.schema, silent, rows, model.decider))


def copied_names(model: Model, batch: Table, copied: CopiedColumns, named: str | None) -> list[str]:
    """Return the columns of a batch that are put before the predictions; the target only if the data have it."""
    known = [
        name
        for name in (model.schema.names if copied.known else ())
        if name != model.schema.target or not is_absent(batch[name])
    ]
    return list(dict.fromkeys([*([] if named is None else [named]), *copied.names, *known]))


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


def add_text_columns(schema: Schema, names: Sequence[str]) -> Schema:
    """Return the schema with further columns, read as they are written, which no model looks at."""
    return Schema((*schema.columns, *(Column(name, Kind.TEXT, ignored=COPIED) for name in names)), schema.target)


def nominal_to_text(schema: Schema) -> Schema:
    """Return the schema with its nominal columns as text, so that levels unknown to the model are preserved."""
    changed = {c.name: replace(c, kind=Kind.TEXT, levels=()) for c in schema.columns if c.kind is Kind.NOMINAL}
    return schema.with_columns(changed)


def is_absent(values: Any) -> bool:
    """Return whether a target column is empty, as when the data have none."""
    return bool((values.missing if isinstance(values, Text) else values != values).all())
