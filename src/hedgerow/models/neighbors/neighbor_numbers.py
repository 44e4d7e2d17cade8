"""NeighborNumbers: a model that stores its rows and predicts the mean target of the nearest."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, Self

import numpy as np

from hedgerow import _kernels
from hedgerow.data.design.design_counts import LARGEST
from hedgerow.data.table.schema import Kind, Schema
from hedgerow.data.table.table import Codes, Numbers, Table
from hedgerow.data.table.threads import n_threads
from hedgerow.errors import ModelError
from hedgerow.models.base.checked_parts import numbers_part
from hedgerow.models.base.contributions import Contributions
from hedgerow.models.base.date_coefficients import format_column_number
from hedgerow.models.base.model import About, NumberModel
from hedgerow.models.neighbors.base import NOBODY, NeighborModel, NeighborSettings, expect_neighbor_parts
from hedgerow.models.neighbors.contributions import number_contributions
from hedgerow.models.neighbors.leave_one_out import figure
from hedgerow.models.neighbors.stored_rows import NewRows
from hedgerow.models.neighbors.text import distance_lines, head_text, name_width


@dataclass(frozen=True, eq=False)
class NeighborNumbers(NeighborModel, NumberModel):
    """The training rows; a new row gets the mean of the numbers that the nearest ones have."""

    asking: NeighborSettings
    targets: Numbers  # the number of every row

    kind = "neighbor_numbers"
    decider = "mean"

    @property
    def n_rows(self) -> int:  # type: ignore[override]
        """How many rows there are."""
        return len(self.targets)

    @cached_property
    def mean(self) -> float:
        """The mean of all rows."""
        return float(np.average(self.targets, weights=self.weights))

    def values(self, table: Table) -> Numbers:
        """Return the means of the nearest rows; that of all rows where no column of a row is known."""
        return self._means(self.kept.prepare_queries(table), np.array([float(self.k)]), NOBODY)[:, 0]

    def leave_one_out_predictions(self, table: Table, rows: Codes, ks: Numbers) -> Numbers:
        """Return leave-one-out predictions by row and number of neighbors; `table` holds these rows, aligned."""
        return self._means(self.kept.prepare_queries(table), ks, rows)

    def _means(self, queries: NewRows, ks: Numbers, left_out: Codes) -> Numbers:
        means = np.empty((queries.n_rows, len(ks)))
        apart = self.targets - self.mean  # so that a mean of equal numbers is that number but for its last digits
        who = (self.voters(ks, left_out), apart)
        _kernels.average_targets(self.kept.arrays(queries.n_rows), queries.arrays, *who, means.reshape(-1), n_threads())
        means[~queries.is_known] = 0.0
        return np.nan_to_num(means) + self.mean

    def contributions(self, table: Table) -> Contributions:
        """Return the contribution of each neighbor of one row to the mean."""
        return number_contributions(self, table)

    def format_row_target(self, row: int) -> str:
        """Return the number of a row."""
        return format_column_number(self.schema.target_column, float(self.targets[row]))

    # -- print and file -------------------------------------------------------------------------------------

    def __str__(self) -> str:
        low, high = float(self.targets.min()), float(self.targets.max())
        name = (
            format_column_number(self.schema.target_column, low),
            format_column_number(self.schema.target_column, high),
        )
        lines = [head_text(self, "mean"), "", *distance_lines(self, name_width(self)), ""]
        lines += [f"mean of all rows {figure(self.mean)}, range {name[0]} to {name[1]}"]
        if self.asking.tried is not None:
            lines += ["", *self.asking.tried.lines("k", float(self.k), self.total)]
        return "\n".join(lines)

    def to_dict(self) -> dict[str, Any]:
        """Return the model's own parts."""
        return {**self.asking.to_dict(), "targets": self.targets}

    @classmethod
    def from_dict(cls, parts: dict[str, Any], schema: Schema, about: About) -> Self:
        """Build the model from its parts."""
        expect_neighbor_parts(parts, "targets")
        if schema.target is None or schema.target_column.kind is not Kind.NUMERIC:
            raise ModelError("means of neighbors need a numeric target")
        targets = numbers_part(parts, "targets", None)
        if (np.abs(targets) > LARGEST).any():
            raise ModelError("its part 'targets' holds a number that is too large")
        return cls(schema, NeighborSettings.from_dict(parts, schema, len(targets), classes=False), targets, about=about)
