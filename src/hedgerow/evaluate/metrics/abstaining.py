"""Abstaining: the accuracy of the predictions if the least confident rows have no prediction.

A row is as sure as the probability of the predicted class of it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from hedgerow.data.table.table import Numbers
from hedgerow.errors import UsageError
from hedgerow.evaluate.metrics.estimates import Estimate, wilson
from hedgerow.evaluate.metrics.measures import ratio
from hedgerow.evaluate.metrics.ranking import confidence_of_rows, rank_rows
from hedgerow.evaluate.metrics.score_order import evenly
from hedgerow.evaluate.results import Results


@dataclass(frozen=True)
class Answered:
    """The result of predicting only rows with at least the confidence `threshold`; their accuracy with its interval."""

    threshold: float
    share: float
    accuracy: Estimate


@dataclass(frozen=True, eq=False)
class Coverage:
    """Accuracy by the share of predicted rows, with one point per different confidence.

    Point i answers the rows at least as sure as `threshold[i]`; they weigh `answered[i]`, of which `right[i]` are
    predicted right. The first point answers none. Weights are those of one run.
    """

    threshold: Numbers
    answered: Numbers
    right: Numbers

    @property
    def share(self) -> Numbers:
        """The share of predicted rows."""
        return ratio(self.answered, self.answered[-1])

    @property
    def accuracy(self) -> Numbers:
        """The accuracy among the predicted rows; undefined at the first point."""
        return ratio(self.right, self.answered)

    @property
    def area(self) -> float:
        """The mean accuracy over all shares of predicted rows; 1 - area is the area under the risk-coverage curve.

        Rows that are equally sure are answered little by little, right and wrong ones in proportion, so that the
        integral is exact: a model that is equally sure of all rows has its plain accuracy. Sureness that tells right
        from wrong makes it larger.
        """
        if len(self.answered) < 2:
            return np.nan
        start, end = self.answered[:-1], self.answered[1:]
        slope = np.diff(self.right) / (end - start)
        # The accuracy at x within a step is (right + slope * (x - start)) / x = slope + offset / x.
        offset = self.right[:-1] - slope * start
        offset[0] = 0.0
        steps = slope * (end - start) + offset * np.log(end / np.where(start > 0, start, end))
        return float(ratio(steps.sum(), self.answered[-1]))

    def downsample(self, most: int = 500) -> Coverage:
        """Return the curve with at most this many points, evenly spaced; enough to draw it."""
        keep = evenly(self.answered, most)
        return Coverage(self.threshold[keep], self.answered[keep], self.right[keep])

    def at_share(self, share: float) -> Answered:
        """Return the point that predicts at most this share of the rows, the most confident ones."""
        _check(share, "share of rows to predict")
        return self._point(int(np.flatnonzero(self.share <= share + 1e-12)[-1]) if len(self.answered) > 1 else 0)

    def at_threshold(self, threshold: float) -> Answered:
        """Return the result of predicting only rows with at least this confidence."""
        _check(threshold, "minimum confidence")
        return self._point(int(np.flatnonzero(self.threshold >= threshold)[-1]))

    def reaching(self, accuracy: float) -> Answered:
        """Return the point that predicts most rows with at least this accuracy; if there is none, it predicts none."""
        _check(accuracy, "required accuracy")
        good = np.flatnonzero(self.accuracy >= accuracy - 1e-12)
        return self._point(int(good[-1]) if len(good) else 0)

    def _point(self, at: int) -> Answered:
        estimate = wilson(float(self.accuracy[at]), float(self.answered[at]))
        return Answered(float(self.threshold[at]), float(self.share[at]), estimate)


def coverage(results: Results) -> Coverage:
    """Return the accuracy among the predicted rows as the least confident ones abstain."""
    results = results.answered  # what the model itself left without an answer stays so
    curve = rank_rows(results, None)
    runs = max(results.n_runs, 1)
    return Coverage(curve.threshold, curve.total_weight / runs, curve.tp / runs)


def select_answered(results: Results, threshold: float) -> Results:
    """Return the results of the rows with at least this confidence, as of a model that abstains on the others."""
    _check(threshold, "minimum confidence")
    results = results.answered
    sure = confidence_of_rows(results) >= threshold
    if sure.all():
        return results
    share = 1 - float(ratio(results.weight @ sure, results.weight.sum()))
    note = f"{share:.1%} of the rows have no prediction, since their confidence is below {threshold:g}"
    return replace(results.take(sure), folds=results.folds, notes=(*results.notes, note))


def _check(share: float, word: str) -> None:
    if isinstance(share, bool) or not isinstance(share, int | float | np.number) or not 0 <= share <= 1:
        raise UsageError(f"the {word} must be a number from 0 to 1, not {share!r}")
