"""Supervised: what classifiers and regressors share, learning from a table and its target."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from hedgerow.data.schema import Kind, Schema
from hedgerow.data.source import Source
from hedgerow.data.table import Table
from hedgerow.errors import DataError
from hedgerow.learn import door
from hedgerow.learn.base import Learner


class Supervised(Learner):
    """Learners with a target."""

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Learn from a table and its target.

        Parameters
        ----------
        X
            A 2-D array, a frame (pandas, polars, pyarrow, DuckDB), a scipy sparse matrix; or a Table, a Source or
            the path of a file, which bring their target along.
        y
            The target: an array, or the name of a column of X. Left out when X brings its own.
        sample_weight
            The weight of each row; a row of weight 2 counts as two rows.
        """
        self.check_params()
        if isinstance(X, Source):
            self.model_ = self.train(X)
            self._remember(X.schema)
            self._set_names(np.array([c.name for c in self._schema_in.columns], dtype=object))
            self.n_features_in_ = len(self._schema_in)
        else:
            brought = y is None or isinstance(y, str)
            table = self._targeted(self._enter_fit(X), X, y)
            weights = door.row_weights(sample_weight, table.n_rows)
            if weights is not None:
                table = table.with_weights(weights)
            self.model_ = self.train(table)
            self._remember(table.schema)
            self.n_features_in_ = len(self._schema_in)
            if brought:
                self._set_names(np.array([c.name for c in self._schema_in.columns], dtype=object))
                self._warn()
        self._learned()
        return self

    def _targeted(self, table: Table, X: Any, y: Any) -> Table:
        """Return the table with its target, from `y` or its own."""
        if isinstance(y, str):
            return table.with_target(y)
        if y is None:
            if not (isinstance(X, Table) or door.is_path(X)):
                raise DataError(
                    f"{type(self).__name__} requires y to be passed, but the target y is None; give the classes or "
                    "numbers to learn, or the name of their column"
                )
            return table
        return self._with_y(table.with_target(None), y)

    def _with_y(self, table: Table, y: Any) -> Table:
        raise NotImplementedError

    def _remember(self, schema: Schema) -> None:
        columns = tuple(column for column in schema.columns if column.name != schema.target)
        self._fit_schema = Schema(columns)

    def _learned(self) -> None:
        """Set the fitted attributes that the kind of learner promises."""


def own_target(X: Any) -> NDArray[Any]:
    """Return the target that a table or a file brings along: numbers, or labels with None for a missing one."""
    table = door.enter(X).table
    column, values = table.schema.target_column, table.target
    assert isinstance(values, np.ndarray)
    if column.kind is Kind.NUMERIC:
        return values
    return np.array([*column.levels, None], dtype=object)[values]
