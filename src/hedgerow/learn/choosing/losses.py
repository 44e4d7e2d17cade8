"""Losses: what a prediction of one row costs, by the criterion that models are chosen by."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from hedgerow.data.table.table import Codes, Numbers, Table
from hedgerow.models.base.decisions import cheapest
from hedgerow.models.base.model import ClassModel, Model, NumberModel

MOST_LOSS = 1e150  # of one row: its square can be summed

CLASS_CRITERIA = {
    "log_loss": "log loss",
    "error": "error rate",
    "auc": "1 - AUC",
    "balanced": "balanced error rate",
    "cost": "mean cost",
}
NUMBER_CRITERIA = {"squared": "mean squared error", "absolute": "mean absolute error"}


class Predictions:
    """What a model predicted for rows with a known target: a positive probability of every class, or a number."""

    def __init__(self, actual: Codes | Numbers, weight: Numbers, values: Numbers, decided: Codes | None) -> None:
        self.actual, self.weight, self.values, self.decided = actual, weight, values, decided

    @classmethod
    def of(cls, model: Model, table: Table, training_weight: float) -> Predictions:
        """Return the predictions of a model for a table with the same classes; distributions are smoothed."""
        target = table.target
        assert isinstance(target, np.ndarray)
        if isinstance(model, NumberModel):
            with np.errstate(over="ignore"):
                return cls(target, table.row_weights, np.asarray(model.predict(table), np.float64), None)
        assert isinstance(model, ClassModel)
        smoothed = smooth(model.distribution(table), training_weight)
        return cls(target, table.row_weights, smoothed, model.decide(table))

    @classmethod
    def joined(cls, parts: Sequence[Predictions]) -> Predictions:
        """Return the predictions of several parts one after the other."""
        decided = [part.decided for part in parts if part.decided is not None]
        return cls(
            np.concatenate([part.actual for part in parts]),
            np.concatenate([part.weight for part in parts]),
            np.concatenate([part.values for part in parts]),
            np.concatenate(decided) if decided else None,
        )


def smooth(distributions: Numbers, training_weight: float) -> Numbers:
    """Return distributions as if the training rows had included one more, divided evenly among the classes.

    Models differ in whether their probabilities can be 0. In a comparison, an infinite loss of a single row, such as
    one of a class that is not among the training rows, would count more than all other rows.
    """
    k = distributions.shape[1]
    return np.asarray((training_weight * distributions + 1 / k) / (training_weight + 1))


def losses(criterion: str, made: Predictions, costs: Numbers | None = None) -> Numbers:
    """Return the loss of every row; their weighted mean is the criterion's value.

    Balanced error and AUC are no means over rows by themselves: each row gets its share of the value, and for the AUC
    what it adds to it (the structural components of DeLong, DeLong and Clarke-Pearson, 1988), so that the standard
    error of a paired difference follows as for the others.
    """
    return np.minimum(LOSSES[criterion](made, costs), MOST_LOSS)


def mean_loss(criterion: str, made: Predictions, costs: Numbers | None = None) -> float:
    """Return the mean loss of some predictions."""
    return float(np.average(losses(criterion, made, costs), weights=made.weight))


def _log_loss(made: Predictions, costs: Numbers | None) -> Numbers:  # noqa: ARG001
    return np.asarray(-np.log(made.values[np.arange(len(made.actual)), made.actual]))


def _error(made: Predictions, costs: Numbers | None) -> Numbers:  # noqa: ARG001
    return np.asarray(made.decided != made.actual, dtype=np.float64)


def _balanced(made: Predictions, costs: Numbers | None) -> Numbers:
    total = np.bincount(made.actual, made.weight)
    scale = made.weight.sum() / (np.count_nonzero(total) * np.where(total > 0, total, 1.0))
    return np.asarray(_error(made, costs) * scale[made.actual])


def _cost(made: Predictions, costs: Numbers | None) -> Numbers:
    if costs is None:
        return _error(made, None)
    return np.asarray(costs[made.actual, cheapest(made.values, costs)])


def _auc(made: Predictions, costs: Numbers | None) -> Numbers:  # noqa: ARG001
    """Return 1 - AUC as a mean over rows; of more than two classes the mean of each against the rest, by weight."""
    total, of_class = made.weight.sum(), np.bincount(made.actual, made.weight, made.values.shape[1])
    codes = np.flatnonzero((of_class > 0) & (of_class < total))
    if not len(codes):
        return np.full(len(made.actual), 0.5)
    codes = codes[-1:] if made.values.shape[1] == 2 else codes
    out = np.zeros(len(made.actual))
    for code in codes.tolist():
        positive = made.actual == code
        out += of_class[code] * _misordered(made.values[:, code], positive, made.weight)
    return np.asarray(out / of_class[codes].sum())


def _misordered(scores: Numbers, positive: NDArray[np.bool_], weight: Numbers) -> Numbers:
    """Return what each row adds to 1 - AUC: the share of the other side on the wrong side of it."""
    values, place = np.unique(scores, return_inverse=True)
    out = np.empty(len(scores))
    for own in (positive, ~positive):
        others = np.bincount(place[~own], weight[~own], len(values))
        below = (np.cumsum(others) - others / 2)[place[own]] / others.sum()
        wrong = 1 - below if own is positive else below
        mean = np.average(wrong, weights=weight[own])
        out[own] = mean + (wrong - mean) * weight.sum() / weight[own].sum()
    return out


def _squared(made: Predictions, costs: Numbers | None) -> Numbers:  # noqa: ARG001
    with np.errstate(over="ignore"):
        return np.asarray((made.values - made.actual) ** 2)


def _absolute(made: Predictions, costs: Numbers | None) -> Numbers:  # noqa: ARG001
    with np.errstate(over="ignore"):
        return np.asarray(np.abs(made.values - made.actual))


LOSSES: dict[str, Callable[[Predictions, Numbers | None], Numbers]] = {
    "log_loss": _log_loss,
    "error": _error,
    "balanced": _balanced,
    "cost": _cost,
    "auc": _auc,
    "squared": _squared,
    "absolute": _absolute,
}
