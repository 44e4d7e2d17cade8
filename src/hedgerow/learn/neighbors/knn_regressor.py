"""KNNRegressor: the mean target of the nearest rows."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Self, cast

import numpy as np

from hedgerow.data.table.table import Table
from hedgerow.learn.classifier import extend_schema
from hedgerow.learn.neighbors.growing import check_no_texts, join_tables, reuse_trees
from hedgerow.learn.neighbors.leave_one_out import best, number_errors_by_k
from hedgerow.learn.neighbors.neighbor_learner import NeighborLearner
from hedgerow.learn.params import fitted_attribute
from hedgerow.learn.regressor import Regressor
from hedgerow.models.base.model import About, Model, NumberModel
from hedgerow.models.neighbors.neighbor_numbers import NeighborNumbers


class KNNRegressor(NeighborLearner, Regressor):
    """The mean target of the k nearest rows, by a distance over numbers, levels, texts and missing values.

    Distances, ties and weights are those of KNN: rows at the same distance as the last of the k share its vote, and a
    row of weight 2 counts as two.

    References
    ----------
    T. M. Cover, Estimation by the nearest neighbor rule. IEEE Trans. Information Theory 14 (1968).

    Examples
    --------
    >>> table = Table.of({"x": [1.0, 2.0, 3.0, 8.0], "y": [10.0, 20.0, 60.0, 80.0]}, "y")
    >>> KNNRegressor(n_neighbors=3).train(table).predict(Table.of({"x": [2.1]})).tolist()
    [30.0]
    """

    model_: NumberModel = fitted_attribute()
    _rows: Table = fitted_attribute()  # all so far, for partial_fit

    def learn(self, table: Table) -> Model:
        """Return the rows as prepared for distances."""
        targets = np.ascontiguousarray(table.target_numbers)
        model = NeighborNumbers(table.schema, self.asking(table), targets)
        if self.n_neighbors is None:
            tried, stored_rows = number_errors_by_k(model, table, self.random_state), model.kept
            model = NeighborNumbers(table.schema, replace(model.asking, k=best(tried), tried=tried), targets)
            vars(model)["kept"] = stored_rows
        return model.replace_about(About(notes=tuple(self.few_rows_notes(model.total))))

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:  # noqa: D102
        self.__dict__.pop("_rows", None)
        return super().fit(X, y, sample_weight)

    fit.__doc__ = Regressor.fit.__doc__

    def _keep_rows(self, table: Table) -> None:
        self._rows = table

    def partial_fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Add some more rows, after `fit` or other batches; the model is that of all rows so far."""
        self.check_params()
        fresh = not hasattr(self, "_rows")
        if fresh:
            entered = self._to_table(X)
            table = self._set_target(entered.table, X, y)
        else:
            table = self._set_target(self._new_rows_to_table(X, self._fit_schema), X, y)
        own = self._ready_batch(table, sample_weight, fresh=fresh)
        check_no_texts(own.table.schema)
        if fresh:
            self._remember(table.schema, entered.names)
        rows = own.table
        if not fresh:
            rows = join_tables(
                self._rows, rows, extend_schema(self._rows.schema, rows.schema, ordered=False, is_number=False)
            )
        model = cast("NeighborNumbers", self.add_about(self.learn(rows), rows.n_rows, rows.total_weight, own.notes))
        if not fresh:
            reuse_trees(cast("NeighborNumbers", self.model_).kept, model.kept)
        self.model_, self._rows = model, rows
        return self
