"""Testing a learner for the verbs that do so, always beside the learner that does not learn."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click

from hedgerow.cli.output import progress
from hedgerow.data.table import Table
from hedgerow.learn.base import Learner

LEARNER_OPTION = click.option(
    "-l",
    "--learner",
    metavar="NAME",
    help="The learner (default: simplest, which tries several and keeps the simplest that is about as good as the "
    "best; simplest_regressor for a numeric target).",
)


def fold_options(command: Callable[..., Any], runs: int = 1) -> Callable[..., Any]:
    """Add the options of cross-validation."""
    for option in (
        click.option("--seed", default=1, show_default=True, help="Seed of the random folds."),
        click.option("--runs", default=runs, show_default=True, help="How often to repeat, with other folds."),
        click.option("--folds", default=10, show_default=True, help="Number of folds."),
    ):
        command = option(command)
    return command


def beside_baseline(learner: Learner, table: Table, folds: int, runs: int, seed: int, quiet: bool) -> dict[str, Any]:
    """Return the report of a cross-validation, beside the majority class or the mean on the same folds."""
    from hedgerow.evaluate.validate import cross_validate
    from hedgerow.report.build import evaluation_report

    with progress("cross-validation", quiet) as tell:
        results = cross_validate(learner, table, folds, runs, seed, progress=tell)
    base = baseline_of(learner)
    compared = None if base is None else cross_validate(base, table, folds, runs, seed)
    return evaluation_report(results, compared)


def baseline_of(learner: Learner) -> Learner | None:
    """Return the learner to beat; None if this is the one."""
    from hedgerow.learn.registry import learner_named

    base = learner_named("majority" if learner.target_is_classes else "mean")()
    return None if learner.name == base.name else base
