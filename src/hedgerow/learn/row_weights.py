"""The rule for row weights, one for all learners.

Weights that are all whole numbers are counts: a row of weight 2 is the same as two equal rows. Any other weights only
say how rows compare with each other. They are divided by their mean over the rows of positive weight, so that the rows
together weigh as much as there are rows, and a limit such as `min_leaf=2` means two rows of average weight. Multiplying
such weights by a constant therefore changes no prediction, and equal weights are the same as none.

The mean is taken over the rows that are learned from, and the weights are scaled once: learners that train other
learners pass them weights that already count rows (`Table.counts_rows`). A batch of `partial_fit` is divided by the
mean of the first rows, since the mean of all rows is not known before the last batch.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hedgerow.data.table.table import Numbers, Table

MOST_ROWS = 2.0**53  # largest weight that can be a count: larger doubles are always whole
BITS = 40  # bits of a scaled weight: rounding errors in the weights or their mean then change no model


@dataclass(frozen=True)
class WeightSums:
    """The statistics that determine how weights are scaled; the sums of disjoint rows add with `+`."""

    rows: int = 0
    total: float = 0.0
    whole: bool = True

    @classmethod
    def of(cls, weights: Numbers) -> WeightSums:
        """Return the sums of the weights that are positive."""
        weights = weights[weights > 0]
        whole = (weights == np.floor(weights)) & (weights < MOST_ROWS)
        return cls(len(weights), float(weights.sum()), bool(whole.all()))

    def __add__(self, other: WeightSums) -> WeightSums:
        return WeightSums(self.rows + other.rows, self.total + other.total, self.whole and other.whole)

    @property
    def unit(self) -> float | None:
        """The weight that counts as one row; None if the weights are counts."""
        return None if self.whole else self.total / self.rows


def weight_unit(table: Table, rows: NDArray[Any] | None = None) -> float | None:
    """Return the weight that counts as one row of a table; None if its weights are counts.

    If only some `rows` are learned from, by position or by mask, they decide.
    """
    if table.weights is None or table.counts_rows:
        return None
    return WeightSums.of(table.weights if rows is None else table.weights[rows]).unit


def counting_rows(table: Table, unit: float | None) -> Table:
    """Return the table with weights in a unit, so that a weight of 1 stands for one row; none if all weigh 1."""
    if unit is None:
        return replace(table, counts_rows=True)
    weights = _scale_weights(table.row_weights, unit)
    return replace(table, weights=None if (weights == 1).all() else weights, counts_rows=True)


def _scale_weights(weights: Numbers, unit: float) -> Numbers:
    """Return weights in a unit, rounded to reliable digits; positive weights stay positive."""
    shares, exponents = np.frexp(weights / unit)
    rounded: Numbers = np.ldexp(np.round(np.ldexp(shares, BITS)), exponents - BITS)
    return np.where(weights > 0, np.maximum(rounded, np.finfo(np.float64).tiny), 0.0)
