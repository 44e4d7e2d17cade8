"""Figures of bags: one number a bag for the values of all its instances, a whole column at a time.

Missing values are skipped; a bag without other values has no statistic. Bags are contiguous: bag i has the values
offsets[i] to offsets[i + 1].
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from hedgerow.data.table.table import Codes, Numbers, Rows

LARGEST = np.finfo(np.float64).max
DIGITS = 12  # of the largest value of a bag that its sums and means keep: what lies below depends on their order


@dataclass(frozen=True, eq=False)
class BagStatistics:
    """The statistics of a numeric column; shared intermediate results are computed once.

    >>> figures = BagStatistics(np.array([1.0, 3.0, 2.0, np.nan]), np.array([0, 3, 4]))
    >>> figures.mean, figures.deviation.round(3)
    (array([ 2., nan]), array([0.816,   nan]))
    """

    values: Numbers
    offsets: Rows

    @cached_property
    def _is_present(self) -> NDArray[np.bool_] | None:
        """Where there is a value; None if nothing is missing."""
        known = ~np.isnan(self.values)
        return None if known.all() else known

    @cached_property
    def count(self) -> Numbers:
        """How many values there are."""
        if self._is_present is None:
            return np.diff(self.offsets).astype(np.float64)
        return runs(np.add, self._is_present.astype(np.float64), self.offsets, 0.0)

    @cached_property
    def min(self) -> Numbers:
        """The least value."""
        return self._mask_empty_bags(runs(np.minimum, self._fill_empty_bags(np.inf), self.offsets, np.nan))

    @cached_property
    def max(self) -> Numbers:
        """The largest value."""
        return self._mask_empty_bags(runs(np.maximum, self._fill_empty_bags(-np.inf), self.offsets, np.nan))

    @cached_property
    def _scale(self) -> Numbers:
        """The largest value without its sign."""
        return np.maximum(np.abs(self.min), np.abs(self.max))

    @cached_property
    def sum(self) -> Numbers:
        """The sum of all values, at most the largest number that there is."""
        with np.errstate(over="ignore", invalid="ignore"):
            total = runs(np.add, self._fill_empty_bags(0.0), self.offsets, np.nan)
        total = np.where(np.isfinite(total), total, np.clip(self.mean, -1, 1) * LARGEST)
        return self._mask_empty_bags(round_to_scale(total, self._scale))

    @cached_property
    def mean(self) -> Numbers:
        """The arithmetic mean."""
        with np.errstate(over="ignore", invalid="ignore"):
            total = runs(np.add, self._fill_empty_bags(0.0), self.offsets, np.nan)
        lost = ~np.isfinite(total)
        count = np.maximum(self.count, 1.0)
        if lost.any():  # the sum is too large for a number, while the mean is not
            total = np.where(
                lost,
                runs(np.add, self._fill_empty_bags(0.0) / self._spread(count), self.offsets, np.nan),
                total / count,
            )
        else:
            total = total / count
        return self._mask_empty_bags(np.clip(round_to_scale(total, self._scale), self.min, self.max))

    @cached_property
    def midrange(self) -> Numbers:
        """The middle between the least and the largest value."""
        return self.min / 2 + self.max / 2

    @cached_property
    def range(self) -> Numbers:
        """The largest value less the least."""
        with np.errstate(over="ignore"):
            return np.minimum(self.max - self.min, LARGEST)

    @cached_property
    def deviation(self) -> Numbers:
        """The standard deviation: the root of the mean squared distance from the mean, 0 of a single value."""
        scale = np.where(self._scale > 0, self._scale, 1.0)
        with np.errstate(over="ignore", under="ignore"):
            off = self.values / self._spread(scale) - self._spread(self.mean / scale)
            squares = off * off
        if self._is_present is not None:
            squares = np.where(self._is_present, squares, 0.0)
        spread = scale * np.sqrt(runs(np.add, squares, self.offsets, np.nan) / np.maximum(self.count, 1.0))
        return self._mask_empty_bags(np.minimum(round_to_scale(spread, self._scale), LARGEST))

    @cached_property
    def median(self) -> Numbers:
        """The value in the middle, or the middle between the two that are there."""
        bag = np.repeat(np.arange(len(self.offsets) - 1), np.diff(self.offsets))
        ordered = self.values[np.lexsort((self.values, bag))]  # missing values last
        count = self.count.astype(np.int64)
        has = count > 0
        starts = self.offsets[:-1][has]
        low, high = ordered[starts + (count[has] - 1) // 2], ordered[starts + count[has] // 2]
        return _insert_missing(low / 2 + high / 2, has)

    @cached_property
    def mode(self) -> Numbers:
        """The most frequent value, the least of several."""
        distinct, codes = np.unique(self.values, return_inverse=True)  # missing values are the last
        known: Codes = np.where(np.isnan(self.values), -1, codes).astype(np.int32)
        best = modes(known, self.offsets, len(distinct))
        return np.append(distinct, np.nan)[best]

    def _fill_empty_bags(self, value: float) -> Numbers:
        return self.values if self._is_present is None else np.where(self._is_present, self.values, value)

    def _mask_empty_bags(self, figures: Numbers) -> Numbers:
        """Return statistics, NaN for bags without a value."""
        return np.where(self.count > 0, figures, np.nan)

    def _spread(self, by_bag: Numbers) -> Numbers:
        """Return for each instance the value of its bag."""
        return np.repeat(by_bag, np.diff(self.offsets))


def runs(work: np.ufunc, values: NDArray[np.float64], offsets: Rows, empty: float) -> Numbers:
    """Return a reduction, such as the sum, of every bag, `empty` for a bag without instances; rows may be long."""
    out = np.full((len(offsets) - 1, *values.shape[1:]), empty)
    has = offsets[1:] > offsets[:-1]
    if has.any():
        out[has] = work.reduceat(values, offsets[:-1][has], axis=0)  # empty bags lie between others, and have no length
    return out


def round_to_scale(values: Numbers, scale: Numbers) -> Numbers:
    """Return numbers to twelve digits of others, which are at least as large as what they were made of."""
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        places = np.clip(DIGITS - 1 - np.floor(np.log10(scale)), -290, 290)
        factor = 10.0 ** np.abs(places)
        fine, coarse = np.rint(values * factor) / factor, np.rint(values / factor) * factor
        result = np.where(places >= 0, fine, coarse)
    return np.where(np.isfinite(result) & (scale > 0), result, values) + 0.0


def modes(codes: Codes, offsets: Rows, n_levels: int) -> Codes:
    """Return the most frequent code of every bag, the first of several; -1 if all are missing.

    >>> modes(np.array([2, 1, 1, -1, -1], dtype=np.int32), np.array([0, 3, 4, 5]), 3)
    array([ 1, -1, -1], dtype=int32)
    """
    bag = np.repeat(np.arange(len(offsets) - 1, dtype=np.int64), np.diff(offsets))
    known = codes >= 0
    pairs, counts = np.unique(bag[known] * n_levels + codes[known], return_counts=True)
    out = np.full(len(offsets) - 1, -1, dtype=np.int32)
    order = np.lexsort((pairs, -counts))[::-1]  # the last one set is the most frequent, of equals the first
    out[pairs[order] // max(n_levels, 1)] = pairs[order] % max(n_levels, 1)
    return out


def level_shares(codes: Codes, offsets: Rows, n_levels: int) -> Numbers:
    """Return the share of every level (columns) in the known values of every bag; none of a bag without any."""
    n = len(offsets) - 1
    bag = np.repeat(np.arange(n, dtype=np.int64), np.diff(offsets))
    known = codes >= 0
    counts = np.bincount(bag[known] * n_levels + codes[known], minlength=n * n_levels).reshape(n, n_levels)
    total = counts.sum(axis=1, keepdims=True)
    return np.where(total > 0, counts / np.maximum(total, 1), np.nan)


def _insert_missing(figures: Numbers, has: NDArray[np.bool_]) -> Numbers:
    out = np.full(len(has), np.nan)
    out[has] = figures
    return out
