"""Measures of a whole confusion matrix with their slopes, from which standard errors follow.

A table holds shares of the rows by actual class (rows) and predicted class (columns). What is measured here depends on
three figures a class: the share found (the diagonal), the actual share and the predicted share. The slope of a
cell is the sum of the slopes of the figures that it counts in.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hedgerow.data.table.table import Numbers

TINY = 1e-12  # a share that is not there


@dataclass(frozen=True, eq=False)
class ValueWithGradient:
    """A value, and how fast it grows with the share found, the actual and the predicted share of every class."""

    value: float
    recall_slope: Numbers
    actual_slope: Numbers
    predicted_slope: Numbers

    def cells(self) -> Numbers:
        """Return how fast the value grows with every cell of the table."""
        slopes: Numbers = self.actual_slope[:, None] + self.predicted_slope[None, :] + np.diag(self.recall_slope)
        return slopes


TableMeasure = Callable[[Numbers], ValueWithGradient]


def kappa(table: Numbers) -> ValueWithGradient:
    """Return Cohen's kappa: (agreed - chance) / (1 - chance)."""
    correct, actual, predicted = _figures(table)
    agreed, chance = float(correct.sum()), float(actual @ predicted)
    if 1 - chance <= TINY:
        return _undefined_measure(len(table))
    by_chance = (agreed - 1) / (1 - chance) ** 2
    return ValueWithGradient(
        (agreed - chance) / (1 - chance),
        np.full(len(table), 1 / (1 - chance)),
        by_chance * predicted,
        by_chance * actual,
    )


def mcc(table: Numbers) -> ValueWithGradient:
    """Return Matthews' correlation for any number of classes (Gorodkin, 2004).

    (agreed - sum of actual * given) / sqrt((1 - sum of actual^2) (1 - sum of given^2))
    """
    correct, actual, predicted = _figures(table)
    above = float(correct.sum() - actual @ predicted)
    x, y = float(1 - actual @ actual), float(1 - predicted @ predicted)
    if min(x, y) <= TINY:
        return _undefined_measure(len(table))
    below = math.sqrt(x * y)
    return ValueWithGradient(
        above / below,
        np.full(len(table), 1 / below),
        above * actual / (x * below) - predicted / below,
        above * predicted / (y * below) - actual / below,
    )


def balanced_accuracy(table: Numbers) -> ValueWithGradient:
    """Return the mean of the recalls of the classes that have rows."""
    correct, actual, _ = _figures(table)
    value, one, by_actual = _mean_share(correct, actual, actual > 0)
    return ValueWithGradient(value, one, by_actual, np.zeros(len(table)))


def macro_precision(table: Numbers) -> ValueWithGradient:
    """Return the mean of the precisions of the classes that have rows, undefined if one is never predicted."""
    correct, actual, predicted = _figures(table)
    if (predicted[actual > 0] <= 0).any():
        return _undefined_measure(len(table))
    value, one, by_given = _mean_share(correct, predicted, actual > 0)
    return ValueWithGradient(value, one, np.zeros(len(table)), by_given)


def macro_f(table: Numbers, beta: float = 1.0) -> ValueWithGradient:
    """Return the mean F-beta of the classes that have rows: (1 + b) TP / (b actual + given), b = beta^2."""
    correct, actual, predicted = _figures(table)
    square = beta * beta
    value, one, slope = _mean_share(correct * (1 + square), square * actual + predicted, actual > 0)
    return ValueWithGradient(value, one * (1 + square), square * slope, slope)


def f_of_first(table: Numbers, beta: float = 1.0) -> ValueWithGradient:
    """Return F-beta of the first class alone, undefined if it neither occurs nor is predicted."""
    correct, actual, predicted = _figures(table)
    square = beta * beta
    below = float(square * actual[0] + predicted[0])
    if below <= 0:
        return _undefined_measure(len(table))
    first = np.eye(len(table))[0]
    value = (1 + square) * float(correct[0]) / below
    return ValueWithGradient(
        value, (1 + square) / below * first, -value / below * square * first, -value / below * first
    )


def collapse_to_binary(table: Numbers, code: int) -> Numbers:
    """Return the table of two classes: this one, and all others as one."""
    others = np.arange(len(table)) != code
    row, column = table[code], table[:, code]
    rest = table[np.ix_(others, others)].sum()
    return np.array([[row[code], row[others].sum()], [column[others].sum(), rest]])


def _figures(table: Numbers) -> tuple[Numbers, Numbers, Numbers]:
    return table.diagonal(), table.sum(axis=1), table.sum(axis=0)


def _mean_share(correct: Numbers, below: Numbers, present: NDArray[np.bool_]) -> tuple[float, Numbers, Numbers]:
    """Return the mean of found / below over the classes present, and its slopes by both."""
    n = np.count_nonzero(present)
    if not n:
        return math.nan, *np.full((2, len(correct)), math.nan)
    one = np.divide(1.0, below * n, out=np.zeros(len(correct)), where=present)
    return float(correct @ one), one, -correct * one * one * n


def _undefined_measure(k: int) -> ValueWithGradient:
    return ValueWithGradient(math.nan, *np.full((3, k), math.nan))
