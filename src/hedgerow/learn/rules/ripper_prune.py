"""Pruning a rule on rows that it was not grown on: which conditions to delete."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from hedgerow.data.table.table import Numbers
from hedgerow.learn.rules.ripper_rows import RuleBody, RuleRows, RuleSample, Sides

MOST_SUBSETS = 12  # conditions of which every subset is tried; of longer rules final sequences are deleted
EQUAL = 1e-12


@dataclass(frozen=True, eq=False)
class CoverageByForm:
    """The weight of the class and of others that each form of a rule covers."""

    p: Numbers
    n: Numbers

    def purity(self, smoothing: float = 0.0) -> Numbers:
        """Return (p - n) / (p + n) of each form, as if it covered `smoothing` more rows of either side.

        An undefined value is the worst.
        """
        total = self.p + self.n + 2 * smoothing
        value = (self.p - self.n) / np.where(total > 0, total, 1)
        return np.where(total > 0, value, -np.inf)

    def saved_errors(self) -> Numbers:
        """Return p - n of each form: how many errors the rule saves where nothing else covers."""
        return self.p - self.n


def coverage_by_length(rows: RuleRows, body: RuleBody, sample: RuleSample, positive: Sides) -> CoverageByForm:
    """Return what the first 0, 1, 2, ... conditions of a rule cover."""
    return CoverageByForm(*rows.weights_by_length(body, sample, positive))


def best_length(values: Numbers) -> int:
    """Return the length of the highest value, the shortest of equals."""
    return int(np.argmax(values >= values.max() - EQUAL * max(1.0, abs(float(values.max())))))


def coverage_by_subset(rows: RuleRows, body: RuleBody, sample: RuleSample, positive: Sides) -> CoverageByForm:
    """Return what is covered when each subset of the conditions is deleted; bit i stands for condition i."""
    fails = np.zeros(len(sample.rows), dtype=np.int64)
    for place in range(len(body)):
        fails |= (rows.count_passed(body.select_conditions([place]), sample.rows) == 0).astype(np.int64) << place
    weights, own = sample.weigh(sample.rows), positive[sample.rows] > 0
    p, n = (
        _sum_over_subsets(np.bincount(fails[side], weights[side], 1 << len(body)).astype(np.float64))
        for side in (own, ~own)
    )
    return CoverageByForm(p, n)


def best_subset(values: Numbers, length: int) -> list[int]:
    """Return the conditions that are kept: those of the highest value, the fewest of equals, then the first grown."""
    deleted = np.flatnonzero(values >= values.max() - EQUAL)
    most = max(deleted.tolist(), key=lambda bits: (bits.bit_count(), bits))
    return [place for place in range(length) if not most >> place & 1]


def prune(
    rows: RuleRows, body: RuleBody, sample: RuleSample, positive: Sides, every_subset: bool, smoothing: float
) -> tuple[RuleBody, CoverageByForm]:
    """Return the pruned rule of highest purity on the sample, and the coverage of its forms there."""
    if every_subset and len(body) <= MOST_SUBSETS:
        forms = coverage_by_subset(rows, body, sample, positive)
        return body.select_conditions(best_subset(forms.purity(smoothing), len(body))), forms
    forms = coverage_by_length(rows, body, sample, positive)
    return body.first(best_length(forms.purity(smoothing))), forms


def _sum_over_subsets(weights: Numbers) -> Numbers:
    """Return for each set of bits the sum over all sets within it."""
    sums = weights.copy()
    for bit in range(len(sums).bit_length() - 1):
        pairs = sums.reshape(-1, 2, 1 << bit)
        pairs[:, 1] += pairs[:, 0]
    return sums
