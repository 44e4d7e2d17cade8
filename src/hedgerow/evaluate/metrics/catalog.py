"""Catalog: the measures of all rows by name, with titles, the best value, and the values that are possible."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

from hedgerow.evaluate.metrics import measures, ranking, regression
from hedgerow.evaluate.results import Results


@dataclass(frozen=True)
class Measure:
    """A measure of all rows of Results.

    Parameters
    ----------
    title, brief
        What people read; `brief` where there is little room.
    of
        The measure itself, without an interval: `intervals.estimate` has one.
    best
        What perfect predictions have.
    low, high
        Between which values it lies.
    needs_probabilities
        Whether it looks at probabilities, not only at the classes that were decided for.
    """

    title: str
    compute: Callable[[Results], float]
    best: float = 1.0
    low: float = 0.0
    high: float = 1.0
    brief: str = ""
    needs_probabilities: bool = False

    @property
    def larger_is_better(self) -> bool | None:
        """Whether more is better; None if the best lies in between."""
        return True if self.best == self.high else False if self.best == self.low else None

    def distance_from_best(self, value: float) -> float:
        """Return how far a value is from the best; infinity where it is undefined."""
        return math.inf if math.isnan(value) else abs(value - self.best)


def _loss(
    title: str, of: Callable[[Results], float], brief: str = "", high: float = math.inf, by_chances: bool = False
) -> Measure:
    return Measure(title, of, 0.0, 0.0, high, brief, by_chances)


CLASS_MEASURES = {
    "accuracy": Measure("accuracy", measures.accuracy),
    "error": _loss("error rate", measures.error, high=1.0),
    "kappa": Measure("kappa", measures.kappa, low=-1.0),
    "auc": Measure("AUC (class mean)", ranking.mean_auc, needs_probabilities=True),
    "log_loss": _loss("log loss (nats)", measures.log_loss, by_chances=True),
    "brier": _loss("Brier score", measures.brier, high=2.0, by_chances=True),
    "balanced_accuracy": Measure("balanced accuracy", measures.balanced_accuracy),
    "mcc": Measure("Matthews' correlation", measures.mcc, low=-1.0, brief="MCC"),
    "macro_precision": Measure("macro precision", lambda found: measures.macro(found, measures.precision(found))),
    "macro_f1": Measure("macro F1", lambda found: measures.macro(found, measures.f1(found))),
    "weighted_precision": Measure(
        "weighted precision", lambda found: measures.average(found, measures.precision(found))
    ),
    "weighted_f1": Measure("weighted F1", lambda found: measures.average(found, measures.f1(found))),
    "average_precision": Measure(
        "average precision",
        lambda found: measures.average(found, ranking.average_precision(found)),
        needs_probabilities=True,
    ),
    "pairwise_auc": Measure("AUC (mean of pairs)", ranking.mean_pairwise_auc, needs_probabilities=True),
}
NUMBER_MEASURES = {
    "mae": _loss("mean absolute error", regression.mae, "mean abs. error"),
    "rmse": _loss("root mean squared error", regression.rmse, "root mean sq. error"),
    "relative_absolute": _loss("relative absolute error", regression.relative_absolute, "relative abs. error"),
    "relative_squared": _loss("root relative squared error", regression.relative_squared, "root rel. sq. error"),
    "r2": Measure("R²", regression.r2, low=-math.inf),
    "correlation": Measure("correlation", regression.correlation, low=-1.0),
    "bias": Measure("bias", regression.bias, 0.0, -math.inf, math.inf),
    "median_absolute": _loss("median absolute error", regression.median_absolute, "median abs. error"),
}
ALL = {**CLASS_MEASURES, **NUMBER_MEASURES}  # no name stands for two


def main_measure(has_classes: bool) -> str:
    """Return the default measure."""
    return "error" if has_classes else "mae"
