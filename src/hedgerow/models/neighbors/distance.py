"""Comparison: the distance of two rows, column by column."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from hedgerow.data.table.schema import Schema
from hedgerow.data.table.table import Numbers
from hedgerow.errors import ModelError
from hedgerow.models.base.checked_parts import expect_parts, numbers_part, weights_part

EUCLIDEAN, MANHATTAN, HAMMING, COSINE = METRICS = ("euclidean", "manhattan", "hamming", "cosine")
MINMAX, DEVIATION, NONE = SCALES = ("minmax", "deviation", "none")
MOST_WEIGHT = 1e6  # of a column


@dataclass(frozen=True, eq=False)
class RowDistance:
    """The metric; for every column of the schema the offset and divisor of its numbers, and its weight."""

    metric: str  # one of METRICS
    origins: Numbers
    units: Numbers
    weights: Numbers

    @property
    def is_root(self) -> bool:
        """Whether a distance is the root of a sum."""
        return self.metric == EUCLIDEAN

    @property
    def squares(self) -> bool:
        """Whether differences are squared; those of directions are squared differences of vectors of one length."""
        return self.metric in (EUCLIDEAN, COSINE)

    def factor(self, at: int) -> float:
        """Return the factor of a column's numbers for its weight in the distance."""
        return float(np.sqrt(self.weights[at]) if self.squares else self.weights[at])

    def scale_numbers(self, at: int, values: Numbers) -> Numbers:
        """Return numbers minus their offset, in their unit. Computed in halves to avoid overflow."""
        with np.errstate(over="ignore"):  # infinitely far
            numbers: Numbers = (values / 2 - self.origins[at] / 2) / self.units[at] * 2
        return numbers

    def describe(self) -> str:
        """Return the name of the distance for print; none for the usual one."""
        return {EUCLIDEAN: "", MANHATTAN: ": city block", HAMMING: ": Hamming", COSINE: ": 1 - cosine"}[self.metric]

    def to_dict(self) -> dict[str, Any]:
        """Return the parts."""
        return dict(vars(self))

    @classmethod
    def from_dict(cls, parts: Any, schema: Schema) -> RowDistance:
        """Build it from its parts, checking them."""
        expect_parts(parts, "metric", "origins", "units", "weights")
        if not isinstance(parts["metric"], str) or parts["metric"] not in METRICS:
            raise ModelError(f"its metric must be one of {', '.join(METRICS)}")
        n = len(schema)
        origins, units = numbers_part(parts, "origins", n), numbers_part(parts, "units", n)
        weights = weights_part(parts, "weights", n)
        if not (units > 0).all() or (weights > MOST_WEIGHT).any():
            raise ModelError("its units must be above 0, and its weights not too large")
        return cls(parts["metric"], origins, units, weights)
