"""Measures of predicted classes, each a pure function of Results.

Rows count by their weight, so that a row of weight 2 is the same as two rows. A measure whose denominator is
zero (the precision of a class that was never predicted) is NaN, never a warning and never a made-up 0 or 1. Where a
model left rows without a prediction, measures of all rows are of those it answered.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from hedgerow.data.table.table import Numbers
from hedgerow.errors import UsageError
from hedgerow.evaluate.metrics import confusion_measures
from hedgerow.evaluate.results import Results
from hedgerow.models.base.decisions import reduce_rows

# Probabilities are kept this far from 0 and 1 in the logarithm, as in scikit-learn: a class that was given
# no probability at all costs -ln(2^-52) = 36 and not infinity.
CLIP = float(np.finfo(np.float64).eps)


def confusion(results: Results) -> Numbers:
    """Return the weight of the rows by actual class (rows) and predicted class (columns) (M304)."""
    need_classes(results)
    return results.cache("confusion", lambda: _confusion(results.answered))


def unanswered_weights(results: Results) -> Numbers:
    """Return the weight of the rows of every class that the model left without a prediction."""
    need_classes(results)
    return sums(results.actual, results.weight * ~results.has_answer, len(results.labels))


def ratio(above: Numbers | float, below: Numbers | float) -> Numbers:
    """Return above / below, NaN where below is zero."""
    above, below = np.broadcast_arrays(np.asarray(above, np.float64), np.asarray(below, np.float64))
    out = np.full(below.shape, np.nan)
    np.divide(above, below, out=out, where=below != 0)
    return out


def accuracy(results: Results) -> float:
    """Return the share of rows whose class was predicted (M295)."""
    need_classes(results)
    answered = results.answered
    return float(mean(answered, right(answered)))


def error(results: Results) -> float:
    """Return the share of rows whose class was not predicted."""
    return 1 - accuracy(results)


def kappa(results: Results) -> float:
    """Return Cohen's kappa: the agreement beyond chance, relative to perfect agreement.

    (agreed - chance) / (1 - chance), where chance is the sum over the classes of actual share * predicted share.
    Undefined if all rows are of one class and are said to be.
    """
    return confusion_measures.kappa(shares(results)).value


def balanced_accuracy(results: Results) -> float:
    """Return the mean recall of the classes that have rows (M031): no class outweighs another by its size.

    A learner that always says the same class has 1 / classes.
    """
    return confusion_measures.balanced_accuracy(shares(results)).value


def mcc(results: Results) -> float:
    """Return Matthews' correlation of actual and predicted classes (M031), for any number of them (Gorodkin, 2004).

    For two classes (TP TN - FP FN) / sqrt((TP + FP) (TP + FN) (TN + FP) (TN + FN)), from -1 to 1, 0 for guessing.
    Undefined if only one class occurs or only one is predicted.
    """
    return confusion_measures.mcc(shares(results)).value


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


def f_beta(results: Results, beta: float = 1.0) -> Numbers:
    """Return for every class the mean of precision and recall in which recall counts beta times as much.

    (1 + b) TP / ((1 + b) TP + b FN + FP) with b = beta^2 (van Rijsbergen, 1979). 1 gives F1, 0 the precision.
    """
    square = need_beta(beta) ** 2
    table = confusion(results)
    return ratio((1 + square) * table.diagonal(), square * table.sum(axis=1) + table.sum(axis=0))


def class_mcc(results: Results) -> Numbers:
    """Return for every class the correlation of belonging to it and being given to it."""
    table = shares(results)
    return np.array(
        [confusion_measures.mcc(confusion_measures.collapse_to_binary(table, code)).value for code in range(len(table))]
    )


def false_positive_rate(results: Results) -> Numbers:
    """Return for every class the share of other rows that were given to it: FP / (FP + TN)."""
    table = confusion(results)
    return ratio(*false_positives(table))


def false_positives(table: Numbers) -> tuple[Numbers, Numbers]:
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
    probabilities = results.predicted[np.arange(len(results)), results.actual]
    losses: Numbers = -np.log(np.clip(probabilities, CLIP, 1 - CLIP))
    return losses


def log_loss(results: Results) -> float:
    """Return the mean of -ln p(actual class), in nats."""
    return float(mean(results.answered, log_losses(results.answered)))


def brier_scores(results: Results) -> Numbers:
    """Return the squared distance of each row's distribution from the truth; half of it for two classes.

    With two classes this is the familiar (p - y)^2 between 0 and 1, with more it lies between 0 and 2.
    """
    need_classes(results)
    away = results.predicted.copy()
    away[np.arange(len(results)), results.actual] -= 1
    away *= away
    scores: Numbers = reduce_rows(np.add, away) / (2 if len(results.labels) == 2 else 1)
    return scores


def brier(results: Results) -> float:
    """Return the mean Brier score; 0 is best."""
    return float(mean(results.answered, brier_scores(results.answered)))


def class_weights(results: Results) -> Numbers:
    """Return the weight of the rows of every class."""
    weights: Numbers = confusion(results).sum(axis=1)
    return weights


def average(results: Results, values: Numbers) -> float:
    """Return the mean over classes, each by its rows' weight, as Weka prints it.

    A class without rows has no say; a class with rows whose value is undefined makes the mean undefined.
    """
    return weighted(class_weights(results), values)


def macro(results: Results, values: Numbers) -> float:
    """Return the plain mean over the classes that have rows: small classes count as much as large ones.

    A class whose value is undefined makes the mean undefined.
    """
    present = class_weights(results) > 0
    return float(values[present].mean()) if present.any() else math.nan


class Micro(NamedTuple):
    """Precision, recall and F1 of several classes counted together."""

    precision: float
    recall: float
    f1: float


def micro(results: Results, labels: Sequence[str] | None = None) -> Micro:
    """Return precision, recall and F1 of the rows of several classes counted together.

    Over all classes all three are the accuracy. Leave out a class that stands for "none of these" to learn how well
    the others are found.
    """
    table = confusion(results)
    codes = range(len(table)) if labels is None else sorted({results.code(label) for label in labels})
    correct = table.diagonal()[list(codes)].sum()
    actual, predicted = (table.sum(axis=axis)[list(codes)].sum() for axis in (1, 0))
    return Micro(
        float(ratio(correct, predicted)), float(ratio(correct, actual)), float(ratio(2 * correct, actual + predicted))
    )


def shares(results: Results) -> Numbers:
    """Return the share of the rows by actual class (rows) and predicted class (columns); NaN without any weight."""
    return ratio(confusion(results), results.answered.weight.sum())


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
    """Raise an error if the results are numbers."""
    if not results.has_classes:
        raise UsageError(f"{results.target!r} is a number, so it has no classes to count")


def need_beta(beta: float) -> float:
    """Raise an error if beta is not a weight of recall against precision."""
    if isinstance(beta, bool) or not isinstance(beta, int | float) or not 0 <= beta < math.inf:
        raise UsageError(
            f"beta is the weight of recall relative to precision and must be a number of at least 0, not {beta!r}"
        )
    return float(beta)


def _confusion(results: Results) -> Numbers:
    k = len(results.labels)
    cells = results.actual.astype(np.int64) * k + results.decided
    table = sums(cells, results.weight, k * k).reshape(k, k)
    table.flags.writeable = False
    return table


def sums(cells: NDArray[Any], weights: Numbers, n: int) -> Numbers:
    """Return the sum of the weights of each of n cells."""
    totals: NDArray[Any] = np.bincount(cells, weights, n)
    return totals.astype(np.float64, copy=False)
