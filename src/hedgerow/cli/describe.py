"""hedgerow describe: a description of a table."""

from __future__ import annotations

from typing import Any

import click

from hedgerow.cli.options import JSON_OPTION, QUIET_OPTION, data_options, print_note, read_data
from hedgerow.cli.output import show


@click.command("describe")
@click.argument("data")
@click.option(
    "-o", "--output", metavar="FILE", help="Write to this file instead; .html, .md, .json or .txt sets the format."
)
@data_options
@JSON_OPTION
@QUIET_OPTION
def command(data: str, output: str | None, reading: dict[str, Any], as_json: bool, quiet: bool) -> None:
    """Describe DATA: kinds, levels, missing values, class frequencies, suspicious columns.

    With -o data.html the output is a page with small histograms, colored by class.

    \b
      hedgerow describe loans.csv
      hedgerow describe loans.csv -o loans.html
    """  # noqa: D301
    from hedgerow.report.data.data import describe_report
    from hedgerow.report.whole.forms import form_from_name, write_form

    form = form_from_name(output) if output else ""
    table, notes = read_data(data, reading, quiet, to_learn=False)
    report = describe_report(table, by_class=form in ("html", "json"))
    parts = tuple(column.exclusion_note for column in table.schema.columns if column.ignored)
    notes = [note for note in notes if not note.startswith(parts)]  # the report has a place for these
    report |= {"source": data, "notes": [*report["notes"], *notes]}
    if output is None:
        show(report, as_json)
        return
    from hedgerow.cli.pictures import write_plot

    write_plot(write_form(report, form).encode("utf-8", "replace"), output)
    print_note(f"the description is in {output}", quiet)
