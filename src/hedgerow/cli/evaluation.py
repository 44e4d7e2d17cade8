"""Testing a learner for several verbs, always together with a baseline."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import click

from hedgerow.cli.progress import progress
from hedgerow.learn.base import Learner

if TYPE_CHECKING:
    from hedgerow.data.table.table import Table
    from hedgerow.evaluate.results import Results
    from hedgerow.evaluate.run_split import Trainable
    from hedgerow.report.evaluation.thresholds import WantedThresholds
    from hedgerow.report.schema import EvaluationReport

LEARNER_OPTION = click.option(
    "-l",
    "--learner",
    metavar="NAME",
    help="The learner (default: simplest, which compares several and chooses the simplest that is about as good as "
    "the best; simplest_regressor for a numeric target).",
)


def fold_options(command: Callable[..., Any], runs: int = 1) -> Callable[..., Any]:
    """Add the options of cross-validation."""
    for option in (
        click.option("--seed", default=1, show_default=True, help="Seed of the random folds."),
        click.option(
            "--runs", default=runs, show_default=True, help="Number of repetitions, each with different folds."
        ),
        click.option("--folds", default=10, show_default=True, help="Number of folds."),
    ):
        command = option(command)
    return command


def cross_validate_with_baseline(
    learner: Trainable,
    table: Table,
    folds: int,
    runs: int,
    seed: int,
    quiet: bool,
    group: str | None = None,
    work: float = 0.0,
    wanted: WantedThresholds | None = None,
) -> EvaluationReport:
    """Return the report of a cross-validation, with the majority class or mean as the baseline."""
    from hedgerow.report.evaluation.build import evaluation_report

    arguments = (table, folds, runs, seed)
    tests = evaluate_with_baseline(learner, quiet, "cross-validation", *arguments, group=group, work=work)
    return evaluation_report(*tests, wanted)


def evaluate_with_baseline(
    learner: Trainable, quiet: bool, how: str, table: Table, *given: Any, work: float = 0.0, **more: Any
) -> tuple[Results, Results | None]:
    """Return any test of a learner, and that of the majority class or the mean on the same rows, if it is another.

    `how` is "cross-validation", "leave-one-out", "holdout" or "bootstrap"; what else is given goes to that function.
    `work` is its share of the bar of a longer job.
    """
    from hedgerow.evaluate import validate
    from hedgerow.evaluate.bootstrap import bootstrap

    ways: dict[str, Callable[..., Results]] = {
        "cross-validation": validate.cross_validate,
        "leave-one-out": validate.leave_one_out,
        "holdout": validate.holdout,
        "bootstrap": lambda *words, **named: bootstrap(*words, **named).results,
    }
    with progress(how, quiet, work) as tell:
        results = ways[how](learner, table, None, *given, progress=tell, **more)
    base = baseline_of(learner)
    return results, None if base is None else ways[how](base, table, None, *given, **more)


def baseline_of(learner: Trainable) -> Learner | None:
    """Return the baseline learner; None if this is the one."""
    from hedgerow.learn.registry import find_learner

    base = find_learner("majority" if getattr(learner, "target_is_classes", True) else "mean")()
    return None if learner.name == base.name else base
