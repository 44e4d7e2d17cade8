"""Columns in the form that the kernels take."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from hedgerow.data.table.schema import Kind
from hedgerow.data.table.table import Table


def column_arrays(table: Table, positions: Sequence[int]) -> tuple[list[Any], list[int]]:
    """Return the array of each of these columns, and its number of levels: -1 for a column of numbers."""
    arrays: list[Any] = []
    levels: list[int] = []
    for position in positions:
        column = table.schema.columns[position]
        nominal = column.kind is Kind.NOMINAL
        arrays.append(table.codes(position) if nominal else table.numbers(position))
        levels.append(len(column.levels) if nominal else -1)
    return arrays, levels
