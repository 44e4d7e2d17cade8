"""The bootstrap: learn from rows drawn with replacement, test on those that were never drawn."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from hedgerow.evaluate import run_split, splits
from hedgerow.evaluate.metrics import catalog, intervals, measures
from hedgerow.evaluate.metrics.intervals import Estimate
from hedgerow.evaluate.results import Results
from hedgerow.evaluate.run_split import Progress, Trainable
from hedgerow.evaluate.splits import Split
from hedgerow.evaluate.validate import prepare_task

SHARE = 0.632  # 1 - 1/e: the share of the rows that a large sample holds


@dataclass(frozen=True)
class Bootstrap:
    """A learner tried on bootstrap samples.

    Parameters
    ----------
    results
        Every row tested by the models of the samples that left it out. A row weighs the same in all its tests
        together whether it was left out often or seldom: the error is Efron's leave-one-out bootstrap.
    training
        Every row tested by the model of all rows, which knows it: too good to be true.

    Notes
    -----
    A sample holds only 63 % of the different rows, so `results` look a little worse than what all rows teach, and
    `training` far better. The .632 estimate is 0.368 training + 0.632 out of bag (Efron 1983). A learner that learns
    every row by heart has no training error, which pulls the .632 estimate down; .632+ leans towards the
    results out of bag the more, the further the learner has overfitted:
    R = (out of bag - training) / (g - training), w = 0.632 / (1 - 0.368 R), with g the error if columns and classes
    had nothing to do with each other, sum over classes of P(class) (1 - P(class is said)).

    References
    ----------
    B. Efron, Estimating the error rate of a prediction rule: improvement on cross-validation. JASA 78 (1983).
    B. Efron and R. Tibshirani, Improvements on cross-validation: the .632+ bootstrap method. JASA 92 (1997).
    """

    results: Results
    training: Results

    def estimate(self, measure: str | None = None) -> Estimate:
        """Return the .632 estimate of a measure, by default of the error rate, or of the mean absolute error.

        The interval is that of the results out of bag, moved and shrunk as their value is.
        """
        name = measure or self.measure
        return intervals.estimate(self.results, name).transform(SHARE, (1 - SHARE) * self._measure_value(name))

    def estimate_plus(self) -> Estimate:
        """Return the .632+ estimate of the error rate; of numbers it is not defined."""
        if not self.results.has_classes:
            return Estimate(math.nan)
        left_out, known = intervals.estimate(self.results, "error"), self._measure_value("error")
        chance = _no_information_error(self.training)
        overfit = (left_out.value - known) / (chance - known) if chance > known else 1.0
        weight = SHARE / (1 - (1 - SHARE) * min(max(overfit, 0.0), 1.0))
        return left_out.transform(weight, (1 - weight) * known)

    @property
    def measure(self) -> str:
        """The measure that is estimated by default."""
        return catalog.main_measure(self.results.has_classes)

    @property
    def text(self) -> str:
        """The estimates in a sentence."""
        name = catalog.ALL[self.measure].title
        left_out, known = intervals.estimate(self.results, self.measure).value, self._measure_value(self.measure)
        estimate, plus = self.estimate(), self.estimate_plus()
        text = (
            f"the .632 estimate of the {name} is {estimate.value:.4g} ({estimate.low:.3g} to "
            f"{estimate.high:.3g}): 0.368 x "
            f"{known:.4g} on the training rows + 0.632 x {left_out:.4g} out of bag"
        )
        return text if math.isnan(plus.value) else f"{text}; the .632+ estimate is {plus.value:.4g}"

    def _measure_value(self, measure: str) -> float:
        return intervals.estimate(self.training, measure).value


def bootstrap(
    learner: Trainable,
    table: Any,
    target: str | None = None,
    samples: int = 200,
    seed: int = 1,
    threads: int | None = None,
    progress: Progress | None = None,
    group: str | None = None,
) -> Bootstrap:
    """Test a learner on the rows left out of bootstrap samples, and estimate its error by the .632 rule (M283).

    Each sample draws as many rows as there are, with replacement; a row keeps its weight each time it is drawn.
    With `group`, the name of a column, whole groups are drawn.

    Examples
    --------
    >>> from hedgerow import NaiveBayes, examples
    >>> tried = bootstrap(NaiveBayes(), examples.loan(), samples=50)
    >>> round(tried.estimate().value, 2), round(tried.estimate_plus().value, 2)
    (0.08, 0.09)
    """
    known = prepare_task(learner, table, target, group)
    parts = splits.bootstrap(known.target, samples, seed, known.groups)
    left_out = run_split.evaluate_splits(
        known.learner,
        known.table,
        parts,
        samples,
        None,
        threads,
        progress,
        method=f"bootstrap{'' if group is None else f' by {group}'}, {samples} samples, tested on the rows left out",
        seed=seed,
        notes=known.notes,
    )
    rows = splits.usable(known.target)
    made = Bootstrap(
        _balance_samples(left_out, samples), run_split.evaluate_split(known.learner, known.table, Split(rows, rows))
    )
    notes = (made.text, *_untested_rows_note(left_out, len(rows)), *left_out.notes)
    return replace(made, results=replace(made.results, notes=notes))


def _balance_samples(results: Results, samples: int) -> Results:
    """Return the results so weighted that each row counts as if it had been tested once in every sample."""
    times = np.bincount(results.rows)
    return replace(results, weight=results.weight * (samples / times[results.rows]))


def _untested_rows_note(results: Results, n_rows: int) -> tuple[str, ...]:
    lacking = n_rows - len(np.unique(results.rows))
    return (f"{lacking} rows are in every sample and were never tested: use more samples",) if lacking else ()


def _no_information_error(results: Results) -> float:
    """Return the error rate if predictions were independent of the class: sum of p_k (1 - q_k)."""
    cells = measures.confusion(results)
    total = cells.sum()
    return float((cells.sum(axis=1) / total) @ (1 - cells.sum(axis=0) / total))
