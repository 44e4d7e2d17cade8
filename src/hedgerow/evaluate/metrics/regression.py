"""Measures of predicted numbers, each a pure function of Results; rows count by their weight."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Literal

import numpy as np

from hedgerow.data.table.table import Numbers
from hedgerow.errors import UsageError
from hedgerow.evaluate.metrics.measures import mean, ratio
from hedgerow.evaluate.results import Results


def differences(results: Results) -> Numbers:
    """Return predicted - actual of every row."""
    _need_numbers(results)
    apart: Numbers = results.predicted - results.actual
    return apart


def absolute_errors(results: Results) -> Numbers:
    """Return |predicted - actual| of every row."""
    errors: Numbers = np.abs(differences(results))
    return errors


def squared_errors(results: Results) -> Numbers:
    """Return (predicted - actual)^2 of every row."""
    errors: Numbers = differences(results) ** 2
    return errors


def mae(results: Results) -> float:
    """Return the mean absolute error."""
    return float(mean(results, absolute_errors(results)))


def rmse(results: Results) -> float:
    """Return the root of the mean squared error."""
    return math.sqrt(mean(results, squared_errors(results)))


def bias(results: Results) -> float:
    """Return the mean of predicted - actual: above 0 the predictions are too high on the whole."""
    return float(mean(results, differences(results)))


def median_absolute(results: Results) -> float:
    """Return the median of the absolute errors, which a few wild ones do not move."""
    return absolute_quantiles(results, (0.5,))[0]


def largest_error(results: Results) -> float:
    """Return the largest absolute error of a row that has any weight."""
    errors = absolute_errors(results)[results.weight > 0]
    return float(errors.max()) if len(errors) else math.nan


def absolute_quantiles(results: Results, shares: Sequence[float]) -> list[float]:
    """Return the absolute errors below which such shares of the weight lie.

    Where the share falls between two rows it is halfway between their errors, as is the custom for a median.
    """
    errors = absolute_errors(results)
    order = np.argsort(errors)
    below = np.cumsum(results.weight[order])
    if not len(below) or not below[-1] > 0:
        return [math.nan] * len(shares)
    marks = np.clip(shares, 0.0, 1.0) * below[-1]
    last = len(below) - 1
    first, after = (np.searchsorted(below, marks * (1 + sign * 1e-12), side) for sign, side in _SIDES)
    halfway = (errors[order[np.minimum(first, last)]] + errors[order[np.minimum(after, last)]]) / 2
    return [math.nan if math.isnan(mark) else float(one) for mark, one in zip(marks, halfway, strict=True)]


def relative_absolute(results: Results) -> float:
    """Return the absolute error as a share of that of the training mean; above 1 is worse than no model."""
    return float(ratio(mae(results), mean(results, np.abs(_subtract_center(results.actual, _guess(results))))))


def relative_squared(results: Results) -> float:
    """Return the root mean squared error as a share of that of the training mean."""
    return float(ratio(rmse(results), math.sqrt(mean(results, _subtract_center(results.actual, _guess(results)) ** 2))))


def r2(results: Results) -> float:
    """Return the share of the variance explained: 1 - squared error / variance of the tested rows."""
    spread = mean(results, _subtract_center(results.actual, mean(results, results.actual)) ** 2)
    return 1 - float(ratio(mean(results, squared_errors(results)), spread))


def correlation(results: Results) -> float:
    """Return Pearson's correlation of predicted and actual numbers; undefined if all are training means."""
    _need_numbers(results)
    if results.only_priors:
        return math.nan
    x = _subtract_center(results.predicted, mean(results, results.predicted))
    y = _subtract_center(results.actual, mean(results, results.actual))
    both = math.sqrt(mean(results, x * x)) * math.sqrt(mean(results, y * y))
    return float(ratio(mean(results, x * y), both))


# A sum of weights that misses a mark by rounding has reached it.
_SIDES: tuple[tuple[int, Literal["left", "right"]], ...] = ((-1, "left"), (1, "right"))


def _subtract_center(values: Numbers, center: Numbers) -> Numbers:
    """Return values - center, zero where they differ by no more than the rounding of a mean."""
    apart: Numbers = values - center
    return np.where(np.abs(apart) <= 1e-14 * np.abs(values), 0.0, apart)


def _guess(results: Results) -> Numbers:
    """Return the prediction for each row without a model: its fold's training mean.

    When the training part is not known, the mean of the tested rows stands in.
    """
    if all(fold.prior for fold in results.folds):
        return np.array([fold.prior[0] for fold in results.folds])[results.place]
    return np.broadcast_to(mean(results, results.actual), results.actual.shape)


def _need_numbers(results: Results) -> None:
    if results.has_classes:
        raise UsageError(f"{results.target!r} is a class, so predictions of it have no numeric error")
