"""Ranking rows by the probability of a class: the ROC curve and the area under it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from hedgerow.data.table import Numbers
from hedgerow.evaluate.measures import average, need_classes, ratio
from hedgerow.evaluate.results import Results


@dataclass(frozen=True, eq=False)
class Roc:
    """The ROC curve of one class (M307): a point for every cut between different scores.

    Point i takes the rows that score at least `threshold[i]` for positive; `tp` and `fp` weigh them. The
    first point takes none. Rows of equal score are taken together, which draws a slanted line. Rows of
    different folds are ranked together, as if one model had scored them all.
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


def roc(results: Results, label: str) -> Roc:
    """Return the ROC curve of the class `label` against all others."""
    need_classes(results)
    code = results.code(label)
    scores = results.predicted[:, code]
    order = np.argsort(scores)[::-1]
    ranked = scores[order]
    ends = np.append(np.flatnonzero(np.diff(ranked)), len(ranked) - 1) if len(ranked) else order
    weight = results.weight[order]
    positive = results.actual[order] == code
    return Roc(
        label,
        np.concatenate([[np.inf], ranked[ends]]),
        np.concatenate([[0.0], np.cumsum(np.where(positive, weight, 0.0))[ends]]),
        np.concatenate([[0.0], np.cumsum(np.where(positive, 0.0, weight))[ends]]),
    )


def auc(results: Results) -> Numbers:
    """Return the area under the ROC curve of every class against the others.

    A learner that gives every row its fold's class shares ranks nothing, so its area is 0.5. The curve over
    all folds would be below chance: a fold that tests more of a class has learned from fewer of it.
    """
    areas = np.array([roc(results, label).area for label in results.labels])
    return np.where(np.isnan(areas), np.nan, 0.5) if results.only_priors else areas


def mean_auc(results: Results) -> float:
    """Return the mean area, each class by its rows' weight."""
    return average(results, auc(results))
