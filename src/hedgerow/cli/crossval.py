"""hedgerow crossval: how well a learner does, without keeping a model."""

from __future__ import annotations

from typing import Any

import click

from hedgerow.cli.evaluation import LEARNER_OPTION, baseline_of, beside_baseline, fold_options
from hedgerow.cli.options import (
    JSON_OPTION,
    QUIET_OPTION,
    LearnerCommand,
    data_options,
    learner_from,
    table_of,
)
from hedgerow.cli.output import progress, show
from hedgerow.errors import UsageError
from hedgerow.evaluate.results import Results
from hedgerow.learn.base import Learner


@click.command("crossval", cls=LearnerCommand)
@click.argument("data")
@LEARNER_OPTION
@fold_options
@click.option("--leave-one-out", is_flag=True, help="Test every row on a model of all others.")
@click.option("--holdout", type=float, metavar="SHARE", help="Learn from this share of the rows, test on the rest.")
@data_options
@JSON_OPTION
@QUIET_OPTION
def command(
    data: str,
    learner: str | None,
    folds: int,
    runs: int,
    seed: int,
    leave_one_out: bool,
    holdout: float | None,
    reading: dict[str, Any],
    settings: dict[str, Any],
    as_json: bool,
    quiet: bool,
) -> None:
    """Test a learner on DATA by cross-validation (or leave-one-out, or holdout), beside the baseline."""
    from hedgerow.evaluate import validate
    from hedgerow.report.build import evaluation_report

    if leave_one_out and holdout is not None:
        raise UsageError("choose either --leave-one-out or --holdout")
    table, notes = table_of(data, reading)
    chosen = learner_from(learner, settings, table)
    if not leave_one_out and holdout is None:
        report = beside_baseline(chosen, table, folds, runs, seed, quiet)
        show({**report, "notes": [*notes, *report["notes"]]}, as_json)
        return
    base = baseline_of(chosen)
    with progress("leave-one-out" if leave_one_out else "holdout", quiet) as tell:

        def tested(one: Learner) -> Results:
            if holdout is None:
                return validate.leave_one_out(one, table, progress=tell)
            return validate.holdout(one, table, holdout, runs, seed, progress=tell)

        results, compared = tested(chosen), None if base is None else tested(base)
    report = evaluation_report(results, compared)
    show({**report, "notes": [*notes, *report["notes"]]}, as_json)
