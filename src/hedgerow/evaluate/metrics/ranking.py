"""Ranking rows by the probability of a class: ROC and precision-recall curves, and the areas under them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from hedgerow.data.table.table import Numbers
from hedgerow.evaluate.metrics.auc_errors import (
    AreaErrors,
    Areas,
    areas_of_many,
    areas_of_two,
    areas_without_order,
    placement_values,
)
from hedgerow.evaluate.metrics.measures import average, class_weights, need_classes, ratio, right
from hedgerow.evaluate.metrics.score_order import RankedRows, ScoreOrder
from hedgerow.evaluate.results import Results

KEPT = 4  # curves that are kept for the next question; one of a million different scores takes 32 MB


@dataclass(frozen=True, eq=False)
class Roc(RankedRows):
    """The ROC curve of one class (M307); rows of equal score draw a slanted line."""

    @property
    def tpr(self) -> Numbers:
        """The share of positive rows taken."""
        return ratio(self.tp, self.tp[-1])

    @property
    def fpr(self) -> Numbers:
        """The share of negative rows taken."""
        return ratio(self.fp, self.fp[-1])

    @property
    def area(self) -> float:
        """The area under the curve by trapezoids (M308): the share of pairs in order, ties half."""
        pairs = np.diff(self.fp) @ (self.tp[1:] + self.tp[:-1]) / 2
        return float(ratio(pairs, self.tp[-1] * self.fp[-1]))


@dataclass(frozen=True, eq=False)
class PrecisionRecall(RankedRows):
    """The precision-recall curve of one class (M305): how pure the rows taken are, and how complete."""

    @property
    def recall(self) -> Numbers:
        """The share of positive rows taken."""
        return ratio(self.tp, self.tp[-1])

    @property
    def precision(self) -> Numbers:
        """The share of positive rows among those taken; undefined at the first point, which takes none."""
        return ratio(self.tp, self.total_weight)

    @property
    def area(self) -> float:
        """The average precision: sum over the points of (recall - recall before) * precision.

        Steps, not trapezoids, for a straight line between two points of this curve promises too much (Davis and
        Goadrich, 2006). A ranking by chance has the share of positive rows.
        """
        return float(ratio(np.diff(self.tp) @ self.precision[1:], self.tp[-1]))


def rank_rows(results: Results, label: str | None) -> RankedRows:
    """Return the rows by falling probability of a class against all others.

    Without a label they fall by how sure the prediction is, the probability of the predicted class, and
    "positive" are the rows that were predicted right.
    """
    need_classes(results)
    if label is None:
        return _curve(results, -1)
    return _curve(results, results.code(label))


def roc(results: Results, label: str) -> Roc:
    """Return the ROC curve of the class `label` against all others."""
    curve = rank_rows(results, label)
    return Roc(curve.label, curve.threshold, curve.tp, curve.fp)


def precision_recall(results: Results, label: str) -> PrecisionRecall:
    """Return the precision-recall curve of the class `label` against all others."""
    curve = rank_rows(results, label)
    return PrecisionRecall(curve.label, curve.threshold, curve.tp, curve.fp)


def auc(results: Results) -> Numbers:
    """Return the area under the ROC curve of every class against the others.

    A learner that gives every row its fold's class shares ranks nothing, so its area is 0.5. The curve over
    all folds would be below chance: a fold that tests more of a class has learned from fewer of it.
    """
    return areas(results).by_class


def mean_auc(results: Results) -> float:
    """Return the mean area, each class by its rows' weight."""
    return average(results, auc(results))


def pairwise_auc(results: Results) -> Numbers:
    """Return the AUC of every class (row) against every other one (column) by its own probability.

    Cell i, j is the area under the ROC curve of class i among the rows of i and j alone; NaN on the diagonal and where
    a class has no rows.
    """
    return areas(results).pairs


def mean_pairwise_auc(results: Results) -> float:
    """Return the mean over all pairs of classes that have rows: Hand and Till's (2001) M.

    Unlike the mean area it does not depend on how frequent the classes are.
    """
    pairs = areas(results).pairs
    present = np.flatnonzero(class_weights(results))
    cells = pairs[np.ix_(present, present)][~np.eye(len(present), dtype=bool)]
    return float(cells.mean()) if len(cells) else np.nan


def average_precision(results: Results) -> Numbers:
    """Return the area under the precision-recall curve of every class, by steps.

    A learner that gives every row its fold's class shares ranks nothing, so it has the share of the class.
    """
    need_classes(results)
    if results.only_priors:
        weights = class_weights(results)
        return np.where(weights > 0, ratio(weights, weights.sum()), np.nan)
    if len(results.labels) > 2:
        return _sweep_classes(results)[1]
    return results.cache(
        "precisions", lambda: np.array([precision_recall(results, one).area for one in results.labels])
    )


def areas(results: Results) -> Areas:
    """Return the areas under all ROC curves with their standard errors."""
    need_classes(results)
    return results.cache("areas", lambda: _areas(results))


def row_placements(results: Results) -> AreaErrors:
    """Return every row's part in the means of areas."""
    need_classes(results)
    return _sweep_classes(results)[0]


def confidence_of_rows(results: Results) -> Numbers:
    """Return the probability that was given to the predicted class, of every row."""
    need_classes(results)
    probabilities: Numbers = results.predicted[np.arange(len(results)), results.decided]
    return probabilities


def _areas(results: Results) -> Areas:
    if results.only_priors:
        return areas_without_order(class_weights(results))
    if len(results.labels) == 2:
        return areas_of_two(_curve(results, 0), _curve(results, 1), results.n_runs)
    return areas_of_many(row_placements(results), results.actual, results.weight, results.n_runs)


def _sweep_classes(results: Results) -> tuple[AreaErrors, Numbers]:
    """Return the results of one sweep over the classes, each sorted once: ranks, and areas of precision and recall."""
    return results.cache("swept", lambda: _sweep(results))


def _sweep(results: Results) -> tuple[AreaErrors, Numbers]:
    precisions = []

    def orders() -> Iterator[ScoreOrder]:
        for code in range(len(results.labels)):
            order = _order(results, code)
            curve = _curve(results, code, order)
            precisions.append(PrecisionRecall(curve.label, curve.threshold, curve.tp, curve.fp).area)
            yield order

    area_errors = placement_values(orders(), results.actual, results.weight, len(results.labels), results.n_runs)
    return area_errors, np.array(precisions)


def _order(results: Results, code: int) -> ScoreOrder:
    """Return the rows by falling probability of a class, by falling sureness for -1."""
    return ScoreOrder.of(confidence_of_rows(results) if code < 0 else np.ascontiguousarray(results.predicted[:, code]))


def _curve(results: Results, code: int, order: ScoreOrder | None = None) -> RankedRows:
    """Return what is taken at every score of a class, from its order if that is at hand; the last few are kept."""
    curves: dict[int, RankedRows] = results.cache("curves", dict)
    if code not in curves:
        while len(curves) >= KEPT:
            del curves[next(iter(curves))]
        positive = right(results) > 0 if code < 0 else results.actual == code
        label = "" if code < 0 else results.labels[code]
        curves[code] = (order or _order(results, code)).curve(label, positive, results.weight)
    return curves[code]
