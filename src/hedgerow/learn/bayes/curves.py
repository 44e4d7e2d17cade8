"""Numeric columns in naive Bayes: normal curves, kernel densities and bins from counts by class."""

from __future__ import annotations

import math
import sys
from collections.abc import Sequence

import numpy as np

from hedgerow import _kernels
from hedgerow.data.design.class_counts import Moments, ValueCounts
from hedgerow.data.design.discretize import interval_codes
from hedgerow.data.table.table import Numbers
from hedgerow.layout.rounding import DIGITS, round_digits
from hedgerow.models.bayes.value_factors import Bins, KernelDensity, Normal


def normals(columns: Sequence[Moments], divisor: str) -> list[Normal | None]:
    """Return the normal curve of each class in each column, with its parameters rounded as printed.

    Classes without a value take the curve of the whole column. A column with a single value is not informative.
    """
    if not columns:
        return []
    figures = np.array([counts.figures() for counts in columns])
    weight, mean, squares = figures[:, 0, :-1], figures[:, 1, :-1], figures[:, 2, :-1]
    total, all_mean, all_squares = figures[:, 0, -1:], figures[:, 1, -1:], figures[:, 2, -1:]
    overall = np.sqrt(np.divide(all_squares, total, out=np.zeros_like(total), where=total > 0))
    spreads: list[float] = overall[:, 0].tolist()
    least = [[least_deviation(one.values, spread)] for one, spread in zip(columns, spreads, strict=True)]
    rows = weight if divisor == "n" else weight - 1
    deviation = np.sqrt(np.divide(squares, rows, out=np.zeros_like(squares), where=rows > 0))
    deviation = np.maximum(deviation, least)
    empty = weight <= 0
    mean, deviation = np.where(empty, all_mean, mean), np.where(empty, overall, deviation)
    means = _kernels.find_shortest_decimals(mean.ravel(), 1e-5 * deviation.ravel()).reshape(mean.shape)
    deviations = _kernels.round_significant(deviation.ravel(), DIGITS).reshape(mean.shape)
    curves = zip(means, deviations, weight, strict=True)
    return [Normal(*curve) if spread > 0 else None for curve, spread in zip(curves, spreads, strict=True)]


def least_deviation(values: Numbers | None, overall: float) -> float:
    """Return the minimum standard deviation of a class: the mean step between the ascending values / sqrt(2 pi).

    P(x plus or minus half a step) is about the step times the density, which at its peak is 1 / (deviation sqrt(2 pi)):
    with this deviation no probability exceeds 1. Where there are too many values to know the step, a thousandth
    of the deviation over all classes is used instead.
    """
    if values is None or len(values) < 2:
        return overall / 1000
    return _range(values) / (len(values) - 1) / math.sqrt(2 * math.pi)


def _range(ascending: Numbers) -> float:
    """Return the range of ascending values; if it overflows, the largest number."""
    with np.errstate(over="ignore"):
        return min(float(ascending[-1] - ascending[0]), sys.float_info.max)


def kernel_density(counts: ValueCounts) -> KernelDensity | None:
    """Return a kernel at every value, with width range / sqrt(rows) of the class."""
    if len(counts.values) < 2:
        return None
    total = counts.weights.sum(axis=0)
    least = least_deviation(counts.values, 0.0)
    width = []
    for klass in range(len(total)):
        values = counts.values[counts.weights[:, klass] > 0]
        spread = _range(values if len(values) else counts.values)
        width.append(_round_width(max(spread / np.sqrt(max(total[klass], 1.0)), least)))
    weights = counts.weights.copy()
    weights[:, total <= 0] = weights.sum(axis=1, keepdims=True)  # a class without values: use those of the whole column
    return KernelDensity(counts.values, weights, np.array(width))


def _round_width(width: float) -> float:
    """Return the width of a curve as printed: never zero, however close the values are, and never infinite."""
    return min(round_digits(max(width, sys.float_info.min)), sys.float_info.max)


def bin_column(counts: ValueCounts, cuts: Numbers, virtual: Numbers) -> Bins | None:
    """Return the discretized column; None if there are no cut points."""
    if not len(cuts):
        return None
    table = np.zeros((len(cuts) + 1, counts.weights.shape[1]))
    np.add.at(table, interval_codes(counts.values, cuts), counts.weights)
    return Bins(table, virtual, cuts)
