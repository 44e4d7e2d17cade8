"""Outcome: what is kept of one fold of a comparison, and the measures that learners can be compared by."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

from hedgerow.errors import UsageError
from hedgerow.evaluate import measures, ranking, regression
from hedgerow.evaluate.results import Results


@dataclass(frozen=True)
class Outcome:
    """One fold of one learner: all measures of its test rows, times, and the size of the model."""

    run: int
    fold: int
    train_weight: float
    test_weight: float
    train_seconds: float
    test_seconds: float
    model_size: int | None
    measures: dict[str, float]

    def value(self, measure: str) -> float:
        """Return a measure by name; NaN where it is undefined."""
        if measure in COSTS:
            found = getattr(self, measure)
            return math.nan if found is None else float(found)
        return self.measures[measure]


@dataclass(frozen=True)
class Measure:
    """A measure by which learners can be compared."""

    title: str
    larger_is_better: bool
    of: Callable[[Results], float]


CLASS = {
    "error": Measure("error rate", False, measures.error),
    "accuracy": Measure("accuracy", True, measures.accuracy),
    "kappa": Measure("kappa", True, measures.kappa),
    "auc": Measure("AUC (class mean)", True, ranking.mean_auc),
    "log_loss": Measure("log loss (nats)", False, measures.log_loss),
    "brier": Measure("Brier score", False, measures.brier),
}
NUMBER = {
    "mae": Measure("mean absolute error", False, regression.mae),
    "rmse": Measure("root mean squared error", False, regression.rmse),
    "relative_absolute": Measure("relative absolute error", False, regression.relative_absolute),
    "relative_squared": Measure("root relative squared error", False, regression.relative_squared),
    "r2": Measure("R²", True, regression.r2),
    "correlation": Measure("correlation", True, regression.correlation),
}
COSTS = {
    "train_seconds": ("seconds to learn", False),
    "test_seconds": ("seconds to test", False),
    "model_size": ("size of the model", False),
}


def outcome(results: Results) -> Outcome:
    """Return what is kept of the results of one fold: every measure, so that another can be asked for later."""
    (fold,) = results.folds
    known = CLASS if results.has_classes else NUMBER
    return Outcome(
        fold.run,
        fold.fold,
        fold.train_weight,
        fold.test_weight,
        fold.train_seconds,
        fold.test_seconds,
        fold.model_size,
        {name: float(measure.of(results)) for name, measure in known.items()},
    )


def title_and_better(measure: str, classes: bool) -> tuple[str, bool]:
    """Return a measure's title and whether more of it is better; a measure that is not there is a sentence."""
    known = CLASS if classes else NUMBER
    if measure in known:
        return known[measure].title, known[measure].larger_is_better
    if measure in COSTS:
        return COSTS[measure]
    other = " for a numeric target" if not classes else " for classes"
    raise UsageError(f"there is no measure {measure!r}{other}; there are {', '.join((*known, *COSTS))}")
