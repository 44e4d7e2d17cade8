"""Simplicity first: the simplest of several with an error within a number of standard errors of the lowest."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from hedgerow.data.table.table import Numbers

ROUNDING = 1e-12  # relative difference up to which errors are equal


class Pick(NamedTuple):
    """Positions of the one that is kept and of the best, how many are near the best, and what is still near."""

    kept_index: int
    best: int
    n_near: int
    limit: float


def simplest_near_best(
    errors: Sequence[float] | Numbers, standard_errors: Sequence[float] | Numbers, within: float = 1.0
) -> Pick:
    """Return the first whose error is at most the lowest plus `within` of its standard errors.

    Those to choose from stand in order, the simplest first, so that the simplest of equals is the best. An undefined
    error (NaN) is never near; if all are undefined the first one is kept. An undefined standard error counts as none.

    References
    ----------
    L. Breiman, J. Friedman, R. Olshen and C. Stone, Classification and Regression Trees (1984), section 3.4.3.
    """
    values = np.asarray(errors, dtype=np.float64)
    if np.isnan(values).all():
        return Pick(0, 0, 0, math.nan)
    best = first_lowest(values)
    error = float(standard_errors[best])
    limit = float(values[best]) + (0.0 if math.isnan(error) else within * error)
    near = np.flatnonzero(is_at_most(values, limit))
    return Pick(int(near[0]), best, len(near), limit)


def first_lowest(errors: Numbers) -> int:
    """Return the position of the first of the lowest errors, up to rounding; not all may be undefined (NaN)."""
    return int(np.flatnonzero(is_at_most(errors, float(np.nanmin(errors))))[0])


def is_at_most(errors: Numbers, limit: float | Numbers) -> NDArray[np.bool_]:
    """Return which errors are at most a limit, up to rounding; an undefined error is not."""
    return np.asarray(errors <= limit + ROUNDING * np.abs(limit))
