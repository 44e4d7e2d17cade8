"""A table in a notebook: its size, the first rows, and the kind and missing values of each column."""

from __future__ import annotations

from typing import Any

import numpy as np

from hedgerow.data.table.dates import format_dates
from hedgerow.data.table.schema import Column, Kind
from hedgerow.data.table.table import Bags, Table, Text, Values
from hedgerow.layout.cell_width import shorten
from hedgerow.layout.numbers import format_count, format_short, format_weight
from hedgerow.report.draw.markup import element, escape_words, grid_table

HEAD, MOST_COLUMNS, MOST_CELLS = 5, 30, 40  # rows and columns that are shown; cells of a text
NONE = '<span class="gone">–</span>'


def table_view(table: Table) -> str:
    """Return the first rows of a table under the names, kinds and missing values of the columns."""
    names = [column.name for column in table.schema.columns[:MOST_COLUMNS]]
    shown = table.select(names)
    head = shown.with_target(None).slice(0, HEAD)
    titles = ["row", *(_title(table, position) for position in range(len(names)))]
    cells = [[_cell(value) for value in _first(column, values)] for column, values in _columns(head)]
    rows = zip(map(str, range(len(head))), *cells, strict=True)
    sides = "r" + "".join("r" if column.kind is Kind.NUMERIC else "l" for column in head.schema.columns)
    markup = grid_table("The first rows" if len(table) > HEAD else "All rows", titles, rows, sides)
    more = len(table.schema) - len(names)
    left_out = f'<p class="soft">{format_count(more)} more columns are not shown.</p>' if more else ""
    return element("p", escape_words(_size(table)), class_="lead") + (markup if names else "") + left_out


def _size(table: Table) -> str:
    rows, columns = len(table), len(table.schema)
    text = f"{format_count(rows)} row{'' if rows == 1 else 's'}, {columns} column{'' if columns == 1 else 's'}"
    text += f", target {table.schema.target}" if table.schema.target else ""
    return text if table.weights is None else f"{text}, total weight {format_weight(table.total_weight)}"


def _title(table: Table, position: int) -> str:
    column = table.schema.columns[position]
    kind = "date" if column.date is not None else str(column.kind)
    about = [f"{kind}, {len(column.levels)} levels" if column.kind is Kind.NOMINAL else kind]
    missing = count_missing(table.values(position))
    about += [f"{format_count(missing)} missing"] if missing else []
    about += ["not used"] if column.ignored and column.name != table.schema.target else []
    tag = ' <span class="tag on">target</span>' if column.name == table.schema.target else ""
    lines = "".join(f'<small class="below">{escape_words(line)}</small>' for line in about)
    return f"{escape_words(shorten(column.name, MOST_CELLS))}{tag}{lines}"


def count_missing(values: Values) -> int:
    """Return how many values of a column are missing."""
    if isinstance(values, Text):
        return int(values.missing.sum())
    if not isinstance(values, np.ndarray):
        return 0
    return int((values < 0).sum() if values.dtype == np.int32 else np.isnan(values).sum())


def _columns(head: Table) -> list[tuple[Column, Values]]:
    return [(column, head.values(position)) for position, column in enumerate(head.schema.columns)]


def _first(column: Column, values: Values) -> list[Any]:
    """Return the values of a few rows; None is missing."""
    if isinstance(values, Text):
        return list(values)
    if isinstance(values, Bags):
        return [f"{n} rows" for n in np.diff(values.offsets).tolist()]
    assert isinstance(values, np.ndarray)
    if column.kind is Kind.NOMINAL:
        return [None if code < 0 else column.levels[code] for code in values.tolist()]
    if column.date is not None:
        return [None if np.isnan(one) else format_dates(np.array([one]), column.date)[0] for one in values]
    return [None if np.isnan(one) else format_short(float(one)) for one in values]


def _cell(value: Any) -> str:
    return NONE if value is None else escape_words(shorten(str(value), MOST_CELLS))
