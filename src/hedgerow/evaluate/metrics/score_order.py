"""Rows in the order of a score: the counts above each threshold."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from hedgerow.data.table.table import Numbers, Rows


@dataclass(frozen=True, eq=False)
class RankedRows:
    """Rows by falling score of one class: a point for every cut between different scores.

    Point i takes the rows that score at least `threshold[i]` for positive; `tp` and `fp` weigh them. The first
    point takes none. Rows of equal score are taken together, so that their order in the table does not matter.
    Rows of different folds are ranked together, as if one model had scored them all.
    """

    label: str
    threshold: Numbers
    tp: Numbers
    fp: Numbers

    @property
    def fn(self) -> Numbers:
        """The positive rows that are not taken."""
        left: Numbers = self.tp[-1] - self.tp
        return left

    @property
    def tn(self) -> Numbers:
        """The negative rows that are not taken."""
        left: Numbers = self.fp[-1] - self.fp
        return left

    @cached_property
    def total_weight(self) -> Numbers:
        """The weight of all rows taken."""
        both: Numbers = self.tp + self.fp
        return both

    def downsample(self, most: int = 500) -> Self:
        """Return the curve with about this many points, evenly spaced; enough to draw it."""
        way = self.tp / (self.tp[-1] or 1.0) + self.fp / (self.fp[-1] or 1.0)
        keep = evenly(way, most)
        return replace(self, threshold=self.threshold[keep], tp=self.tp[keep], fp=self.fp[keep])


def evenly(way: Numbers, most: int) -> Rows:
    """Return at most so many (but two) positions, evenly spaced along a monotone path, with its ends."""
    if len(way) <= most:
        return np.arange(len(way))
    stops = np.linspace(way[0], way[-1], max(most, 2))
    return np.unique(np.append(np.searchsorted(way, stops[:-1]), len(way) - 1))


@dataclass(frozen=True, eq=False)
class ScoreOrder:
    """Positions of rows by falling score, and where each run of equal scores ends."""

    rows: Rows
    ends: Rows
    scores: Numbers

    @classmethod
    def of(cls, scores: Numbers) -> ScoreOrder:
        """Sort scores once."""
        rows: Rows = np.argsort(scores)[::-1]
        ranked = scores[rows]
        ends = np.flatnonzero(ranked[1:] != ranked[:-1])
        return cls(rows, np.append(ends, len(rows) - 1) if len(rows) else ends, ranked)

    def curve(self, label: str, positive: NDArray[np.bool_], weight: Numbers) -> RankedRows:
        """Return the counts at every distinct score; rows without weight are left out."""
        weight, positive = weight[self.rows], positive[self.rows]
        tp = self.sums(weight * positive)
        fp = self.sums(weight * ~positive)
        threshold = np.append(np.inf, self._values_at_ends(self.scores))
        if len(weight) and not weight.min() > 0:
            keep = np.append(True, np.diff(tp + fp) > 0)
            threshold, tp, fp = threshold[keep], tp[keep], fp[keep]
        return RankedRows(label, threshold, tp, fp)

    def sums(self, values: NDArray[Any]) -> Numbers:
        """Return running sums of values in this order, 0 first, then one for every different score."""
        return np.append(0.0, self._values_at_ends(np.cumsum(values)))

    def expand_values(self, values: Numbers) -> Numbers:
        """Return one value for every row, in this order, from one for every different score."""
        return np.repeat(values, np.diff(self.ends, prepend=-1)) if len(values) < len(self.rows) else values

    def _values_at_ends(self, values: Numbers) -> Numbers:
        return values[self.ends] if len(self.ends) < len(values) else values
