"""Differences between two learners that tested the same rows, compared row by row.

Every measure here is, near its value, a mean over rows: of one value a row itself (accuracy, log loss), or of each
row's pull on a figure of the whole (kappa, areas: the large-sample influence). Rows that are hard for both learners
pull both the same way and cancel out of the difference.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Literal

import numpy as np

from hedgerow.data.table.table import Numbers
from hedgerow.evaluate.metrics import confusion_measures, measures, ranking, regression
from hedgerow.evaluate.metrics.estimates import Estimate, mean_of_rows
from hedgerow.evaluate.results import Results

Influences = Callable[[Results], Numbers]


def have_same_rows(one: Results, other: Results) -> bool:
    """Whether both tested the same rows in the same runs."""
    return np.array_equal(one.rows, other.rows) and np.array_equal(one.run, other.run)


def select_both_answered(one: Results, other: Results) -> tuple[Results, Results]:
    """Return the results of the rows with a prediction in both of two tests of the same rows."""
    both = one.has_answer & other.has_answer
    if both.all():
        return one, other
    return replace(one.take(both), folds=one.folds), replace(other.take(both), folds=other.folds)


def difference_of_estimates(results: Results, other: Results, measure: str, one: Estimate, two: Estimate) -> Estimate:
    """Return the difference one - two of two estimates of a measure in `INFLUENCES`, with its interval.

    The interval is made of both estimates' own (Zou and Donner, 2008, after Newcombe, 1998), which stay honest near
    their bounds, and of the correlation r of the pulls: its low end lies below the difference by
    sqrt(a^2 + b^2 - 2 r a b), where a is how far one's low end and b how far two's high end lies from its estimate.
    """
    with np.errstate(all="ignore"):  # squares of huge numbers
        mine, others = INFLUENCES[measure](results), INFLUENCES[measure](other)
        error = mean_of_rows(results, mine - others).standard_error
        r = _correlation(results, mine, others)
    value = one.value - two.value
    if value == 0 and np.array_equal(mine, others):
        return Estimate(0.0, 0.0, 0.0, 0.0)
    low = value - _angular_difference(one.value - one.low, two.high - two.value, r)
    high = value + _angular_difference(one.high - one.value, two.value - two.low, r)
    return Estimate(value, low, high, error)


def _angular_difference(a: float, b: float, r: float) -> float:
    return math.sqrt(max(a * a + b * b - 2 * r * a * b, 0.0))


def _correlation(results: Results, mine: Numbers, others: Numbers) -> float:
    """Return the correlation of two values a row; 0 if one does not vary, but for rounding."""
    x, y = (each - measures.mean(results, each) for each in (mine, others))
    spreads = [math.sqrt(measures.mean(results, each * each)) for each in (x, y)]
    for each, spread in zip((mine, others), spreads, strict=True):
        if not spread > 1e-9 * np.abs(each).max(initial=0.0):
            return 0.0
    return float(measures.mean(results, x * y)) / spreads[0] / spreads[1]


def _table_influences(measure: confusion_measures.TableMeasure) -> Influences:
    return lambda results: measure(measures.shares(results)).cells()[results.actual, results.decided]


def _placement_influences(part: Literal["in_mean", "in_pairs"]) -> Influences:
    def influences(results: Results) -> Numbers:
        if results.only_priors:  # such a learner ranks nothing, whatever the rows
            return np.zeros(len(results))
        return _class_mean_influences(results, getattr(ranking.row_placements(results), part))

    return influences


def _class_mean_influences(results: Results, places: Numbers) -> Numbers:
    """Return the pulls of rows on a sum of class means."""
    weights = measures.class_weights(results)
    means = measures.ratio(measures.sums(results.actual, results.weight * places, len(weights)), weights)
    pulls: Numbers = (places - means[results.actual]) * measures.ratio(weights.sum(), weights)[results.actual]
    return np.nan_to_num(pulls)  # rows without weight, in a class without weight


def _scale_influences(values: Influences, measure: Callable[[Results], float]) -> Influences:
    """Return the pulls on a measure that is a fixed multiple of a mean over rows."""

    def influences(results: Results) -> Numbers:
        each = values(results)
        scaled: Numbers = each * measures.ratio(measure(results), measures.mean(results, each))
        return scaled

    return influences


def _correlation_influences(results: Results) -> Numbers:
    """Return each row's pull on Pearson's r: x y - r (x^2 + y^2) / 2, of standardized numbers."""
    r = regression.correlation(results)
    x, y = (_standardize(results, each) for each in (results.predicted, results.actual))
    pulls: Numbers = x * y - r * (x * x + y * y) / 2
    return pulls


def _standardize(results: Results, values: Numbers) -> Numbers:
    apart = values - measures.mean(results, values)
    return measures.ratio(apart, np.sqrt(measures.mean(results, apart * apart)))


# The measures that are means of one value a row.
ROWS: dict[str, Influences] = {
    "accuracy": measures.right,
    "error": lambda results: 1 - measures.right(results),
    "log_loss": measures.log_losses,
    "brier": measures.brier_scores,
    "mae": regression.absolute_errors,
    "bias": regression.differences,
}

# Each row's pull on measures that are no such means.
INFLUENCES: dict[str, Influences] = {
    "kappa": _table_influences(confusion_measures.kappa),
    "mcc": _table_influences(confusion_measures.mcc),
    "balanced_accuracy": _table_influences(confusion_measures.balanced_accuracy),
    "macro_precision": _table_influences(confusion_measures.macro_precision),
    "macro_f1": _table_influences(confusion_measures.macro_f),
    "auc": _placement_influences("in_mean"),
    "pairwise_auc": _placement_influences("in_pairs"),
    "rmse": _scale_influences(regression.squared_errors, lambda results: regression.rmse(results) / 2),
    "correlation": _correlation_influences,
    "r2": _scale_influences(regression.squared_errors, lambda results: regression.r2(results) - 1),
    "relative_absolute": _scale_influences(regression.absolute_errors, regression.relative_absolute),
    "relative_squared": _scale_influences(
        regression.squared_errors, lambda results: regression.relative_squared(results) / 2
    ),
}
