"""Options on decisions: thresholds and costs to decide by, and recall or precision that thresholds are wanted for."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import click

from hedgerow.errors import UsageError
from hedgerow.learn.params import Param
from hedgerow.models.base.model import ClassModel, Model

if TYPE_CHECKING:
    from hedgerow.data.table.table import Table
    from hedgerow.learn.base import Learner
    from hedgerow.report.evaluation.thresholds import WantedThresholds

COSTS = Param("costs", None, "", none=True, name="--costs")


COSTS_HELP = (
    "Predict the class of least expected cost, as in yes:no=5,no:yes=1, where predicting a yes as no costs 5 (also "
    "JSON, or a .json file)."
)


def decision_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options by which a saved model decides otherwise than for the most probable class."""
    return click.option(
        "--threshold",
        metavar="CLASS=P",
        multiple=True,
        help="Predict this class if its probability is at least P, as in yes=0.2; can be repeated for other classes.",
    )(costs_option(command))


def costs_option(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the misclassification costs by which a saved model decides."""
    return click.option("--costs", metavar="COSTS", help=COSTS_HELP)(command)


def learner_costs_option(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the costs by which the model of a learner decides; `--costs` is the learner's if it has such a parameter."""
    text = f"{COSTS_HELP} If the learner has a parameter --costs, use that."
    return click.option("--costs", "--decision-costs", "decision_costs", metavar="COSTS", help=text)(command)


def wanted_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options that thresholds are wanted for."""
    for measure, example in (("precision", "yes=0.5"), ("recall", "yes=0.8")):
        command = click.option(
            f"--{measure}",
            f"wanted_{measure}",
            metavar="CLASS=SHARE",
            multiple=True,
            help=f"Show the threshold of a class that has this {measure} on the rows tested, as in {example}.",
        )(command)
    return command


def decide(model: Model, threshold: Sequence[str], costs: str | None) -> Model:
    """Return the model that decides as these options say."""
    if not threshold and costs is None:
        return model
    if threshold and costs is not None:
        raise UsageError("classes are decided by --threshold or by --costs, not by both: leave out one of them")
    option = "--threshold" if threshold else "--costs"
    if not isinstance(model, ClassModel):
        raise UsageError(f"{option} decides among classes, but the model does not predict classes")
    if threshold:
        return model.with_thresholds(parse_shares("--threshold", threshold))
    return model.with_costs(COSTS.parse(str(costs)))


def wanted_thresholds(
    recall: Sequence[str], precision: Sequence[str], costs: Any, label: str | None = None
) -> WantedThresholds:
    """Return what thresholds are wanted for."""
    from hedgerow.report.evaluation.thresholds import WantedThresholds

    return WantedThresholds(
        parse_shares("--recall", recall),
        parse_shares("--precision", precision),
        COSTS.parse(costs) if isinstance(costs, str) else costs,
        () if label is None else (label,),
    )


def check_wanted(wanted: WantedThresholds, learner: Learner, table: Table) -> None:
    """Raise an error before any work is done if there is no class that a threshold is wanted for."""
    from hedgerow.evaluate.run_split import to_learner_table

    if wanted.classes:
        target = to_learner_table(learner, table).schema.target_column
        wanted.check(target.name, target.levels)


def with_costs(learner: Learner, costs: str | None) -> Learner:
    """Return the learner whose models decide by costs, if there are any."""
    from hedgerow.learn.classifier import Classifier

    if costs is None:
        return learner
    if not isinstance(learner, Classifier):
        raise UsageError(f"--costs decides among classes, but {learner.name} does not predict classes")
    return learner.with_costs(COSTS.parse(costs))


def parse_shares(option: str, texts: Sequence[str]) -> dict[str, float]:
    """Return numbers above 0 and at most 1 by class, from words such as yes=0.2."""
    shares: dict[str, float] = {}
    for text in texts:
        label, equals, number = text.rpartition("=")
        if not equals or not label:
            raise UsageError(f"{option} {text}: give a class and a number, as in {option} yes=0.2")
        share = _number(number)
        if not 0 < share <= 1:
            raise UsageError(f"{option} {text}: {number!r} is not a number above 0 and at most 1")
        if label in shares:
            raise UsageError(f"{option}: the class {label!r} is given twice")
        shares[label] = share
    return shares


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return math.nan
