"""Points: the rows of a table in the form for support vector machines, in canonical order.

Rows become the places of a design matrix, seen through a frame, z = (x - center) * factor. Columns of one value tell
nothing and are left out. Equal rows of one class become one point that weighs as much as they do, and points stand in
the order of a hash of their positions: so the same rows give the same machines in whatever order they come, and a row
of weight 2 is two rows, to the last digit, however roughly a solver ends.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hedgerow.data.design.blocks import NumberBlock
from hedgerow.data.design.design import Design
from hedgerow.data.design.score_buffer import is_sparse
from hedgerow.data.rows.hashing import mix_bits
from hedgerow.data.table.schema import Kind
from hedgerow.data.table.table import Codes, Numbers, Rows, Table
from hedgerow.errors import DataError
from hedgerow.layout.rounding import round_digits, round_within
from hedgerow.learn.point_hash import point_hashes
from hedgerow.learn.sampling import are_copy_counts
from hedgerow.models.base.design_scaling import DesignScaling
from hedgerow.models.svm.given_kernels import Precomputed
from hedgerow.models.svm.solution_quality import DEVIATION, RANGE


@dataclass(frozen=True, eq=False)
class SvmPoints:
    """Rows of a table: their scaled positions, classes and weights; see above."""

    design: Design
    frame: DesignScaling
    matrix: Any  # (points, places): C-contiguous float64, or scipy's csr_array
    labels: Codes  # class of every point
    weights: Numbers
    rows: Rows  # the row of the table that each point stands for, the first of equal ones

    def __len__(self) -> int:
        return len(self.labels)

    @property
    def is_sparse(self) -> bool:
        """Whether the matrix is sparse."""
        return not isinstance(self.matrix, np.ndarray)

    @cached_property
    def seen_classes(self) -> Rows:
        """The classes that there are, ascending."""
        return np.unique(self.labels).astype(np.int64)

    @cached_property
    def spread(self) -> float:
        """The variance of all entries of the matrix, rows by weight."""
        cells = float(self.weights.sum()) * self.matrix.shape[1]
        if not cells > 0:
            return 0.0
        if isinstance(self.matrix, np.ndarray):
            mean = float((self.weights @ self.matrix).sum()) / cells
            square = float(self.weights @ np.einsum("ij,ij->i", self.matrix, self.matrix)) / cells
        else:
            mean = float(np.asarray(self.matrix.sum(axis=1)) @ self.weights) / cells
            square = float(np.asarray(self.matrix.multiply(self.matrix).sum(axis=1)) @ self.weights) / cells
        return float(max(square - mean * mean, 0.0))

    def select_points(self, kept: Rows) -> SvmPoints:
        """Return some of the points, in their order."""
        matrix = self.matrix[kept]
        return replace(
            self, matrix=matrix, labels=self.labels[kept], weights=self.weights[kept], rows=self.rows[kept]
        )  # fmt: skip

    def sample(self, most: int, seed: int) -> SvmPoints:
        """Return at most so many points, of every class its share, and at least one."""
        if len(self) <= most:
            return self
        keys = mix_bits(np.arange(len(self), dtype=np.uint64) ^ np.uint64(seed))
        sizes = np.bincount(self.labels)
        quota = np.maximum((sizes * (most / len(self))).astype(np.int64), np.minimum(sizes, 1))
        order = np.lexsort((keys, self.labels))
        starts = np.concatenate([[0], np.cumsum(sizes)])[self.labels[order]]
        return self.select_points(np.sort(order[np.arange(len(order)) - starts < quota[self.labels[order]]]))

    def parts(self, k: int) -> NDArray[np.float64]:
        """Return what every point (columns) weighs in each of k parts, every class spread evenly over them.

        Points stand in a random order already. A whole weight counts as so many copies, which go to different parts.
        """
        whole = are_copy_counts(self.weights)
        copies = np.repeat(np.arange(len(self)), self.weights.astype(np.int64)) if whole else np.arange(len(self))
        order = copies[np.argsort(self.labels[copies], kind="stable")]
        part = np.arange(len(order)) % k
        heavy = np.ones(len(order)) if whole else self.weights[order]
        flat = np.bincount(part * len(self) + order, heavy, k * len(self))
        return flat.reshape(k, len(self)).astype(np.float64)


def make_points(design: Design, table: Table, scale: str) -> SvmPoints:
    """Return the points of a prepared table; what is sparse stays so."""
    design = telling(design)
    matrix, sparse = design.matrix(table), design.is_sparse(table)
    frame = _frame(design, table, matrix, scale, sparse)
    if sparse:
        matrix = frame.apply(matrix)
    else:
        matrix -= frame.centers
        matrix *= frame.factors
    return _sort_by_hash(SvmPoints(design, frame, matrix, table.target_codes, table.row_weights, np.empty(0, np.int64)))


def points_from_kernel(table: Table) -> SvmPoints:
    """Return the points of a table of kernel values: one column per row, in the same order."""
    schema = table.schema
    strange = [schema.columns[i].name for i in schema.predictors if schema.columns[i].kind is not Kind.NUMERIC]
    if strange:
        raise DataError(f"a precomputed kernel holds numbers only, but column {strange[0]!r} does not")
    if table.n_rows < len(schema.predictors):
        raise DataError(
            f"a precomputed kernel must be square, but {table.n_rows} rows have {len(schema.predictors)} columns; rows "
            "without a class, or of weight 0, must be left out with their columns"
        )
    values = Precomputed.check_values(np.column_stack([table.numbers(i) for i in schema.predictors]))
    design = Design.learn(table)
    kept = np.arange(table.n_rows, dtype=np.int64)
    return SvmPoints(design, DesignScaling.plain(design.width), values, table.target_codes, table.row_weights, kept)


def telling(design: Design) -> Design:
    """Return the design without columns of one value."""
    return Design(design.schema, tuple(None if part is None or part.is_constant else part for part in design.parts))


def _frame(design: Design, table: Table, matrix: Any, scale: str, sparse: bool) -> DesignScaling:
    """Return the frame that scales numbers; indicators and terms stay as they are.

    Sparse numbers are like terms, unless a range is asked for: they are divided by the largest of their column.
    Centers and factors are rounded a little, so that the order of the rows they are summed over does not matter.
    """
    centers, factors = np.zeros(design.width), np.ones(design.width)
    for (position, part), start in zip(design.used_blocks, design.starts, strict=False):
        if not isinstance(part, NumberBlock):
            continue
        if part.scale == 0:
            factors[start] = 0.0
        elif is_sparse(table.data[position]):
            if scale == RANGE:
                factors[start] = 1 / float(abs(matrix[:, [start]]).max())
        elif scale == DEVIATION:
            centers[start], factors[start] = part.mean, 1 / round_digits(part.scale)
        elif scale == RANGE:
            column = matrix[:, [start]].toarray() if sparse else matrix[:, start]
            low, high = float(column.min()), float(column.max())
            centers[start], factors[start] = round_within(low, 1e-9 * (high - low)), 1 / round_digits(high - low, 12)
    return DesignScaling(centers, factors)


def _sort_by_hash(points: SvmPoints) -> SvmPoints:
    """Return the points by their hash, equal ones of a class as one."""
    hashed = point_hashes(points.matrix)
    order = np.lexsort((points.weights, points.labels, hashed))
    same = np.zeros(len(order), dtype=np.bool_)
    same[1:] = (np.diff(hashed[order]) == 0) & (np.diff(points.labels[order]) == 0)
    starts = np.flatnonzero(~same)
    firsts = np.minimum.reduceat(order, starts)  # of equal rows, the first of the table
    weights = np.add.reduceat(points.weights[order], starts)
    matrix = points.matrix[firsts]
    matrix = np.ascontiguousarray(matrix) if isinstance(matrix, np.ndarray) else matrix
    return replace(points, matrix=matrix, labels=points.labels[firsts], weights=weights, rows=firsts)
