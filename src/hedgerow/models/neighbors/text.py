"""Nearest neighbor models as text: the stored rows, and the distance."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hedgerow.data.table.schema import Column
from hedgerow.layout.cell_width import count_cells, pad_cells
from hedgerow.layout.numbers import format_number
from hedgerow.models.base.date_coefficients import DAY, number_of
from hedgerow.models.base.factor import short, shown
from hedgerow.models.neighbors.distance import COSINE, HAMMING
from hedgerow.models.neighbors.stored_columns import KeptLevels, KeptNumbers
from hedgerow.models.neighbors.stored_rows import KeptRows

if TYPE_CHECKING:
    from hedgerow.models.neighbors.base import NeighborModel


def head_text(model: NeighborModel, what: str) -> str:
    """Return the first line: how the nearest rows are used."""
    total = format_number(short(model.total))
    how = {"plain": "", "distance": ", by 1 / distance", "similarity": ", by similarity"}[model.asking.votes]
    name = shown(str(model.schema.target))
    return f"{name}: {what} of the {model.k} nearest of {total} rows{how}"


def distance_lines(model: NeighborModel, room: int) -> list[str]:
    """Return how rows are compared, one line per column."""
    kept, schema = model.kept, model.schema
    told = [(shown(schema.names[at]), compared(kept, at, schema.columns[at])) for at in kept.columns]
    room = max([room, *(count_cells(name) for name, _ in told)])
    head = "distance" + ("" if kept.texts_only else kept.how.told())
    return [
        head,
        *([f"  {pad_cells(name, room)}  {how}" for name, how in told] or ["  no column has different values"]),
    ]


def name_room(model: NeighborModel, others: tuple[str, ...] = ()) -> int:
    """Return how wide the names of columns and some others are."""
    return max(
        count_cells(shown(name)) for name in [*others, *(model.schema.names[at] for at in model.kept.columns)] or [""]
    )


def compared(kept: KeptRows, at: int, column: Column) -> str:
    """Return how the values of a column are compared, and the weight of the column if not 1."""
    one, weight = kept.columns[at], float(kept.how.weights[at])
    told = one.told()
    if isinstance(one, KeptNumbers):
        told = _numbers_told(kept, at, one, column)
    elif isinstance(one, KeptLevels) and kept.how.metric == COSINE:
        told = "one dimension per level"
    return told if weight == 1 else f"{told}; weight {format_number(weight)}"


def _numbers_told(kept: KeptRows, at: int, one: KeptNumbers, column: Column) -> str:
    if kept.how.metric == HAMMING:
        return "0 if equal, 1 if not"
    unit, low, high = float(kept.how.units[at]), *one.range
    what = "value" if kept.how.metric == COSINE else "difference"
    if kept.how.metric == COSINE and kept.how.origins[at] != 0:
        what = f"(value - {number_of(column, float(kept.how.origins[at]))})"
    if column.date is not None:
        days = format_number(short(unit / DAY))
        return f"{what} / {days} days, from {number_of(column, low)} to {number_of(column, high)}"
    divided = what if unit == 1 and kept.how.origins[at] == 0 else f"{what} / {format_number(short(unit))}"
    return f"{divided}, {one.told()}"
