"""hedgerow plot: a picture of a classifier's decision regions over two numeric columns."""

from __future__ import annotations

import zipfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from hedgerow.cli.evaluation import LEARNER_OPTION
from hedgerow.cli.options import (
    QUIET_OPTION,
    LearnerCommand,
    data_options,
    learner_from,
    open_data,
    print_note,
    read_data,
    was_given,
)
from hedgerow.cli.output import read_all
from hedgerow.cli.pictures import check_plot, convert_picture, write_plot
from hedgerow.cli.progress import TerminalMonitor, progress
from hedgerow.cli.test import check_predicts
from hedgerow.errors import UsageError
from hedgerow.training.train import train_monitored

if TYPE_CHECKING:
    from hedgerow.data.table.table import Table
    from hedgerow.models.base.model import Model


@click.command("plot", cls=LearnerCommand)
@click.argument("model_or_data")
@click.argument("data", required=False)
@click.option("-o", "--output", metavar="FILE", help="Draw the result to this file: .svg, .png or .pdf.")
@click.option(
    "--columns", metavar="X,Y", help="The two columns (default: the first two numeric columns that are used)."
)
@LEARNER_OPTION
@data_options
@QUIET_OPTION
def command(
    model_or_data: str,
    data: str | None,
    output: str | None,
    columns: str | None,
    learner: str | None,
    reading: dict[str, Any],
    settings: dict[str, Any],
    quiet: bool,
) -> None:
    """Draw the decision regions of a classifier over two numeric columns: of a saved model, or of one trained on DATA.

    Other columns are fixed at their mean or most frequent value, as the caption states. Rows of DATA are dots in the
    color of their class. For support vector machines the margins are drawn, and support vectors are circled. Linear
    models and kernel machines can be drawn without DATA, since they store the range of their columns.

    \b
      hedgerow plot iris.hedge iris.csv --columns length,width -o iris.svg
      hedgerow plot iris.csv --learner svm -o iris.png
    """  # noqa: D301
    from hedgerow.report.regions.regions_svg import regions_svg

    if output is None:
        raise UsageError("name the file to draw to, as in -o regions.svg")
    check_plot(output, curves=True, option="-o")
    if data is not None or is_model_file(model_or_data):
        if settings or was_given("learner"):
            raise UsageError(f"{model_or_data} is already trained; leave out --learner and its options, or the model")
        model, table = open_model_and_table(model_or_data, data, reading, quiet)
    else:
        table, notes = read_data(model_or_data, reading, quiet)
        for note in notes:
            print_note(note, quiet)
        model = train_monitored(learner_from(learner, settings, table), table, TerminalMonitor(quiet))
    with progress("drawing", quiet):
        picture = regions_svg(model, table, parse_column_pair(columns, model))
    write_plot(convert_picture(picture, output), output)
    print_note(f"the picture is in {output}", quiet)


def is_model_file(path: str) -> bool:
    """Return whether a file is a saved model, by its content."""
    if not Path(path).is_file() or not zipfile.is_zipfile(path):
        return False
    with zipfile.ZipFile(path) as archive:
        return "manifest.json" in archive.namelist()


def open_model_and_table(
    path: str, data: str | None, reading: dict[str, Any], quiet: bool
) -> tuple[Model, Table | None]:
    """Return a saved model, or rules in a text, and the data if there are any, as the model knows their columns."""
    from hedgerow.models.files.model_file import load

    source = None if data is None else open_data(data, reading)
    model = load(path, source)
    check_predicts(model, path)
    if source is None:
        return model, None
    source = source.reopen(schema=model.schema)
    table = read_all(source, quiet)
    for note in source.notes:
        print_note(note, quiet)
    return model, table


def parse_column_pair(text: str | None, model: Model) -> list[str]:
    """Return the two names that `--columns` gives; a name may itself hold a comma."""
    if text is None:
        return []
    parts = text.split(",")
    cuts = ((",".join(parts[:cut]), ",".join(parts[cut:])) for cut in range(1, len(parts)))
    cells = [[name.strip() for name in pair] for pair in cuts]
    known = [pair for pair in cells if all(name in model.schema for name in pair)]
    return (known or [[part.strip() for part in parts]])[0]
