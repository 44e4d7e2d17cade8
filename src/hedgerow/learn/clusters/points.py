"""Points: the rows of a table as clusterers see them, each at its position in a Space (models/base/point_space.py)."""

from __future__ import annotations

from collections.abc import Container
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from hedgerow.data.design.blocks import ColumnBlock, LevelBlock, NumberBlock, TermBlock
from hedgerow.data.design.class_counts import LevelCounts
from hedgerow.data.design.design import Design
from hedgerow.data.design.design_counts import EVERY, DesignCounts, DesignOptions, NumberCounts
from hedgerow.data.design.score_buffer import is_sparse
from hedgerow.data.table.schema import Schema
from hedgerow.data.table.table import Numbers, Rows, Table
from hedgerow.layout.rounding import round_digits
from hedgerow.learn.point_hash import point_hashes
from hedgerow.models.base.design_scaling import DesignScaling
from hedgerow.models.base.point_space import PointSpace

RANGE, DEVIATION, NONE = SCALES = ("range", "deviation", "none")
HALF = 0.5**0.5  # factor of indicators and terms
LEAST = 1e-150  # that numbers are divided by
DIGITS = 12  # bits of numbers that are summed over rows, so that the order does not matter


@dataclass(frozen=True, eq=False)
class ClusterPoints:
    """Rows of a table as points: the space, a matrix (points, positions), weights, and the rows that they represent."""

    space: PointSpace
    matrix: Any  # C-contiguous float64, or scipy's csr_array
    weights: Numbers
    rows: Rows  # the row of the table that each point represents, the first of equal ones
    places: Rows  # the point of every row of the table

    def __len__(self) -> int:
        return len(self.weights)

    @property
    def is_sparse(self) -> bool:
        """Whether the matrix is sparse."""
        return not isinstance(self.matrix, np.ndarray)

    def distinct(self) -> ClusterPoints:
        """Return the points in canonical order, equal ones merged with their total weight.

        So the same rows give the same points in any order, and a row of weight 2 equals two rows.
        """
        hashed = point_hashes(self.matrix)
        order = np.lexsort((self.weights, hashed))
        is_first = np.ones(len(order), dtype=np.bool_)
        is_first[1:] = np.diff(hashed[order]) != 0
        starts = np.flatnonzero(is_first)
        firsts = np.minimum.reduceat(order, starts).astype(np.int64)
        place = np.empty(len(order), dtype=np.int64)
        place[order] = np.cumsum(is_first) - 1
        matrix = self.matrix[firsts]
        matrix = np.ascontiguousarray(matrix) if isinstance(matrix, np.ndarray) else matrix
        weights = np.add.reduceat(self.weights[order], starts)
        return ClusterPoints(self.space, matrix, weights, self.rows[firsts], place[self.places])


def make_points(table: Table, scale: str = RANGE, options: DesignOptions | None = None) -> ClusterPoints:
    """Return the points of a prepared table, one point per row in the table's order; sparse columns stay sparse.

    >>> table = Table.of({"age": [20.0, None, 40.0, 60.0], "sky": ["sun", "rain", "rain", "sun"]})
    >>> make_points(table).matrix.round(3).tolist()
    [[0.0, 0.707, 0.0], [0.5, 0.0, 0.707], [0.5, 0.0, 0.707], [1.0, 0.707, 0.0]]
    """
    options = replace(options or DesignOptions(), levels=EVERY)
    scattered = {position for position, values in enumerate(table.data) if is_sparse(values)}
    space = make_space(table.schema, DesignCounts.of(table, options), scale, options, scattered)
    every = np.arange(table.n_rows, dtype=np.int64)
    return ClusterPoints(space, space.points(table), table.row_weights, every, every)


def make_space(
    schema: Schema, counts: DesignCounts, scale: str, options: DesignOptions, scattered: Container[int] = ()
) -> PointSpace:
    """Return the space of rows that have been counted (in a pass over a stream, with levels EVERY).

    `scattered` are the positions of numeric columns that are stored sparsely: they are not shifted, so that 0 stays 0.
    """
    result_design = Design.from_counts(schema, counts, replace(options, levels=EVERY))
    design = Design(schema, tuple(map(_telling, result_design.parts)))
    centers, factors, means = np.zeros(design.width), np.full(design.width, HALF), np.zeros(design.width)
    for (position, part), start in zip(design.used_blocks, design.starts, strict=False):
        counted = counts.columns[position]
        if isinstance(part, NumberBlock) and isinstance(counted, NumberCounts):
            center, unit = _scale_of_column(part, counted, scale)
            centers[start] = 0.0 if position in scattered else center
            factors[start], means[start] = 1 / unit, part.mean
        elif isinstance(part, LevelBlock) and isinstance(counted, LevelCounts):
            seen = counted.present[part.coded, 0]
            means[start : start + part.width] = [round_digits(share, DIGITS) for share in (seen / seen.sum()).tolist()]
    return PointSpace(design, DesignScaling(centers, factors), means)


def _scale_of_column(part: NumberBlock, counted: NumberCounts, scale: str) -> tuple[float, float]:
    """Return what is subtracted from the numbers of a column, and what they are divided by."""
    if scale == RANGE:
        return counted.low, max(counted.high - counted.low, LEAST)
    return (part.mean, max(round_digits(part.scale), LEAST)) if scale == DEVIATION else (0.0, 1.0)


def _telling(part: ColumnBlock | None) -> ColumnBlock | None:
    """Return a part without a position for missing values; None if the column has one value, or a text no terms."""
    if isinstance(part, NumberBlock | LevelBlock):
        part = replace(part, gaps=False)
    return None if part is None or part.is_constant or (isinstance(part, TermBlock) and not part.width) else part
