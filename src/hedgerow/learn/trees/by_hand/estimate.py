"""C4.5's estimate of the errors of a leaf on new rows, given the errors in training."""

from __future__ import annotations

import math
from functools import cache
from statistics import NormalDist

from hedgerow.data.table.table import Numbers


def expected_errors(weights: Numbers, confidence: float) -> float:
    """Return the errors to expect of a leaf with these weights by class: those it made and some more."""
    total = float(weights.sum())
    if total <= 0:
        return 0.0
    errors = max(total - float(weights.max()), 0.0)
    return errors + extra_errors(total, errors, confidence)


def extra_errors(total: float, errors: float, confidence: float) -> float:
    """Return C4.5's addition to the errors of a leaf: up to its upper confidence limit.

    Without errors the limit is exact: the error rate p for which (1 - p)^total is the confidence. From one error on
    it is the normal approximation of the binomial limit, with a correction for continuity; between, it is
    interpolated.

    References
    ----------
    J. R. Quinlan, C4.5: Programs for Machine Learning (1993), section 4.2.
    """
    if total <= 0:
        return 0.0
    if errors < 1:
        base = total * (1 - math.pow(confidence, 1 / total))
        return base if errors <= 0 else base + errors * (extra_errors(total, 1.0, confidence) - base)
    if errors + 0.5 >= total:
        return max(total - errors, 0.0)
    z = _quantile(confidence)
    rate = (errors + 0.5) / total
    spread = z * math.sqrt(rate / total - rate**2 / total + z**2 / (4 * total**2))
    limit = (rate + z**2 / (2 * total) + spread) / (1 + z**2 / total)
    return limit * total - errors


@cache
def _quantile(confidence: float) -> float:
    return NormalDist().inv_cdf(1 - confidence)
