"""Tables as JSON: one object per row."""

from __future__ import annotations

import json
import math

import numpy as np

from hedgerow.data.table.dates import format_dates
from hedgerow.data.table.schema import Column, Kind
from hedgerow.data.table.table import Bags, SparseNumbers, Table, Text, Values


def json_rows(table: Table) -> list[str]:
    """Return each row as a JSON object; a missing value is null, a whole number has no decimal point."""
    names = [json.dumps(name, ensure_ascii=False) for name in table.schema.names]
    cells = [_cells(column, table.values(at)) for at, column in enumerate(table.schema.columns)]
    if not cells:
        return ["{}"] * table.n_rows
    pairs = ([f"{name}: {cell}" for cell in column] for name, column in zip(names, cells, strict=True))
    return [f"{{{', '.join(row)}}}" for row in zip(*pairs, strict=True)]


def _cells(column: Column, values: Values) -> list[str]:
    if isinstance(values, SparseNumbers):
        values = values.dense()
    if isinstance(values, Text):
        return [_word(word) for word in values]
    if isinstance(values, Bags):
        rows = json_rows(values.table)
        return [f"[{', '.join(rows[a:b])}]" for a, b in zip(values.offsets[:-1], values.offsets[1:], strict=True)]
    if column.kind is Kind.NOMINAL:
        words = [*map(_word, column.levels), "null"]
        return [words[code] for code in values.tolist()]
    if column.date is not None:
        seconds = np.asarray(values, dtype=np.float64)
        return [_word(text or None) for text in format_dates(seconds, column.date)]
    return [_number(value) for value in np.asarray(values, dtype=np.float64).tolist()]


def _word(word: str | None) -> str:
    return json.dumps(word, ensure_ascii=False)


def _number(value: float) -> str:
    if not math.isfinite(value):
        return "null"
    return str(int(value)) if value.is_integer() and abs(value) < 2**53 else repr(value)
