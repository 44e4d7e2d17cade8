"""Lift and profit: the share of the class in the best-ranked rows, and the most profitable number of them."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from hedgerow.data.table.table import Numbers
from hedgerow.errors import UsageError
from hedgerow.evaluate.metrics.estimates import Estimate, wilson
from hedgerow.evaluate.metrics.measures import ratio
from hedgerow.evaluate.metrics.ranking import rank_rows
from hedgerow.evaluate.metrics.score_order import RankedRows, evenly
from hedgerow.evaluate.results import Results


@dataclass(frozen=True, eq=False)
class Lift:
    """The rows by falling probability of a class, cut into bins of equal weight (M310).

    Rows of equal score on the edge of two bins are shared out between them with their positives, so that the order of
    the rows does not matter; a bin may then hold a fraction of a row. Weights are those of one run.

    Parameters
    ----------
    label
        The class that counts as positive.
    threshold
        The lowest score in each bin.
    weight, positives
        Of the rows in each bin.
    """

    label: str
    threshold: Numbers
    weight: Numbers
    positives: Numbers

    @property
    def rate(self) -> Numbers:
        """The share of positive rows in each bin."""
        return ratio(self.positives, self.weight)

    @property
    def rates(self) -> tuple[Estimate, ...]:
        """The share of positive rows in each bin with Wilson's interval."""
        return tuple(wilson(rate, n) for rate, n in zip(self.rate.tolist(), self.weight.tolist(), strict=True))

    @property
    def base_rate(self) -> float:
        """The share of positive rows in all."""
        return float(ratio(self.positives.sum(), self.weight.sum()))

    @property
    def lift(self) -> Numbers:
        """The lift of each bin: its share of positives relative to that of random rows."""
        return ratio(self.rate, self.base_rate)

    @property
    def percent(self) -> Numbers:
        """The part of all positives that lies in each bin, in percent."""
        return 100 * ratio(self.positives, self.positives.sum())

    @property
    def share(self) -> Numbers:
        """The share of all rows taken up to the end of each bin."""
        return ratio(np.cumsum(self.weight), self.weight.sum())

    @property
    def gains(self) -> Numbers:
        """The share of all positives taken up to the end of each bin: the cumulative gains."""
        return ratio(np.cumsum(self.positives), self.positives.sum())

    @property
    def cumulative_lift(self) -> Numbers:
        """The cumulative lift up to the end of each bin."""
        return ratio(self.gains, self.share)


@dataclass(frozen=True)
class BestCut:
    """The number of rows that brings most: take those that score at least `threshold`.

    With nothing to gain, none are taken and the threshold is infinite. The interval of the profit takes the cut as
    given; that it was chosen for being best on these very rows makes the figure a little too good.
    """

    threshold: float
    share: float
    taken: float
    positives: float
    profit: Estimate


@dataclass(frozen=True, eq=False)
class Profit:
    """The profit of taking the best-ranked rows: gain * positives taken - cost * rows taken (M311).

    Point i takes the rows that score at least `threshold[i]`, which weigh `taken[i]`; the first takes none. Weights
    are those of one run.
    """

    label: str
    cost: float
    gain: float
    threshold: Numbers
    taken: Numbers
    positives: Numbers

    @property
    def profit(self) -> Numbers:
        """The profit at each point."""
        profit: Numbers = self.gain * self.positives - self.cost * self.taken
        return profit

    @property
    def share(self) -> Numbers:
        """The share of all rows taken at each point."""
        return ratio(self.taken, self.taken[-1])

    @property
    def break_even(self) -> float:
        """The probability above which taking a row is profitable, if probabilities are calibrated: cost / gain."""
        return float(ratio(self.cost, self.gain))

    def downsample(self, most: int = 500) -> Profit:
        """Return the curve with at most this many points, evenly spaced; for drawing, not for finding the best."""
        keep = evenly(self.taken, most)
        return replace(self, threshold=self.threshold[keep], taken=self.taken[keep], positives=self.positives[keep])

    @property
    def best(self) -> BestCut:
        """The cut of the highest profit; of several the one that takes fewest rows."""
        profit = self.profit
        most = profit.max()
        at = int(np.argmax(profit >= most - 1e-12 * max(abs(most), 1.0)))
        taken, positives = float(self.taken[at]), float(self.positives[at])
        if taken > 0:
            rate = wilson(positives / taken, taken)
            estimate = rate.transform(self.gain * taken, -self.cost * taken)
        else:
            estimate = Estimate(0.0, 0.0, 0.0, 0.0)
        return BestCut(float(self.threshold[at]), float(self.share[at]), taken, positives, estimate)


def lift(results: Results, label: str, bins: int = 10) -> Lift:
    """Return the number of rows of a class in each tenth (or other part) of the ranking."""
    threshold, taken, positives = _cut(results, rank_rows(results, label), _bins(bins))
    return Lift(label, threshold[1:], np.diff(taken), np.diff(positives))


def profit(results: Results, label: str, cost: float, gain: float, bins: int | None = None) -> Profit:
    """Return the profit of taking the best-ranked rows, at every cut or at the edges of so many equal bins.

    Parameters
    ----------
    cost
        What taking a row costs, whatever its class.
    gain
        What a row of the class brings in, before that cost.
    """
    cost, gain = _money(cost, "cost"), _money(gain, "gain")
    curve = rank_rows(results, label)
    if bins is None:
        return Profit(label, cost, gain, curve.threshold, *_curve_of_run(results, curve))
    return Profit(label, cost, gain, *_cut(results, curve, _bins(bins)))


def _curve_of_run(results: Results, curve: RankedRows) -> tuple[Numbers, Numbers]:
    """Return the weight and the positives taken at every cut, of one run."""
    runs = max(results.n_runs, 1)
    return curve.total_weight / runs, curve.tp / runs


def _cut(results: Results, curve: RankedRows, bins: int) -> tuple[Numbers, Numbers, Numbers]:
    """Return lowest score, weight and positives taken up to the edges of equal bins; scores that tie are shared out."""
    taken, positives = _curve_of_run(results, curve)
    edges = np.arange(bins + 1) / bins * taken[-1]
    edges[-1] = taken[-1]
    # A sum of weights that misses an edge by rounding has reached it.
    place = np.minimum(np.searchsorted(taken, edges * (1 - 1e-12)), len(taken) - 1)
    return curve.threshold[place], edges, np.interp(edges, taken, positives)


def _bins(bins: Any) -> int:
    if isinstance(bins, bool) or not isinstance(bins, int | np.integer) or bins < 1:
        raise UsageError(f"the rows can be divided into 1 bin or more, not {bins!r}")
    return int(bins)


def _money(amount: Any, word: str) -> float:
    known = isinstance(amount, int | float | np.number) and not isinstance(amount, bool)
    if not known or not 0 <= amount < math.inf:
        raise UsageError(f"the {word} of a row must be a number of at least 0, not {amount!r}")
    return float(amount)
