"""Discretize: convert numeric columns to named intervals."""

from __future__ import annotations

from typing import Any

import numpy as np

from hedgerow.data.bags.align import align
from hedgerow.data.design.class_counts import value_counts
from hedgerow.data.design.discretize import METHODS, Discretizer, interval_codes
from hedgerow.data.table.schema import Column, Kind
from hedgerow.data.table.table import Numbers, Table
from hedgerow.errors import DataError
from hedgerow.learn.params import choice, integer, real
from hedgerow.learn.transformer import Transformer
from hedgerow.models.base.cuts import Cuts
from hedgerow.models.base.model import Model


class Discretize(Transformer):
    """Discretize numeric columns into intervals, which makes them nominal.

    `mdl` (Fayyad and Irani 1993) and `one_r` (Holte 1993) use the classes and choose the number of intervals
    themselves; `frequency` and `width` give `bins` intervals of equal weight or width. Without classes,
    `mdl` and `one_r` cannot be used.

    Examples
    --------
    >>> from hedgerow.data.table.table import Table
    >>> table = Table.of({"age": [20, 30, 40, 50], "loan": ["no", "no", "yes", "yes"]}, target="loan")
    >>> print(Discretize(method="width", bins=2).train(table))
    age: <=35, >35
    """

    method: str = choice("mdl", "how cut points are chosen", *METHODS)
    bins: int = integer(10, "number of intervals for width and frequency", low=2)
    min_bucket: float = real(6, "minimum weight of the majority class in an interval, for one_r", above=0)

    def learn(self, table: Table) -> Model:
        """Return the cut points of every numeric column."""
        how = Discretizer(self.method, int(self.bins), float(self.min_bucket))
        labels, classes = np.zeros(table.n_rows, dtype=np.int32), 1
        target = table.schema.target
        if target is not None and table.schema[target].kind is Kind.NOMINAL:
            labels, classes = table.codes(table.schema.index(target)), len(table.schema[target].levels)
        elif self.uses_classes():
            raise DataError(
                f"Discretize(method={self.method!r}) requires y to be passed, but the target y is None; give classes, "
                "or choose method='frequency'"
            )
        cuts: list[Numbers | None] = [
            how.cuts(value_counts(table.numbers(position), labels, table.weights, classes))
            if column.kind is Kind.NUMERIC and column.name != target
            else None
            for position, column in enumerate(table.schema.columns)
        ]
        return Cuts(table.schema, tuple(cuts))

    def uses_classes(self) -> bool:
        """Return whether the method uses the classes."""
        return self.method in ("mdl", "one_r")

    def transform(self, X: Any) -> Any:
        """Return a Table with nominal columns for a Table; for anything else an array of interval numbers.

        Frames, if requested by `set_output`, contain the intervals themselves.
        """
        table = self._new_rows_to_table(X)
        model = self.model_
        assert isinstance(model, Cuts)
        if isinstance(X, Table):
            return model.transform(table)
        table = align(table, self._fit_schema).table
        return np.column_stack([self._column_as_numbers(table, position) for position in range(len(table.schema))])

    def _nominal_out(self) -> dict[str, Column]:
        model = self.model_
        assert isinstance(model, Cuts)
        return {**super()._nominal_out(), **model.intervals}

    def _column_as_numbers(self, table: Table, position: int) -> Numbers:
        """Return one column as numbers: of the interval, or of the level; NaN is missing."""
        column, model = table.schema.columns[position], self.model_
        assert isinstance(model, Cuts)
        values = self._as_numbers(table, position)
        cuts = model.cuts[model.schema.index(column.name)] if column.name in model.schema else None
        if column.kind is not Kind.NUMERIC or cuts is None:  # a column that was not used in training stays unchanged
            return values
        return np.where(np.isnan(values), np.nan, interval_codes(values, cuts))
