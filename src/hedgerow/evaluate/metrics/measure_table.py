"""The main measures of a test with their intervals, as a table."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from hedgerow.evaluate.metrics import catalog, intervals
from hedgerow.evaluate.metrics.estimates import Estimate
from hedgerow.evaluate.results import Results
from hedgerow.layout.shown import ArrowTable

# The measures that a report shows, in this order.
MAIN_OF_CLASSES = ("accuracy", "error", "balanced_accuracy", "kappa", "mcc", "auc", "log_loss", "brier")
MAIN_OF_NUMBERS = ("mae", "rmse", "relative_absolute", "relative_squared", "r2", "correlation", "bias")


class MeasureTable(ArrowTable, dict[str, Estimate]):
    """Measures of a test by name; each has a value and the ends of its 95 % interval."""

    def to_arrow(self) -> Any:
        """Return the measures as an Arrow table: measure, title, value, low, high, standard_error."""
        from hedgerow.data.frames.arrow import plain_table

        return plain_table(
            [
                {
                    "measure": name,
                    "title": catalog.ALL[name].title,
                    "value": one.value,
                    "low": one.low,
                    "high": one.high,
                    "standard_error": one.standard_error,
                }
                for name, one in self.items()
            ]
        )


def measure_table(results: Results, measures: Iterable[str] | None = None) -> MeasureTable:
    """Return measures of a test with their intervals; by default those that a report shows.

    Examples
    --------
    >>> import hedgerow
    >>> results = hedgerow.cross_validate(hedgerow.OneR(), hedgerow.examples.loan())
    >>> found = measure_table(results, ["accuracy", "auc"])
    >>> {name: round(one.value, 3) for name, one in found.items()}
    {'accuracy': 0.4, 'auc': 0.5}
    """
    names = measures or (MAIN_OF_CLASSES if results.has_classes else MAIN_OF_NUMBERS)
    return MeasureTable({name: intervals.estimate(results, name) for name in names})
