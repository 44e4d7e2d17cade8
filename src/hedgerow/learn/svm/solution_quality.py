"""Statistics of one machine: the quality of a solution, and what follows from alphas alone."""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt

import numpy as np

from hedgerow.data.table.table import Numbers

ROUNDING = 1e-14  # a share of all alphas: so near to 0 or to its bound, an alpha is there
TOUCHING = 1e-5  # of kernel machines
TOUCHING_LINEAR = 1e-7  # of linear ones, whose values are more precise; rows are then measured from their middle


@dataclass(frozen=True)
class SolutionQuality:
    """The quality of the function of a machine, linear or not.

    `violation` is that of the Kuhn-Tucker conditions, as libsvm has it: the largest y - f (without b) of a row whose
    alpha could move one way, less the smallest of one that could move the other way. Below 0 counts as 0.
    """

    primal: float
    dual: float
    violation: float
    free: int  # support vectors with 0 < alpha < C
    bounded: int  # support vectors with alpha = C
    margin: float  # 2 / ||w||, the distance of the two margin hyperplanes (M207); infinite where w is 0
    iterations: int
    settled: bool  # the violation is within the tolerance
    separable: bool = True  # False: a hard margin was requested, and there is none

    @property
    def gap(self) -> float:
        """How much larger the primal value is than the dual one: 0 at the optimum."""
        return self.primal - self.dual


def offset(signs: Numbers, alpha: Numbers, upper: Numbers, wishes: Numbers) -> tuple[float, float]:
    """Return b and the violation, where every row on the margin wishes a b of its own: -y G, G the dual's gradient.

    The mean of the wishes of free support vectors (M215); without any, the middle of what the other rows allow.
    """
    up = (signs > 0) & (alpha < upper) | (signs < 0) & (alpha > 0)  # y alpha may grow: b must be at least the wish
    down = (signs > 0) & (alpha > 0) | (signs < 0) & (alpha < upper)
    low = float(wishes[up].max(initial=-np.inf))
    high = float(wishes[down].min(initial=np.inf))
    violation = max(low - high, 0.0) if np.isfinite(low) and np.isfinite(high) else 0.0
    free = up & down
    if free.any():
        return float(wishes[free].mean()), violation
    if np.isfinite(low) and np.isfinite(high):
        return (low + high) / 2, violation
    return (low if np.isfinite(low) else high if np.isfinite(high) else 0.0), violation


def snap_to_bounds(alpha: Numbers, bounds: Numbers) -> Numbers:
    """Return alphas of which those that are at 0 or at their bound but for rounding are there.

    Where the bounds of both classes have the same sum, as balanced ones do, all rows may be at their bounds; rounding
    leaves one of them free, which alone would say where b is, at an end of what is allowed.

    >>> snap_to_bounds(np.array([0.3, 0.1 + 0.2 - 0.3, 0.1]), np.array([0.1 + 0.2, 1.0, 1.0])).tolist()
    [0.30000000000000004, 0.0, 0.1]
    """
    near = ROUNDING * float(alpha.sum())
    alpha = np.where((alpha <= near) & (2 * alpha < bounds), 0.0, alpha)
    return np.where(bounds - alpha <= near, np.where(alpha > 0, bounds, alpha), alpha)


def is_endless(alpha: Numbers, squares: float, longest: float, touching: float = TOUCHING) -> bool:
    """Return whether alphas of a hard margin grow without bound, since no margin separates the classes.

    Alphas are shares of two points, one in the hull of each class, times sum alpha / 2: |w| over that is the distance
    of these points, which no margin exceeds. `squares` is w.w, `longest` the largest K_ii;
    `touching` is a margin, as a share of the longest row's length, that is taken for none.
    """
    return 2 * sqrt(max(squares, 0.0)) < touching * sqrt(max(longest, 0.0)) * float(alpha.sum())
