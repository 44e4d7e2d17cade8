"""Design: how the columns of a table become the columns of a design matrix, which linear models multiply.

A design has a part for every predictor (data/design/blocks.py), and a part has positions, the columns of the matrix:

- numbers: one position, the number itself, the mean where it is missing; and `age missing`, 1 where it is, if that was
  ever the case in learning. Mean and standard deviation are kept, so that learners may center and scale.
- levels: one position a level but for the first (`sky=rain`), or for all; all are 0 where the level is missing or was
  never seen, and `sky missing` is 1, if a level was ever missing in learning.
- texts: one position per term (`message__free`), weighted by a TermSpace.

Columns without values have no part; columns of one value have one, for a solver to find and to name.
A design is determined by counts (design_counts.py), which add with `+`: one pass over the rows, wherever they are.
The matrix is on the user's scale: what learners center and scale, they undo. Nothing is made dense that is sparse:
texts, sparse numbers and columns of very many levels give a sparse matrix, and centering is left to algebra.
Products of positions need no matrix: `compute_gram` takes the columns as they lie and brings them to the cache
block by block (`kernel_columns`). Predictions need none either: parts add slope times value (`values`).
The same table gives the same design, whatever the number of threads. Files: see models/base/design_parts.py.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import groupby
from typing import Any

import numpy as np

from hedgerow.data.design.blocks import ColumnBlock, LevelBlock, NumberBlock, TermBlock
from hedgerow.data.design.class_counts import LevelCounts
from hedgerow.data.design.design_counts import FIRST, LARGEST, Counted, DesignCounts, DesignOptions, NumberCounts
from hedgerow.data.design.score_buffer import VIEW_ROWS, KnownMask, ScoreBuffer, dense_rows, is_sparse
from hedgerow.data.table.schema import Kind, Schema
from hedgerow.data.table.table import Codes, Numbers, RowSelection, SparseNumbers, Table, gather_values
from hedgerow.data.text.hashed_counts import HashedCounts
from hedgerow.data.text.term_counts import TermCounts
from hedgerow.data.text.term_space import TermSpace
from hedgerow.layout.rounding import round_within

MANY_LEVELS = 200  # a column of so many levels makes the matrix sparse
BLOCK_CELLS = 1 << 16  # of a matrix that are filled column by column: they stay in the cache


@dataclass(frozen=True, eq=False)
class Design:
    """The parts of a schema's columns, and with them the places of a design matrix.

    Examples
    --------
    >>> table = Table.of({"age": [20.0, None, 40.0], "sky": ["sun", "rain", "rain"], "y": [1.0, 2.0, 3.0]}, "y")
    >>> design = Design.learn(table)
    >>> design.names
    ['age', 'age missing', 'sky=rain']
    >>> design.matrix(table).tolist()
    [[20.0, 0.0, 0.0], [30.0, 1.0, 1.0], [40.0, 0.0, 1.0]]
    """

    schema: Schema
    parts: tuple[ColumnBlock | None, ...]  # one per column; None for the target and for columns without values

    @classmethod
    def learn(cls, table: Table, options: DesignOptions | None = None) -> Design:
        """Return the design of a table."""
        options = options or DesignOptions()
        return cls.from_counts(table.schema, DesignCounts.of(table, options), options)

    @classmethod
    def from_counts(cls, schema: Schema, counts: DesignCounts, options: DesignOptions | None = None) -> Design:
        """Return the design of rows that have been counted."""
        options, used = options or DesignOptions(), set(schema.predictors)
        parts = tuple(
            _part(counted, options) if position in used else None for position, counted in enumerate(counts.columns)
        )
        return cls(schema, parts)

    @cached_property
    def used_blocks(self) -> tuple[tuple[int, ColumnBlock], ...]:
        """The columns that have positions: their positions and parts."""
        return tuple((i, part) for i, part in enumerate(self.parts) if part is not None and part.width)

    @cached_property
    def starts(self) -> tuple[int, ...]:
        """Where the positions of each used column start, and where the last ones end."""
        return tuple(np.cumsum([0, *(part.width for _, part in self.used_blocks)]).tolist())

    @property
    def width(self) -> int:
        """How many positions there are."""
        return self.starts[-1]

    @property
    def names(self) -> list[str]:
        """The name of every position."""
        return self.names_of(range(self.width))

    def names_of(self, places: Sequence[int]) -> list[str]:
        """Return the names of some positions, without making all."""
        owner = np.searchsorted(self.starts, places, side="right") - 1
        names: list[str] = []
        for o, own in groupby(zip(owner.tolist(), places, strict=True), lambda one: one[0]):
            position, part = self.used_blocks[o]
            names += part.names(self.schema.columns[position], [place - self.starts[o] for _, place in own])
        return names

    def columns_used(self, slopes: Numbers) -> tuple[str, ...]:
        """Return the columns that have a slope other than zero, in one line of `slopes` or several."""
        spans = zip(self.used_blocks, self.starts, strict=False)
        return tuple(
            self.schema.names[position]
            for (position, part), start in spans
            if slopes[..., start : start + part.width].any()
        )

    @property
    def term_spaces(self) -> Mapping[str, TermSpace]:
        """The terms of each text column."""
        used = ((self.schema.names[position], part) for position, part in self.used_blocks)
        return {name: part.space for name, part in used if isinstance(part, TermBlock)}

    @property
    def column_of_position(self) -> tuple[tuple[str, ...], Codes]:
        """The names of the columns that have positions, and which of them each position is of."""
        names = tuple(self.schema.names[position] for position, _ in self.used_blocks)
        return names, np.repeat(np.arange(len(names), dtype=np.int32), np.diff(self.starts))

    @cached_property
    def centers(self) -> Numbers:
        """The mean of every position that is a number, 0 of others."""
        return self._spread_over_positions(lambda part: part.mean)

    @cached_property
    def scales(self) -> Numbers:
        """The standard deviation of every position that is a number, 1 of others; 0 where all numbers are equal."""
        return self._spread_over_positions(lambda part: part.scale, 1.0)

    def _spread_over_positions(self, figure: Any, other: float = 0.0) -> Numbers:
        out = np.full(self.width, other)
        for (_, part), start in zip(self.used_blocks, self.starts, strict=False):
            if isinstance(part, NumberBlock):
                out[start] = figure(part)
        return out

    def is_sparse(self, table: Table) -> bool:
        """Return whether the matrix of a table is sparse."""
        return any(
            isinstance(part, TermBlock)
            or (isinstance(part, LevelBlock) and part.width > MANY_LEVELS)
            or isinstance(gather_values(table.data[position]), SparseNumbers)
            for position, part in self.used_blocks
        )

    def matrix(self, table: Table) -> Any:
        """Return the design matrix of a table that is aligned: an array, or scipy's csr_array where it is sparse."""
        if self.is_sparse(table):
            from scipy.sparse import csr_array, hstack

            return csr_array(
                hstack([part.sparse(table, position) for position, part in self.used_blocks], format="csr")
            )
        out = np.zeros((table.n_rows, self.width))
        rows = max(256, BLOCK_CELLS // max(1, self.width))
        for first in range(0, table.n_rows, rows):
            stop = min(first + rows, table.n_rows)
            block = table if stop - first == table.n_rows else table.slice(first, stop)
            for (position, part), start in zip(self.used_blocks, self.starts, strict=False):
                part.fill(block, position, out[first:stop, start : start + part.width])
        return out

    def values(self, table: Table, intercept: float, slopes: Numbers) -> Numbers:
        """Return intercept plus slopes times positions of every row of an aligned table."""
        values, _ = self.evaluate_functions(table, np.array([intercept], dtype=np.float64), slopes[None, :])
        return np.asarray(values[0])

    def evaluate_functions(
        self, table: Table, intercepts: Numbers, slopes: Numbers
    ) -> tuple[Numbers, KnownMask | None]:
        """Return several functions of every row of an aligned table, an intercept and a line of `slopes` each.

        They are the lines of the answer; beside it, which rows hold something known in a column that has slopes, None
        if all do.
        """
        out = np.empty((len(intercepts), table.n_rows))
        return out, self.score(table, intercepts, slopes, ScoreBuffer(out))

    def score(self, table: Table, intercepts: Numbers, slopes: Numbers, place: ScoreBuffer) -> KnownMask | None:
        """Put several functions of every row of an aligned table at their position.

        Return which rows have a known value in a column that has slopes; None if all do. The table is gone through
        once, in blocks of rows that stay in the cache; only texts and sparse columns need room for their functions.
        """
        known: KnownMask = np.zeros(table.n_rows, dtype=np.bool_)
        added: Numbers | None = None
        dense: list[tuple[int, ColumnBlock, Numbers]] = []
        for (position, part), start in zip(self.used_blocks, self.starts, strict=False):
            own = np.ascontiguousarray(slopes[:, start : start + part.width])
            if not own.any():
                continue
            if isinstance(part, TermBlock) or is_sparse(table.data[position]):
                added = np.zeros((len(intercepts), table.n_rows)) if added is None else added
                mask = part.add_each(table, position, own, added)
                known |= True if mask is None else mask
            else:
                dense.append((position, part, own))
        hows = [part.scoring(own) for _, part, own in dense]
        means = np.array([part.mean if isinstance(part, NumberBlock) else 0.0 for _, part, _ in dense])
        tables, more = [how[0] for how in hows], [how[1] for how in hows]
        views = any(isinstance(table.data[position], RowSelection) for position, _, _ in dense)
        step = VIEW_ROWS if views else max(table.n_rows, 1)  # no more of a view is gathered at a time
        for start in range(0, table.n_rows, step):
            stop = min(start + step, table.n_rows)
            arrays = [dense_rows(table.data[position], start, stop) for position, _, _ in dense]
            own_added = None if added is None else np.ascontiguousarray(added[:, start:stop])
            place.fill(arrays, tables, more, means, np.ascontiguousarray(intercepts), own_added, known, start, stop)
        return None if known.all() else known

    def kernel_columns(self, table: Table) -> tuple[list[Any], list[Any], list[int], list[float], list[float]]:
        """Return arrays, tables, widths, centers and factors of the dense columns, as `compute_gram` takes them.

        Numbers are centered and divided by their deviation; those that are all equal become 0.
        """
        arrays: list[Any] = []
        tables: list[Any] = []
        widths: list[int] = []
        centers: list[float] = []
        factors: list[float] = []
        for position, part in self.used_blocks:
            if isinstance(part, NumberBlock):
                arrays.append(np.ascontiguousarray(table.numbers(position)))
                tables.append(None)
                centers.append(part.mean)
                factors.append(1 / part.scale if part.scale > 0 else 0.0)
            else:
                assert isinstance(part, LevelBlock)
                arrays.append(table.codes(position))
                tables.append(part.table)
                centers.append(0.0)
                factors.append(1.0)
            widths.append(part.width)
        return arrays, tables, widths, centers, factors


def clip_large_numbers(table: Table) -> Table:
    """Return a table whose infinite numbers, and those as large, are the largest that can be squared."""
    data: list[Any] = []
    for column, values in zip(table.schema.columns, table.data, strict=True):
        own = gather_values(values)
        if isinstance(own, SparseNumbers):
            own = SparseNumbers(own.rows, np.clip(own.values, -LARGEST, LARGEST), own.n_rows)
        elif column.kind is Kind.NUMERIC:
            own = np.clip(np.asarray(own, dtype=np.float64), -LARGEST, LARGEST)
        data.append(own)
    return replace(table, data=tuple(data))


def _part(counted: Counted | None, options: DesignOptions) -> ColumnBlock | None:
    """Return the part of a column that has been counted; None if it has no values."""
    if isinstance(counted, NumberCounts):
        if not counted.weight > 0:
            return None
        deviation = counted.deviation
        mean = counted.low if deviation == 0 else round_within(counted.mean, 1e-6 * deviation)
        return NumberBlock(mean, deviation, counted.missing > 0)
    if isinstance(counted, LevelCounts):
        seen = np.flatnonzero(counted.present[:, 0] > 0).astype(np.int32)
        if not len(seen):
            return None
        base = int(seen[0]) if options.levels == FIRST else -1
        coded = seen[1:] if options.levels == FIRST else seen
        return LevelBlock(coded, base, len(counted.present), bool(counted.missing[0] > 0))
    if isinstance(counted, TermCounts | HashedCounts):
        return TermBlock(TermSpace.from_counts(counted, options.tokens, options.limits, options.weighting))
    return None
