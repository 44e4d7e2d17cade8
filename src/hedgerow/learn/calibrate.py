"""Fitting calibrators: functions that turn decision values of rows into probabilities (models/linear/calibrator.py).

Values should be those of rows not used in training, or the probabilities are overconfident. Infinite values count as
the largest finite ones, NaN as 0. Rows of weight 0 are ignored, a row of weight 2 counts as two.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from hedgerow.data.table.table import Codes, Numbers
from hedgerow.layout.rounding import round_digits, round_within
from hedgerow.models.base.decisions import reduce_rows
from hedgerow.models.linear.calibrator import LARGEST, IsotonicSteps, Sigmoid, Temperature, tame

# -- two classes: Platt's sigmoid -----------------------------------------------------------------------------

RIDGE = 1e-12  # keeps the 2 x 2 Hessian regular
FLAT = 1e-10  # of the gradient, relative to the weight of all rows
LEAST_UNIT = 1e-290  # of values closer together the slope overflows
MOST_STEPS = 100


def fit_sigmoid(values: Numbers, positive: NDArray[np.bool_], weights: Numbers | None = None) -> Sigmoid:
    """Return the sigmoid of maximum likelihood, where `positive` marks the rows of the positive class.

    A positive row counts as (N+ + 1) / (N+ + 2) of its class, a negative one as 1 / (N- + 2), N being the weights of
    the classes (Platt 1999), so that parameters stay finite. Newton's method with a line search and without overflow
    (Lin, Lin and Weng 2007, A note on Platt's probabilistic outputs).

    >>> fit_sigmoid(np.array([-2.0, -1.0, 1.0, 2.0]), np.array([False, False, True, True]))
    Sigmoid(a=-0.673996, b=0.0)
    """
    f, positive, w = _rows_that_count(values, positive, weights)
    many, few = float(w[positive].sum()), float(w[~positive].sum())
    target = np.where(positive, (many + 1) / (many + 2), 1 / (few + 2))
    total = many + few
    center = float(w @ f / total) if total else 0.0
    unit = float(np.abs(f - center).max(initial=0.0))
    if not unit > max(1e-12 * abs(center), LEAST_UNIT):  # all values are equal, or almost equal
        share = float(w @ target / total) if total else 0.5
        return Sigmoid(0.0, round_within(float(np.log((1 - share) / share)), 1e-7))
    a, b = _newton((f - center) / unit, target, w, float(np.log((few + 1) / (many + 1))))
    slope = round_digits(a / unit, 6)
    return Sigmoid(slope, round_within(b - slope * center, 1e-7))


def _newton(f: Numbers, target: Numbers, w: Numbers, b: float) -> tuple[float, float]:
    """Return a and b of the smallest loss, starting from a = 0; f is of order 1."""
    a, loss = 0.0, _loss(b + 0 * f, target, w)
    for _ in range(MOST_STEPS):
        odds = np.exp(-np.abs(a * f + b))
        p = np.where(a * f + b >= 0, odds, 1.0) / (1 + odds)
        error, curve = w * (target - p), w * p * (1 - p)
        ga, gb = float(error @ f), float(error.sum())
        if max(abs(ga), abs(gb)) <= FLAT * float(w.sum()):
            break
        haa, hab, hbb = float(curve @ (f * f)) + RIDGE, float(curve @ f), float(curve.sum()) + RIDGE
        det = haa * hbb - hab * hab
        da, db = -(hbb * ga - hab * gb) / det, -(haa * gb - hab * ga) / det
        fall, step = ga * da + gb * db, 1.0
        while step >= 1e-10:
            after = _loss((a + step * da) * f + b + step * db, target, w)
            if after < loss + 1e-4 * step * fall:
                break
            step /= 2
        else:
            break  # as low as doubles can distinguish
        a, b, loss = a + step * da, b + step * db, after
    return a, b


def _loss(odds: Numbers, target: Numbers, w: Numbers) -> float:
    """Return the negative log-likelihood of p = 1 / (1 + exp(odds)): t odds + log(1 + exp(-odds))."""
    return float(w @ (np.logaddexp(0, -odds) + target * odds))


# -- two classes: isotonic regression -------------------------------------------------------------------------


def fit_steps(values: Numbers, positive: NDArray[np.bool_], weights: Numbers | None = None) -> IsotonicSteps:
    """Return the probabilities that never decrease with the values and have the least squared error.

    Rows of equal values are one row of their mean; then neighbors that would decrease are pooled (pool adjacent
    violators: Ayer and others 1955). Of values with one probability the first and the last are kept.

    >>> steps = fit_steps(np.array([1.0, 2.0, 3.0, 4.0]), np.array([False, True, False, True]))
    >>> steps.at.tolist(), steps.shares.tolist()
    ([1.0, 2.0, 3.0, 4.0], [0.0, 0.5, 0.5, 1.0])
    """
    from scipy.optimize import isotonic_regression  # slow to import

    f, positive, w = _rows_that_count(values, positive, weights)
    if not len(f):
        return IsotonicSteps(np.zeros(1), np.full(1, 0.5))
    at, place = np.unique(f, return_inverse=True)
    heavy = np.bincount(place, w)
    means = np.bincount(place, w * positive) / heavy
    shares = np.round(np.clip(isotonic_regression(means, weights=heavy).x, 0.0, 1.0), 9)
    rises = shares[1:] != shares[:-1]
    kept = np.concatenate([[True], rises]) | np.concatenate([rises, [True]])
    if not rises.any():
        kept = np.arange(len(at)) == 0
    return IsotonicSteps(at[kept] + 0.0, shares[kept])


def _rows_that_count(
    values: Numbers, positive: NDArray[np.bool_], weights: Numbers | None
) -> tuple[Numbers, NDArray[np.bool_], Numbers]:
    """Return finite values, which of them are positive, and weights, without rows of weight 0."""
    w = np.ones(len(values)) if weights is None else np.asarray(weights, dtype=np.float64)
    counts = w > 0
    positive = np.asarray(positive, dtype=np.bool_)
    if counts.all():
        return _finite(values), positive, w
    return _finite(values[counts]), positive[counts], w[counts]


def _finite(values: Numbers) -> Numbers:
    """Return values with infinities replaced by the largest of the others (1 if there are none)."""
    size = np.abs(np.asarray(values, dtype=np.float64))
    return tame(values, min(float(size.max(initial=0.0, where=np.isfinite(size))) or 1.0, LARGEST))


# -- many classes: one temperature ----------------------------------------------------------------------------

MOST_CELLS = 1_000_000  # maximum number of scores; of more rows an even sample is taken
COLD = 0.01  # scaled value of the largest score where the scores are not informative


def fit_temperature(scores: Numbers, labels: Codes, weights: Numbers | None = None) -> Temperature:
    """Return the temperature of maximum likelihood for the `scores` of every class (columns) and row.

    Dividing all scores by a number changes no decision. As rows may be distinguished without error, classes
    are smoothed as in Platt's method: a row of a class with N rows counts as (N + 1) / (N + 2) of its class, and the
    rest is shared among the others. So the temperature stays finite.

    >>> scores = np.array([[4.0, 0.0], [2.0, 0.0], [-2.0, 0.0], [1.0, 0.0]])
    >>> fit_temperature(scores, np.array([0, 0, 1, 1], dtype=np.int32))
    Temperature(value=3.291)
    """
    step = -(-scores.size // MOST_CELLS)
    if step > 1:
        scores, labels, weights = scores[::step], labels[::step], None if weights is None else weights[::step]
    if not len(scores) or scores.shape[1] < 2:
        return Temperature()
    scores = _finite(scores)
    scores = scores - reduce_rows(np.maximum, scores)[:, None]
    unit = float(-scores.min())
    if not unit > 0:
        return Temperature()
    slope = _Slope if scores.shape[1] > 2 else _SlopeOfTwo
    cost = slope(scores / unit, labels, np.ones(len(labels)) if weights is None else weights)
    if cost(COLD)[0] <= 0:  # the scores are not informative, or misleading: nearly nothing of them counts
        return Temperature(round_digits(unit / COLD, 4))
    return Temperature(round_digits(unit / cost.root(), 4))


class _Slope:
    """The log-likelihood as a function of the inverse temperature b: concave, so its slope decreases."""

    def __init__(self, scores: Numbers, labels: Codes, weights: Numbers) -> None:
        classes = scores.shape[1]
        heavy = np.bincount(labels, weights, classes)
        own = (heavy + 1) / (heavy + 2)
        other = (1 - own) / (classes - 1)
        self.scores, self.weights = scores, weights
        right = scores[np.arange(len(labels)), labels]
        target = (own - other)[labels] * right + other[labels] * scores.sum(axis=1)
        self.wanted = float(weights @ target)

    def __call__(self, b: float) -> tuple[float, float]:
        """Return the first and second derivatives at b."""
        shares = np.exp(b * self.scores)
        shares /= shares.sum(axis=1, keepdims=True)
        means = np.einsum("ij,ij->i", shares, self.scores)
        squares = np.einsum("ij,ij,ij->i", shares, self.scores, self.scores)
        return self.wanted - float(self.weights @ means), -float(self.weights @ (squares - means * means))

    def root(self) -> float:
        """Return where the slope is 0, by bounded Newton steps."""
        low, high = COLD, 1.0
        while high < 1e12 and self(high)[0] > 0:
            low, high = high, high * 8
        b = (low + high) / 2
        for _ in range(60):
            slope, curve = self(b)
            low, high = (b, high) if slope > 0 else (low, b)
            move = b - slope / curve if curve < 0 else np.inf
            after = move if low < move < high else (low + high) / 2
            if abs(after - b) <= 1e-7 * b:
                return after
            b = after
        return b


class _SlopeOfTwo(_Slope):
    """The same for two classes, one of which has score 0, from the score of the other: less work."""

    def __init__(self, scores: Numbers, labels: Codes, weights: Numbers) -> None:
        super().__init__(scores, labels, weights)
        self.lower = np.minimum(scores[:, 0], scores[:, 1])

    def __call__(self, b: float) -> tuple[float, float]:
        """Return the first and second derivatives at b."""
        share = np.exp(b * self.lower)
        share /= 1 + share
        means = share * self.lower
        squares = means * self.lower
        return self.wanted - float(self.weights @ means), -float(self.weights @ (squares - means * means))


class RunningTemperature:
    """The temperature for a stream of rows: the log-likelihood of their scores at several temperatures.

    Old rows matter less: each call halves the previous sums.
    """

    tried = 2.0 ** np.arange(-6, 6.5, 0.5)
    lately = 2000  # rows of a block that count
    worst = 50.0  # loss of a row

    def __init__(self) -> None:
        self.losses = np.zeros(len(self.tried))

    def count(self, scores: Numbers, labels: Codes, weights: Numbers) -> None:
        """Count the last of some rows: their scores (rows, classes) before they were learned."""
        some = slice(max(0, len(labels) - self.lately), None)
        scores, labels, weights = scores[some], labels[some], weights[some]
        self.losses *= 0.5
        for i, temperature in enumerate(self.tried.tolist()):
            heated = scores / temperature
            top = heated.max(axis=1)
            lost = np.log(np.exp(heated - top[:, None]).sum(axis=1)) + top - heated[np.arange(len(labels)), labels]
            self.losses[i] += float(np.minimum(lost, self.worst) @ weights)

    @property
    def value(self) -> float:
        """The best temperature; 1 if nothing was counted."""
        return float(self.tried[int(np.argmin(self.losses))]) if self.losses.any() else 1.0
