"""Partial dependence: what a model predicts on average if one column had another value in all rows."""

from __future__ import annotations

from dataclasses import dataclass
from os import PathLike
from typing import Any

import numpy as np

from hedgerow.data.read import to_table
from hedgerow.data.table.schema import Kind
from hedgerow.data.table.table import Codes, Numbers, Table, Values
from hedgerow.errors import UsageError
from hedgerow.layout.shown import ArrowTable
from hedgerow.models.base.model import ClassModel, Model, NumberModel

MOST_ROWS = 1000  # of the data; of more, every n-th one is used


@dataclass(frozen=True, eq=False)
class PartialDependence(ArrowTable):
    """The mean predictions of a model by the values of one column (J. H. Friedman, 2001).

    Parameters
    ----------
    column, target
        The column that varies, and what is predicted.
    values
        The values: numbers in ascending order, or levels.
    labels
        The classes whose probabilities are predicted; empty for numbers.
    means
        The mean prediction for every value (rows) and class (columns; one column for numbers).
    rows
        The number of rows that it is the mean of.
    """

    column: str
    target: str
    values: tuple[float | str, ...]
    labels: tuple[str, ...]
    means: Numbers
    rows: int

    def __repr__(self) -> str:
        return f"<PartialDependence: {self.target!r} by {self.column!r}, {len(self.values)} values, {self.rows} rows>"

    def to_arrow(self) -> Any:
        """Return the means as an Arrow table: the value, and P(class) for every class, or the mean number."""
        from hedgerow.data.frames.arrow import plain_table

        names = [f"P({label})" for label in self.labels] or [self.target]
        return plain_table(
            [
                {self.column: value, **dict(zip(names, means, strict=True))}
                for value, means in zip(self.values, self.means.tolist(), strict=True)
            ]
        )


def partial_dependence(model: Model, data: Any, column: str, points: int = 40) -> PartialDependence:
    """Return the mean predictions of a model if a column had each of several values in all rows.

    Numbers are `points` quantiles of the column from 1 to 99 %, or its distinct values if there are fewer. Of data with
    more than 1000 rows, every n-th row is used. Where columns depend on each other, some of the rows that it is the
    mean of do not exist in reality.

    Examples
    --------
    >>> import hedgerow
    >>> loan = hedgerow.examples.loan()
    >>> found = partial_dependence(hedgerow.C45().train(loan), loan, "Has_Job")
    >>> found.values, found.means[:, 1].round(3).tolist()
    (('false', 'true'), [0.4, 1.0])
    """
    if not isinstance(model, ClassModel | NumberModel):
        raise UsageError(f"partial dependence is defined for models that predict; a {type(model).__name__} does not")
    table = model.align(to_table(data, "") if isinstance(data, str | PathLike) else data)
    position = model.schema.index(column)
    if position not in model.schema.predictors:
        raise UsageError(f"{column!r} is not one of the columns that the model predicts from")
    if len(table) > MOST_ROWS:
        table = table.take(np.arange(0, len(table), -(-len(table) // MOST_ROWS)))
    told, values = _values(table, position, points)
    means = [_mean(model, table, position, value) for value in values.tolist()]
    labels = model.classes if isinstance(model, ClassModel) else ()
    target = model.schema.target_column.name
    return PartialDependence(column, target, told, labels, np.array(means).reshape(len(told), -1), len(table))


def _values(table: Table, position: int, points: int) -> tuple[tuple[float | str, ...], Numbers | Codes]:
    """Return the values of a column to predict at, as they are told and as they are stored."""
    column = table.schema.columns[position]
    if column.kind is Kind.NOMINAL:
        return column.levels, np.arange(len(column.levels), dtype=np.int32)
    if column.kind is not Kind.NUMERIC:
        raise UsageError(f"column {column.name!r} is {column.kind}; partial dependence is for numbers and levels")
    numbers = table.numbers(position)
    known = np.unique(numbers[np.isfinite(numbers)])
    if not len(known):
        raise UsageError(f"column {column.name!r} has no known value in these rows")
    if len(known) > points:
        known = np.unique(np.nanquantile(numbers, np.linspace(0.01, 0.99, points)))
    return tuple(known.tolist()), known


def _mean(model: ClassModel | NumberModel, table: Table, position: int, value: float) -> Numbers:
    column = table.schema.columns[position]
    values: Values = np.full(len(table), value, np.float64)
    if column.kind is Kind.NOMINAL:
        values = np.full(len(table), value, np.int32)
    changed = table.with_column(column, values)
    predicted = model.scores(changed) if isinstance(model, ClassModel) else np.asarray(model.predict(changed))
    return np.asarray(np.average(predicted, axis=0, weights=table.weights), dtype=np.float64)
