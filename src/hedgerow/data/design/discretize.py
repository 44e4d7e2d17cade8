"""Cut points: numeric columns into intervals, by equal width, equal frequency, 1R's buckets or MDL.

All methods work on `ValueCounts` (the different values and their weights by class), so they never cut between equal
values and give the same cuts for any order of the rows. A cut c separates `value <= c` from `value > c`.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from hedgerow import _kernels
from hedgerow.data.design.class_counts import ValueCounts
from hedgerow.data.table.table import Codes, Numbers, Rows
from hedgerow.layout.numbers import format_number
from hedgerow.layout.rounding import choose_threshold, round_within

METHODS = ("mdl", "one_r", "frequency", "width")


@dataclass(frozen=True)
class Discretizer:
    """How to cut: the method and its settings."""

    method: str = "mdl"
    bins: int = 10
    min_bucket: float = 6

    def cuts(self, counts: ValueCounts) -> Numbers:
        """Return the ascending cut points for a column."""
        if len(counts.values) < 2:
            return np.empty(0)
        match self.method:
            case "width":
                return equal_width(counts, self.bins)
            case "frequency":
                return equal_frequency(counts, self.bins)
            case "one_r":
                return np.array([bucket.upper for bucket in one_r_buckets(counts, self.min_bucket)[:-1]])
        return mdl(counts)


def interval_codes(values: Numbers, cuts: Numbers) -> Codes:
    """Return the number of the interval each value falls into; -1 where it is missing."""
    codes = np.searchsorted(cuts, values, side="left").astype(np.int32)
    codes[np.isnan(values)] = -1
    return codes


def interval_names(cuts: Numbers) -> tuple[str, ...]:
    """Return the intervals in words: `<=77.5`, `(77.5, 82.5]`, `>82.5`."""
    if not len(cuts):
        return ("any",)
    text = [format_number(cut) for cut in cuts.tolist()]
    inner = [f"({low}, {high}]" for low, high in pairwise(text)]
    return (f"<={text[0]}", *inner, f">{text[-1]}")


def equal_width(counts: ValueCounts, bins: int) -> Numbers:
    """Cut the range of the values into `bins` intervals of equal width."""
    finite = counts.values[np.isfinite(counts.values)]
    if len(finite) < 2:
        return np.empty(0)
    low, high = float(finite[0]), float(finite[-1])
    width = (high - low) / bins
    if width == np.inf:  # the range is too large a number
        return np.unique([low * (1 - i / bins) + high * (i / bins) for i in range(1, bins)])
    return np.unique([round_within(low + width * i, width / 100) for i in range(1, bins)])


def equal_frequency(counts: ValueCounts, bins: int) -> Numbers:
    """Cut into `bins` intervals of about equal weight; equal values stay together, so there may be fewer."""
    upto = np.cumsum(counts.weights.sum(axis=1))
    total = upto[-1]
    cuts, taken, last = [], 0.0, -1
    for bin_ in range(bins, 1, -1):  # distribute the remaining weight over the remaining bins
        wanted = taken + (total - taken) / bin_
        place = max(int(np.searchsorted(upto, wanted * (1 - 1e-12))), last + 1)  # one weight may drown all others
        if place > last + 1 and wanted - upto[place - 1] < upto[place] - wanted:
            place -= 1  # the cut before this value is nearer to an equal share
        if place >= len(upto) - 1:
            break
        cuts.append(choose_threshold(counts.values[place], counts.values[place + 1]))
        taken, last = float(upto[place]), place
    return np.array(cuts)


@dataclass(frozen=True, eq=False)
class Bucket:
    """An interval of 1R: values up to `upper`, and their weight by class."""

    upper: float
    weights: Numbers


def one_r_buckets(counts: ValueCounts, min_bucket: float) -> list[Bucket]:
    """Cut where the majority class changes (Holte 1993).

    Values are taken in ascending order. An interval is closed once its majority class weighs at least `min_bucket`
    and the next value is not (also) mostly of that class; the last interval may fall short. Neighbors with the same
    majority class are merged.
    """
    ends, sums = one_r_intervals(counts, min_bucket)
    uppers = [choose_threshold(counts.values[end - 1], counts.values[end]) for end in ends[:-1]] + [np.inf]
    return [Bucket(upper, weights) for upper, weights in zip(uppers, sums, strict=True)]


def one_r_intervals(counts: ValueCounts, min_bucket: float) -> tuple[Rows, Numbers]:
    """Return the intervals of 1R: behind which value each ends, and its weight by class."""
    ends = _kernels.find_interval_ends(np.ascontiguousarray(counts.weights), min_bucket)
    if not len(ends):
        return np.array([len(counts.values)]), counts.weights.sum(axis=0, keepdims=True)
    sums = np.add.reduceat(counts.weights, np.concatenate([[0], ends[:-1]]), axis=0)
    majority = sums.argmax(axis=1)
    first = np.flatnonzero(np.concatenate([[True], majority[1:] != majority[:-1]]))
    last = np.concatenate([first[1:], [len(ends)]]) - 1
    return ends[last], np.add.reduceat(sums, first, axis=0)


def mdl(counts: ValueCounts) -> Numbers:
    """Cut recursively where the class entropy decreases most, while the description gets shorter.

    Fayyad and Irani (1993): a cut of N rows into two parts pays when
    gain > (log2(N - 1) + log2(3^k - 2) - k E + k1 E1 + k2 E2) / N, with k classes present and entropy E, and k1, E1 and
    k2, E2 those of the parts.
    """
    values, ends = counts.values, _kernels.find_mdl_cuts(np.ascontiguousarray(counts.weights)).tolist()
    return np.array([choose_threshold(values[end - 1], values[end]) for end in ends])
