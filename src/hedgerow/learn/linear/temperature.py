"""Temperature: one number that turns the sums of a mistake-driven learner into probabilities.

The perceptron, Winnow and the hinge loss care for the sign of a sum, not for its size. Dividing all sums by a number
leaves every decision as it is, and the number of the largest likelihood makes their softmax honest on the rows learned
from. As these may be told apart without error, classes are smoothed as Platt (1999) has it: a row of a class with N
rows counts as (N + 1) / (N + 2) of its class, and the rest is shared among the others. So the number stays finite.
"""

from __future__ import annotations

import numpy as np

from hedgerow.data.decimals import significant
from hedgerow.data.table import Codes, Numbers

MOST_CELLS = 4_000_000  # sums that are looked at; of more rows an even part is taken
COLD = 0.01  # what the largest sum counts where the sums tell nothing


def fitted_temperature(sums: Numbers, labels: Codes, weights: Numbers | None = None) -> float:
    """Return the temperature of softmax for the `sums` of every class (columns) and row, whose classes are `labels`.

    >>> sums = np.array([[4.0, 0.0], [2.0, 0.0], [-2.0, 0.0], [1.0, 0.0]])
    >>> fitted_temperature(sums, np.array([0, 0, 1, 1], dtype=np.int32))
    3.291
    """
    step = -(-sums.size // MOST_CELLS)
    if step > 1:
        sums, labels, weights = sums[::step], labels[::step], None if weights is None else weights[::step]
    if not len(sums) or sums.shape[1] < 2:
        return 1.0
    sums = np.nan_to_num(sums, nan=0.0, posinf=1e300, neginf=-1e300)
    with np.errstate(over="ignore"):
        sums = np.maximum(sums - sums.max(axis=1, keepdims=True), -1e300)
    unit = float(-sums.min())
    if not unit > 0:
        return 1.0
    weights = np.ones(len(labels)) if weights is None else weights
    cost = _Slope(sums / unit, labels, weights)
    if cost(COLD)[0] <= 0:  # the sums tell nothing, or the contrary: all but none of them counts
        return significant(unit / COLD, 4)
    return significant(unit / cost.root(), 4)


class _Slope:
    """How the log-likelihood rises with the inverse temperature b: concave, so that the slope falls."""

    def __init__(self, sums: Numbers, labels: Codes, weights: Numbers) -> None:
        classes = sums.shape[1]
        heavy = np.bincount(labels, weights, classes)
        own = (heavy + 1) / (heavy + 2)
        other = (1 - own) / (classes - 1)
        self.sums, self.weights = sums, weights
        right = sums[np.arange(len(labels)), labels]
        target = (own - other)[labels] * right + other[labels] * sums.sum(axis=1)
        self.wanted = float(weights @ target)

    def __call__(self, b: float) -> tuple[float, float]:
        """Return the slope at b, and its own."""
        shares = np.exp(b * self.sums)
        shares /= shares.sum(axis=1, keepdims=True)
        means = np.einsum("ij,ij->i", shares, self.sums)
        squares = np.einsum("ij,ij,ij->i", shares, self.sums, self.sums)
        return self.wanted - float(self.weights @ means), -float(self.weights @ (squares - means * means))

    def root(self) -> float:
        """Return where the slope is 0, by Newton's steps within bounds."""
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
