"""Transformer: learners whose model turns a table into another."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from hedgerow.data.table.schema import Column, Kind
from hedgerow.data.table.table import Numbers, Table
from hedgerow.errors import DataError
from hedgerow.learn import inputs
from hedgerow.learn.base import Learner
from hedgerow.learn.classifier import labels
from hedgerow.learn.prepare import set_target_kind
from hedgerow.learn.set_output import set_transform_output, wrap_transform


class Transformer(Learner, ABC):
    """Learners whose model transforms a table into another one."""

    is_transformer = True

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        for name in ("transform", "fit_transform"):
            if name in vars(cls):
                setattr(cls, name, wrap_transform(getattr(cls, name)))

    def set_output(self, *, transform: str | None = None) -> Self:
        """Choose the output of `transform` except for a Table: a "pandas" or "polars" frame, or "default".

        Nominal columns, such as intervals, are categorical in frames, and numbers of levels in arrays.
        """
        if transform is None:
            return self
        set_transform_output(self, transform)
        return self

    def fit(self, X: Any, y: Any = None) -> Self:
        """Fit the transformation; `y`, the classes or the name of their column, is used if needed."""
        return self._fit(X, y, None)

    def _fit(self, X: Any, y: Any, weights: Any) -> Self:
        self.check_params()
        entered = self._to_table(X)
        table = entered.table
        table = inputs.weighted(table, weights)
        if isinstance(y, str):
            table = table.with_target(y)
        elif y is not None and self.uses_classes():
            classes, codes = inputs.class_target(y, table.n_rows)
            column = Column(inputs.TARGET, Kind.NOMINAL, levels=labels(classes))
            table = inputs.with_target(table.with_target(None), column, codes)
        if self.uses_classes() and table.schema.target is not None:
            table, _ = set_target_kind(table, classes=True)
        self.model_ = self.train(table)
        self._remember(table.schema, entered.names)
        self._warn(self.model_.about.notes)
        return self

    def uses_classes(self) -> bool:
        """Return whether `y` is used."""
        return True

    @abstractmethod
    def transform(self, X: Any) -> Any:
        """Return the transformed columns: a Table for a Table, an array of codes otherwise."""

    def fit_transform(self, X: Any, y: Any = None, **fit_params: Any) -> Any:
        """Fit, then transform the same rows."""
        return self.fit(X, y, **fit_params).transform(X)

    def _as_numbers(self, table: Table, position: int) -> Numbers:
        """Return a column as numbers: of a nominal one the numbers of its levels; NaN is missing."""
        column = table.schema.columns[position]
        if column.kind not in self.takes:
            raise DataError(
                f"column {column.name!r} is {column.kind} and cannot be converted to numbers; leave it out, or pass a "
                "Table"
            )
        if column.kind is Kind.NUMERIC:
            return table.numbers(position)
        codes = table.codes(position)
        return np.where(codes < 0, np.nan, codes)

    def _nominal_out(self) -> dict[str, Column]:
        """Return the nominal ones of the transformed columns by name: `transform` gives the numbers of their levels."""
        return {column.name: column for column in self._fit_schema.columns if column.kind is Kind.NOMINAL}

    def get_feature_names_out(self, input_features: Any = None) -> NDArray[Any]:
        """Return the names of the transformed columns."""
        self._check_fitted()
        names = input_features if input_features is not None else list(self._fit_schema.names)
        if len(names) != self.n_features_in_:
            raise DataError("input_features should have length equal to number of features seen in fit")
        own = getattr(self, "feature_names_in_", None)
        if input_features is not None and own is not None and list(own) != list(input_features):
            raise DataError("input_features is not equal to feature_names_in_")
        return np.array(names, dtype=object)
