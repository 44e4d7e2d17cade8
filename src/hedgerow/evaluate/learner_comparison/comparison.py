"""Comparison: several learners on several data sets, evaluated on the same folds; the basis of tests and ranks."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from hedgerow.data.table.table import Numbers
from hedgerow.evaluate.learner_comparison import significance
from hedgerow.evaluate.learner_comparison.fold_outcome import Outcome
from hedgerow.evaluate.learner_comparison.significance import Friedman, TTest
from hedgerow.evaluate.metrics import catalog
from hedgerow.evaluate.metrics.estimates import Estimate, FoldSpread, fold_spread, ratio_of_test_to_training, wilson
from hedgerow.layout.shown import ArrowTable, PrintedReport

SMALLEST = 1e-300  # a ratio to less than this is undefined


@dataclass(frozen=True, eq=False)
class Cell:
    """One learner on one data set: its outcomes by run and fold; `failure` is the reason if there are none."""

    outcomes: tuple[Outcome, ...]
    failure: str = ""

    def values(self, measure: str) -> Numbers:
        """Return a measure of every fold; NaN where it is undefined."""
        return np.array([outcome.value(measure) for outcome in self.outcomes])

    def spread(self, measure: str) -> FoldSpread:
        """Return a measure over the folds in which it is defined."""
        return fold_spread(self.values(measure).tolist(), self.test_share)

    def mean(self, measure: str) -> float:
        """Return the mean over the folds in which the measure is defined."""
        return self.spread(measure).mean

    def estimate(self, measure: str) -> Estimate:
        """Return the mean with its interval, by the corrected resampled t (Nadeau and Bengio, 2003).

        Where all folds have one value, a share of rows has Wilson's interval, by the rows of one run; others have none.
        """
        known, fold_spread = catalog.ALL.get(measure), self.spread(measure)
        if fold_spread.is_flat and measure in ("accuracy", "error"):
            return wilson(fold_spread.mean, self.rows)
        return fold_spread.estimate().clip(0.0) if known is None else fold_spread.estimate().clip(known.low, known.high)

    @property
    def rows(self) -> float:
        """The weight of the tested rows that have a prediction, which every run tests again."""
        return sum(one.answered for one in self.outcomes) / max(len({one.run for one in self.outcomes}), 1)

    @property
    def answered(self) -> float:
        """The share of the tested rows that have a prediction, over all folds; NaN if there are none."""
        tested = sum(one.test_weight for one in self.outcomes)
        return sum(one.answered for one in self.outcomes) / tested if tested else math.nan

    @property
    def test_share(self) -> float:
        """The weight of the test rows by that of the training rows."""
        return ratio_of_test_to_training(self.outcomes)


@dataclass(frozen=True)
class Record:
    """On how many data sets a learner is better than, like, and worse than the base."""

    better: int
    alike: int
    worse: int


@dataclass(frozen=True, eq=False)
class Comparison(ArrowTable, PrintedReport):
    """Results of learners (columns) on data sets (rows), all on the same folds.

    Parameters
    ----------
    learners, sets
        Their names.
    cells
        One row per data set, with one cell per learner.
    base
        The learner, by position, that the others are tested against.
    measure, title, larger_is_better
        The measure that they are compared by.
    level
        The significance level: differences with a larger p-value are not significant.
    method, runs, folds, seed
        How they were tested.
    """

    learners: tuple[str, ...]
    sets: tuple[str, ...]
    cells: tuple[tuple[Cell, ...], ...]
    base: int
    measure: str
    title: str
    larger_is_better: bool
    level: float = 0.05
    method: str = ""
    runs: int = 1
    folds: int = 1
    seed: int = 1
    notes: tuple[str, ...] = ()

    def __repr__(self) -> str:
        return (
            f"<Comparison: {len(self.learners)} learners on {len(self.sets)} data sets by {self.title}, {self.method}>"
        )

    def to_arrow(self) -> Any:
        """Return the comparison as an Arrow table, one row per data set and learner.

        Columns: data, learner, measure, mean, low, high (the 95 % interval), rank, mark (v or * as printed), p.
        """
        from hedgerow.data.frames.arrow import plain_table

        return plain_table(
            [self._row(row, place) for row in range(len(self.sets)) for place in range(len(self.cells[row]))]
        )

    def _row(self, row: int, place: int) -> dict[str, Any]:
        estimate, test = self.cells[row][place].estimate(self.measure), self.tests[row][place]
        return {
            "data": self.sets[row],
            "learner": self.learners[place],
            "measure": self.measure,
            "mean": float(self.means[row, place]),
            "low": estimate.low,
            "high": estimate.high,
            "rank": float(self.ranks[row, place]),
            "mark": self.mark(row, place),
            "p": math.nan if test is None else test.p,
        }

    @cached_property
    def means(self) -> Numbers:
        """The mean of the measure, sets x learners; NaN where a learner failed."""
        return self.means_of(self.measure)

    def means_of(self, measure: str) -> Numbers:
        """Return the means of any measure, sets x learners."""
        return np.array([[cell.mean(measure) for cell in row] for row in self.cells]).reshape(self._shape)

    @cached_property
    def tests(self) -> tuple[tuple[TTest | None, ...], ...]:
        """The corrected resampled t-tests of all learners against the base, one row per data set; None for the base."""
        return tuple(tuple(self._test(row, place) for place in range(len(row))) for row in self.cells)

    def compare_to_base(self, row: int, place: int) -> int:
        """Return 1 if a learner is significantly better than the base on a data set, -1 if worse, else 0."""
        test = self.tests[row][place]
        if test is None or not test.p < self.level:  # p may be NaN
            return 0
        return 1 if (test.difference > 0) == self.larger_is_better else -1

    def mark(self, row: int, place: int) -> str:
        """Return the mark of a mean: v (significantly better than the base), * (worse), or a space."""
        return {1: "v", -1: "*"}.get(self.compare_to_base(row, place), "")

    def record(self, place: int) -> Record:
        """Return the numbers of sets on which a learner is significantly better, not different, or worse."""
        outcomes = [self.compare_to_base(row, place) for row in self._compared_sets(place)]
        return Record(outcomes.count(1), outcomes.count(0), outcomes.count(-1))

    def plain_record(self, place: int, other: int | None = None) -> Record:
        """Return the numbers of sets on which a learner's mean is better, equal or worse than that of another one."""
        base = self.base if other is None else other
        apart = (self.means[:, place] - self.means[:, base]) * (1 if self.larger_is_better else -1)
        apart = apart[~np.isnan(apart)]
        better, worse = int((apart > 1e-12).sum()), int((apart < -1e-12).sum())
        return Record(better, len(apart) - better - worse, worse)

    def mean(self, place: int) -> float:
        """Return a learner's mean over the sets on which no learner failed."""
        whole = significance.complete(self.means)
        return float(whole[:, place].mean()) if len(whole) else math.nan

    def mean_ratio(self, place: int, other: int | None = None) -> float:
        """Return the mean over sets of a learner's measure by another's (or the base's), as Quinlan (1996) has it."""
        above, below = self.means[:, place], self.means[:, self.base if other is None else other]
        fit = ~np.isnan(above) & (np.abs(below) > SMALLEST)
        return float((above[fit] / below[fit]).mean()) if fit.any() else math.nan

    @cached_property
    def ranks(self) -> Numbers:
        """The rank of every learner on every set by its mean, 1 the best, shared by equals."""
        return significance.ranks(self.means, self.larger_is_better)

    @cached_property
    def mean_ranks(self) -> Numbers:
        """The mean rank of every learner over the sets on which no learner failed."""
        whole = significance.complete(significance.ranks(significance.complete(self.means), self.larger_is_better))
        return whole.mean(axis=0) if len(whole) else np.full(len(self.learners), np.nan)

    @cached_property
    def friedman(self) -> Friedman:
        """Friedman's test of the ranks; undefined with one set or one learner."""
        return significance.friedman(self.ranks)

    @cached_property
    def critical_difference(self) -> float:
        """Nemenyi's critical difference of mean ranks; NaN with one set or one learner."""
        return significance.critical_difference(len(self.learners), self.friedman.sets, self.level)

    @cached_property
    def groups(self) -> tuple[tuple[int, ...], ...]:
        """The groups of learners whose mean ranks are within the critical difference, the best first."""
        if math.isnan(self.critical_difference):
            return ()
        return tuple(significance.groups(self.mean_ranks, self.critical_difference))

    @property
    def _shape(self) -> tuple[int, int]:
        return len(self.sets), len(self.learners)

    def _compared_sets(self, place: int) -> list[int]:
        return [row for row in range(len(self.sets)) if not math.isnan(self.means[row, [place, self.base]].sum())]

    def _test(self, row: Sequence[Cell], place: int) -> TTest | None:
        if place == self.base:
            return None
        mine, other = row[place], row[self.base]
        if not mine.outcomes or not other.outcomes:
            return None
        apart = mine.values(self.measure) - other.values(self.measure)
        return significance.corrected_t_test(apart, mine.test_share, self.level)
