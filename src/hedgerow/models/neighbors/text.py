"""Nearest neighbor models as text: the stored rows, and the distance."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hedgerow.data.table.schema import Column
from hedgerow.layout.cell_width import count_cells, pad_cells
from hedgerow.layout.numbers import format_number
from hedgerow.models.base.date_coefficients import DAY, format_column_number
from hedgerow.models.base.factor import escape_name, short
from hedgerow.models.neighbors.distance import COSINE, HAMMING
from hedgerow.models.neighbors.stored_columns import StoredLevels, StoredNumbers
from hedgerow.models.neighbors.stored_rows import StoredRows

if TYPE_CHECKING:
    from hedgerow.models.neighbors.base import NeighborModel


def head_text(model: NeighborModel, what: str) -> str:
    """Return the first line: how the nearest rows are used."""
    total = format_number(short(model.total))
    how = {"plain": "", "distance": ", by 1 / distance", "similarity": ", by similarity"}[model.asking.votes]
    name = escape_name(str(model.schema.target))
    return f"{name}: {what} of the {model.k} nearest of {total} rows{how}"


def distance_lines(model: NeighborModel, room: int) -> list[str]:
    """Return how rows are compared, one line per column."""
    stored_rows, schema = model.kept, model.schema
    pairs = [
        (escape_name(schema.names[at]), describe_comparison(stored_rows, at, schema.columns[at]))
        for at in stored_rows.columns
    ]
    room = max([room, *(count_cells(name) for name, _ in pairs)])
    head = "distance" + ("" if stored_rows.has_only_texts else stored_rows.how.describe())
    return [
        head,
        *([f"  {pad_cells(name, room)}  {how}" for name, how in pairs] or ["  no column has different values"]),
    ]


def name_width(model: NeighborModel, others: tuple[str, ...] = ()) -> int:
    """Return how wide the names of columns and some others are."""
    return max(
        count_cells(escape_name(name))
        for name in [*others, *(model.schema.names[at] for at in model.kept.columns)] or [""]
    )


def describe_comparison(stored_rows: StoredRows, at: int, column: Column) -> str:
    """Return how the values of a column are compared, and the weight of the column if not 1."""
    one, weight = stored_rows.columns[at], float(stored_rows.how.weights[at])
    text = one.describe()
    if isinstance(one, StoredNumbers):
        text = _describe_numbers(stored_rows, at, one, column)
    elif isinstance(one, StoredLevels) and stored_rows.how.metric == COSINE:
        text = "one dimension per level"
    return text if weight == 1 else f"{text}; weight {format_number(weight)}"


def _describe_numbers(stored_rows: StoredRows, at: int, one: StoredNumbers, column: Column) -> str:
    if stored_rows.how.metric == HAMMING:
        return "0 if equal, 1 if not"
    unit, low, high = float(stored_rows.how.units[at]), *one.range
    what = "value" if stored_rows.how.metric == COSINE else "difference"
    if stored_rows.how.metric == COSINE and stored_rows.how.origins[at] != 0:
        what = f"(value - {format_column_number(column, float(stored_rows.how.origins[at]))})"
    if column.date is not None:
        days = format_number(short(unit / DAY))
        return f"{what} / {days} days, from {format_column_number(column, low)} to {format_column_number(column, high)}"
    divided = what if unit == 1 and stored_rows.how.origins[at] == 0 else f"{what} / {format_number(short(unit))}"
    return f"{divided}, {one.describe()}"
