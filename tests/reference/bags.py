"""Reference implementation of bag statistics: one bag after the other, with the statistics module."""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence

FIGURES = {
    "mean": statistics.fmean,
    "min": min,
    "max": max,
    "sum": math.fsum,
    "median": statistics.median,
    "midrange": lambda values: (min(values) + max(values)) / 2,
    "range": lambda values: max(values) - min(values),
    "deviation": statistics.pstdev,
    "mode": lambda values: min(v for v in values if values.count(v) == max(map(values.count, values))),
}


def figure(name: str, bag: Sequence[float]) -> float:
    """Return a figure of the values of a bag; NaN is missing."""
    known = [value for value in bag if not math.isnan(value)]
    if name == "count":
        return float(len(known))
    return float(FIGURES[name](known)) if known else math.nan


def mode(bag: Sequence[int]) -> int:
    """Return the most frequent code of a bag, the first of several; -1 if all are missing."""
    known = [code for code in bag if code >= 0]
    return max(sorted(set(known)), key=known.count, default=-1)


def share(bag: Sequence[int], level: int) -> float:
    """Return the share of a level in the known values of a bag."""
    known = [code for code in bag if code >= 0]
    return known.count(level) / len(known) if known else math.nan
