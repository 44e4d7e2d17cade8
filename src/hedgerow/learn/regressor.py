"""Regressor: learners that predict a number."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from hedgerow.data.table.schema import Column, Kind
from hedgerow.data.table.table import Table
from hedgerow.learn import inputs
from hedgerow.learn.params import fitted_attribute
from hedgerow.learn.supervised import Supervised
from hedgerow.models.base.model import NumberModel


class Regressor(Supervised):
    """Learners that predict a number."""

    estimator_type = "regressor"
    target_is_classes = False

    model_: NumberModel = fitted_attribute()

    def _add_target(self, table: Table, y: Any, name: str) -> Table:
        values = inputs.number_target(y, table.n_rows, may_lack=name != inputs.TARGET)
        return inputs.with_target(table, Column(name, Kind.NUMERIC), values)

    def predict(self, X: Any) -> NDArray[Any]:
        """Return the predicted number of every row."""
        table = self._prediction_table(X)
        return self.model_.predict(table)

    def score(self, X: Any, y: Any = None, sample_weight: Any = None) -> float:
        """Return R²: 1 minus the squared error over that of always predicting the mean."""
        actual = np.asarray(self._actual(X, y), dtype=np.float64)
        weights = inputs.row_weights(sample_weight, len(actual))
        error = np.average((actual - self.predict(X)) ** 2, weights=weights)
        spread = np.average((actual - np.average(actual, weights=weights)) ** 2, weights=weights)
        return float(1 - error / spread) if spread > 0 else float(error == 0)
