"""The uncertainty of estimates: standard errors and 95 % intervals of every measure.

They take test rows for independent draws. Within one test set that is right. In cross-validation the models
of different folds share most of their training rows, so the intervals are a little too narrow for what
another sample of the same size would give; nothing computed from a single sample can mend that (Bengio and
Grandvalet, 2004). Several runs test the same rows again: they count once.

With `by="folds"` a measure is instead taken in every fold, and the interval is Nadeau and Bengio's (2003)
corrected resampled t: wider, for it counts what the training rows do too.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial

import numpy as np

from hedgerow.data.table.table import Numbers
from hedgerow.errors import UsageError
from hedgerow.evaluate.metrics import catalog, confusion_measures, measures, ranking, regression
from hedgerow.evaluate.metrics.estimates import (
    Estimate,
    FoldSpread,
    Z,
    area,
    estimate_from_table,
    mean_of_rows,
    rows_of_a_run,
    spread,
    wilson,
    wilsons,
)
from hedgerow.evaluate.metrics.paired_differences import (
    INFLUENCES,
    ROWS,
    difference_of_estimates,
    have_same_rows,
    select_both_answered,
)
from hedgerow.evaluate.results import Results

__all__ = [
    "CLASS",
    "NUMBER",
    "SINGLE",
    "Estimate",
    "FoldSpread",
    "Z",
    "area",
    "average",
    "class_estimates",
    "difference",
    "estimate",
    "f_beta",
    "micro",
    "paired_difference",
    "spread",
    "wilson",
]


def estimate(results: Results, measure: str, label: str | None = None, by: str = "rows") -> Estimate:
    """Return a measure by name, with its interval.

    Parameters
    ----------
    measure
        A name in `CLASS` or `NUMBER`; with a label one in `SINGLE`, of that class against all others.
    by
        "rows": all predictions as one test. "folds": the mean over the folds, where it is defined, with the corrected
        resampled t interval; the value itself is the mean of the folds' values, which for a measure that is
        no mean over rows differs a little. If all folds have one value, the interval is the one by rows.
    """
    if by not in ("rows", "folds"):
        raise UsageError(f'an interval can be computed by "rows" or by "folds", not by {by!r}')
    known, results = CLASS if results.has_classes else NUMBER, results.answered
    if label is not None:
        return _single(results, measure, label, by)
    if measure not in known:
        raise UsageError(f"there is no measure {measure!r} for {results.target!r}; the measures are {', '.join(known)}")
    with np.errstate(all="ignore"):  # squares of huge numbers
        if by == "rows":
            return known[measure](results)
        return _estimate_over_folds(results, known[measure], measure)


def class_estimates(results: Results) -> dict[str, tuple[Estimate, ...]]:
    """Return the measures of every class, in the order of the labels."""
    return {name: measure(results.answered) for name, measure in SINGLE.items()}


def average(results: Results, estimates: tuple[Estimate, ...]) -> Estimate:
    """Return the mean over classes, each by its weight.

    Its interval is the mean of the classes' intervals, as if all classes erred in step: rather too wide.
    """
    weights = measures.class_weights(results)
    parts = np.array([(e.value, e.low, e.high, e.standard_error) for e in estimates])
    value, low, high, error = (measures.weighted(weights, part) for part in parts.T)
    return Estimate(value, low, high, error)


def f_beta(results: Results, label: str, beta: float) -> Estimate:
    """Return F-beta of one class; recall counts beta times as much as precision."""
    measures.need_beta(beta)
    table = confusion_measures.collapse_to_binary(measures.shares(results), results.code(label))
    return estimate_from_table(
        table, rows_of_a_run(results), partial(confusion_measures.f_of_first, beta=beta), least=0.0
    )


def micro(results: Results, labels: Sequence[str] | None = None) -> dict[str, Estimate]:
    """Return precision, recall and F1 of several classes counted together, as `measures.micro` does.

    F1 is 2 j / (1 + j) with j = found / (actual + predicted - found), a share of about as many rows as belong to one
    of the classes or were given to one.
    """
    table = measures.confusion(results)
    chosen = np.isin(results.labels, results.labels if labels is None else list(labels))
    correct, both = table.diagonal()[chosen].sum(), table[chosen].sum() + table[:, chosen].sum()
    touched = (both - table[np.ix_(chosen, chosen)].sum()) / results.n_runs
    value = measures.micro(results, labels)
    return {
        "precision": wilson(value.precision, table[:, chosen].sum() / results.n_runs),
        "recall": wilson(value.recall, table[chosen].sum() / results.n_runs),
        "f1": _f1(wilson(float(measures.ratio(correct, both - correct)), touched)),
    }


def difference(results: Results, other: Results, measure: str) -> Estimate:
    """Return how much larger a measure is than in `other`, which tested the same rows.

    The interval compares row by row, where the measure allows it: the mean of the differences, or
    `paired_difference.difference_of_estimates`.
    """
    result_estimate = paired_difference(results, other, measure)
    if result_estimate is not None:
        return result_estimate
    return Estimate(estimate(results, measure).value - estimate(other, measure).value)


def paired_difference(results: Results, other: Results, measure: str) -> Estimate | None:
    """Return the difference with an interval by rows; None if the measure has none or the rows are not the same.

    Rows that one of both left without a prediction are left out.
    """
    if not have_same_rows(results, other):
        return None
    results, other = select_both_answered(results, other)
    if measure in ROWS:
        return mean_of_rows(results, ROWS[measure](results) - ROWS[measure](other))
    if measure in INFLUENCES:
        return difference_of_estimates(results, other, measure, estimate(results, measure), estimate(other, measure))
    return None


def _single(results: Results, measure: str, label: str, by: str) -> Estimate:
    measures.need_classes(results)
    code = results.code(label)
    if measure not in SINGLE:
        raise UsageError(f"there is no measure {measure!r} for a class; the measures are {', '.join(SINGLE)}")
    if by == "rows":
        return SINGLE[measure](results)[code]
    return _estimate_over_folds(results, lambda part: SINGLE[measure](part)[code], measure)


def _estimate_over_folds(results: Results, measure: Measure, name: str) -> Estimate:
    """Return the mean over folds; where all have one value, its interval is the one by rows."""
    fold_spread, known = spread(results, lambda part: measure(part).value), catalog.ALL.get(name)
    if fold_spread.is_flat:
        by_rows = measure(results)
        return replace(
            by_rows,
            value=fold_spread.mean,
            low=min(by_rows.low, fold_spread.mean),
            high=max(by_rows.high, fold_spread.mean),
        )
    low, high = (0.0, 1.0) if known is None else (known.low, known.high)
    return fold_spread.estimate().clip(low, high)


def _recall(results: Results) -> tuple[Estimate, ...]:
    table = measures.confusion(results)
    return wilsons(table.diagonal(), table.sum(axis=1), results.n_runs)


def _precision(results: Results) -> tuple[Estimate, ...]:
    table = measures.confusion(results)
    return wilsons(table.diagonal(), table.sum(axis=0), results.n_runs)


def _false_positive_rate(results: Results) -> tuple[Estimate, ...]:
    return wilsons(*measures.false_positives(measures.confusion(results)), results.n_runs)


def _specificity(results: Results) -> tuple[Estimate, ...]:
    intruders, others = measures.false_positives(measures.confusion(results))
    return wilsons(others - intruders, others, results.n_runs)


def _f1s(results: Results) -> tuple[Estimate, ...]:
    """Return F1 = 2 j / (1 + j) from j = TP / (TP + FP + FN), a share of rows with a Wilson interval."""
    table = measures.confusion(results)
    correct = table.diagonal()
    return tuple(map(_f1, wilsons(correct, table.sum(axis=0) + table.sum(axis=1) - correct, results.n_runs)))


def _f1(overlap: Estimate) -> Estimate:
    value, low, high = (2 * j / (1 + j) for j in (overlap.value, overlap.low, overlap.high))
    return Estimate(value, low, high, 2 / (1 + overlap.value) ** 2 * overlap.standard_error)


def _mccs(results: Results) -> tuple[Estimate, ...]:
    table, n = measures.shares(results), rows_of_a_run(results)
    return tuple(
        estimate_from_table(confusion_measures.collapse_to_binary(table, code), n, confusion_measures.mcc)
        for code in range(len(table))
    )


def _areas(results: Results) -> tuple[Estimate, ...]:
    positives = measures.class_weights(results) / results.n_runs
    negatives = positives.sum() - positives
    areas = ranking.areas(results)
    parts = (areas.by_class, positives, negatives, areas.errors)
    return tuple(area(*one) for one in zip(*(part.tolist() for part in parts), strict=True))


def _average_precisions(results: Results) -> tuple[Estimate, ...]:
    """Return areas under precision-recall curves.

    Each is a mean over the positive rows of a share, and gets Wilson's interval for so many rows: the binomial
    interval of Boyd, Eng and Page (2013), in the form that stays honest near 0 and 1.
    """
    positives = (measures.class_weights(results) / results.n_runs).tolist()
    precisions = ranking.average_precision(results).tolist()
    return tuple(wilson(value, n) for value, n in zip(precisions, positives, strict=True))


def _mean_auc(results: Results) -> Estimate:
    estimate = average(results, _areas(results))
    error = ranking.areas(results).mean_error
    return area(estimate.value, math.nan, math.nan, error) if error >= 0 and 0 < estimate.value < 1 else estimate


def _pairwise_auc(results: Results) -> Estimate:
    """Return Hand and Till's mean; where it is perfect, the interval is that of the smallest two classes."""
    value, error = ranking.mean_pairwise_auc(results), ranking.areas(results).pairwise_error
    sizes = sorted(size for size in (measures.class_weights(results) / results.n_runs).tolist() if size > 0)
    return area(value, sizes[0], sizes[1], error) if len(sizes) > 1 else Estimate(value)


def _accuracy(results: Results) -> Estimate:
    return wilson(measures.accuracy(results), rows_of_a_run(results))


def _table_measure(measure: confusion_measures.TableMeasure, least: float) -> Measure:
    return lambda results: estimate_from_table(measures.shares(results), rows_of_a_run(results), measure, least)


def _rmse(results: Results) -> Estimate:
    """Return the root of the mean squared error and of its interval's ends."""
    square = mean_of_rows(results, regression.squared_errors(results)).clip(0.0)
    value = math.sqrt(square.value)
    error = square.standard_error / (2 * value) if value else square.standard_error
    return Estimate(value, math.sqrt(square.low), math.sqrt(square.high), error)


def _scale_interval(estimate: Estimate, value: float) -> Estimate:
    """Return the interval of `estimate` for a value that is a fixed multiple of it."""
    return estimate.transform(value / estimate.value) if estimate.value else Estimate(value)


def _r2(results: Results) -> Estimate:
    """Return R2; the variance of the actual numbers is taken as given."""
    value = regression.r2(results)
    square = mean_of_rows(results, regression.squared_errors(results)).clip(0.0)
    return square.transform(-(1 - value) / square.value, 1.0) if square.value else Estimate(value)


def _correlation(results: Results) -> Estimate:
    """Return Pearson's r with Fisher's interval: atanh r is nearly normal with variance 1 / (n - 3)."""
    value = regression.correlation(results)
    n = rows_of_a_run(results)
    if math.isnan(value) or n <= 3:
        return Estimate(value)
    error = (1 - value * value) / math.sqrt(n - 3)
    if abs(value) > 1 - 1e-15:
        return Estimate(value, value, value, 0.0)
    center, half = math.atanh(value), Z / math.sqrt(n - 3)
    return Estimate(value, math.tanh(center - half), math.tanh(center + half), error)


def _median_absolute(results: Results) -> Estimate:
    """Return the median of the absolute errors; its interval lies between two of them, by the sign test's ranks."""
    n = rows_of_a_run(results)
    half = Z / (2 * math.sqrt(n)) if n > 0 else math.nan
    low, value, high = regression.absolute_quantiles(results, (0.5 - half, 0.5, 0.5 + half))
    return Estimate(value, low, high)


def _mean(values: Callable[[Results], Numbers]) -> Measure:
    return lambda results: mean_of_rows(results, values(results)).clip(0.0)


Measure = Callable[[Results], Estimate]

CLASS: dict[str, Measure] = {
    "accuracy": _accuracy,
    "error": lambda results: _accuracy(results).transform(-1, 1),
    "kappa": _table_measure(confusion_measures.kappa, -1.0),
    "auc": _mean_auc,
    "log_loss": _mean(measures.log_losses),
    "brier": _mean(measures.brier_scores),
    "balanced_accuracy": _table_measure(confusion_measures.balanced_accuracy, 0.0),
    "mcc": _table_measure(confusion_measures.mcc, -1.0),
    "macro_precision": _table_measure(confusion_measures.macro_precision, 0.0),
    "macro_f1": _table_measure(confusion_measures.macro_f, 0.0),
    "weighted_precision": lambda results: average(results, _precision(results)),
    "weighted_f1": lambda results: average(results, _f1s(results)),
    "average_precision": lambda results: average(results, _average_precisions(results)),
    "pairwise_auc": _pairwise_auc,
}

# The measures of one class against all others.
SINGLE: dict[str, Callable[[Results], tuple[Estimate, ...]]] = {
    "recall": _recall,
    "false_positive_rate": _false_positive_rate,
    "precision": _precision,
    "f1": _f1s,
    "specificity": _specificity,
    "auc": _areas,
    "mcc": _mccs,
    "average_precision": _average_precisions,
}

NUMBER: dict[str, Measure] = {
    "mae": _mean(regression.absolute_errors),
    "rmse": _rmse,
    "relative_absolute": lambda results: _scale_interval(
        estimate(results, "mae"), regression.relative_absolute(results)
    ),
    "relative_squared": lambda results: _scale_interval(_rmse(results), regression.relative_squared(results)),
    "r2": _r2,
    "correlation": _correlation,
    "bias": lambda results: mean_of_rows(results, regression.differences(results)),
    "median_absolute": _median_absolute,
}
