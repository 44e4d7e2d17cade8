"""Supervised: the base of classifiers and regressors, which learn from a table and its target."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from hedgerow.data.frames.objects import is_frame
from hedgerow.data.table.schema import Kind, Schema
from hedgerow.data.table.schema_notes import sentence_column_notes
from hedgerow.data.table.source import Source
from hedgerow.data.table.table import Table
from hedgerow.errors import DataError, UsageError
from hedgerow.learn import inputs
from hedgerow.learn.base import Learner
from hedgerow.learn.prepare import has_target
from hedgerow.learn.row_weights import weight_unit
from hedgerow.models.base.model import Model


class Supervised(Learner, ABC):
    """Learners with a target."""

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Learn from a table and its target.

        Parameters
        ----------
        X
            A 2-D array, a frame (pandas, polars, pyarrow, DuckDB), a scipy sparse matrix; for learners that take texts
            a list of strings; or a Table, a Source or the path of a file, which bring their target along.
        y
            The target: an array, or the name of a column of X. Left out when X brings its own.
        sample_weight
            The weight of each row. Whole weights are counts: a row of weight 2 counts as two rows. Other weights are
            scaled to a mean of 1, so that a constant factor does not matter.
        """
        self.check_params()
        if isinstance(X, Source):
            X = _set_source_target(X, y, sample_weight)
            self._weight_unit = None
            self.model_, schema = self._train_for_fit(X), X.schema
            names: NDArray[Any] | None = np.array(schema.names, dtype=object)
        else:
            entered = self._to_table(X)
            table = self._set_target(entered.table, X, y)
            table = inputs.weighted(table, sample_weight)
            self.model_, schema = self._train_for_fit(table), table.schema
            self._weight_unit = weight_unit(table, has_target(table))
            self._set_table_attributes(table)
            names = entered.names
            if is_frame(X) and Kind.TEXT in self.accepted_kinds():
                self._warn(sentence_column_notes(schema))
        self._remember(schema, names)
        self._set_fitted_attributes(schema)
        self._warn(self.model_.about.notes)
        return self

    def _train_for_fit(self, data: Table | Source) -> Model:
        """Return the model that fit keeps."""
        return self.train(data)

    def _set_target(self, table: Table, X: Any, y: Any) -> Table:
        """Return the table with its target, from `y` or its own."""
        if isinstance(y, str):
            if not is_frame(X):
                return table.with_target(y)
            return self._add_target(drop_column(table, y), inputs.frame_column(X, y), y)
        if y is None:
            if not (isinstance(X, Table) or inputs.is_path(X)):
                raise DataError(
                    f"{type(self).__name__} requires y to be passed, but the target y is None; give the classes or "
                    "numbers to learn, or the name of their column"
                )
            return table
        return self._add_target(table.with_target(None), y, inputs.TARGET)

    @abstractmethod
    def _add_target(self, table: Table, y: Any, name: str) -> Table:
        """Return the table with `y` as the target called `name`."""

    def _set_fitted_attributes(self, schema: Schema) -> None:
        """Set the fitted attributes that the kind of learner promises."""

    def _actual(self, X: Any, y: Any) -> NDArray[Any]:
        """Return the target of rows to be scored: an array, or the column of X called `y` or learned from."""
        if y is not None and not isinstance(y, str):
            return inputs.flat(y)
        name = y or self._target
        if is_frame(X):
            return inputs.frame_column(X, str(name))
        return target_values(self._to_table(X).table, y)


def drop_column(table: Table, name: str) -> Table:
    """Return the table without one of its columns."""
    table.schema.index(name)
    return table.select(other for other in table.schema.names if other != name)


def _set_source_target(source: Source, y: Any, sample_weight: Any) -> Source:
    """Return a source with the target called `y`; its rows bring their own values and weights."""
    if sample_weight is not None or (y is not None and not isinstance(y, str)):
        raise UsageError("a source contains its own target and weights; give the name of the target, or nothing")
    return source if y is None else source.reopen(target=y)


def target_values(table: Table, name: str | None = None) -> NDArray[Any]:
    """Return the target of a table: numbers, or labels with None for a missing one."""
    column = table.schema.target_column if name is None else table.schema[name]
    values = table[column.name]
    assert isinstance(values, np.ndarray)
    if column.kind is Kind.NUMERIC:
        return values
    return np.array([*column.levels, None], dtype=object)[values]
