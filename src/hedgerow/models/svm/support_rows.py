"""Rows of a design matrix converted back to readable form: numbers by column, names of levels, first terms of texts."""

from __future__ import annotations

from typing import Any

import numpy as np

from hedgerow.data.design.blocks import ColumnBlock, LevelBlock, NumberBlock, TermBlock
from hedgerow.data.design.design import Design
from hedgerow.data.table.schema import Column
from hedgerow.data.table.table import Numbers
from hedgerow.layout.names import format_level, format_term
from hedgerow.layout.rounding import round_digits
from hedgerow.models.base.date_coefficients import format_column_number

WHOLE = 15  # digits up to which a whole number is printed in full
MISSING = "missing"
TERMS = 5  # of a text, the heaviest first
DIGITS = 6  # of a number, unless there are more before the decimal point


def row_cells(design: Design, row: Any) -> list[str]:
    """Return one row of the matrix (an array, or one line of a csr_array) as texts, one per used column.

    >>> from hedgerow.data.table.table import Table
    >>> table = Table.of({"age": [20.0, None], "sky": ["sun", "rain"], "y": [1.0, 2.0]}, "y")
    >>> design = Design.learn(table)
    >>> [row_cells(design, line) for line in design.matrix(table)]
    [['20', 'sun'], ['missing', 'rain']]
    """
    full = np.asarray(row, dtype=np.float64).ravel() if isinstance(row, np.ndarray) else _to_dense_row(row)
    spans = zip(design.used_blocks, design.starts, strict=False)
    return [
        _cell(part, design.schema.columns[position], full[start : start + part.width])
        for (position, part), start in spans
    ]


def _to_dense_row(row: Any) -> Numbers:
    out = np.zeros(row.shape[-1])
    out[row.indices] = row.data
    return out


def _cell(part: ColumnBlock, column: Column, values: Numbers) -> str:
    if isinstance(part, NumberBlock):
        if part.gaps and values[1] > 0:
            return MISSING
        value = float(values[0])
        before = len(f"{abs(value):.0f}")
        return format_column_number(column, round_digits(value, max(DIGITS, before if before <= WHOLE else DIGITS)))
    if isinstance(part, LevelBlock):
        place = int(values.argmax()) if len(values) and values.max() > 0 else -1
        if place < 0:
            return MISSING if part.base < 0 else format_level(column.levels[part.base])
        return MISSING if place == len(part.coded) else format_level(column.levels[part.coded[place]])
    if isinstance(part, TermBlock):
        positions = np.argsort(-values, kind="stable")[:TERMS]
        positions = positions[values[positions] > 0]
        more = " ..." if np.count_nonzero(values) > len(positions) else ""
        return " ".join(format_term(name) for name in part.space.names_of(positions.tolist())) + more
    places = np.flatnonzero(values).tolist()
    return ", ".join(part.names(column, places))


def gaps_by_column(design: Design, differences: Numbers) -> Numbers:
    """Return the distances of rows by column, given their differences (rows, positions): squares, summed."""
    squares = np.square(differences).sum(axis=0)
    return np.array([squares[start:stop].sum() for start, stop in zip(design.starts, design.starts[1:], strict=False)])
