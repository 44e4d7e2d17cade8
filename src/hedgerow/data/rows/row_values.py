"""Values of a row as people read them."""

from __future__ import annotations

import math

import numpy as np

from hedgerow.data.table.printed_value import format_value
from hedgerow.data.table.table import Table, Text
from hedgerow.layout.numbers import format_number

MISSING = "missing"


def value_text(table: Table, name: str) -> str:
    """Return the value of a column in the only row of a table; nothing for a text, which is shown as a whole."""
    position = table.schema.index(name)
    values = table.values(position)
    if isinstance(values, Text):
        return MISSING if values.missing[0] else ""
    if not isinstance(values, np.ndarray):
        return ""
    missing = values[0] < 0 if values.dtype == np.int32 else math.isnan(float(values[0]))
    return MISSING if missing else format_value(table, position)


def label_of(table: Table, name: str | None) -> str | None:
    """Return the class of the only row of a table, whatever the kind of the column; None if it is missing."""
    if name is None or name not in table.schema:
        return None
    column, values = table.schema[name], table[name]
    if isinstance(values, Text):
        return values[0]
    if not isinstance(values, np.ndarray):
        return None
    if values.dtype == np.int32:
        return None if values[0] < 0 else column.levels[int(values[0])]
    return None if math.isnan(float(values[0])) else format_number(float(values[0]))
