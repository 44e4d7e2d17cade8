"""hedgerow crossval: test a learner without saving a model."""

from __future__ import annotations

from typing import Any

import click

from hedgerow.cli.decisions import learner_costs_option, wanted_options, wanted_thresholds, with_costs
from hedgerow.cli.evaluation import LEARNER_OPTION, fold_options
from hedgerow.cli.options import (
    JSON_OPTION,
    QUIET_OPTION,
    LearnerCommand,
    data_options,
    learner_from,
    print_note,
    read_data,
    was_given,
)
from hedgerow.cli.output import show
from hedgerow.cli.pictures import check_curve, check_target, curve_options, draw_results, write_plot
from hedgerow.cli.progress import TerminalMonitor
from hedgerow.cli.tuning import GROUP_OPTION, make_tuned_learner, tune_options
from hedgerow.errors import UsageError
from hedgerow.training.evaluation import evaluate_with_baseline


@click.command("crossval", cls=LearnerCommand)
@click.argument("data")
@LEARNER_OPTION
@fold_options
@click.option("--leave-one-out", is_flag=True, help="Test every row with a model trained on all others.")
@click.option(
    "--holdout", type=float, metavar="SHARE", help="Hold out this share of the rows for testing, and train on the rest."
)
@click.option(
    "--bootstrap", type=int, metavar="SAMPLES", help="Train on samples drawn with replacement: .632 bootstrap."
)
@GROUP_OPTION
@tune_options
@learner_costs_option
@wanted_options
@curve_options
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
    bootstrap: int | None,
    group: str | None,
    tune: tuple[str, ...],
    tune_rule: str,
    tune_by: str | None,
    tune_folds: int,
    decision_costs: str | None,
    wanted_recall: tuple[str, ...],
    wanted_precision: tuple[str, ...],
    plot: str | None,
    curve: str | None,
    label: str | None,
    reading: dict[str, Any],
    settings: dict[str, Any],
    as_json: bool,
    quiet: bool,
) -> None:
    """Test a learner and the baseline on DATA by cross-validation (or leave-one-out, holdout, bootstrap).

    Parameters named by --tune are chosen again in every fold, on its training rows only. With --plot a curve of the
    test is also drawn.

    \b
      hedgerow crossval loans.csv --learner c45
      hedgerow crossval loans.csv --learner knn --leave-one-out
    """  # noqa: D301
    from hedgerow.evaluate.run_split import to_learner_table
    from hedgerow.report.evaluation.build import evaluation_report

    check_curve(plot, curve, label)
    if leave_one_out + (holdout is not None) + (bootstrap is not None) > 1:
        raise UsageError("choose one of --leave-one-out, --holdout and --bootstrap")
    table, notes = read_data(data, reading, quiet)
    notes += unused_option_notes(leave_one_out, holdout, bootstrap)
    chosen = with_costs(learner_from(learner, settings, table), decision_costs)
    wanted = wanted_thresholds(wanted_recall, wanted_precision, settings.get("costs", decision_costs), label)
    learned = make_tuned_learner(chosen, tune, tune_rule, tune_by, tune_folds, group)
    target = to_learner_table(learned, table).schema.target_column
    check_target(target.name, target.levels, curve, label)
    wanted.check(target.name, target.levels)
    monitor = TerminalMonitor(quiet)
    if leave_one_out:
        tests = evaluate_with_baseline(learned, monitor, "leave-one-out", table, group=group)
    elif holdout is not None:
        tests = evaluate_with_baseline(learned, monitor, "holdout", table, holdout, runs, seed, group=group)
    elif bootstrap is not None:
        tests = evaluate_with_baseline(learned, monitor, "bootstrap", table, bootstrap, seed, group=group)
    else:
        tests = evaluate_with_baseline(learned, monitor, "cross-validation", table, folds, runs, seed, group=group)
    report = evaluation_report(*tests, wanted)
    show({**report, "notes": [*notes, *report["notes"]]}, as_json)
    if plot:  # after the figures, which took longer
        write_plot(draw_results(tests[0], report, curve, label, plot), plot)
        print_note(f"the picture of the curve is in {plot}", quiet)


def unused_option_notes(leave_one_out: bool, holdout: float | None, bootstrap: int | None) -> list[str]:
    """Return a note on given options that have no meaning for the chosen method."""
    if leave_one_out:
        method, idle = "--leave-one-out", ["folds", "runs", "seed"]
    elif holdout is not None:
        method, idle = "--holdout", ["folds"]
    elif bootstrap is not None:
        method, idle = "--bootstrap", ["folds", "runs"]
    else:
        return []
    return [f"--{name} has no meaning with {method} and is not used" for name in idle if was_given(name)]
