"""Calibration: whether predictions with a probability of 0.8 are correct in about 80 % of the rows."""

from __future__ import annotations

import itertools
from dataclasses import dataclass

import numpy as np

from hedgerow.data.table.table import Numbers, Rows
from hedgerow.errors import UsageError
from hedgerow.evaluate.metrics.estimates import Estimate, wilson
from hedgerow.evaluate.metrics.measures import ratio
from hedgerow.evaluate.metrics.ranking import rank_rows
from hedgerow.evaluate.metrics.score_order import RankedRows
from hedgerow.evaluate.results import Results


@dataclass(frozen=True)
class BrierParts:
    """A Brier score in parts: reliability - resolution + uncertainty + within.

    Murphy's (1973) parts are reliability (how far the probabilities are from the observed shares; 0 is best),
    resolution (how far the bins' shares are from the share in all; large is good) and uncertainty (the variance of
    the class itself). They add up when all probabilities of a bin are equal; `within` is what the spread of the
    probabilities inside the bins adds (Stephenson, Coelho and Jolliffe, 2008). The sum is the score to the last digit.
    """

    reliability: float
    resolution: float
    uncertainty: float
    within: float

    @property
    def score(self) -> float:
        """The Brier score: the mean of (p - y)^2."""
        return self.reliability - self.resolution + self.uncertainty + self.within


@dataclass(frozen=True, eq=False)
class Calibration:
    """Binned probabilities and observed frequencies; weights are those of one run.

    Parameters
    ----------
    label
        The class; None if the probability is that of the predicted class, and "observed" means predicted right.
    edges
        One more than bins. A probability on an edge belongs to the bin below it, 0 to the first.
    weight, positives
        Of the rows in each bin.
    mean_probability
        NaN in a bin without rows.
    within
        What the spread of the probabilities inside the bins adds to the Brier score.
    """

    label: str | None
    edges: Numbers
    weight: Numbers
    positives: Numbers
    mean_probability: Numbers
    within: float

    @property
    def observed(self) -> tuple[Estimate, ...]:
        """The share of positive rows in each bin with Wilson's interval; all NaN in a bin without rows."""
        return tuple(wilson(rate, n) for rate, n in zip(self.rate.tolist(), self.weight.tolist(), strict=True))

    @property
    def rate(self) -> Numbers:
        """The share of positive rows in each bin."""
        return ratio(self.positives, self.weight)

    @property
    def gap(self) -> Numbers:
        """The difference of each bin's mean probability and observed frequency; NaN in a bin without rows."""
        gap: Numbers = self.mean_probability - self.rate
        return gap

    @property
    def expected_error(self) -> float:
        """The expected calibration error: the mean of |gap| over the rows."""
        return float(ratio(np.nan_to_num(np.abs(self.gap)) @ self.weight, self.weight.sum()))

    @property
    def largest_error(self) -> float:
        """The largest |gap| of a bin with rows."""
        gaps = np.abs(self.gap[self.weight > 0])
        return float(gaps.max()) if len(gaps) else np.nan

    @property
    def brier(self) -> BrierParts:
        """The parts of the mean of (p - y)^2 by these bins."""
        total = self.weight.sum()
        base = float(ratio(self.positives.sum(), total))
        rate = np.nan_to_num(self.rate)
        reliability = float(ratio(self.weight @ np.nan_to_num(self.gap) ** 2, total))
        resolution = float(ratio(self.weight @ (rate - base) ** 2, total))
        return BrierParts(reliability, resolution, base * (1 - base), self.within)


def calibration(results: Results, label: str | None = None, bins: int = 10, by: str = "width") -> Calibration:
    """Return binned predicted probabilities of a class with the observed frequencies.

    Parameters
    ----------
    label
        The class; None for the predicted class of each row: is its accuracy equal to its confidence?
    bins
        How many.
    by
        "width": bins of equal width from 0 to 1. "count": bins of about equal weight; equal probabilities
        are never separated, so there may be fewer bins.
    """
    if isinstance(bins, bool) or not isinstance(bins, int | np.integer) or bins < 1:
        raise UsageError(f"calibration needs at least 1 bin, not {bins!r}")
    if by not in _PARTS:
        raise UsageError(f'bins can be of equal "width" or "count", not {by!r}')
    curve = rank_rows(results, label)
    runs = max(results.n_runs, 1)
    edges, stops = _PARTS[by](curve, int(bins))
    parts = [slice(stop, start) for start, stop in itertools.pairwise(stops.tolist())]
    score, weight, positives = curve.threshold[1:], np.diff(curve.total_weight), np.diff(curve.tp)
    mean = np.array([float(ratio(weight[part] @ score[part], weight[part].sum())) for part in parts])
    spread = sum(
        _within_bin_spread(score[part] - m, weight[part], positives[part]) for part, m in zip(parts, mean, strict=True)
    )
    in_bins, of_class = ((sums[stops[:-1]] - sums[stops[1:]]) / runs for sums in (curve.total_weight, curve.tp))
    return Calibration(label, edges, in_bins, of_class, mean, float(ratio(spread / runs, in_bins.sum())))


def expected_error(results: Results, bins: int = 10, by: str = "width") -> float:
    """Return the expected calibration error of the predicted class of each row (Guo et al., 2017)."""
    return calibration(results, None, bins, by).expected_error


def _within_bin_spread(off: Numbers, weight: Numbers, positives: Numbers) -> float:
    """Return the share of the spread of probabilities in the squared errors of a bin: p's variance - 2 cov(p, y)."""
    return float(weight @ (off * off) - 2 * (positives @ off))


def _bins_by_width(curve: RankedRows, bins: int) -> tuple[Numbers, Rows]:
    """Return the edges, rising, and for each how many scores lie above it."""
    edges = np.linspace(0, 1, bins + 1)
    above = np.searchsorted(-curve.threshold[1:], -edges[1:-1])
    return edges, np.concatenate([[len(curve.threshold) - 1], above, [0]])


def _bins_by_count(curve: RankedRows, bins: int) -> tuple[Numbers, Rows]:
    """Put each score in the bin in which the middle of its rows lies; edges lie halfway between bins."""
    score, last = curve.threshold[1:], len(curve.threshold) - 1
    middle = (curve.total_weight[1:] + curve.total_weight[:-1]) / 2
    wanted = np.arange(bins - 1, 0, -1) / bins * curve.total_weight[-1] * (1 + 1e-12)
    above = np.unique(np.searchsorted(middle, wanted, side="right"))[::-1]
    above = above[(above > 0) & (above < last)]
    edges = np.concatenate([[0.0], (score[above - 1] + score[above]) / 2, [1.0]])
    return edges, np.concatenate([[last], above, [0]])


_PARTS = {"width": _bins_by_width, "count": _bins_by_count}
