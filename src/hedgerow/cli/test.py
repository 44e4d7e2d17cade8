"""hedgerow test: test a saved model on a table."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from hedgerow.cli.decisions import decide, decision_options, wanted_options, wanted_thresholds
from hedgerow.cli.options import JSON_OPTION, QUIET_OPTION, layout_options, open_data, print_note
from hedgerow.cli.output import read_all, show
from hedgerow.cli.pictures import check_curve, check_target, curve_options, draw_results, write_plot
from hedgerow.cli.progress import progress
from hedgerow.data.table.schema import Column, Kind, Schema
from hedgerow.errors import UsageError

if TYPE_CHECKING:
    from hedgerow.data.table.source import Source
    from hedgerow.models.base.model import Model


@click.command("test")
@click.argument("model")
@click.argument("data")
@decision_options
@wanted_options
@curve_options
@layout_options
@JSON_OPTION
@QUIET_OPTION
def command(
    model: str,
    data: str,
    threshold: tuple[str, ...],
    costs: str | None,
    wanted_recall: tuple[str, ...],
    wanted_precision: tuple[str, ...],
    plot: str | None,
    curve: str | None,
    label: str | None,
    reading: dict[str, Any],
    as_json: bool,
    quiet: bool,
) -> None:
    """Test the model saved in MODEL on the rows of DATA, which must contain the target; with --plot also draw a curve.

    With --threshold or --costs the classes are decided by these, and all measures are of such decisions.

    MODEL may also be rules in a text file: printed by hedgerow or by Weka's JRip or PART, or written by hand.

    \b
      hedgerow test loans.hedge new.csv
      hedgerow test loans.hedge new.csv --plot roc.svg
    """  # noqa: D301
    from hedgerow.evaluate.validate import test
    from hedgerow.report.evaluation.build import evaluation_report

    check_curve(plot, curve, label)
    wanted = wanted_thresholds(wanted_recall, wanted_precision, costs, label)
    learned, source = open_model_and_source(model, data, reading)
    learned = decide(learned, threshold, costs)
    source = open_test_source(source, learned)
    table = read_all(source, quiet)
    with progress("testing", quiet):
        results = test(learned, table)
    check_target(results.target, results.labels, curve, label)
    wanted.check(results.target, results.labels)
    for note in source.notes:
        print_note(note, quiet)
    report = evaluation_report(results, None, wanted)
    if plot:
        write_plot(draw_results(results, report, curve, label, plot), plot)
    show(report, as_json)
    if plot:
        print_note(f"the picture of the curve is in {plot}", quiet)


def open_model_and_source(model: str, data: str, reading: dict[str, Any]) -> tuple[Model, Source]:
    """Return a saved model, or rules in a text, and data; a text takes the kinds of its columns from them."""
    from hedgerow.models.files.model_file import load

    check_order(model, data)
    source = open_data(data, reading)
    loaded = load(model, source)
    check_predicts(loaded, model)
    return loaded, source


def check_order(model: str, data: str | None) -> None:
    """Raise an error if a model is given where the data should be, and the data as the model."""
    if data is not None and data.endswith(".hedge") and not model.endswith(".hedge"):
        verb = click.get_current_context().info_name
        raise UsageError(f"the model comes before the data, as in hedgerow {verb} {data} {model}")


def check_predicts(model: Model, where: str) -> None:
    """Raise an error for association models, which do not predict a column."""
    if model.kind == "association_rules":
        raise UsageError(
            f"{where} holds association rules, which do not predict a column; to recommend items with them, use "
            f"hedgerow associate {where} --recommend BASKETS"
        )
    if model.kind == "item_sets":
        raise UsageError(f"{where} holds item sets, which cannot predict; hedgerow show {where} prints them")


def open_test_source(source: Source, model: Model, group: str | None = None) -> Source:
    """Return data as they are read to test a model, with the column that groups their rows if there is one."""
    from hedgerow.models.base.condition import nearest

    schema = open_to_new_classes(model.schema)
    if group is not None and group not in source.schema:
        hint = nearest(group, source.schema.names)
        raise UsageError(f"there is no column {group!r} in {source.name} to group by; {hint}")
    return source.reopen(schema=schema if group is None else add_group_column(schema, group))


def add_group_column(schema: Schema, group: str) -> Schema:
    """Return the schema with a column of groups as plain words, which the model need not know."""
    column = Column(group, Kind.TEXT)
    if group in schema:
        return schema.with_columns({group: column})
    return Schema((*schema.columns, column), schema.target)


def open_to_new_classes(schema: Schema) -> Schema:
    """Return the schema with its target as plain words: an unknown class is then kept, and counted as an error."""
    target = schema.target_column
    if target.kind is not Kind.NOMINAL:
        return schema
    return schema.with_columns({target.name: replace(target, kind=Kind.TEXT, levels=())})
