"""`--tune NAME=VALUE,...`: parameters that are chosen within the training rows; and lists of values in general."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from hedgerow.errors import UsageError
from hedgerow.learn.base import Learner
from hedgerow.learn.parameter_names import current_name

if TYPE_CHECKING:
    from hedgerow.evaluate.tune import TunedLearner

GROUP_OPTION = click.option("--group", metavar="COLUMN", help="Keep rows with the same value of this column together.")


def tune_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options of choosing parameters."""
    for option in (
        click.option(
            "--tune-rule",
            "--rule",  # for learners that have no parameter of this name
            "tune_rule",
            default="best",
            show_default=True,
            metavar="best|1se",
            help="Which values to choose: the best, or the simplest within one standard error of the best.",
        ),
        click.option(
            "--tune-by", metavar="MEASURE", help="The measure to choose by (default: error; mae for a numeric target)."
        ),
        click.option("--tune-folds", default=5, show_default=True, help="Number of folds to choose by."),
        click.option(
            "--tune",
            multiple=True,
            metavar="NAME=VALUES",
            help="Choose a parameter by cross-validation within the training rows: min_leaf=2,5,10.",
        ),
    ):
        command = option(command)
    return command


def make_tuned_learner(
    learner: Learner, words: Sequence[str], rule: str, measure: str | None, folds: int, group: str | None
) -> Learner | TunedLearner:
    """Return the learner, or one that chooses the parameters that `--tune` names."""
    from hedgerow.cli.options import was_given
    from hedgerow.evaluate.tune import RULES, tune

    if rule not in RULES:
        raise UsageError(f"--rule {rule}: there is no such rule; the rules are {', '.join(RULES)}")
    if not words:
        idle = [name for name in ("tune_rule", "tune_by", "tune_folds") if was_given(name)]
        if idle:
            option = "--" + idle[0].replace("_", "-")
            raise UsageError(f"{option} specifies how to choose; also give the parameter, as in --tune min_leaf=2,5,10")
        return learner
    grid: dict[str, list[Any]] = {}
    for word in words:
        name, values = parse_values(learner, word, "--tune")
        if name in grid:
            raise UsageError(f"--tune {name} is given twice; give all its values at once")
        grid[name] = values
    return tune(learner, grid, rule, folds, measure, group=group)


def parse_values(learner: Learner, word: str, option: str) -> tuple[str, list[Any]]:
    """Return the parameter and the values that `min_leaf=2,5,10` names; `base-min-leaf` is `base__min_leaf`."""
    from hedgerow.evaluate.tune import find_param

    written, equals, values = word.partition("=")
    if not equals or not written or not values:
        raise UsageError(f"{option} {word}: give a parameter and its values, as in {option} min_leaf=2,5,10")
    name = _plain(learner, written.replace("-", "_"))
    param = find_param(learner, name)
    if param is None:
        raise UsageError(f"{learner.name} has no parameter {name!r}")
    param = replace(param, name=name)
    parsed = [param.parse(value.strip()) for value in values.split(",")]
    for value in parsed:
        param.check(value)
    return name, parsed


def _plain(learner: Learner, name: str) -> str:
    """Return the name of a parameter; of one inside another, `base_min_leaf`, with the line that is doubled."""
    name = current_name(learner.name, name, learner.params)
    if name in learner.params or "__" in name:
        return name
    inner = [own for own, param in learner.params.items() if param.kind == "learner" and name.startswith(f"{own}_")]
    return f"{inner[0]}__{name[len(inner[0]) + 1 :]}" if inner else name
