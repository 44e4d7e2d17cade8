"""Mean: always the same number."""

from __future__ import annotations

import numpy as np

from hedgerow.data.counts import moments
from hedgerow.data.table import Table
from hedgerow.learn.regressor import Regressor
from hedgerow.models.constant import Constant
from hedgerow.models.model import Model


class Mean(Regressor):
    """The mean of the target, whatever the row: the error that a regressor has to beat.

    Examples
    --------
    >>> from hedgerow.data.table import Table
    >>> print(Mean().train(Table.of({"price": [400, 330, 369]}, target="price")))
    price = 366.3333333333333
    """

    poor_score = True

    def learn(self, table: Table) -> Model:
        """Return the weighted mean of the target."""
        name = table.schema.target_column.name
        target, one = table.numbers(table.schema.index(name)), np.zeros(table.n_rows, dtype=np.int32)
        _, mean, _ = moments(target, one, table.weights, 1, name).figures()
        return Constant(table.schema, float(mean[0]))
