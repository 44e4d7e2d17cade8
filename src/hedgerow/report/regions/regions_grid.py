"""The grid of decision regions: rows with all combinations of numbers of two columns, and their predictions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from hedgerow.data.table.schema import Column, Kind
from hedgerow.data.table.table import Codes, Numbers, Table, Text, Values
from hedgerow.errors import UsageError
from hedgerow.models.base.date_coefficients import format_column_number
from hedgerow.models.base.model import ClassModel
from hedgerow.models.svm.machines import Machines

COARSE = 4  # cells of a side that are looked at as one where all around decide alike
BLOCK = 1 << 14  # rows that are decided at a time
MISSING = "missing"


class Span(NamedTuple):
    """One of the two columns, and its range."""

    column: Column
    low: float
    high: float


class Grid:
    """Rows with all combinations of numbers of two columns, created on demand, and their predictions."""

    def __init__(self, model: ClassModel, spans: Sequence[Span], held: dict[int, float]) -> None:
        self.model, self.spans, self.held = model, spans, held
        self.shown = tuple(model.schema.index(span.column.name) for span in spans)

    @property
    def fixed_columns(self) -> tuple[tuple[str, str], ...]:
        """The other columns that the model uses, and their fixed values."""
        used = self.model.columns_used()
        told = []
        for position, value in self.held.items():
            column = self.model.schema.columns[position]
            if column.ignored or (used is not None and column.name not in used):
                continue
            if np.isnan(value):
                said = MISSING
            else:
                said = format_column_number(column, value) if column.kind is Kind.NUMERIC else column.levels[int(value)]
            told.append((column.name, said))
        return tuple(told)

    def rows(self, x: Numbers, y: Numbers) -> Table:
        """Return a row for every point."""
        n = len(x)
        data: list[Values] = []
        for position, column in enumerate(self.model.schema.columns):
            value = self.held.get(position, float("nan"))
            if position in self.shown:
                data.append(np.ascontiguousarray((x, y)[self.shown.index(position)]))
            elif column.kind is Kind.NUMERIC:
                data.append(np.full(n, value))
            elif column.kind is Kind.NOMINAL:
                data.append(np.full(n, -1 if np.isnan(value) else int(value), dtype=np.int32))
            elif column.kind is Kind.TEXT:
                data.append(Text.of([None] * n))
            else:
                raise UsageError(
                    f"column {column.name!r} is {column.kind}; models with such columns have no decision regions"
                )
        return Table(self.model.schema, tuple(data), n)

    def at(self, columns: Numbers, rows: Numbers, cells: tuple[int, int]) -> Table:
        """Return the rows of points given in cells from the upper left corner."""
        x, y = self.spans
        across, down = columns / cells[0], rows / cells[1]
        return self.rows(x.low + across * (x.high - x.low), y.high - down * (y.high - y.low))

    def decide_cells(self, cells: tuple[int, int]) -> NDArray[np.int32]:
        """Return the class at the middle of every cell.

        Blocks of cells are predicted first; every cell only where a block differs from a neighboring one.
        """
        wide, high = cells
        block_rows, block_columns = np.mgrid[: -(-high // COARSE), : -(-wide // COARSE)]
        middles = [np.minimum((one + 0.5) * COARSE, end) for one, end in ((block_columns, wide), (block_rows, high))]
        coarse = self._classes(middles[0].ravel(), middles[1].ravel(), cells).reshape(block_rows.shape)
        padded = np.pad(coarse, 1, mode="edge")
        mixed = np.zeros(coarse.shape, dtype=np.bool_)
        for down in range(3):
            for across in range(3):
                mixed |= padded[down : down + len(coarse), across : across + coarse.shape[1]] != coarse
        large = np.ones((COARSE, COARSE), dtype=np.int32)
        codes: NDArray[np.int32] = np.ascontiguousarray(np.kron(coarse, large)[:high, :wide])
        rows, columns = np.nonzero(np.kron(mixed, large)[:high, :wide])
        codes[rows, columns] = self._classes(columns.astype(np.float64) + 0.5, rows.astype(np.float64) + 0.5, cells)
        return codes

    def _classes(self, columns: Numbers, rows: Numbers, cells: tuple[int, int]) -> Codes:
        parts = [
            self.model.decide(self.at(columns[start : start + BLOCK], rows[start : start + BLOCK], cells))
            for start in range(0, len(columns), BLOCK)
        ]
        return np.concatenate([np.empty(0, np.int32), *parts]).astype(np.int32)

    def values(self, machines: Machines, cells: tuple[int, int]) -> tuple[Numbers, tuple[int, int]]:
        """Return the decision values of machines (lines) at the corners of blocks, and the numbers of both."""
        rows, columns = np.mgrid[: -(-cells[1] // COARSE) + 1, : -(-cells[0] // COARSE) + 1] * float(COARSE)
        flat = columns.ravel(), rows.ravel()
        parts = [
            machines.values(self.at(flat[0][start : start + BLOCK], flat[1][start : start + BLOCK], cells))
            for start in range(0, rows.size, BLOCK)
        ]
        return np.concatenate(parts, axis=1), (rows.shape[0], rows.shape[1])
