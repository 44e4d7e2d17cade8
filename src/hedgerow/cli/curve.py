"""hedgerow curve: performance by number of training rows, or by the values of a parameter."""

from __future__ import annotations

from typing import Any

import click

from hedgerow.cli.evaluation import LEARNER_OPTION, fold_options
from hedgerow.cli.options import (
    JSON_OPTION,
    QUIET_OPTION,
    LearnerCommand,
    data_options,
    learner_from,
    print_note,
    read_data,
)
from hedgerow.cli.output import show
from hedgerow.cli.pictures import CHART_OPTION, check_plot, convert_picture, write_plot
from hedgerow.cli.progress import progress
from hedgerow.cli.tuning import GROUP_OPTION, parse_values
from hedgerow.errors import UsageError


@click.command("curve", cls=LearnerCommand)
@click.argument("data")
@LEARNER_OPTION
@click.option("--sizes", metavar="LIST", help="Shares of the training rows, or numbers of rows: 0.1,0.5,1 or 50,100.")
@click.option("--over", metavar="NAME=VALUES", help="Vary a parameter instead of the number of rows: min_leaf=1,2,5.")
@click.option("--measure", metavar="NAME", help="The measure (default: error; mae for a numeric target).")
@fold_options
@GROUP_OPTION
@CHART_OPTION
@data_options
@JSON_OPTION
@QUIET_OPTION
def command(
    data: str,
    learner: str | None,
    sizes: str | None,
    over: str | None,
    measure: str | None,
    folds: int,
    runs: int,
    seed: int,
    group: str | None,
    plot: str | None,
    reading: dict[str, Any],
    settings: dict[str, Any],
    as_json: bool,
    quiet: bool,
) -> None:
    """Compute a learning curve of a learner on DATA, or, with --over, a curve over the values of a parameter.

    Every point is cross-validated on the same folds; the measure on the training rows is shown next to it.

    \b
      hedgerow curve loans.csv --learner c45
      hedgerow curve loans.csv --learner knn --over k=1,3,5,9
    """  # noqa: D301
    from hedgerow.evaluate.learning_curve import SIZES, learning_curve, parameter_curve
    from hedgerow.report.comparison.comparison_charts import learning_chart
    from hedgerow.report.comparison.curve import curve_report

    check_plot(plot, curves=True)
    if sizes is not None and over is not None:
        raise UsageError("choose either --sizes or --over")
    table, notes = read_data(data, reading, quiet)
    chosen = learner_from(learner, settings, table)
    with progress("curve", quiet) as tell:
        how: dict[str, Any] = {"measure": measure, "progress": tell, "group": group}
        if over is None:
            training_sizes = SIZES if sizes is None else parse_sizes(sizes)
            curve = learning_curve(chosen, table, None, training_sizes, folds, runs, seed, **how)
        else:
            name, values = parse_values(chosen, over, "--over")
            curve = parameter_curve(chosen, table, name, values, folds, runs, seed, **how)
    report = curve_report(curve)
    show({**report, "source": data, "notes": [*notes, *report["notes"]]}, as_json)
    if plot:
        write_plot(convert_picture(learning_chart(report), plot), plot)
        print_note(f"the picture of the curve is in {plot}", quiet)


def parse_sizes(words: str) -> list[float]:
    """Return the sizes that `0.1,0.5,1`, `10%,50%` or `50,100` name."""
    sizes = []
    for word in words.split(","):
        plain = word.strip()
        try:
            sizes.append(float(plain[:-1]) / 100 if plain.endswith("%") else float(plain))
        except ValueError:
            raise UsageError(f"--sizes {word.strip()}: give shares such as 0.1 or numbers of rows such as 50") from None
    return sizes
