"""Measures of predicted numbers, each a pure function of Results; rows count by their weight."""

from __future__ import annotations

import math

import numpy as np

from hedgerow.data.table import Numbers
from hedgerow.errors import UsageError
from hedgerow.evaluate.measures import mean, ratio
from hedgerow.evaluate.results import Results


def absolute_errors(results: Results) -> Numbers:
    """Return |predicted - actual| of every row."""
    _need_numbers(results)
    errors: Numbers = np.abs(results.predicted - results.actual)
    return errors


def squared_errors(results: Results) -> Numbers:
    """Return (predicted - actual)^2 of every row."""
    _need_numbers(results)
    errors: Numbers = (results.predicted - results.actual) ** 2
    return errors


def mae(results: Results) -> float:
    """Return the mean absolute error."""
    return float(mean(results, absolute_errors(results)))


def rmse(results: Results) -> float:
    """Return the root of the mean squared error."""
    return math.sqrt(mean(results, squared_errors(results)))


def relative_absolute(results: Results) -> float:
    """Return the absolute error as a share of that of the training mean; above 1 is worse than no model."""
    return float(ratio(mae(results), mean(results, np.abs(_apart(results.actual, _guess(results))))))


def relative_squared(results: Results) -> float:
    """Return the root mean squared error as a share of that of the training mean."""
    return float(ratio(rmse(results), math.sqrt(mean(results, _apart(results.actual, _guess(results)) ** 2))))


def r2(results: Results) -> float:
    """Return the share of the variance explained: 1 - squared error / variance of the tested rows."""
    spread = mean(results, _apart(results.actual, mean(results, results.actual)) ** 2)
    return 1 - float(ratio(mean(results, squared_errors(results)), spread))


def correlation(results: Results) -> float:
    """Return Pearson's correlation of predicted and actual numbers; undefined if all are training means."""
    _need_numbers(results)
    if results.only_priors:
        return math.nan
    x = _apart(results.predicted, mean(results, results.predicted))
    y = _apart(results.actual, mean(results, results.actual))
    both = math.sqrt(mean(results, x * x)) * math.sqrt(mean(results, y * y))
    return float(ratio(mean(results, x * y), both))


def _apart(values: Numbers, center: Numbers) -> Numbers:
    """Return values - center, zero where they differ by no more than the rounding of a mean."""
    apart: Numbers = values - center
    return np.where(np.abs(apart) <= 1e-14 * np.abs(values), 0.0, apart)


def _guess(results: Results) -> Numbers:
    """Return what each row would be guessed without a model: its fold's training mean.

    When the training part is not known, the mean of the tested rows stands in.
    """
    if all(fold.prior for fold in results.folds):
        return np.array([fold.prior[0] for fold in results.folds])[results.place]
    return np.broadcast_to(mean(results, results.actual), results.actual.shape)


def _need_numbers(results: Results) -> None:
    if results.has_classes:
        raise UsageError(f"{results.target!r} is a class, so predictions of it have no numeric error")
