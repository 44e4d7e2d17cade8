"""Measures of predicted classes, each a pure function of Results.

Rows count by their weight, so that a row of weight 2 is the same as two rows. A measure whose denominator is
zero (the precision of a class that was never predicted) is NaN, never a warning and never a made-up 0 or 1.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hedgerow.data.table import Numbers
from hedgerow.errors import UsageError
from hedgerow.evaluate.results import Results

# Probabilities are kept this far from 0 and 1 in the logarithm, as in scikit-learn: a class that was given
# no probability at all costs -ln(2^-52) = 36 and not infinity.
CLIP = float(np.finfo(np.float64).eps)


def confusion(results: Results) -> Numbers:
    """Return the weight of the rows by actual class (rows) and predicted class (columns) (M304)."""
    need_classes(results)
    k = len(results.labels)
    cells = results.actual.astype(np.int64) * k + results.decided
    return _sums(cells, results.weight, k * k).reshape(k, k)


def ratio(above: Numbers | float, below: Numbers | float) -> Numbers:
    """Return above / below, NaN where below is zero."""
    above, below = np.broadcast_arrays(np.asarray(above, np.float64), np.asarray(below, np.float64))
    out = np.full(below.shape, np.nan)
    np.divide(above, below, out=out, where=below != 0)
    return out


def accuracy(results: Results) -> float:
    """Return the share of rows whose class was predicted (M295)."""
    need_classes(results)
    return float(mean(results, right(results)))


def error(results: Results) -> float:
    """Return the share of rows whose class was not predicted."""
    return 1 - accuracy(results)


def kappa(results: Results) -> float:
    """Return Cohen's kappa: how much of the way from chance to perfect agreement was made."""
    cells = ratio(confusion(results), results.weight.sum())
    agreed, chance = cells.trace(), cells.sum(axis=0) @ cells.sum(axis=1)
    return float((agreed - chance) / (1 - chance)) if 1 - chance > 1e-12 else math.nan


def recall(results: Results) -> Numbers:
    """Return for every class the share of its rows that were found: TP / (TP + FN), the TP rate."""
    table = confusion(results)
    return ratio(table.diagonal(), table.sum(axis=1))


def precision(results: Results) -> Numbers:
    """Return for every class the share of rows given to it that belong to it: TP / (TP + FP)."""
    table = confusion(results)
    return ratio(table.diagonal(), table.sum(axis=0))


def f1(results: Results) -> Numbers:
    """Return for every class the harmonic mean of precision and recall: 2 TP / (2 TP + FP + FN)."""
    table = confusion(results)
    return ratio(2 * table.diagonal(), table.sum(axis=0) + table.sum(axis=1))


def false_positive_rate(results: Results) -> Numbers:
    """Return for every class the share of other rows that were given to it: FP / (FP + TN)."""
    table = confusion(results)
    return ratio(*strangers(table))


def strangers(table: Numbers) -> tuple[Numbers, Numbers]:
    """Return for every class the weight of other classes' rows given to it, and of all such rows.

    They are added up without the class, for subtracting it from the total leaves rounding where 0 is meant.
    """
    wrong = table * (1 - np.eye(len(table)))
    return wrong.sum(axis=0), (1 - np.eye(len(table))) @ table.sum(axis=1)


def specificity(results: Results) -> Numbers:
    """Return for every class the share of other rows that were kept out of it: TN / (TN + FP)."""
    return 1 - false_positive_rate(results)


def log_losses(results: Results) -> Numbers:
    """Return -ln of the probability given to each row's actual class, clipped by `CLIP`."""
    need_classes(results)
    given = results.predicted[np.arange(len(results)), results.actual]
    losses: Numbers = -np.log(np.clip(given, CLIP, 1 - CLIP))
    return losses


def log_loss(results: Results) -> float:
    """Return the mean of -ln p(actual class), in nats."""
    return float(mean(results, log_losses(results)))


def brier_scores(results: Results) -> Numbers:
    """Return the squared distance of each row's distribution from the truth; half of it for two classes.

    With two classes this is the familiar (p - y)^2 between 0 and 1, with more it lies between 0 and 2.
    """
    need_classes(results)
    away = results.predicted.copy()
    away[np.arange(len(results)), results.actual] -= 1
    scores: Numbers = (away**2).sum(axis=1) / (2 if len(results.labels) == 2 else 1)
    return scores


def brier(results: Results) -> float:
    """Return the mean Brier score; 0 is best."""
    return float(mean(results, brier_scores(results)))


def class_weights(results: Results) -> Numbers:
    """Return the weight of the rows of every class."""
    need_classes(results)
    return _sums(results.actual, results.weight, len(results.labels))


def average(results: Results, values: Numbers) -> float:
    """Return the mean over classes, each by its rows' weight, as Weka prints it.

    A class without rows has no say; a class with rows whose value is undefined makes the mean undefined.
    """
    return weighted(class_weights(results), values)


def weighted(weights: Numbers, values: Numbers) -> float:
    """Return the mean of the values whose weight is above zero."""
    present = weights > 0
    return float(ratio(values[present] @ weights[present], weights.sum()))


def right(results: Results) -> Numbers:
    """Return 1 for each row whose class was predicted, 0 for the others."""
    same: Numbers = np.equal(results.decided, results.actual).astype(np.float64)
    return same


def mean(results: Results, values: Numbers) -> Numbers:
    """Return the mean of one value a row, by weight."""
    return ratio(values @ results.weight, results.weight.sum())


def need_classes(results: Results) -> None:
    """Raise if the results are numbers."""
    if not results.has_classes:
        raise UsageError(f"{results.target!r} is a number, so it has no classes to count")


def _sums(cells: NDArray[Any], weights: Numbers, n: int) -> Numbers:
    sums: NDArray[Any] = np.bincount(cells, weights, n)
    return sums.astype(np.float64, copy=False)
