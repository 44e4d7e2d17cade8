"""Making a table ready to learn from: what every learner may take for granted."""

from __future__ import annotations

from collections.abc import Container
from dataclasses import dataclass, replace

import numpy as np

from hedgerow.data.align import number_levels
from hedgerow.data.schema import Kind, Schema, listing
from hedgerow.data.table import Numbers, Table
from hedgerow.errors import DataError

MOST_NUMBER_CLASSES = 20


@dataclass(frozen=True)
class Ready:
    """A table without ignored columns and unusable rows, and what was left out to get there."""

    table: Table
    notes: tuple[str, ...]


def ready(table: Table, takes: Container[Kind], classes: bool | None) -> Ready:
    """Return what a learner sees of a table.

    Parameters
    ----------
    takes
        The kinds of columns that the learner can use; others are left out and noted.
    classes
        Whether the target must be nominal (True) or numeric (False); None when there is no target.
    """
    notes: list[str] = []
    if classes is not None:
        table, note = typed_target(table, classes)
        notes += note
    schema, note = usable_schema(table.schema, takes)
    notes += note
    if schema is not table.schema:
        table = table.select(schema.names)
    table, note = usable_rows(table)
    notes += note
    if classes:
        codes = table.codes(table.schema.index(table.schema.target_column.name))
        if table.n_rows and (codes == codes[0]).all():
            only = table.schema.target_column.levels[codes[0]]
            notes.append(f"all rows are of one class, {only!r}: the model can only predict that class")
    return Ready(table, tuple(notes))


def typed_target(table: Table, classes: bool) -> tuple[Table, list[str]]:
    """Return the table with a target of the right kind: a few whole numbers may stand for classes."""
    column = table.schema.target_column
    wanted = Kind.NOMINAL if classes else Kind.NUMERIC
    if column.kind is wanted:
        return table, []
    if classes and column.kind is Kind.NUMERIC:
        values = table.numbers(table.schema.index(column.name))
        if not may_be_classes(values):
            raise DataError(
                f"the target {column.name!r} is numeric with many or fractional values: use a regressor, or "
                f"take the values as classes with --nominal {column.name!r} (kinds={{{column.name!r}: 'nominal'}})"
            )
        codes, levels = number_levels(values)
        column = replace(column, kind=Kind.NOMINAL, levels=levels)
        return table.with_column(column, codes), [
            f"the target {column.name!r} holds {len(levels)} different whole numbers: taken as classes"
        ]
    hint = "use a classifier" if column.kind is Kind.NOMINAL else f"name a {wanted} column as the target"
    raise DataError(f"the target {column.name!r} is {column.kind}, but this learner needs it {wanted}: {hint}")


def may_be_classes(values: Numbers) -> bool:
    """Tell whether numbers may stand for classes: they are whole, and few of them differ."""
    distinct = np.unique(values[~np.isnan(values)])
    return len(distinct) <= MOST_NUMBER_CLASSES and bool((distinct == np.floor(distinct)).all())


def usable_schema(schema: Schema, takes: Container[Kind]) -> tuple[Schema, list[str]]:
    """Return the schema without the columns that are ignored or of a kind that the learner cannot take."""
    strange = [schema.columns[i].name for i in schema.predictors if schema.columns[i].kind not in takes]
    notes = [f"left out, as this learner cannot use their kind: {listing(strange)}"] if strange else []
    ignored = [c for c in schema.columns if c.ignored and c.name != schema.target]
    notes += [f"column {c.name!r} is left out of learning ({c.ignored})" for c in ignored]
    kept = [
        position
        for position, column in enumerate(schema.columns)
        if column.name == schema.target or not (column.ignored or column.kind not in takes)
    ]
    return (schema if len(kept) == len(schema) else schema.select(kept)), notes


def usable_rows(table: Table, *, batch: bool = False) -> tuple[Table, list[str]]:
    """Return the rows that have a target and a weight; only a batch of a larger whole may have none."""
    notes: list[str] = []
    if table.n_rows == 0 and not batch:
        raise DataError("the table has no rows to learn from")
    keep = np.ones(table.n_rows, dtype=np.bool_)
    if table.schema.target is not None:
        target = table.target
        assert isinstance(target, np.ndarray)
        keep = target >= 0 if target.dtype == np.int32 else ~np.isnan(target)
        if not keep.any() and not batch:
            raise DataError(f"the target {table.schema.target!r} is missing in every row: nothing to learn from")
        if not keep.all():
            notes.append(f"left out {(~keep).sum()} rows without a value of {table.schema.target!r}")
    if table.weights is not None:
        _check_weights(table, batch)
        keep = keep & (table.weights > 0)
    return (table if keep.all() else table.take(keep)), notes


def _check_weights(table: Table, batch: bool) -> None:
    weights = table.row_weights
    if not np.isfinite(weights).all() or (weights < 0).any():
        row = int(np.flatnonzero(~(np.isfinite(weights) & (weights >= 0)))[0])
        raise DataError(f"the weight of row {row} is {weights[row]:g}; weights must be zero or positive numbers")
    if not batch and not (weights > 0).any():
        raise DataError("all row weights are zero: nothing to learn from")
