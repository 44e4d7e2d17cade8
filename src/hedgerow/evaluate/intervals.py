"""How sure an estimate is: standard errors and 95 % intervals beside every measure.

They take test rows for independent draws. Within one test set that is right. In cross-validation the models
of different folds share most of their training rows, so the intervals are a little too narrow for what
another sample of the same size would give; nothing computed from a single sample can mend that (Bengio and
Grandvalet, 2004). Several runs test the same rows again: they count once.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from hedgerow.data.table import Numbers
from hedgerow.errors import UsageError
from hedgerow.evaluate import measures, ranking, regression
from hedgerow.evaluate.results import Results

Z = 1.959964  # 95 % of a normal distribution lies within Z standard deviations of its mean


@dataclass(frozen=True)
class Estimate:
    """A value, its 95 % interval and its standard error; NaN where undefined."""

    value: float
    low: float = math.nan
    high: float = math.nan
    standard_error: float = math.nan

    def scaled(self, factor: float, shift: float = 0.0) -> Estimate:
        """Return the estimate of shift + factor * value."""
        low, high = sorted((shift + factor * self.low, shift + factor * self.high))
        return Estimate(shift + factor * self.value, low, high, abs(factor) * self.standard_error)


@dataclass(frozen=True)
class Spread:
    """A measure over folds: mean, standard deviation, and the standard error of the mean.

    The standard error is Nadeau and Bengio's (2003), sd * sqrt(1/folds + test rows / training rows): the
    plain sd / sqrt(folds) would take folds that share training rows for independent experiments.
    """

    mean: float
    standard_deviation: float
    standard_error: float
    values: tuple[float, ...]


def estimate(results: Results, measure: str) -> Estimate:
    """Return a measure by name, with its interval; the names are in `CLASS` and `NUMBER`."""
    known = CLASS if results.has_classes else NUMBER
    if measure not in known:
        raise UsageError(f"there is no measure {measure!r} of {results.target!r}; there are {', '.join(known)}")
    with np.errstate(all="ignore"):  # squares of huge numbers
        return known[measure](results)


def class_estimates(results: Results) -> dict[str, tuple[Estimate, ...]]:
    """Return the measures of every class, in the order of the labels."""
    table = measures.confusion(results)
    found, actual, given = table.diagonal(), table.sum(axis=1), table.sum(axis=0)
    intruders, others = measures.strangers(table)
    return {
        "recall": _shares(results, found, actual),
        "false_positive_rate": _shares(results, intruders, others),
        "precision": _shares(results, found, given),
        "f1": tuple(map(_f1, _shares(results, found, given + actual - found))),
        "specificity": _shares(results, others - intruders, others),
        "auc": _areas(results),
    }


def average(results: Results, estimates: tuple[Estimate, ...]) -> Estimate:
    """Return the mean over classes, each by its weight.

    Its interval is the mean of the classes' intervals, as if all classes erred in step: rather too wide.
    """
    weights = measures.class_weights(results)
    parts = np.array([(e.value, e.low, e.high, e.standard_error) for e in estimates])
    value, low, high, error = (measures.weighted(weights, part) for part in parts.T)
    return Estimate(value, low, high, error)


def spread(results: Results, measure: Callable[[Results], float]) -> Spread:
    """Return a measure over the folds; folds in which it is undefined are left out."""
    values = np.array([measure(part) for part in results.by_fold()])
    values = values[~np.isnan(values)]
    if len(values) < 2:
        return Spread(float(values.mean()) if len(values) else math.nan, math.nan, math.nan, tuple(values.tolist()))
    tested = sum(fold.test_weight for fold in results.folds)
    learned = sum(fold.train_weight for fold in results.folds)
    deviation = float(values.std(ddof=1))
    shared = math.sqrt(1 / len(values) + tested / learned) if learned else math.nan
    return Spread(float(values.mean()), deviation, deviation * shared, tuple(values.tolist()))


def difference(results: Results, other: Results, measure: str) -> Estimate:
    """Return how much larger a measure is than in `other`, which tested the same rows.

    Where the measure is a mean over rows, the interval is that of the paired differences row by row.
    """
    found = paired(results, other, measure)
    if found is not None:
        return found
    return Estimate(estimate(results, measure).value - estimate(other, measure).value)


def paired(results: Results, other: Results, measure: str) -> Estimate | None:
    """Return the mean difference row by row; None if the measure is no mean or the rows are not the same."""
    if measure not in _ROWS or not _same_rows(results, other):
        return None
    return _mean(results, _ROWS[measure](results) - _ROWS[measure](other))


def wilson(share: float, n: float) -> Estimate:
    """Return a share of n rows with Wilson's (1927) interval, which is honest near 0 and 1 too."""
    if not n or math.isnan(share):
        return Estimate(math.nan)
    share = min(max(share, 0.0), 1.0)  # sums of weights may be off in the last digit
    center = (share + Z * Z / (2 * n)) / (1 + Z * Z / n)
    half = Z / (1 + Z * Z / n) * math.sqrt(share * (1 - share) / n + Z * Z / (4 * n * n))
    error = math.sqrt(share * (1 - share) / n)
    return Estimate(share, min(share, max(0.0, center - half)), max(share, min(1.0, center + half)), error)


def area(value: float, positives: float, negatives: float) -> Estimate:
    """Return an area under a ROC curve of so many positive and negative rows, with its interval.

    The standard error is Hanley and McNeil's (1982).
    The interval holds the areas A from which the estimate is at most Z of A's own standard errors away, as
    Wilson does for shares (Newcombe, 2006), so that a perfect ranking of few rows does not look certain.
    """
    if math.isnan(value):
        return Estimate(math.nan)

    def error(a: float) -> float:
        more = max(positives - 1, 0) * (1 - a) / (2 - a) + max(negatives - 1, 0) * a / (1 + a)
        return math.sqrt(max(a * (1 - a), 0.0) * (1 + more) / (positives * negatives))

    low = _bound(lambda a: value - a - Z * error(a), 0.0, value)
    high = 1 - _bound(lambda b: (1 - b) - value - Z * error(1 - b), 0.0, 1 - value)
    return Estimate(value, low, high, error(value))


def _areas(results: Results) -> tuple[Estimate, ...]:
    positives = measures.class_weights(results) / results.n_runs
    negatives = positives.sum() - positives
    triples = zip(ranking.auc(results).tolist(), positives.tolist(), negatives.tolist(), strict=True)
    return tuple(area(*triple) for triple in triples)


def _bound(excess: Callable[[float], float], low: float, high: float) -> float:
    """Return where `excess`, positive at `low` and negative just below `high`, changes its sign."""
    for _ in range(50):
        middle = (low + high) / 2
        low, high = (middle, high) if excess(middle) > 0 else (low, middle)
    return low


def _shares(results: Results, above: Numbers, below: Numbers) -> tuple[Estimate, ...]:
    pairs = zip(measures.ratio(above, below).tolist(), (below / results.n_runs).tolist(), strict=True)
    return tuple(wilson(share, n) for share, n in pairs)


def _f1(overlap: Estimate) -> Estimate:
    """Return F1 = 2 j / (1 + j) from j = TP / (TP + FP + FN), a share of rows with a Wilson interval."""
    value, low, high = (2 * j / (1 + j) for j in (overlap.value, overlap.low, overlap.high))
    return Estimate(value, low, high, 2 / (1 + overlap.value) ** 2 * overlap.standard_error)


def _mean(results: Results, values: Numbers) -> Estimate:
    """Return the mean of one value a row with its normal interval; n is the weight of the rows of one run."""
    value = float(measures.mean(results, values))
    n = float(results.weight.sum()) / results.n_runs
    if not n > 1:
        return Estimate(value)
    variance = float(measures.mean(results, (values - value) ** 2)) * n / (n - 1)
    error = math.sqrt(variance / n)
    return Estimate(value, value - Z * error, value + Z * error, error)


def _accuracy(results: Results) -> Estimate:
    return wilson(measures.accuracy(results), float(results.weight.sum()) / results.n_runs)


def _kappa(results: Results) -> Estimate:
    """Return kappa with the large-sample standard error of Fleiss, Cohen and Everitt (1969)."""
    value = measures.kappa(results)
    n = float(results.weight.sum()) / results.n_runs
    if math.isnan(value) or not n:
        return Estimate(value)
    cells = measures.confusion(results) / results.weight.sum()
    actual, given = cells.sum(axis=1), cells.sum(axis=0)
    agreed, chance = float(cells.trace()), float(actual @ given)
    # Sum over cells of p_ij [(i = j)(1 - chance) - (p_.i + p_j.)(1 - agreed)]^2
    #                   - (agreed chance - 2 chance + agreed)^2
    pull = np.eye(len(cells)) * (1 - chance) - (given[:, None] + actual[None, :]) * (1 - agreed)
    inner = float((cells * pull**2).sum()) - (agreed * chance - 2 * chance + agreed) ** 2
    error = math.sqrt(max(inner, 0.0) / n) / (1 - chance) ** 2
    return Estimate(value, max(-1.0, value - Z * error), min(1.0, value + Z * error), error)


def _not_negative(found: Estimate) -> Estimate:
    low = 0.0 if found.low < 0 else found.low  # NaN stays
    return Estimate(found.value, low, found.high, found.standard_error)


def _mean_auc(results: Results) -> Estimate:
    return average(results, _areas(results))


def _rmse(results: Results) -> Estimate:
    """Return the root of the mean squared error and of its interval's ends."""
    square = _not_negative(_mean(results, regression.squared_errors(results)))
    value = math.sqrt(square.value)
    error = square.standard_error / (2 * value) if value else square.standard_error
    return Estimate(value, math.sqrt(square.low), math.sqrt(square.high), error)


def _in_proportion(found: Estimate, value: float) -> Estimate:
    """Return the interval of `found` for a value that is a fixed multiple of it."""
    return found.scaled(value / found.value) if found.value else Estimate(value)


def _r2(results: Results) -> Estimate:
    """Return R2; the variance of the actual numbers is taken as given."""
    value = regression.r2(results)
    square = _not_negative(_mean(results, regression.squared_errors(results)))
    return square.scaled(-(1 - value) / square.value, 1.0) if square.value else Estimate(value)


def _correlation(results: Results) -> Estimate:
    """Return Pearson's r with Fisher's interval: atanh r is nearly normal with variance 1 / (n - 3)."""
    value = regression.correlation(results)
    n = float(results.weight.sum()) / results.n_runs
    if math.isnan(value) or n <= 3:
        return Estimate(value)
    error = (1 - value * value) / math.sqrt(n - 3)
    if abs(value) > 1 - 1e-15:
        return Estimate(value, value, value, 0.0)
    center, half = math.atanh(value), Z / math.sqrt(n - 3)
    return Estimate(value, math.tanh(center - half), math.tanh(center + half), error)


Measure = Callable[[Results], Estimate]

CLASS: dict[str, Measure] = {
    "accuracy": _accuracy,
    "error": lambda results: _accuracy(results).scaled(-1, 1),
    "kappa": _kappa,
    "auc": _mean_auc,
    "log_loss": lambda results: _not_negative(_mean(results, measures.log_losses(results))),
    "brier": lambda results: _not_negative(_mean(results, measures.brier_scores(results))),
}

NUMBER: dict[str, Measure] = {
    "mae": lambda results: _not_negative(_mean(results, regression.absolute_errors(results))),
    "rmse": _rmse,
    "relative_absolute": lambda results: _in_proportion(
        estimate(results, "mae"), regression.relative_absolute(results)
    ),
    "relative_squared": lambda results: _in_proportion(_rmse(results), regression.relative_squared(results)),
    "r2": _r2,
    "correlation": _correlation,
}

# The measures that are means of one value a row, for paired comparison.
_ROWS: dict[str, Callable[[Results], Numbers]] = {
    "accuracy": measures.right,
    "error": lambda results: 1 - measures.right(results),
    "log_loss": measures.log_losses,
    "brier": measures.brier_scores,
    "mae": regression.absolute_errors,
}


def _same_rows(one: Results, other: Results) -> bool:
    return np.array_equal(one.rows, other.rows) and np.array_equal(one.run, other.run)
