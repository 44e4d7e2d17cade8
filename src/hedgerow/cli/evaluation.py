"""Options of the verbs that test a learner."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click

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
