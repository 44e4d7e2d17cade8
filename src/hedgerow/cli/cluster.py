"""hedgerow cluster: clusters of similar rows, their descriptions and their quality."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, cast

import click

from hedgerow.cli.cluster_tree import check_tree, draw_tree, split_row_names
from hedgerow.cli.options import (
    JSON_OPTION,
    QUIET_OPTION,
    SAFE_CELLS_OPTION,
    LearnerCommand,
    make_learner,
    open_data,
    print_note,
    table_options,
)
from hedgerow.cli.output import read_all, show, show_reading_progress
from hedgerow.cli.pictures import check_folder, check_plot, convert_picture, write_plot
from hedgerow.cli.progress import progress
from hedgerow.errors import UsageError

if TYPE_CHECKING:
    from hedgerow.data.table.source import Source
    from hedgerow.data.table.table import Codes, Table
    from hedgerow.learn.clusterer import Clusterer
    from hedgerow.models.base.model import ClassModel
    from hedgerow.report.schema import ClustersReport

USUAL = "kmeans"


class ClusterCommand(LearnerCommand):
    """A command with the options of a clusterer."""

    usual: ClassVar[str] = USUAL


@click.command("cluster", cls=ClusterCommand)
@click.argument("data")
@click.option(
    "-l", "--learner", metavar="NAME", help=f"The clusterer (default: {USUAL}); `hedgerow learners` lists all."
)
@click.option(
    "--class",
    "classes",
    metavar="NAME",
    help="A column of known classes: not used for clustering, but compared with the clusters (default: a nominal last "
    "column).",
)
@click.option("--no-class", is_flag=True, help="Use all columns for clustering: none of them holds classes.")
@click.option("-o", "--model", metavar="FILE", type=click.Path(dir_okay=False), help="Save the model here.")
@click.option(
    "--out",
    metavar="FILE",
    help="Write the cluster of every row here; the format follows from the file name (default: CSV).",
)
@click.option("--with-data", is_flag=True, help="Put the columns of DATA before the clusters in --out.")
@SAFE_CELLS_OPTION
@click.option("--describe", type=click.Choice(["tree", "rules"]), help="Also describe the clusters by a tree or rules.")
@click.option("--plot", metavar="FILE", help="Draw the rows on two principal components: .svg, .png or .pdf.")
@click.option("--dendrogram", metavar="FILE", help="Draw the tree of agglomerative: .svg, .png or .pdf.")
@click.option(
    "--leaf", metavar="NAME", help="A column with the names of the rows, for --dendrogram; not used for clustering."
)
@click.option("--html", metavar="FILE", help="Write an HTML page with pictures to this file, instead of printing.")
@click.option("--show-work", is_flag=True, help="Show the steps of the clustering.")
@click.option("--stream", is_flag=True, help="Train in passes over the file, which can be larger than memory.")
@table_options
@JSON_OPTION
@QUIET_OPTION
def command(
    data: str,
    learner: str | None,
    classes: str | None,
    no_class: bool,
    model: str | None,
    out: str | None,
    with_data: bool,
    safe_cells: bool,
    describe: str | None,
    plot: str | None,
    dendrogram: str | None,
    leaf: str | None,
    html: str | None,
    show_work: bool,
    stream: bool,
    reading: dict[str, Any],
    settings: dict[str, Any],
    as_json: bool,
    quiet: bool,
) -> None:
    """Find clusters of similar rows in DATA; describe each cluster and evaluate the clustering.

    All columns are used, except the class: the column that --class names or, without it, a nominal last column, where
    a class usually stands. The classes are compared with the clusters. `hedgerow predict` assigns new rows to the
    clusters of a saved model, and `hedgerow learners` lists the clusterers.

    \b
      hedgerow cluster iris.csv --class species --n-clusters 3 --plot iris.svg
      hedgerow cluster customers.csv --learner agglomerative --out labels.csv --describe tree
    """  # noqa: D301
    from hedgerow.evaluate.clusters.evaluate_clusters import class_codes
    from hedgerow.models.files.model_file import check_ending
    from hedgerow.report.clusters.clusters import clusters_report

    for file in (model, None if out == "-" else out, html):
        check_folder(file)
    check_ending(model)
    check_plot(plot, curves=True)
    check_plot(dendrogram, curves=True)
    _check(model, out, with_data, as_json)
    chosen = clusterer(learner or USUAL, settings)
    check_tree(chosen, dendrogram, leaf)
    source = open_clustered(data, reading, classes, no_class, leaf)
    held = source.schema.target  # the column of classes, which is not used for clustering
    if stream:
        files = {"--plot": plot, "--dendrogram": dendrogram, "--html": html}
        options: dict[str, object] = {"--describe": describe, **files, "--show-work": show_work}
        _refuse_in_stream([name for name, value in options.items() if value])
        with show_reading_progress(source, "learning", quiet):
            class_model = _as_class_model(chosen.train(source))
        report = clusters_report(class_model)
        report["notes"].append("not evaluated: silhouettes and similar measures need the rows in memory")
    else:
        table, names = split_row_names(read_all(source, quiet), leaf)
        if held is not None:
            class_codes(table)  # before the long part: not every column holds classes
        report, class_model = cluster_report(chosen, table, describe, plot, show_work, quiet)
        if dendrogram is not None:
            draw_tree(class_model, names, dendrogram)
        if html is not None:
            labels = chosen.labels_of(class_model, table)
            page = add_page_parts(class_model, table, report, describe, labels, names)
        if out is not None:
            write_labels(class_model, table, chosen.labels_of(class_model, table), out, with_data, safe_cells)
    report["source"] = data
    report["notes"] = [*source.notes, *([] if held == classes else [_class_note(held)]), *report["notes"]]
    if stream and out is not None:
        write_clusters(class_model, source, out, with_data, safe_cells)
    if model is not None:
        class_model.save(model)
        report["model"]["file"] = model
    if html is not None:
        from hedgerow.report.whole.html import to_html

        write_plot(
            to_html({**page, "source": report["source"], "notes": report["notes"]}).encode("utf-8", "replace"), html
        )
    if out != "-" and (html is None or as_json):
        show(report, as_json)
    written = ("the clusters of the rows are", out), ("picture is", plot), ("tree is", dendrogram), ("page is", html)
    for what, file in written:
        if file not in (None, "-"):
            print_note(f"the {what} in {file}", quiet)


def open_clustered(data: str, reading: dict[str, Any], classes: str | None, no_class: bool, leaf: str | None) -> Source:
    """Return data whose target is the column of classes: the named one or a nominal last column; else they have none.

    A table that is read in Python has the last column as its target, which clusterers leave out, too. Here a last
    column of numbers is used, since in data without classes it would be missed.
    """
    from hedgerow.data.table.schema import Kind

    if classes is not None and no_class:
        raise UsageError("choose one of --class and --no-class")
    if classes is not None or no_class:
        return open_data(data, reading, target=classes or "")
    source = open_data(data, reading)
    schema = source.schema
    is_class = schema.target is not None and schema.target_column.kind is Kind.NOMINAL
    if is_class and schema.target != leaf and not schema.target_column.ignored and schema.predictors:
        return source
    return open_data(data, reading, target="")


def clusterer(name: str, settings: dict[str, Any]) -> Clusterer:
    """Return the clusterer that the options specify."""
    from hedgerow.learn.clusterer import Clusterer
    from hedgerow.learn.registry import find_learner, learners

    kind = find_learner(name)
    if not issubclass(kind, Clusterer):
        known = ", ".join(info.name for info in learners().values() if issubclass(info.learner, Clusterer))
        raise UsageError(f"{name!r} does not find clusters; --learner takes {known}")
    learner = make_learner(kind, settings)
    assert isinstance(learner, Clusterer)
    return learner


def cluster_report(
    learner: Clusterer, table: Table, describe: str | None, plot: str | None, show_work: bool, quiet: bool
) -> tuple[ClustersReport, ClassModel]:
    """Return the report on the clusters of a table, and their model; also a picture, if requested."""
    from hedgerow.evaluate.clusters.evaluate_clusters import evaluate_clusters
    from hedgerow.learn.clusters.describe import describe_clusters
    from hedgerow.report.clusters.clusters import clusters_report
    from hedgerow.report.clusters.clusters_svg import clusters_svg

    work = str(learner.show_work(table)) if show_work else None
    with progress("clustering", quiet):
        model = _as_class_model(learner.train(table))
        labels = learner.labels_of(model, table)
    with progress("judging", quiet):
        figures = evaluate_clusters(model, table, labels=labels)
        described = None if describe is None else describe_clusters(model, table, describe, labels=labels)
    if plot is not None:
        write_plot(convert_picture(clusters_svg(model, table, labels=labels), plot), plot)
    report = clusters_report(model, figures, described)
    if work is not None:
        report["work"] = work
    return report, model


def add_page_parts(
    model: ClassModel,
    table: Table,
    report: ClustersReport,
    describe: str | None,
    labels: Codes,
    names: list[str] | None,
) -> ClustersReport:
    """Return a report with the additional parts of a page."""
    from hedgerow.report.clusters.clusters_page import page_parts

    parts = page_parts(model, table, describe or "tree", labels=labels, names=names)
    return cast("ClustersReport", {**report, **parts})


def write_labels(model: ClassModel, table: Table, labels: Codes, out: str, with_data: bool, safe_cells: bool) -> None:
    """Write the cluster of every row, after the columns of the table if requested."""
    from hedgerow.data.write import Writer

    with Writer(out, safe_cells=safe_cells) as writer:
        writer.add(add_labels(model, table, labels, with_data))


def write_clusters(model: ClassModel, source: Source, out: str, with_data: bool, safe_cells: bool) -> None:
    """Write the cluster of every row of a source, batch by batch."""
    from hedgerow.data.write import Writer

    with Writer(out, safe_cells=safe_cells) as writer:
        for batch in source.batches():
            writer.add(add_labels(model, batch, model.decide(batch), with_data))


def add_labels(model: ClassModel, table: Table, labels: Codes, with_data: bool) -> Table:
    """Return the column of clusters, under a unique name, after the other columns if requested."""
    from hedgerow.data.table.schema import Schema
    from hedgerow.data.table.table import Table
    from hedgerow.models.clusters.cluster_model import cluster_schema

    column = cluster_schema(table.schema.with_target(None), len(model.classes)).columns[-1]
    if with_data:
        return table.with_target(None).with_column(column, labels)
    return Table(Schema((model.schema.target_column,)), (labels,), table.n_rows)


def _as_class_model(model: Any) -> ClassModel:
    from hedgerow.models.base.model import ClassModel

    assert isinstance(model, ClassModel)
    return model


def _check(model: str | None, out: str | None, with_data: bool, as_json: bool) -> None:
    if model == "-":
        raise UsageError("a model file cannot go to standard output; name a file with -o")
    if with_data and out is None:
        raise UsageError("--with-data adds columns to the file of clusters; also name the file, as in --out labels.csv")
    if out == "-" and as_json:
        raise UsageError("--out - and --json cannot both go to standard output; name a file with --out")


def _refuse_in_stream(names: list[str]) -> None:
    if names:
        need = "needs" if len(names) == 1 else "need"
        raise UsageError(f"{' and '.join(names)} {need} all rows at once; leave out --stream")


def _class_note(name: str | None) -> str:
    """Return the note on a last column that is taken as the class without being named."""
    return f"column {name!r} is not used for clustering, but compared with the clusters; --no-class uses it as well"
