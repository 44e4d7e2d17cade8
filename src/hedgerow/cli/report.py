"""hedgerow report: one page on a model, its data and its test."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import click

from hedgerow.cli.decisions import costs_option, decide, wanted_options, wanted_thresholds
from hedgerow.cli.options import JSON_OPTION, QUIET_OPTION, layout_options, print_note
from hedgerow.cli.output import read_all
from hedgerow.cli.pictures import check_curve, check_folder, check_target, curve_options, draw_curve, write_plot
from hedgerow.cli.progress import TerminalMonitor, progress
from hedgerow.cli.test import open_model_and_source, open_test_source
from hedgerow.cli.tuning import GROUP_OPTION
from hedgerow.errors import DataError, HedgerowError, UsageError
from hedgerow.training.evaluation import evaluate_with_baseline

if TYPE_CHECKING:
    from hedgerow.data.table.source import Source
    from hedgerow.data.table.table import Table
    from hedgerow.evaluate.results import Results
    from hedgerow.explain.card import Cards
    from hedgerow.models.base.model import Model
    from hedgerow.models.clusters.cluster_model import ClusterModel
    from hedgerow.report.evaluation.thresholds import WantedThresholds

MOST_CARDS = 200  # rules: nobody reads more on a page
MOST_RULES = 500  # association rules, of which a line each is told


@click.command("report")
@click.argument("model")
@click.argument("data", required=False)
@click.option(
    "-o", "--output", metavar="FILE", help="Write the report to this file; .html, .md, .json or .txt sets the format."
)
@click.option(
    "--as",
    "form",
    type=click.Choice(["html", "md", "json", "text"]),
    help="The format (default: from the name of FILE; text on standard output).",
)
@click.option("--folds", type=int, metavar="N", help="Test the model's learner by N-fold cross-validation on DATA.")
@GROUP_OPTION
@click.option(
    "--add", metavar="FILE", multiple=True, help="Add a learning curve or a comparison that was saved with --json."
)
@click.option("--seed", default=1, show_default=True, help="Seed of the random folds.")
@costs_option
@wanted_options
@curve_options
@layout_options
@JSON_OPTION
@QUIET_OPTION
def command(
    model: str,
    data: str | None,
    output: str | None,
    form: str | None,
    folds: int | None,
    group: str | None,
    add: tuple[str, ...],
    seed: int,
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
    """Write a report on the model saved in MODEL and, with DATA, on its performance there.

    MODEL may also be a report that was saved as JSON, by -o report.json or by the option --json of any verb.

    A page (-o report.html) is one self-contained file: the data with small histograms, the model as a drawing or text,
    the test with intervals and curves, and anything suspicious. DATA should be rows that the model was not trained on;
    if there are none, --folds 10 tests its learner by cross-validation.

    \b
      hedgerow report loans.hedge new.csv -o report.html
      hedgerow report loans.hedge loans.csv --folds 10 -o report.html
    """  # noqa: D301
    from hedgerow.models.files.manifest import DAMAGE
    from hedgerow.report.whole.forms import form_from_name, write_form

    form = form or ("json" if as_json else form_from_name(output) if output and output != "-" else "text")
    check_folder(output)
    check_curve(plot, curve, None)  # the page shows the curves of --label too
    if model.lower().endswith(".json"):
        report = load_report(model, data is not None or folds is not None or plot is not None)
    else:
        idle: dict[str, object] = {"--folds": folds, "--plot": plot, "--label": label, "--costs": costs}
        idle |= {"--recall": wanted_recall or None, "--precision": wanted_precision or None}
        if data is None and any(given is not None for given in idle.values()):
            option = next(name for name, given in idle.items() if given is not None)
            raise UsageError(f"{option} needs data to test on; name them after the model")
        if group is not None and folds is None:
            raise UsageError(
                "--group keeps rows together in the folds of a test; also give the number of folds, as in --folds 10"
            )
        wanted = wanted_thresholds(wanted_recall, wanted_precision, costs, label)
        report = make_report(
            model, data, folds, group, seed, label, reading, form == "html", quiet, plot, costs, wanted
        )
    report |= load_parts(add)
    if plot:
        picture = draw_curve(report["curves"], report["evaluation"].get("confusion"), curve, plot)
    try:
        text = write_form(report, form)
    except DAMAGE as error:
        if isinstance(error, HedgerowError) or not (add or model.lower().endswith(".json")):
            raise
        raise DataError(f"a saved report is incomplete ({error}); create it again") from None
    if output and output != "-":
        write_plot(text.encode("utf-8", "replace"), output)
        print_note(f"the report is in {output}", quiet)
    else:
        click.echo(text, nl=False)
    if plot:
        write_plot(picture, plot)
        print_note(f"the picture of the curve is in {plot}", quiet)


def make_report(
    model: str,
    data: str | None,
    folds: int | None,
    group: str | None,
    seed: int,
    label: str | None,
    reading: dict[str, Any],
    drawn: bool,
    quiet: bool,
    plot: str | None = None,
    costs: str | None = None,
    wanted: WantedThresholds | None = None,
) -> dict[str, Any]:
    """Return the report of a model and, if there are any, of data."""
    from hedgerow.data.rows.row_groups import group_column_from_notes
    from hedgerow.models.clusters.cluster_model import ClusterModel
    from hedgerow.models.files.model_file import load
    from hedgerow.report.whole.full_report import full_report

    if data is None:
        return {**model_only_report(load(model), drawn), "file": model}
    loaded, source = open_model_and_source(model, data, reading)
    loaded = decide(loaded, (), costs)
    if isinstance(loaded, ClusterModel):
        if folds is not None or plot is not None or label is not None:
            raise UsageError(
                "clusters have no known classes to test against; leave out --folds, --plot and --label (the page "
                "shows a plot of the rows, and so does `hedgerow cluster --plot`)"
            )
        return {**cluster_report(loaded, source, drawn, quiet), "source": data, "file": model}
    group = None if folds is None else group or group_column_from_notes(loaded.about.notes)
    source = open_test_source(source, loaded, group)
    table = read_all(source, quiet)
    results, baseline = evaluate_model(loaded, table, folds, group, seed, label, quiet)
    cards = None if folds is None else make_cards(loaded, table, folds, group, seed, quiet)
    report = full_report(loaded, table, results, baseline, label=label, picture=drawn, cards=cards, wanted=wanted)
    notes = list(dict.fromkeys([*report["warnings"], *source.notes]))
    return {**report, "warnings": notes, "source": data, "file": model}


def model_only_report(model: Model, drawn: bool) -> Mapping[str, Any]:
    """Return the report of a model alone; associations have one of their own."""
    from hedgerow.models.associations.association_rules import AssociationRules
    from hedgerow.models.associations.item_sets import ItemSets
    from hedgerow.report.associations.associations import associations_report, item_sets_report
    from hedgerow.report.whole.full_report import full_report

    if isinstance(model, AssociationRules):
        return associations_report(model, most=MOST_RULES)
    if isinstance(model, ItemSets):
        return item_sets_report(model, MOST_RULES)
    return full_report(model, picture=drawn)


def cluster_report(model: ClusterModel, source: Source, drawn: bool, quiet: bool) -> dict[str, Any]:
    """Return the report of clusters on some rows, which have no known clusters to test against."""
    from hedgerow.evaluate.clusters.evaluate_clusters import evaluate_clusters
    from hedgerow.report.clusters.clusters import clusters_report
    from hedgerow.report.clusters.clusters_page import clusters_page

    table = read_all(source, quiet)
    report = clusters_page(model, table) if drawn else clusters_report(model, evaluate_clusters(model, table))
    return {**report, "notes": [*source.notes, *report["notes"]]}


def evaluate_model(
    model: Model, table: Table, folds: int | None, group: str | None, seed: int, label: str | None, quiet: bool
) -> tuple[Results, Results | None]:
    """Return a test of the model or, with folds, of its learner and of the baseline on the same folds."""
    from hedgerow.evaluate.validate import test
    from hedgerow.learn.relearn import recreate_learner
    from hedgerow.report.whole.full_report import with_classes

    results = test(model, table)
    check_target(results.target, results.labels, None, label)
    if folds is None:
        return results, None
    learner, table = recreate_learner(model), with_classes(table, results)
    return evaluate_with_baseline(
        learner, TerminalMonitor(quiet), "cross-validation", table, folds, 1, seed, group=group
    )


def make_cards(model: Model, table: Table, folds: int, group: str | None, seed: int, quiet: bool) -> Cards | None:
    """Return the cards of a model's rules by the same folds; None if it has no rules, or too many to read."""
    from hedgerow.explain.cards import rule_cards

    if not model.rule_order or (model.size or 0) > MOST_CARDS:
        return None
    with progress("rules of the folds", quiet) as tell:
        return rule_cards(model, table, folds=folds, seed=seed, progress=tell, group=group)


def load_report(path: str, more: bool) -> dict[str, Any]:
    """Return a report that was saved as JSON and already contains its data."""
    from hedgerow.report.whole.saved import read_report

    if more:
        raise UsageError(
            f"{path} is already a report: it takes no data, --folds or --plot; name a model file for these"
        )
    return read_report(path)


def load_parts(paths: tuple[str, ...]) -> dict[str, Any]:
    """Return the curves and comparisons in these files, by their key in a full report."""
    from hedgerow.report.whole.saved import read_report

    parts: dict[str, Any] = {}
    for path in paths:
        part = read_report(path)
        place = {"curve": "learning", "comparison": "comparison"}.get(part["report"])
        if place is None:
            raise UsageError(
                f"--add {path}: a report of kind {part['report']!r} cannot be added; curves and comparisons can"
            )
        parts[place] = part
    return parts
