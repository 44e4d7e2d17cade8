"""Least absolute errors of a table, solved on active rows until all others lie on the expected side of the line.

Few rows matter: those near the line. For large tables a sample is solved first; rows far from its line are assumed to
stay on their side, where only their sum counts, and the near ones are solved exactly. Rows that then turn out to lie on
the other side join the near ones, until there are none (Portnoy and Koenker 1997): the optimum of all rows.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hedgerow.data.design.design import Design
from hedgerow.data.table.table import Numbers, Rows, Table
from hedgerow.errors import DataError
from hedgerow.learn.linear.absolute.interior_point import along, near_optimum, predict_rows
from hedgerow.learn.linear.absolute.simplex import Vertex, best_vertex

FEW = 1 << 20  # numbers of a matrix that is solved as a whole
MOST_NUMBERS = 60_000_000  # of the matrix of the near rows: 480 MB
BLOCK_NUMBERS = 1 << 22  # numbers of a matrix block in a pass through all rows
LEAST = 1e-12  # weight relative to the largest
ROUNDS = 30


@dataclass(frozen=True, eq=False)
class AbsoluteSolution:
    """Coefficients on the user's scale, and statistics of the fit."""

    intercept: float
    slopes: Numbers
    errors: Numbers  # of every row, on the user's scale
    vertex: Vertex


@dataclass(eq=False)
class ScaledProblem:
    """The rows of a table for solvers: kept positions and target centered and scaled, with a leading 1."""

    design: Design
    table: Table  # its rows have weights above 0
    kept_positions: NDArray[np.bool_]
    center: float
    unit: float

    @cached_property
    def target(self) -> Numbers:
        """The target of every row, on the user's scale."""
        return self.table.target_numbers

    @cached_property
    def weights(self) -> Numbers:
        """The weight of every row; a negligible weight is raised to a share that can be divided by."""
        weights = self.table.row_weights
        return np.maximum(weights, LEAST * float(weights.max(initial=0.0)))

    @cached_property
    def factor(self) -> Numbers:
        """The factor of each kept position."""
        scales = self.design.scales[self.kept_positions]
        return np.where(scales > 0, 1 / np.where(scales > 0, scales, 1.0), 0.0)

    @cached_property
    def shift(self) -> Numbers:
        """The number subtracted from each kept position."""
        return np.asarray(self.design.centers[self.kept_positions])

    @property
    def width(self) -> int:
        """The number of thetas."""
        return 1 + int(np.count_nonzero(self.kept_positions))

    def matrix(self, table: Table) -> Numbers:
        """Return the matrix of some rows."""
        out = np.empty((table.n_rows, self.width))
        out[:, 0] = 1.0
        whole: Any = self.design.matrix(table)
        part = whole[:, np.flatnonzero(self.kept_positions)]
        out[:, 1:] = part if isinstance(part, np.ndarray) else part.toarray()
        out[:, 1:] -= self.shift
        out[:, 1:] *= self.factor
        return out

    def blocks(self) -> Iterator[tuple[slice, Numbers]]:
        """Yield all rows in blocks."""
        size = max(1, BLOCK_NUMBERS // self.width)
        for begin in range(0, self.table.n_rows, size):
            rows = slice(begin, min(begin + size, self.table.n_rows))
            yield rows, self.matrix(self.table.slice(rows.start, rows.stop))

    def user(self, theta: Numbers) -> tuple[float, Numbers]:
        """Return intercept and slopes of all positions on the user's scale."""
        slopes = np.zeros(len(self.kept_positions))
        slopes[self.kept_positions] = theta[1:] * self.factor * self.unit
        return self.center + float(theta[0]) * self.unit - float(slopes[self.kept_positions] @ self.shift), slopes

    def errors(self, theta: Numbers) -> Numbers:
        """Return target minus prediction of every row, divided by the unit."""
        intercept, slopes = self.user(theta)
        return np.asarray((self.target - self.design.values(self.table, intercept, slopes)) / self.unit)


def least_absolute(view: ScaledProblem, quantile: float) -> AbsoluteSolution:
    """Return the coefficients of least absolute errors, or of least quantile loss."""
    rows = view.table.n_rows
    if rows * view.width <= FEW:
        right = np.zeros(view.width)
        for block, matrix in view.blocks():
            right += along(matrix, (1 - quantile) * view.weights[block])
        vertex = _solve_rows(view, np.arange(rows), right)
    else:
        vertex = _solve_by_near_rows(view, quantile)
    intercept, slopes = view.user(vertex.theta)
    return AbsoluteSolution(intercept, slopes, view.errors(vertex.theta) * view.unit, vertex)


def _solve_by_near_rows(view: ScaledProblem, quantile: float) -> Vertex:
    """Return the best vertex of a large table, using the rows near the line."""
    rows = view.table.n_rows
    some = min(rows, max(int((rows * view.width) ** (2 / 3)), 20 * view.width, FEW // (8 * view.width)))
    chance = np.random.default_rng(1)
    sample = np.sort(chance.choice(rows, some, replace=False))
    part = view.matrix(view.table.take(sample)) * view.weights[sample][:, None]
    target = (view.target[sample] - view.center) / view.unit * view.weights[sample]
    theta = near_optimum(part, target, (1 - quantile) * part.sum(axis=0)).theta
    errors, close = view.errors(theta), min(rows, some)
    near = _nearest(errors, close)
    above = (errors > 0) & ~near
    for _ in range(ROUNDS):
        shares = (1 - quantile) * view.weights - np.where(above, view.weights, 0.0)
        right = np.zeros(view.width)
        for block, matrix in view.blocks():
            right += along(matrix, shares[block])
        vertex = _solve_rows(view, np.flatnonzero(near), right)
        if vertex.bounded:
            errors = view.errors(vertex.theta)
            wrong = ~near & ((errors > 0) != above) & (np.abs(errors) > 1e-12)
            if not wrong.any():
                return vertex
        if not vertex.bounded or np.count_nonzero(wrong) > close // 4:
            close = min(2 * close, rows)
            near = _nearest(errors, close)
        else:
            near |= wrong
        above = (errors > 0) & ~near
    return replace(vertex, proven=False)  # it is the best of the near rows only


def _nearest(errors: Numbers, close: int) -> NDArray[np.bool_]:
    """Return the rows nearest to the line."""
    if close >= len(errors):
        return np.ones(len(errors), dtype=np.bool_)
    sizes = np.abs(errors)
    return np.asarray(sizes <= np.partition(sizes, close)[close])


def _solve_rows(view: ScaledProblem, rows: Rows, right: Numbers) -> Vertex:
    """Return the best vertex of some rows."""
    if len(rows) * view.width > MOST_NUMBERS:
        raise DataError(
            f"{len(rows):,} rows of {view.width:,} coefficients (one per level and term) do not fit in memory; keep "
            "fewer terms (most=1000, min_rows=5), or train on a sample of the rows"
        )
    table = view.table if len(rows) == view.table.n_rows else view.table.take(rows)
    matrix, target, weights = _merge_equal_rows(
        view.matrix(table), (view.target[rows] - view.center) / view.unit, view.weights[rows]
    )
    matrix *= weights[:, None]
    target *= weights
    if len(target) < view.width:
        return Vertex(np.zeros(view.width), rows[:0], False, False, 0, False)
    near = near_optimum(matrix, target, right)
    return best_vertex(matrix, target, right, near.slackness, near.theta)


def _merge_equal_rows(matrix: Numbers, target: Numbers, weights: Numbers) -> tuple[Numbers, Numbers, Numbers]:
    """Return the rows in canonical order, equal ones merged with the sum of their weights.

    So neither the order of the rows nor their repetition can decide between equally good coefficients.
    """
    mixed = predict_rows(matrix, np.asarray(np.random.default_rng(3).uniform(0.5, 1.5, matrix.shape[1])))
    order = np.lexsort((mixed, target))
    matrix, target, weights = matrix[order], target[order], weights[order]
    if not len(order):
        return matrix, target, weights
    new = np.ones(len(order), dtype=np.bool_)
    again = np.flatnonzero((target[1:] == target[:-1]) & (mixed[order][1:] == mixed[order][:-1])) + 1
    new[again] = (matrix[again] != matrix[again - 1]).any(axis=1)
    starts = np.flatnonzero(new)
    return matrix[starts], target[starts], np.add.reduceat(weights, starts)
