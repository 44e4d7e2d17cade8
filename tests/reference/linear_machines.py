"""The reference implementation of kernels/linear/dual_coordinate_descent: one machine, row after row, in Python."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from hedgerow.data.table.table import Numbers

BITS = (1 << 64) - 1


def descended(
    matrix: Numbers,
    signs: Numbers,
    bounds: Numbers,
    *,
    squared: bool,
    rho: float,
    tolerance: float,
    most_passes: int,
    seed: int,
) -> tuple[Numbers, Numbers, float, int, float]:
    """Return weights, alphas, b and passes of one machine; signs of 0 are rows that it does not see.

    The last is how close a decision was, to leave a row out or to end: rounding can turn one of less than about 1e-12.
    """
    rows, width = matrix.shape
    upper = np.full(rows, np.inf) if squared else bounds
    with np.errstate(divide="ignore"):
        ridge = 0.5 / bounds if squared else np.zeros(rows)
    weights, alpha, b = np.zeros(width), np.zeros(rows), 0.0
    seen = (signs != 0) & (upper > 0)
    active, whole = seen.copy(), True
    keep_high, keep_low = np.inf, -np.inf
    closest = np.inf
    for number in range(1, most_passes + 1):
        bias = b + rho * float(signs @ alpha)
        high, low = -np.inf, np.inf
        for row in order_of(rows, seed, number):
            if not active[row]:
                continue
            slope = signs[row] * (matrix[row] @ weights + bias) - 1 + ridge[row] * alpha[row]
            at_zero, at_top = alpha[row] <= 0, alpha[row] >= upper[row]
            if at_zero or at_top:
                closest = min(closest, abs(slope - (keep_high if at_zero else keep_low)))
            if (at_zero and slope > keep_high) or (at_top and slope < keep_low):
                active[row] = False
                continue
            still = min(slope, 0.0) if at_zero else max(slope, 0.0) if at_top else slope
            high, low = max(high, still), min(low, still)
            square = rho + ridge[row] + matrix[row] @ matrix[row]
            free = alpha[row] - slope / square
            closest = min(closest, abs(free), abs(free - upper[row]))
            then = min(max(free, 0.0), upper[row])
            pull = signs[row] * (then - alpha[row])
            alpha[row] = then
            weights += pull * matrix[row]
            bias += rho * pull
        shift = rho * float(signs @ alpha)
        b += shift
        closest = min(closest, abs(high - low - tolerance), abs(abs(shift) - tolerance))
        if (high - low <= tolerance or high < low) and abs(shift) <= tolerance:
            if whole:
                return weights, alpha, b, number, closest
            active, whole = seen.copy(), True
            keep_high, keep_low = np.inf, -np.inf
            continue
        whole = False
        keep_high = high if high > 0 else np.inf
        keep_low = low if low < 0 else -np.inf
    return weights, alpha, b, most_passes + 1, closest


def order_of(rows: int, seed: int, number: int) -> NDArray[np.int64]:
    """Return the order of a pass, as the kernel draws it."""
    order = np.arange(rows)
    state = _mixed(seed + number)
    for i in range(rows, 1, -1):
        state = (state + 0x9E3779B97F4A7C15) & BITS
        other = (_mixed(state) * i) >> 64
        order[[i - 1, other]] = order[[other, i - 1]]
    return order


def _mixed(bits: int) -> int:
    """Return well mixed bits, as kernels/core/splitmix.hpp."""
    bits = ((bits ^ (bits >> 30)) * 0xBF58476D1CE4E5B9) & BITS
    bits = ((bits ^ (bits >> 27)) * 0x94D049BB133111EB) & BITS
    return bits ^ (bits >> 31)
