"""Selection: candidates compared on the same held-out rows, and the simplest that is about as good as the best."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from hedgerow.data.table.table import Numbers, Rows
from hedgerow.layout.shown import ArrowTable, NotebookDisplay
from hedgerow.learn.choosing.losses import CLASS_CRITERIA, NUMBER_CRITERIA, Predictions, losses
from hedgerow.learn.simplicity import first_lowest, is_at_most
from hedgerow.learn.supervised import Supervised

MEASURES = CLASS_CRITERIA | NUMBER_CRITERIA
USEFUL = 0.6  # AUC from which on a model tells more than the shares of the classes


@dataclass(frozen=True)
class CandidateResult:
    """One candidate: its mean loss on the held-out rows, and how far that is above the best candidate's.

    Parameters
    ----------
    loss, standard_error
        NaN if the candidate failed, or was given up on fewer rows (`rows`).
    difference, difference_error
        Mean and standard error of the difference to the best candidate's loss, row by row.
    auc, auc_error
        The area under the ROC curve and its standard error, of more than two classes the mean of each against the
        rest; NaN for numbers.
    error
        The error rate, or the mean absolute error.
    size
        The mean size of the models; NaN where models have none.
    rows
        On how many rows the candidate was last compared.
    training_rows
        From how many rows it learned there, at most.
    """

    name: str
    learner: Supervised
    loss: float
    standard_error: float
    difference: float
    difference_error: float
    auc: float
    auc_error: float
    error: float
    size: float
    rows: int
    training_rows: int

    @property
    def failed(self) -> bool:
        """Whether the candidate could not be trained."""
        return self.rows == 0


@dataclass(frozen=True)
class Selection(ArrowTable, NotebookDisplay):
    """The candidates, the simplest first, and which of them is chosen.

    Parameters
    ----------
    chosen_index, best_index
        Positions of the candidate that is chosen and of the one with the lowest loss.
    within
        By how many standard errors of the difference the loss of the chosen one may exceed the lowest.
    margin
        By how much it may exceed the lowest at most, as a share of the loss of the first candidate.
    criterion
        What they were compared by: a key of `losses.LOSSES`.
    rows, tested_rows
        How many rows there are, and how many of them were held out in turn.
    work, yardstick_work
        The estimated work of the comparison, in seconds of one core, and how much of it was the yardstick's.
    yardstick
        A learner whose models nobody can read, on the same held-out rows: what readability costs.
    """

    candidates: tuple[CandidateResult, ...]
    chosen_index: int
    best_index: int
    folds: int
    within: float
    margin: float
    criterion: str
    rows: int
    tested_rows: int
    work: float
    yardstick: CandidateResult | None = None
    yardstick_work: float = 0.0

    def __repr__(self) -> str:
        return f"<Selection: {self.chosen.name} of {len(self.candidates)} candidates by {self.measure}>"

    def to_arrow(self) -> Any:
        """Return the candidates as an Arrow table, the simplest first.

        Columns: name, chosen, loss, standard_error, difference, difference_error, auc, error, size, rows.
        """
        from hedgerow.data.frames.arrow import plain_table

        columns = ("loss", "standard_error", "difference", "difference_error", "auc", "error", "size", "rows")
        return plain_table(
            [
                {"name": one.name, "chosen": one is self.chosen, **{name: getattr(one, name) for name in columns}}
                for one in self.candidates
            ]
        )

    @property
    def measure(self) -> str:
        """What the losses are, in words."""
        return MEASURES[self.criterion]

    @property
    def chosen(self) -> CandidateResult:
        """The candidate that is chosen."""
        return self.candidates[self.chosen_index]

    def with_best(self) -> Selection:
        """Return the same selection, but the candidate of the lowest loss is chosen, the yardstick if it is that."""
        beside = self.yardstick
        if beside is None or not beside.loss < self.candidates[self.best_index].loss:
            return replace(self, chosen_index=self.best_index)
        last = len(self.candidates)
        return replace(self, candidates=(*self.candidates, beside), chosen_index=last, best_index=last)

    @property
    def reason(self) -> str:
        """Why this one is kept, in a sentence."""
        chosen, best = self.chosen, self.candidates[self.best_index]
        if math.isnan(best.loss):
            return f"chosen: {chosen.name}, the simplest candidate, as there are too few rows to compare them"
        if self.chosen_index == self.best_index:
            return f"chosen: {chosen.name}, which has the lowest {self.measure}"
        if chosen.error == 0:
            return f"chosen: {chosen.name}, the simplest candidate that makes no error"
        near = "one standard error" if self.within == 1 else f"{self.within:g} standard errors"
        return (
            f"chosen: {chosen.name}, the simplest candidate whose {self.measure} exceeds the lowest, that of "
            f"{best.name}, by at most {near} and {self.margin * self.candidates[0].loss:.2g} ({chosen.loss:.4g} "
            f"against {best.loss:.4g}; standard error of the difference {chosen.difference_error:.2g})"
        )

    def __str__(self) -> str:
        lines = [f"Candidates, simplest first: {self.measure} in {self.folds}-fold cross-validation"]
        wide = max(len(one.name) for one in self.candidates)
        for place, one in enumerate(self.candidates):
            mark = ">" if place == self.chosen_index else " "
            lines.append(f"{mark} {one.name:<{wide}}  {one.loss:.4f}")
        return "\n".join([*lines, self.reason])


def _sum_by_row(rows: Rows, values: Numbers, n_rows: int) -> Numbers:
    return np.bincount(rows, values, n_rows).astype(np.float64, copy=False)


@dataclass(frozen=True, eq=False)
class Trials:
    """What the held-out rows say of one candidate: loss and weight of each, other figures, the mean size of its models.

    `losses` are None if the candidate failed. Those of all candidates are of the same rows in the same order.
    """

    losses: Numbers | None
    weight: Numbers
    auc: tuple[float, float]
    error: float
    size: float
    training_rows: int

    @classmethod
    def of(
        cls,
        runs: Sequence[tuple[Rows, Predictions]],
        n_rows: int,
        criterion: str,
        costs: Numbers | None,
        size: float,
        training_rows: int,
    ) -> Trials:
        """Return what the predictions of each run of a cross-validation tell; a row's loss is its mean over the runs.

        `runs` have the rows that were held out, of so many rows, with their predictions.
        """
        has_classes = runs[0][1].decided is not None
        weight = _sum_by_row(runs[0][0], runs[0][1].weight, n_rows)
        tested = weight > 0

        def by_row(name: str) -> Numbers:
            sums = [_sum_by_row(rows, losses(name, made, costs) * made.weight, n_rows) for rows, made in runs]
            return np.asarray(np.sum(sums, axis=0)[tested] / (len(runs) * weight[tested]))

        ranked = mean_and_error(by_row("auc"), weight[tested]) if has_classes else (math.nan, math.nan)
        error = mean_and_error(by_row("error" if has_classes else "absolute"), weight[tested])[0]
        return cls(by_row(criterion), weight[tested], (1 - ranked[0], ranked[1]), error, size, training_rows)

    @classmethod
    def failed(cls, training_rows: int) -> Trials:
        """Return the trials of a candidate that could not be trained."""
        return cls(None, np.empty(0), (math.nan, math.nan), math.nan, math.nan, training_rows)


def mean_and_error(values: Numbers, weight: Numbers) -> tuple[float, float]:
    """Return the weighted mean of some rows and its standard error; for zeros and ones sqrt(p (1 - p) / n)."""
    total = weight.sum()
    with np.errstate(over="ignore", invalid="ignore"):
        mean = float(values @ weight / total)
        variance = float((values - mean) ** 2 @ weight / total)
    return mean, math.sqrt(max(variance, 0.0) / total)


def compare(
    names: Sequence[tuple[str, Supervised]], trials: Sequence[Trials], rows: int, n_readable: int | None = None
) -> list[CandidateResult]:
    """Return the result of every candidate beside the best of the first so many; one that failed has none."""
    means = [math.nan if one.losses is None else mean_and_error(one.losses, one.weight)[0] for one in trials]
    readable = means[:n_readable]
    best = None if all(map(math.isnan, readable)) else trials[int(np.nanargmin(readable))]
    made = []
    for (name, learner), one in zip(names, trials, strict=True):
        if one.losses is None or best is None or best.losses is None:
            made.append(without_result(name, learner))
            continue
        loss, error = mean_and_error(one.losses, one.weight)
        apart, apart_error = mean_and_error(one.losses - best.losses, one.weight)
        ranked, ranked_error = one.auc
        made.append(
            CandidateResult(
                name, learner, loss, error, apart, apart_error, ranked, ranked_error, one.error, one.size, rows,
                one.training_rows,
            )
        )  # fmt: skip
    return made


def without_result(name: str, learner: Supervised) -> CandidateResult:
    """Return the result of a candidate that could not be compared."""
    nan = math.nan
    return CandidateResult(name, learner, nan, nan, nan, nan, nan, nan, nan, nan, 0, 0)


def choose(results: Sequence[CandidateResult], within: float, margin: float = math.inf) -> tuple[int, int]:
    """Return the positions of the candidate to keep and of the best.

    The kept one is the first, they stand in order, the simplest first, that is as good as the best. Its loss exceeds
    the lowest by at most `within` standard errors of the difference of the two on the same rows, and by at most
    `margin` times the loss of the first candidate; or it makes no error. If all failed it is the first.

    The first, which looks at no column, is passed over if another tells the classes apart (AUC above 0.6, and above 0.5
    by its standard error): where one class is rare, its loss is hard to beat, but it is of no use. If no candidate
    does, twice as many standard errors are allowed, without the margin: such a difference says little.

    References
    ----------
    L. Breiman, J. Friedman, R. Olshen and C. Stone, Classification and Regression Trees (1984), section 3.4.3, whose
    rule uses the standard error of the lowest; that of the difference is smaller where the same rows are hard for both.
    """
    losses = np.array([one.loss for one in results])
    most = margin * losses[0]
    useful = any(one.auc > USEFUL and one.auc - one.auc_error > 0.5 for one in results)
    if not (useful or math.isnan(results[0].auc)):
        within, most = 2 * within, math.inf
    losses[: int(useful and len(results) > 1)] = math.nan
    if np.isnan(losses).all():
        return 0, 0
    best = first_lowest(losses)
    excess = np.fmin(within * np.array([one.difference_error for one in results]), most)
    good = is_at_most(losses, losses[best] + excess) | np.array([one.error == 0 for one in results])
    good[best] = True
    return int(np.flatnonzero(good & ~np.isnan(losses))[0]), best
