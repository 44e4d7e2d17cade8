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
    best = int(np.flatnonzero(_within_limit(values, float(np.nanmin(values))))[0])
    error = float(standard_errors[best])
    limit = float(values[best]) + (0.0 if math.isnan(error) else within * error)
    near = np.flatnonzero(_within_limit(values, limit))
    return Pick(int(near[0]), best, len(near), limit)


def _within_limit(errors: Numbers, limit: float) -> NDArray[np.bool_]:
    return np.asarray(errors <= limit + ROUNDING * abs(limit))
