"""Histogram of a numeric column in bounded memory: by its different values, or by bins.

Spreads of disjoint rows add with `+`. As long as there are no more different values than asked for, a spread is exact
and the same whatever the batches. Beyond, neighboring values are put together, in runs of about the same weight. A
merged value may then count on the wrong side of an end by the weight of a run, once an addition: added in pairs, and
pairs of pairs, d rounds of additions move an end by about d / (8 * bins) of the rows.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from hedgerow.data.table.table import Numbers

FINER = 8  # so many times the bins are kept while adding


@dataclass(frozen=True, eq=False)
class ValueHistogram:
    """Values in ascending order, each standing for those above the one before it, and the weight of these.

    Parameters
    ----------
    bins
        How many different values are kept apart, and how many bins there are at the end otherwise.
    exact
        Whether every value stands for itself alone.
    """

    values: Numbers
    weights: Numbers
    bins: int
    exact: bool = True

    @classmethod
    def of(cls, values: Numbers, weights: Numbers | None, bins: int) -> ValueHistogram:
        """Return the spread of the values that are not missing."""
        known = ~np.isnan(values)
        values = values[known] + 0.0  # one zero
        if weights is None:
            distinct, counts = np.unique(values, return_counts=True)
        else:
            distinct, place = np.unique(values, return_inverse=True)
            counts = np.bincount(place, weights[known], len(distinct))
        return _merge_values(distinct, counts.astype(np.float64), bins, exact=True)

    def __add__(self, other: ValueHistogram) -> ValueHistogram:
        values, place = np.unique(np.concatenate([self.values, other.values]), return_inverse=True)
        weights = np.bincount(place, np.concatenate([self.weights, other.weights]), len(values))
        return _merge_values(values, weights.astype(np.float64), self.bins, self.exact and other.exact)

    def ends(self) -> Numbers:
        """Return the different values, or those that the bins end at, the last being the largest of all."""
        return runs(self.values, self.weights, self.bins)[0]


def _merge_values(values: Numbers, weights: Numbers, bins: int, exact: bool) -> ValueHistogram:
    return ValueHistogram(*runs(values, weights, FINER * bins), bins, exact and len(values) <= bins)


def runs(values: Numbers, weights: Numbers, most: int) -> tuple[Numbers, Numbers]:
    """Return a maximum number of runs of neighboring values: the last value of each, and its weight.

    A value that weighs as much as a run should stays alone.
    """
    limit = weights.sum() / most
    while len(values) > most:
        heavy = weights >= limit
        cells = np.floor(np.where(heavy, 0.0, weights).cumsum() / limit)
        last = (np.diff(cells) > 0) | heavy[:-1] | heavy[1:]
        ends = np.append(np.flatnonzero(last), len(values) - 1)
        if len(ends) <= most:
            return values[ends], np.add.reduceat(weights, np.append(0, ends[:-1] + 1))
        limit *= 1.125
    return values, weights
