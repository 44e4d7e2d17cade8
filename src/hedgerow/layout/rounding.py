"""Rounding: what a model stores is what it shows, so thresholds and parameters are short decimals."""

from __future__ import annotations

import math
import sys

DIGITS = 6  # significant digits of what a model stores, unless it says otherwise


def round_within(value: float, tolerance: float) -> float:
    """Return the decimal of fewest digits within `tolerance` of `value`.

    >>> round_within(79.1111111, 0.001)
    79.111
    """
    if not (tolerance > 0 and math.isfinite(value)):
        return value
    first = -math.floor(math.log10(2 * tolerance)) - 1 if tolerance < 1e300 else 0
    for digits in range(first, first + 4):
        rounded = round(value, digits)
        if abs(rounded - value) <= tolerance:
            return rounded + 0.0  # no negative zero
    return value


def choose_threshold(low: float, high: float) -> float:
    """Return the threshold between two neighboring values: `low` <= threshold < `high`.

    It is the decimal of fewest digits within a hundredth of the gap from the middle, so it is short to read
    and reads back as itself.

    >>> choose_threshold(75, 80), choose_threshold(0.1, 0.2), choose_threshold(1.2345678, 1.3)
    (77.5, 0.15, 1.267)
    """
    low, high, lowest = float(low), float(high), -sys.float_info.max
    if low < lowest < high:  # a threshold is finite
        low = lowest
    middle = low + (high - low) / 2
    threshold = round_within(middle, (high - low) / 100)
    if not low <= threshold < high:  # neighbors so close that every shorter decimal leaves the gap
        threshold = middle if middle < high else low
    return threshold


def round_digits(value: float, digits: int = DIGITS) -> float:
    """Return `value` rounded to some significant digits."""
    return float(f"{value:.{digits}g}")
