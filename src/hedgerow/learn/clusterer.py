"""Clusterer: learners that find groups."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from hedgerow.data.frames.objects import is_frame
from hedgerow.data.read import make_source
from hedgerow.data.table.schema import Schema
from hedgerow.data.table.source import ReadOptions, Source
from hedgerow.data.table.table import Codes, Table
from hedgerow.learn import inputs
from hedgerow.learn.base import Counted, Learner
from hedgerow.learn.params import fitted_attribute
from hedgerow.learn.row_weights import weight_unit
from hedgerow.learn.supervised import drop_column
from hedgerow.models.base.model import ClassModel, Model


class Clusterer(Learner):
    """Learners that find clusters; the classes of their models are the clusters.

    The target of the data is not used, so that the clusters can be compared with it.
    """

    estimator_type = "clusterer"

    labels_: NDArray[np.int32] = fitted_attribute()
    model_: ClassModel = fitted_attribute()

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Find the clusters of a table.

        Parameters
        ----------
        X
            A 2-D array, a frame (pandas, polars, pyarrow, DuckDB), a scipy sparse matrix; for learners that take texts
            a list of strings; or a Table, a Source or the path of a file.
        y
            The name of a column of X to leave out, such as given classes. Anything else is ignored.
        sample_weight
            The weight of each row. Whole weights are counts: a row of weight 2 counts as two rows. Other weights are
            scaled to a mean of 1, so that a constant factor does not matter.
        """
        self.check_params()
        if inputs.is_path(X):
            X = make_source(X, ReadOptions(target=""))
        entered = self._to_table(X)
        table = entered.table
        if isinstance(y, str):
            table = table.with_target(y)
        elif is_frame(X):
            table = table.with_target(None)
        table = inputs.weighted(table, sample_weight)
        model = self.train(table)
        assert isinstance(model, ClassModel)
        self._weight_unit = weight_unit(table)
        self.model_ = model
        self._set_table_attributes(table)
        self._remember(table.schema, entered.names)
        self.labels_ = self._labels(model, table)
        self._warn(model.about.notes)
        return self

    def labels_of(self, model: ClassModel, table: Table) -> Codes:
        """Return the cluster of every row of the table on which a model of this learner was trained."""
        return self._labels(model, table)

    def _labels(self, model: ClassModel, table: Table) -> Codes:
        """Return the cluster of every row of the training table."""
        return model.decide(table)

    def _train_data(self, data: Table | Source, counted: Counted | None = None) -> Model:
        return super()._train_data(drop_target(data), counted)

    def predict(self, X: Any) -> NDArray[np.int32]:
        """Return the number of the cluster that every row belongs to, from 0."""
        table = self._prediction_table(X)
        return self.model_.decide_rows(table)

    def fit_predict(self, X: Any, y: Any = None, sample_weight: Any = None) -> NDArray[np.int32]:
        """Fit, then return the cluster of every row."""
        return self.fit(X, y, sample_weight).labels_


def drop_target(data: Table | Source) -> Table | Source:
    """Return data without their target."""
    schema = data.schema
    if schema.target is None:
        return data
    if isinstance(data, Table):
        return drop_column(data, schema.target)
    stored_schema = Schema(tuple(column for column in schema.columns if column.name != schema.target))
    return data.reopen(schema=stored_schema, kinds={}, target="")
