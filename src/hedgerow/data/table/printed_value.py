"""The value of one cell as it prints: a level, a number or a date."""

from __future__ import annotations

from hedgerow.data.table.dates import format_dates
from hedgerow.data.table.schema import Kind
from hedgerow.data.table.table import Table
from hedgerow.layout.names import format_level
from hedgerow.layout.numbers import format_number


def format_value(table: Table, position: int) -> str:
    """Return the value of the only row of a table in a column of levels or numbers, which is not missing."""
    column = table.schema.columns[position]
    if column.kind is Kind.NOMINAL:
        return format_level(column.levels[int(table.codes(position)[0])])
    number = table.numbers(position)
    return format_number(float(number[0])) if column.date is None else format_dates(number, column.date)[0]
