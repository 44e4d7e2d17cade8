"""Significance tests of learners on the same folds, and of their ranks over several data sets."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hedgerow.data.table.table import Numbers
from hedgerow.errors import UsageError
from hedgerow.evaluate.metrics.root_finding import crossing

NOTHING = 1e-12  # differences below are rounding


@dataclass(frozen=True)
class TTest:
    """A paired t-test: the mean difference of n pairs, its standard error, p (two-sided) and an interval."""

    n: int
    difference: float
    standard_error: float = math.nan
    t: float = math.nan
    p: float = math.nan
    low: float = math.nan
    high: float = math.nan


def corrected_t_test(differences: Sequence[float] | Numbers, test_share: float, level: float = 0.05) -> TTest:
    """Test whether paired differences over folds are significant (Nadeau and Bengio, 2003).

        t = mean / sqrt((1/n + test rows / training rows) * variance),  n - 1 degrees of freedom

    The plain t-test has 1/n alone in the brackets. It takes the folds for independent experiments, which they are
    not, as they share training rows: it finds differences where there are none.

    Parameters
    ----------
    differences
        One a fold. Folds in which one side is undefined (NaN) are left out.
    test_share
        Test rows by training rows: 1/9 in 10-fold cross-validation.
    level
        The interval holds the true difference with probability 1 - level.

    References
    ----------
    C. Nadeau and Y. Bengio, Inference for the generalization error. Machine Learning 52 (2003).
    """
    check_level(level)
    values = np.asarray(differences, dtype=np.float64)
    values = values[~np.isnan(values)]
    n = len(values)
    if n < 2:
        return TTest(n, float(values.mean()) if n else math.nan)
    mean = float(values.mean())
    error = float(values.std(ddof=1)) * math.sqrt(1 / n + test_share)
    if error <= NOTHING * max(1.0, abs(mean)):  # the same difference in every fold: no telling how sure it is
        certain = abs(mean) > NOTHING
        return TTest(n, mean, 0.0, math.copysign(math.inf, mean) if certain else 0.0, float(not certain))
    from scipy.special import stdtr, stdtrit

    t = mean / error
    half = float(stdtrit(n - 1, 1 - level / 2)) * error
    return TTest(n, mean, error, t, 2 * float(stdtr(n - 1, -abs(t))), mean - half, mean + half)


def ranks(values: Numbers, larger_is_better: bool = False) -> Numbers:
    """Return the rank of every value in its row, 1 the best; equal values share the mean of their ranks."""
    better = np.round(-values if larger_is_better else values, 12)
    below = (better[:, None, :] < better[:, :, None]).sum(axis=2)
    equal = (better[:, None, :] == better[:, :, None]).sum(axis=2)
    return np.where(np.isnan(values), np.nan, below + (equal + 1) / 2)


@dataclass(frozen=True)
class Friedman:
    """Friedman's test of k learners on n data sets: whether their ranks differ significantly.

    `chi2` has k - 1 degrees of freedom and is corrected for ties. `f` is Iman and Davenport's (1980) statistic made
    of it, which is less timid: it has k - 1 and (k - 1)(n - 1) degrees of freedom, and `p` is its probability.
    Where all sets rank the learners alike, `f` is infinite, and `p` is the exact probability of that.
    """

    sets: int
    learners: int
    chi2: float
    chi2_p: float
    f: float
    p: float


def friedman(ranked: Numbers) -> Friedman:
    """Return Friedman's test of ranks (sets x learners); rows with an undefined rank are left out.

    References
    ----------
    J. Demsar, Statistical comparisons of classifiers over multiple data sets. JMLR 7 (2006).
    """
    ranked = complete(ranked)
    n, k = ranked.shape
    if n < 2 or k < 2:
        return Friedman(n, k, math.nan, math.nan, math.nan, math.nan)
    # chi2 = n (k - 1) * (variance of the mean ranks about (k + 1) / 2) / (mean variance within a set)
    between = float(((ranked.mean(axis=0) - (k + 1) / 2) ** 2).sum())
    within = float(((ranked - (k + 1) / 2) ** 2).sum()) / n
    if within <= NOTHING:  # all learners alike on all sets
        return Friedman(n, k, 0.0, 1.0, 0.0, 1.0)
    from scipy.special import chdtrc, fdtrc

    chi2 = n * (k - 1) * between / within
    left = n * (k - 1) - chi2
    f = (n - 1) * chi2 / left if left > NOTHING * n * k else math.inf
    p = float(fdtrc(k - 1, (k - 1) * (n - 1), f)) if math.isfinite(f) else _chance_of_agreement(ranked[0], n)
    return Friedman(n, k, chi2, float(chdtrc(k - 1, chi2)), f, p)


def _chance_of_agreement(ranks_of_one: Numbers, sets: int) -> float:
    """Return the probability that all data sets rank the learners equally by chance, for an infinite F."""
    _, tied = np.unique(ranks_of_one, return_counts=True)
    orders = math.factorial(len(ranks_of_one)) // math.prod(math.factorial(int(size)) for size in tied)
    return float(orders) ** (1 - sets) if orders < 1e15 else 0.0


def critical_difference(learners: int, sets: int, level: float = 0.05) -> float:
    """Return Nemenyi's (1963) critical difference: larger differences of mean ranks are significant.

    q * sqrt(k (k + 1) / (6 n)),  q the studentized range of k means over sqrt(2)
    """
    check_level(level)
    if learners < 2 or sets < 2:
        return math.nan
    q = studentized_range_quantile(learners, level) / math.sqrt(2)
    return q * math.sqrt(learners * (learners + 1) / (6 * sets))


def studentized_range_quantile(k: int, level: float = 0.05) -> float:
    """Return the value that the range of k independent standard normal numbers exceeds with probability `level`."""
    from scipy.special import ndtr

    z = np.linspace(-9.0, 9.0, 3601)
    density = np.exp(-z * z / 2) / math.sqrt(2 * math.pi)

    def beyond(q: float) -> float:
        inside = density * (ndtr(z + q) - ndtr(z)) ** (k - 1)  # z is the smallest of the k
        return 1 - k * float(inside.sum()) * float(z[1] - z[0])

    return crossing(lambda q: beyond(q) - level, 0.0, 30.0)


def groups(mean_ranks: Sequence[float] | Numbers, difference: float) -> list[tuple[int, ...]]:
    """Return the largest groups of learners whose mean ranks differ by less than `difference`, best first.

    Learners that share a group cannot be distinguished. A learner that differs from all others is in no group.
    """
    order = [int(place) for place in np.argsort(mean_ranks, kind="stable")]
    pairs: list[tuple[int, ...]] = []
    reached = 0
    for start, first in enumerate(order):
        stop = start + sum(mean_ranks[other] - mean_ranks[first] < difference for other in order[start:])
        if stop - start > 1 and stop > reached:
            pairs.append(tuple(order[start:stop]))
            reached = stop
    return pairs


def complete(matrix: Numbers) -> Numbers:
    """Return the rows without an undefined value."""
    whole: NDArray[Any] = matrix[~np.isnan(matrix).any(axis=1)]
    return whole


def check_level(level: float) -> None:
    """Raise an error if a level of significance is none."""
    if not 0 < level < 1:
        raise UsageError(f"the significance level must lie between 0 and 1, but is {level:g}; 0.05 is usual")
