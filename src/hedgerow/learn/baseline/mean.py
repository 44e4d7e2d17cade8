"""Mean: always the same number."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from hedgerow.data.design.class_counts import Moments, moments
from hedgerow.data.table.schema import Schema
from hedgerow.data.table.table import Table
from hedgerow.learn.passes import Plan
from hedgerow.learn.regressor import Regressor
from hedgerow.models.base.constant import Constant
from hedgerow.models.base.model import NumberModel


class Mean(Regressor):
    """The mean of the target for every row: the baseline error of a regressor.

    Examples
    --------
    >>> from hedgerow.data.table.table import Table
    >>> print(Mean().train(Table.of({"price": [400, 330, 369]}, target="price")))
    price = 366.3333333333333
    """

    poor_score = True
    needs_columns = False

    def plan(self, schema: Schema) -> Plan:
        """Return the pass that adds up the target."""
        return MeanPlan(schema)


@dataclass(frozen=True)
class MeanPlan(Plan):
    """Add up the target exactly, so that the mean does not depend on the order of the rows."""

    schema: Schema

    def count(self, table: Table) -> Moments:
        """Return the sum and weight of the target."""
        name = self.schema.target_column.name
        values, one = table.numbers(table.schema.index(name)), np.zeros(table.n_rows, dtype=np.int32)
        return moments(values, one, table.weights, 1, name)

    def advance(self, counts: Any) -> NumberModel:
        """Return the mean."""
        _, mean, _ = counts.figures()
        return Constant(self.schema, float(mean[0]))
