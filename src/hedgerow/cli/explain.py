"""hedgerow explain: explain the predictions of a saved model for rows of a table."""

from __future__ import annotations

import os
import re
import sys
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TextIO

import click

from hedgerow.cli.options import JSON_OPTION, QUIET_OPTION, layout_options, open_data, print_note
from hedgerow.cli.output import show
from hedgerow.cli.pictures import check_folder, write_plot
from hedgerow.cli.predict import FILE, add_name_column, input_notes, naming
from hedgerow.cli.test import check_order, check_predicts, open_to_new_classes
from hedgerow.errors import UsageError
from hedgerow.models.base.unknown_rows import data_faults

if TYPE_CHECKING:
    from hedgerow.data.table.source import Source
    from hedgerow.data.table.table import Table
    from hedgerow.models.base.model import Model

FIRST = 3  # rows that are explained unless others are asked for
MOST = 10_000
COUNTED = 200_000  # rows: whether there are more is not counted further
_RANGE = re.compile(r"(\d+)(?:-(\d+))?")


@click.command("explain")
@click.argument("model")
@click.argument("data", required=False)
@click.option(
    "--rows", metavar="NUMBERS", help=f"Which rows, counted from 1, as in 1-5,9 (default: the first {FIRST})."
)
@click.option(
    "--against", metavar="CLASS", help="Compare decisions with this class (default: the second best of each row)."
)
@click.option("--sentence", metavar="TEXT", help="Explain the prediction for this text instead of DATA.")
@click.option("--html", metavar="FILE", help="Write an HTML page that shows whole documents, instead of printing.")
@layout_options
@JSON_OPTION
@QUIET_OPTION
def command(
    model: str,
    data: str | None,
    rows: str | None,
    against: str | None,
    sentence: str | None,
    html: str | None,
    reading: dict[str, Any],
    as_json: bool,
    quiet: bool,
) -> None:
    """Explain the predictions of the model saved in MODEL for rows of DATA, in the model's own numbers.

    In texts, the words behind the decision are marked: in color on a terminal, elsewhere as [+word], evidence for the
    class, and [-word], evidence against it. For a linear model the contribution of each value is shown, for a tree the
    tests on the path, for rules those that decide, for an ensemble or a coded model the votes of its members, for a bag
    the contribution of each instance. MODEL may also be rules in a text file.

    \b
      hedgerow explain spam.hedge new.csv --rows 1-5,9
      hedgerow explain spam.hedge --sentence "Win a free prize!"
      hedgerow explain news.hedge test/ --against sci.space --html why.html
    """  # noqa: D301
    from hedgerow.data.rows.row_values import label_of
    from hedgerow.explain.decision import check_explains, explain_class_rows
    from hedgerow.report.explanations.explanation import MOST_IN_LINES, MOST_ON_PAGE, explanations_report

    check_folder(html)
    if (data is None) == (sentence is None):
        raise UsageError('name the data after the model, or give --sentence "a text"' + (", not both" if data else ""))
    wanted = parse_row_numbers(rows)
    loaded, source, named = open_model_and_data(model, data, reading)
    check_explains(loaded, against)
    if source is None:
        table, numbers, more = sentence_table(loaded, str(sentence)), [0], 0
    else:
        table, numbers, more = select_rows(source, wanted)
    decisions = explain_class_rows(loaded, table, numbers, against)
    if named is not None:
        names = [label_of(table.slice(place, place + 1), named) for place in range(table.n_rows)]
        pairs = zip(decisions, names, strict=True)
        decisions = [replace(d, file=name) if named == FILE else replace(d, bag=name) for d, name in pairs]

    def report(most_bytes: int | None) -> dict[str, Any]:
        result = explanations_report(loaded, decisions, more, most_bytes)
        return {**result, "file": model, **({"source": data} if data else {})}

    for note in input_notes(source) if source is not None else ():
        print_note(note, quiet)
    if html:
        from hedgerow.report.whole.html import to_html

        write_plot(to_html(report(MOST_ON_PAGE)).encode("utf-8", "replace"), html)
        print_note(f"the page is in {html}", quiet)
    if as_json:
        show(report(None), as_json=True)
    elif not html:
        show(report(MOST_IN_LINES), as_json=False, in_color=uses_color(sys.stdout))


def open_model_and_data(model: str, data: str | None, reading: dict[str, Any]) -> tuple[Any, Source | None, str | None]:
    """Return a saved model and, if given, the data read for it, with their class.

    For a folder of texts, a column names the file of each row; for bags made of rows, the bag. The name of this column
    comes last.
    """
    from hedgerow.models.files.model_file import load

    check_order(model, data)
    source = None if data is None else open_data(data, reading)
    loaded = load(model, source)
    check_predicts(loaded, model)
    if source is None or loaded.schema.target is None:
        return loaded, None, None
    schema = open_to_new_classes(loaded.schema)
    named = naming(source, schema)
    schema = schema if named is None else add_name_column(schema, named)
    return loaded, source.reopen(schema=schema, faults=data_faults(loaded)), named


def parse_row_numbers(text: str | None) -> list[int] | None:
    """Return the requested rows, counted from 1, each once and in ascending order."""
    if text is None:
        return None
    chosen: set[int] = set()
    for part in text.split(","):
        match = _RANGE.fullmatch(part.strip())
        first, last = (int(match[1]), int(match[2] or match[1])) if match else (0, 0)
        if first < 1 or last < first:
            raise UsageError(f"--rows {text}: write row numbers, counted from 1, and ranges of them, as in 1-5,9")
        if last - first >= MOST or len(chosen) + last - first >= MOST:
            raise UsageError(f"--rows {text}: these are more than {MOST:,} rows; give fewer")
        chosen.update(range(first, last + 1))
    return sorted(chosen)


def select_rows(source: Source, rows: list[int] | None) -> tuple[Table, list[int], int]:
    """Return rows of data, their numbers, and how many more there are, -1 for very many.

    Reads no more than necessary.
    """
    import numpy as np

    from hedgerow.data.table.table import concatenate

    wanted = np.array(rows or range(1, FIRST + 1), dtype=np.int64) - 1
    parts: list[Table] = []
    start = 0
    for batch in source.batches():
        inside = wanted[(wanted >= start) & (wanted < start + batch.n_rows)]
        if len(inside) or not parts:
            parts.append(batch.take(inside - start))
        start += batch.n_rows
        if start > (COUNTED if rows is None else wanted[-1]):
            break
    if rows is not None and start <= wanted[-1]:
        beyond = next(row for row in rows if row > start)
        raise UsageError(f"there is no row {beyond:,}: {source.name} has {start:,} row{'' if start == 1 else 's'}")
    if not start:
        raise UsageError(f"{source.name} has no rows to explain")
    numbers = [int(row) + 1 for row in wanted if row < start]
    more = -1 if start > COUNTED else start - len(numbers)
    return concatenate(parts), numbers, more if rows is None else 0


def sentence_table(model: Model, sentence: str) -> Table:
    """Return a table of one text for a model."""
    from hedgerow.data.table.table import Text
    from hedgerow.explain.decision import text_rows

    return text_rows(model, Text.of([sentence.encode("utf-8", "replace").decode()]))  # type: ignore[arg-type]


def uses_color(stream: TextIO) -> bool:
    """Return whether words may be marked in color: on a terminal, unless the user disables it (no-color.org)."""
    if os.environ.get("NO_COLOR"):
        return False
    if os.environ.get("FORCE_COLOR"):
        return True
    return stream.isatty() and os.environ.get("TERM") != "dumb"
