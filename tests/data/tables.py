"""Comparing tables in tests, value by value."""

from __future__ import annotations

import numpy as np

from hedgerow.data.table.schema import Kind
from hedgerow.data.table.table import Bags, SparseNumbers, Table, Text


def words(table: Table, name: str) -> list[str | None]:
    """Return a nominal or text column as plain words."""
    values = table[name]
    if isinstance(values, Text):
        return list(values)
    levels = table.schema[name].levels
    return [None if code < 0 else levels[code] for code in values.tolist()]


def count_missing(table: Table) -> int:
    """Return the number of missing cells."""
    total = 0
    for column, values in zip(table.schema.columns, table.data, strict=True):
        if isinstance(values, Text):
            total += int(values.missing.sum())
        elif isinstance(values, Bags):
            total += count_missing(values.table)
        elif isinstance(values, SparseNumbers):
            total += int(np.isnan(values.values).sum())
        else:
            total += int((values < 0).sum() if column.kind is Kind.NOMINAL else np.isnan(values).sum())
    return total


def assert_same(one: Table, other: Table, levels: bool = True) -> None:
    """Check that two tables have the same columns, values and weights; the order of levels only if requested."""
    assert one.schema.names == other.schema.names
    assert one.n_rows == other.n_rows
    for column in one.schema.columns:
        twin = other.schema[column.name]
        assert (column.kind, column.date) == (twin.kind, twin.date), column.name
        if levels:
            assert column.levels == twin.levels
        _assert_same_values(one, other, column.name, levels)
    if one.weights is None or other.weights is None:
        assert one.weights is other.weights
    else:
        np.testing.assert_array_equal(one.weights, other.weights)


def _assert_same_values(one: Table, other: Table, name: str, levels: bool) -> None:
    mine, theirs = one[name], other[name]
    if isinstance(mine, Bags):
        assert isinstance(theirs, Bags)
        np.testing.assert_array_equal(mine.offsets, theirs.offsets)
        assert_same(mine.table, theirs.table, levels)
    elif one.schema[name].kind is Kind.NUMERIC:
        np.testing.assert_array_equal(mine, theirs)
    else:
        assert words(one, name) == words(other, name)
