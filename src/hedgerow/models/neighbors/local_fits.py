"""LocalRows: stored rows, for a separate least squares fit around every new row."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from hedgerow import _kernels
from hedgerow.data.design.blocks import LevelBlock, NumberBlock
from hedgerow.data.design.design import Design
from hedgerow.data.design.design_counts import LARGEST
from hedgerow.data.table.schema import Kind, Schema
from hedgerow.data.table.table import Codes, Numbers, Table
from hedgerow.data.table.threads import n_threads
from hedgerow.errors import ModelError
from hedgerow.models.base.checked_parts import expect_parts, weights_part
from hedgerow.models.base.design_parts import design_of, design_parts, number_part
from hedgerow.models.neighbors.distance import DEVIATION, EUCLIDEAN, MINMAX, NONE, SCALES, RowDistance
from hedgerow.models.neighbors.stored_columns import (
    StoredLevels,
    StoredNeighborColumn,
    StoredNumbers,
    read_stored_column,
)
from hedgerow.models.neighbors.stored_rows import NewRows, StoredRows

RECIPROCAL, GAUSSIAN, TRICUBE = WEIGHTS = ("reciprocal", "gaussian", "tricube")  # in the order of the kernel
MOST_NEIGHBORS = (1 << 53) - 1
MOST_PLACES = 1000  # of a fit
NO_ROWS: Codes = np.empty(0, dtype=np.int32)
ORDER_AT = 4  # of what `_kernels.build_search_tree` returns: the rows of every place


@dataclass(frozen=True)
class LocalWeighting:
    """The weights of near rows, and the kind of fit."""

    weight: str  # one of WEIGHTS
    bandwidth: float
    neighbors: int | None  # None: all rows count
    scale: str  # one of SCALES: the divisor of differences of numbers
    degree: int  # 0: weighted mean, 1: linear
    ridge: float

    def to_dict(self) -> dict[str, Any]:
        """Return plain JSON values."""
        return dict(vars(self))

    @classmethod
    def from_dict(cls, parts: Any) -> LocalWeighting:
        """Build it from its parts, checking them."""
        expect_parts(parts, "weight", "bandwidth", "neighbors", "scale", "degree", "ridge")
        if parts["weight"] not in WEIGHTS or parts["scale"] not in SCALES:
            raise ModelError("its rows have an unknown weight or scale")
        neighbors, degree = parts["neighbors"], parts["degree"]
        if neighbors is not None and (type(neighbors) is not int or not 1 <= neighbors <= MOST_NEIGHBORS):
            raise ModelError("its part 'neighbors' must be a whole number of at least 1, or none")
        bandwidth, ridge = number_part(parts, "bandwidth"), number_part(parts, "ridge")
        if type(degree) is not int or degree not in (0, 1) or bandwidth <= 0 or ridge < 0:
            raise ModelError("its bandwidth, degree or ridge is out of range")
        return cls(parts["weight"], bandwidth, neighbors, parts["scale"], degree, ridge)

    def describe(self) -> str:
        """Return the weight of a row as a formula."""
        return {
            RECIPROCAL: "1 / (d/h + 1)",
            GAUSSIAN: "exp(-d²/(2h²))",
            TRICUBE: "(1 - (d/h)³)³, 0 beyond h",
        }[self.weight]


class LocalFits(NamedTuple):
    """Fits for some rows: values by row, bandwidth and target; of one bandwidth slopes and means too.

    `slopes` are on the user's scale by row, target and position; `means` are the weighted means of the positions and
    the targets among the rows that count.
    """

    values: Numbers
    slopes: Numbers
    place_means: Numbers
    target_means: Numbers


class NearRows(NamedTuple):
    """The nearest rows, nearest first, by their number in the training data; weights are relative to the nearest."""

    rows: Codes
    distances: Numbers
    weights: Numbers


class LocalQueries(NamedTuple):
    """New rows in the form for distances, and their positions in the form for products, by row."""

    rows: NewRows
    places: Numbers


@dataclass(frozen=True, eq=False)
class LocalRows:
    """The rows, how their distances are measured, and the fits to them."""

    design: Design
    columns: tuple[StoredNeighborColumn | None, ...]  # one a column of the schema
    targets: Numbers  # (rows, targets)
    weights: Numbers | None  # None if all rows weigh 1
    how: LocalWeighting

    def __getstate__(self) -> dict[str, Any]:
        derived_names = {"kept", "places", "sorted_rows", "frame"}  # recomputed
        return {name: value for name, value in vars(self).items() if name not in derived_names}

    @property
    def n_rows(self) -> int:
        """How many rows there are."""
        return len(self.targets)

    @cached_property
    def row_weights(self) -> Numbers:
        """The weight of every row."""
        return np.ones(self.n_rows) if self.weights is None else self.weights

    @cached_property
    def total(self) -> float:
        """The weight of all rows."""
        return float(self.row_weights.sum())

    # -- distances ------------------------------------------------------------------------------------------

    @cached_property
    def kept(self) -> StoredRows:
        """The columns in the form for distances."""
        used = {at: one for at, one in enumerate(self.columns) if one is not None}
        n = len(self.columns)
        origins, units = np.zeros(n), np.ones(n)
        for at, one in used.items():
            if isinstance(one, StoredNumbers):
                origins[at] = 0.0 if self.how.scale == NONE else one.range[0]
                units[at] = self._unit(at, one)
        return StoredRows(used, self.n_rows, RowDistance(EUCLIDEAN, origins, units, np.ones(n)))

    def _unit(self, at: int, one: StoredNumbers) -> float:
        if self.how.scale == MINMAX:
            low, high = one.range
            return high - low if high > low else 1.0
        part = self.design.parts[at]
        assert isinstance(part, NumberBlock)
        return part.scale if self.how.scale == DEVIATION and part.scale > 0 else 1.0

    @property
    def used_columns(self) -> dict[int, StoredNeighborColumn]:
        """The columns that are kept, by their position."""
        return self.kept.columns

    @property
    def numbers(self) -> dict[int, StoredNumbers]:
        """Those of numbers."""
        return self.kept.numbers

    @property
    def levels(self) -> dict[int, StoredLevels]:
        """Those of levels."""
        return self.kept.levels

    def unit(self, at: int) -> float:
        """Return the divisor of differences in a numeric column."""
        return float(self.kept.how.units[at])

    def width(self, at: int) -> float:
        """Return the difference of two numbers of which one is missing: that of the smallest and the largest."""
        return self.kept.gap(at)

    # -- positions ---------------------------------------------------------------------------------------------

    @cached_property
    def table(self) -> Table:
        """The rows as a table without target; columns that are not stored are missing."""
        data: list[Any] = []
        for at, column in enumerate(self.design.schema.columns):
            one = self.columns[at]
            if isinstance(one, StoredNumbers):
                data.append(one.values)
            elif isinstance(one, StoredLevels):
                data.append(one.codes)
            else:
                is_number = column.kind is Kind.NUMERIC
                data.append(np.full(self.n_rows, np.nan) if is_number else np.full(self.n_rows, -1, np.int32))
        return Table(self.design.schema, tuple(data), self.n_rows)

    @cached_property
    def fitted_design(self) -> Design:
        """The design of the positions that have slopes: all of them, or none if the fit is a mean."""
        return self.design if self.how.degree else Design(self.design.schema, (None,) * len(self.design.parts))

    def matrix(self, table: Table) -> Numbers:
        """Return the positions of a table's rows; none if the fit is a mean."""
        result = self.fitted_design.matrix(table)
        return np.asarray(result.toarray() if hasattr(result, "toarray") else result, dtype=np.float64)

    @cached_property
    def frame(self) -> tuple[Numbers, Numbers]:
        """The mean of every position, and its deviation or, if it has none, 0."""
        matrix = self.matrix(self.table)
        share = self.row_weights / self.total
        means = share @ matrix
        apart = matrix - means
        deviations = np.sqrt(share @ np.square(apart))
        flat = (matrix == matrix[:1]).all(axis=0) | ~(deviations > 0)
        return means, np.where(flat, 0.0, deviations)

    def _scale_matrix(self, matrix: Numbers) -> Numbers:
        means, deviations = self.frame
        with np.errstate(over="ignore", invalid="ignore"):
            values = (matrix - means) / np.where(deviations > 0, deviations, 1.0)
        values[:, deviations == 0] = 0.0
        return np.clip(values, -LARGEST, LARGEST)

    @cached_property
    def places(self) -> Numbers:
        """The positions of the rows, with mean 0 and deviation 1."""
        return self._scale_matrix(self.matrix(self.table))

    @cached_property
    def target_means(self) -> Numbers:
        """The mean of every target."""
        means: Numbers = self.row_weights @ self.targets / self.total
        return means

    @cached_property
    def sorted_rows(self) -> tuple[Numbers, Numbers, Numbers]:
        """Places, targets and weights in the order of the tree; in its empty positions whatever."""
        order = self.kept.kd_tree[ORDER_AT]
        weights = np.empty(0) if self.weights is None else self.weights[order]
        return self.places[order], (self.targets - self.target_means)[order], weights

    # -- fits -----------------------------------------------------------------------------------------------

    def prepare_queries(self, table: Table) -> LocalQueries:
        """Return new rows of an aligned table in the forms for distances and products."""
        return LocalQueries(self.kept.prepare_queries(table), self._scale_matrix(self.matrix(table)))

    def find_unknown_rows(self, queries: LocalQueries) -> NDArray[np.bool_]:
        """Return which new rows have no known value."""
        return ~queries.rows.is_known

    def fits(self, queries: LocalQueries, *, detailed: bool = False) -> LocalFits:
        """Return the fits for new rows; slopes and means only if requested."""
        return self._fit_queries(queries, np.array([self.how.bandwidth]), NO_ROWS, detailed)

    def leave_one_out_predictions(self, rows: NDArray[Any], bandwidths: Numbers) -> Numbers:
        """Return the leave-one-out predictions by row, bandwidth and target; NaN if there is no other row."""
        queries = self.prepare_queries(self.table.take(rows))
        return self._fit_queries(queries, bandwidths, rows.astype(np.int32)).values

    def _fit_queries(
        self, queries: LocalQueries, bandwidths: Numbers, left: Codes, detailed: bool = False
    ) -> LocalFits:
        n, (places, targets, weights) = len(queries.places), self.sorted_rows
        width, aims = places.shape[1], targets.shape[1]
        values = np.empty((n, len(bandwidths), aims))
        slopes = np.empty((n, aims, width) if detailed else (0, aims, width))
        means = np.empty((n, width + aims) if detailed else (0, width + aims))
        how = (WEIGHTS.index(self.how.weight), bandwidths, float(self.how.neighbors or 0), self.how.ridge)
        arguments = (queries.rows.mixed_columns, np.ascontiguousarray(queries.places), left)
        out = (values.reshape(-1), slopes.reshape(-1), means.reshape(-1))
        _kernels.fit_local_models(self.kept.kd_tree, (places, targets, weights), arguments, *how, *out, n_threads())
        values += self.target_means
        middles, deviations = self.frame
        slopes /= np.where(deviations > 0, deviations, 1.0)
        return LocalFits(values, slopes, means[:, :width] * deviations + middles, means[:, width:] + self.target_means)

    def nearest_rows(self, queries: LocalQueries, most: int) -> NearRows:
        """Return the nearest rows of every new row, up to a maximum, and their weights relative to the nearest."""
        rows, scores = self.kept.nearest(queries.rows, min(most, self.n_rows))
        return NearRows(rows, self.kept.distances(scores), self._relative(queries, -scores))

    def _relative(self, queries: LocalQueries, squares: Numbers) -> Numbers:
        """Return the weights of rows at these squared distances relative to the nearest, without their row weights."""
        h = np.full((len(squares), 1), self.how.bandwidth)
        limit = np.full((len(squares), 1), np.inf)
        if self.how.neighbors is not None:
            limit = self._last(queries, squares)
            h = h * np.sqrt(limit)
        least, d = squares[:, :1], np.sqrt(squares)
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            if self.how.weight == RECIPROCAL:
                result = (np.sqrt(least) + h) / (d + h)
            elif self.how.weight == GAUSSIAN:
                result = np.exp(-(squares - least) / h / h / 2)
            else:
                result = np.clip(1 - (d / h) ** 3, 0.0, None) ** 3
                none = ~(result[:, :1] > 0)
                result = np.where(none, squares == least, result / np.where(none, 1.0, result[:, :1]))
        return np.where(squares == least, 1.0, np.where(squares <= limit, result, 0.0))

    def _last(self, queries: LocalQueries, squares: Numbers) -> Numbers:
        """Return the squared distance of the last of the rows that count, of every new row."""
        k = min(self.how.neighbors or 1, self.n_rows)
        rows, scores = self.kept.nearest(queries.rows, k)
        reached = np.cumsum(self.row_weights[rows], axis=1) >= (self.how.neighbors or 1)
        last = np.where(reached.any(axis=1), reached.argmax(axis=1), k - 1)
        return -scores[np.arange(len(squares)), last][:, None]

    # -- files ----------------------------------------------------------------------------------------------

    def to_dict(self) -> dict[str, Any]:
        """Return the parts of the rows, without their targets."""
        return {
            "design": design_parts(self.design),
            "columns": [
                None if neighbor_column is None else neighbor_column.to_dict() for neighbor_column in self.columns
            ],
            "weights": np.empty(0) if self.weights is None else self.weights,
            "how": self.how.to_dict(),
        }

    @classmethod
    def from_dict(cls, parts: Any, schema: Schema, targets: Numbers) -> LocalRows:
        """Build the rows from their parts and targets."""
        expect_parts(parts, "design", "columns", "weights", "how")
        n = len(targets)
        design, how = design_of(parts["design"], schema), LocalWeighting.from_dict(parts["how"])
        if not n:
            raise ModelError("it has no rows")
        if design.width > MOST_PLACES and how.degree:
            raise ModelError("its design has too many entries")
        if not isinstance(parts["columns"], list) or len(parts["columns"]) != len(schema):
            raise ModelError("local fits need one entry per column")
        columns = tuple(_column(one, at, design, n) for at, one in enumerate(parts["columns"]))
        weights = weights_part(parts, "weights", None)
        if len(weights) not in (0, n) or not (weights > 0).all() or not float(weights.sum()) < LARGEST:
            raise ModelError("its part 'weights' must hold one positive weight per row, or be empty")
        return cls(design, columns, targets, weights if len(weights) else None, how)


def _column(parts: Any, at: int, design: Design, n_rows: int) -> StoredNeighborColumn | None:
    column, part = design.schema.columns[at], design.parts[at]
    if (parts is None) != (part is None):
        raise ModelError(f"column {column.name!r} must be stored if and only if it is in the design")
    if parts is None:
        return None
    neighbor_column = read_stored_column(parts, column)
    if len(neighbor_column) != n_rows:
        raise ModelError(f"column {column.name!r} does not have as many rows as there are targets")
    if isinstance(neighbor_column, StoredNumbers) and isinstance(part, NumberBlock):
        known = neighbor_column.values[~np.isnan(neighbor_column.values)]
        if not len(known) or not (np.abs(known) <= LARGEST).all():
            raise ModelError(f"column {column.name!r} holds a value that is not a number, or too large")
        return neighbor_column
    if isinstance(neighbor_column, StoredLevels) and isinstance(part, LevelBlock):
        return neighbor_column
    raise ModelError(f"column {column.name!r} cannot be stored in this way")
