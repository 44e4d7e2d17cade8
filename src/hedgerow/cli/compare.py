"""hedgerow compare: several learners on several data sets, all on the same folds."""

from __future__ import annotations

from functools import partial
from typing import Any

import click

from hedgerow.cli.evaluation import fold_options
from hedgerow.cli.options import JSON_OPTION, QUIET_OPTION, data_options, print_note, read_data
from hedgerow.cli.output import show
from hedgerow.cli.pictures import CHART_OPTION, check_plot, convert_picture, write_plot
from hedgerow.cli.progress import progress
from hedgerow.errors import UsageError

DEFAULT = "majority,one_r,c45,naive_bayes"


@click.command("compare")
@click.argument("data", nargs=-1, required=True)
@click.option(
    "-l",
    "--learners",
    default=(DEFAULT,),
    show_default=True,
    multiple=True,
    metavar="NAMES",
    help="The learners, separated by commas or one per option, with settings in brackets: c45(min_leaf=5). Learners "
    "of other packages are named by their path: sklearn.svm.SVC(C=10).",
)
@click.option("--base", metavar="NAME", help="The learner that the others are tested against (default: the first).")
@click.option(
    "--measure",
    metavar="NAME",
    help="The measure: error, accuracy, balanced_accuracy, kappa, mcc, macro_f1, auc, log_loss, brier ...; mae, rmse, "
    "r2 ... for numbers; train_seconds, test_seconds, model_size (default: error, or mae).",
)
@click.option("--level", default=0.05, show_default=True, help="Significance level.")
@click.option(
    "--store",
    metavar="FILE",
    type=click.Path(dir_okay=False),
    help="Save every finished fold in this file (SQLite), so that the same command resumes where it stopped.",
)
@partial(fold_options, runs=10)
@CHART_OPTION
@data_options
@JSON_OPTION
@QUIET_OPTION
def command(
    data: tuple[str, ...],
    learners: tuple[str, ...],
    base: str | None,
    measure: str | None,
    level: float,
    store: str | None,
    folds: int,
    runs: int,
    seed: int,
    plot: str | None,
    reading: dict[str, Any],
    as_json: bool,
    quiet: bool,
) -> None:
    """Compare learners on one or more data sets (DATA ...) by repeated cross-validation on the same folds.

    A mean is marked v if the learner is significantly better than the base, * if it is significantly worse. With
    several data sets, the learners are also ranked.

    \b
      hedgerow compare loans.csv
      hedgerow compare loans.csv --learners c45,naive_bayes,knn
    """  # noqa: D301
    from hedgerow.evaluate.learner_comparison.compare import compare, data_names
    from hedgerow.learn.adapt import adapt, split_learners
    from hedgerow.report.comparison.comparison import comparison_report
    from hedgerow.report.comparison.comparison_charts import comparison_charts
    from hedgerow.report.draw.svg import stack_pictures

    check_plot(plot, curves=True)
    if data.count("-") > 1:
        raise UsageError("standard input can be read only once")
    chosen = [adapt(one) for one in split_learners(",".join(learners))]  # before the data, which may take long to read
    tables, notes = {}, []
    for name, source in zip(data_names(data), data, strict=True):
        tables[name], parts = read_data(source, reading, quiet)
        notes += [f"{name}: {note}" for note in parts]
    with progress("comparison", quiet) as tell:
        comparison = compare(chosen, tables, None, runs, folds, base, measure, seed, level, store, progress=tell)
    report = comparison_report(comparison)
    show({**report, "notes": [*notes, *report["notes"]]}, as_json)
    if plot:
        write_plot(convert_picture(stack_pictures("Comparison", comparison_charts(report)), plot), plot)
        print_note(f"the picture of the comparison is in {plot}", quiet)
