"""Areas under ROC curves and their standard errors, from rows sorted once for every class.

The standard errors are DeLong's (DeLong, DeLong and Clarke-Pearson, 1988): an area is the mean over the positive rows
of the share of negative rows below each, and the mean over the negative rows of the share of positive rows above
each; the variances of both means add up. A mean of areas is a mean over the rows of every class in the same way,
each row with all its parts in all curves, so that curves that err together are not taken for independent.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from hedgerow.data.table.table import Codes, Numbers
from hedgerow.evaluate.metrics.measures import ratio, sums
from hedgerow.evaluate.metrics.score_order import RankedRows, ScoreOrder


@dataclass(frozen=True, eq=False)
class Areas:
    """The area of every class against the others, of every pair of classes, and standard errors.

    Parameters
    ----------
    by_class, errors
        One against the rest.
    pairs
        Class i (line) told from class j (column) by the probability of i.
    mean_error, pairwise_error
        Of the mean area by class weight, and of the plain mean over the pairs.
    """

    by_class: Numbers
    errors: Numbers
    pairs: Numbers
    mean_error: float
    pairwise_error: float


class AreaErrors(NamedTuple):
    """Areas by pairs, the errors of areas one against the rest, and the part of every row in two means of areas.

    The mean area by class weight has the standard error of the sum, over the classes, of the mean of `in_mean` over
    their rows; the mean over the pairs that of `in_pairs`.
    """

    pairs: Numbers
    errors: Numbers
    in_mean: Numbers
    in_pairs: Numbers


def areas_of_two(first: RankedRows, second: RankedRows, runs: int) -> Areas:
    """Return the areas of two classes from their curves, which are the same curve seen from both ends.

    Rows that are tested in several runs count once for the standard errors.
    """
    areas = np.array([_area_and_error(curve, runs) for curve in (first, second)])
    by_class, errors = areas.T
    pairs = np.full((2, 2), np.nan)
    pairs[[0, 1], [1, 0]] = by_class
    weights = np.array([first.tp[-1], second.tp[-1]])
    return Areas(by_class, errors, pairs, float(ratio(weights @ errors, weights.sum())), float(errors.mean()))


def areas_of_many(places: AreaErrors, actual: Codes, weight: Numbers, runs: int) -> Areas:
    """Return the areas of any number of classes from the ranks of their rows."""
    k = len(places.pairs)
    weights = sums(actual, weight, k)
    return Areas(
        _one_vs_rest_areas(places.pairs, weights),
        places.errors,
        places.pairs,
        _error(actual, places.in_mean, weight, k, runs),
        _error(actual, places.in_pairs, weight, k, runs),
    )


def placement_values(orders: Iterable[ScoreOrder], actual: Codes, weight: Numbers, k: int, runs: int) -> AreaErrors:
    """Return the ranks of the rows in the orders of k classes, concatenated."""
    weights = sums(actual, weight, k)
    total, present = weights.sum(), weights > 0
    classes = int(np.count_nonzero(present))
    one_each = np.divide(1.0, weights, out=np.zeros(k), where=present)  # the rows of each class weigh 1 together
    pairs, errors = np.full((k, k), np.nan), np.full(k, np.nan)
    in_mean, in_pairs = np.zeros(len(actual)), np.zeros(len(actual))
    for code, order in enumerate(orders):
        rest = total - weights[code]
        if not (present[code] and rest > 0):
            continue
        label, mass = actual[order.rows], weight[order.rows]
        own, other = label == code, np.arange(k) != code
        above = order.expand_values(_middles(order.sums(mass * own)))
        in_order = sums(label, mass * above, k)
        above = above / weights[code]
        below = order.expand_values(1 - _middles(order.sums(mass * ~own)) / rest)
        below_each = order.expand_values(classes - 1 - _middles(order.sums((one_each * other)[label] * mass)))
        place = np.where(own, below, above)
        share = np.where(other, weights / rest, 1.0) * weights[code] / total
        pairs[code] = np.where(other, ratio(in_order, weights[code] * weights), np.nan)
        errors[code] = _error(own.astype(np.int8), place, mass, 2, runs)
        in_mean[order.rows] += share[label] * place
        in_pairs[order.rows] += np.where(own, below_each, above)
    return AreaErrors(pairs, errors, in_mean, in_pairs / max(classes * (classes - 1), 1))


def areas_without_order(weights: Numbers) -> Areas:
    """Return the areas of classes of such weights by a constant ranking: 0.5, without error."""
    present = weights > 0
    pairs = np.where(present[:, None] & present[None, :] & ~np.eye(len(weights), dtype=bool), 0.5, np.nan)
    by_class = np.where(present & (np.count_nonzero(present) > 1), 0.5, np.nan)
    return Areas(by_class, by_class * 0, pairs, 0.0, 0.0)


def _area_and_error(curve: RankedRows, runs: int) -> tuple[float, float]:
    positives, negatives = curve.tp[-1], curve.fp[-1]
    if not (positives > 0 and negatives > 0):
        return np.nan, np.nan
    above, below = _middles(curve.tp) / positives, 1 - _middles(curve.fp) / negatives
    own, others = np.diff(curve.tp) / positives, np.diff(curve.fp) / negatives
    area = float(np.diff(curve.fp) @ _middles(curve.tp) / (positives * negatives))
    variances = np.array([own @ (below - area) ** 2, others @ (above - area) ** 2])
    return area, _sum_error(variances, np.array([positives, negatives]) / runs)


def _middles(sums: Numbers) -> Numbers:
    """Return for every score the sum halfway through its rows, so that ties count half."""
    middles: Numbers = (sums[1:] + sums[:-1]) / 2
    return middles


def _means(group: NDArray[Any], values: Numbers, weight: Numbers, n: int) -> Numbers:
    """Return the mean of every group; NaN for one without weight."""
    return ratio(sums(group, weight * values, n), sums(group, weight, n))


def _error(group: NDArray[Any], values: Numbers, weight: Numbers, n: int, runs: int) -> float:
    """Return the standard error of a sum of the means of the groups that have rows."""
    sizes = sums(group, weight, n)
    apart = values - np.nan_to_num(_means(group, values, weight, n))[group]
    return _sum_error(_means(group, apart * apart, weight, n)[sizes > 0], sizes[sizes > 0] / runs)


def _sum_error(variances: Numbers, sizes: Numbers) -> float:
    """Return the standard error of a sum of means of so many rows; NaN if one has a single row."""
    if len(sizes) < 2 or not (sizes > 1).all():
        return np.nan
    return float(np.sqrt((variances / (sizes - 1)).sum()))


def _one_vs_rest_areas(pairs: Numbers, weights: Numbers) -> Numbers:
    """Return the area of every class against all others: the mean of its pairs by the others' weights."""
    others = np.where(np.isnan(pairs), 0.0, weights[None, :])
    return ratio((others * np.nan_to_num(pairs)).sum(axis=1), others.sum(axis=1))
