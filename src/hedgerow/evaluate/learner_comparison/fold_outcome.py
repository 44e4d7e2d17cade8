"""Outcome: the stored results of one fold of a comparison, and the measures for comparing learners."""

from __future__ import annotations

import math
from dataclasses import dataclass
from difflib import get_close_matches

from hedgerow.errors import UsageError
from hedgerow.evaluate.metrics import catalog
from hedgerow.evaluate.metrics.catalog import Measure
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
            result = getattr(self, measure)
            return math.nan if result is None else float(result)
        return self.measures[measure]

    @property
    def answered(self) -> float:
        """The weight of the test rows that have a prediction; all measures refer to these."""
        return self.test_weight * self.measures.get(ANSWERED, 1.0)


ANSWERED = "answered"  # among the measures of a fold that left rows without an answer: the share of the others
COSTS = {
    "train_seconds": ("seconds to learn", False),
    "test_seconds": ("seconds to test", False),
    "model_size": ("size of the model", False),
}


def outcome(results: Results) -> Outcome:
    """Return the stored results of one fold: every measure, so that another one can be chosen later."""
    (fold,) = results.folds
    known = measures_to_compare(results.has_classes)
    result_results = results.answered
    measures = {name: float(measure.compute(result_results)) for name, measure in known.items()}
    if result_results is not results:
        measures[ANSWERED] = float(result_results.weight.sum() / results.weight.sum())
    return Outcome(
        fold.run,
        fold.fold,
        fold.train_weight,
        fold.test_weight,
        fold.train_seconds,
        fold.test_seconds,
        fold.model_size,
        measures,
    )


def measures_to_compare(classes: bool) -> dict[str, Measure]:
    """Return the measures of classes or of numbers of which more, or less, is better: not bias."""
    known = catalog.CLASS_MEASURES if classes else catalog.NUMBER_MEASURES
    return {name: measure for name, measure in known.items() if measure.larger_is_better is not None}


def measure_title_and_direction(measure: str, classes: bool) -> tuple[str, bool]:
    """Return a measure's title and whether more of it is better; a measure that is not there is a sentence."""
    known = measures_to_compare(classes)
    if measure in known:
        return known[measure].title, bool(known[measure].larger_is_better)
    if measure in COSTS:
        return COSTS[measure]
    other = " for a numeric target" if not classes else " for classes"
    near = get_close_matches(measure, (*known, *COSTS), n=1)
    hint = f"did you mean {near[0]!r}? There" if near else "there"
    raise UsageError(f"there is no measure {measure!r}{other}; {hint} are {', '.join((*known, *COSTS))}")
