"""L-BFGS in the span of the rows: for texts, where there are many more coefficients than rows times classes.

With an l2 penalty the best slopes are weighted sums of the rows, theta = X'A (Kimeldorf, Wahba 1971), and so is every
gradient on the way, X'(E + A), where E is the error of the probabilities. So each vector that L-BFGS remembers is held
by its A, one number per row and class, beside its values at the rows, F = XX'A: the product of two of them is the sum
of A * F. An iteration takes one multiplication by X' and one by X, for XX'E; steps of any size along a direction need
none, as the values at the rows are known. Columns are divided by the root of their penalty, so that all count alike.

Cost: two passes over the values of the sparse matrix per iteration. Memory: 4 * MEMORY numbers per row and class, the
matrix twice (by rows and by columns), and the slopes.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from hedgerow import _kernels
from hedgerow.data.table.table import Codes, Numbers
from hedgerow.data.table.threads import n_threads
from hedgerow.learn.linear.logistic.lbfgs import two_loops
from hedgerow.learn.linear.logistic.likelihood import LogisticProblem, LogisticSolution, SolverStep

MEMORY = 10  # moves that are stored
TRIALS = 60  # sizes of a step that are tried; each costs no pass
FLAT = 0.5  # share of the initial slope at which a step may end
KEPT = 1000  # steps that are stored


@dataclass(frozen=True, eq=False)
class SpanVector:
    """A vector in the span of the rows, and intercepts: X'`rows` with values `values` the rows, and `ends`."""

    rows: Numbers  # (rows, told)
    values: Numbers  # (rows, told)
    ends: Numbers  # (told,)

    def __add__(self, other: SpanVector) -> SpanVector:
        return SpanVector(self.rows + other.rows, self.values + other.values, self.ends + other.ends)

    def times(self, factor: float) -> SpanVector:
        """Return the vector times a number."""
        return SpanVector(factor * self.rows, factor * self.values, factor * self.ends)

    def dot(self, other: SpanVector) -> float:
        """Return the product of two vectors."""
        return float(np.vdot(self.rows, other.values)) + float(self.ends @ other.ends)


@dataclass(frozen=True, eq=False)
class SparseMatrix:
    """A sparse matrix in row-major order, for products."""

    starts: Any
    ids: Codes
    values: Numbers

    @classmethod
    def of(cls, matrix: Any) -> SparseMatrix:
        """Return a SciPy matrix in the kernel's form."""
        return cls(matrix.indptr.astype(np.int64), matrix.indices.astype(np.int32, copy=False), matrix.data)

    def times(self, lines: Numbers) -> Numbers:
        """Return the product with a narrow matrix."""
        out = _kernels.multiply_sparse(self.starts, self.ids, self.values, np.ascontiguousarray(lines), n_threads())
        return np.asarray(out).reshape(-1, lines.shape[1])


class ScaledRows:
    """The rows, each column divided by the root of its penalty."""

    def __init__(self, problem: LogisticProblem) -> None:
        from scipy.sparse import csr_array

        frame, l2 = problem.frame, problem.penalty.l2
        moving = (l2 > 0) & (frame.factors > 0)
        roots = np.where(moving, 1 / np.sqrt(np.where(moving, l2, 1.0)), 0.0)
        self.factors = frame.factors * roots
        self.roots, self.shift = roots, frame.centers * self.factors
        matrix = csr_array(problem.design.matrix(problem.table))
        values = matrix.data * self.factors[matrix.indices]
        matrix = csr_array((values, matrix.indices, matrix.indptr), shape=matrix.shape)
        self.matrix, self.across = SparseMatrix.of(matrix), SparseMatrix.of(csr_array(matrix.T))
        self.labels, self.based, self.weights = problem.labels, problem.based, problem.weights
        self.lines = np.arange(len(self.labels))

    def slopes(self, rows: Numbers) -> Numbers:
        """Return X'A, one line per position."""
        out = self.across.times(rows)
        if self.shift.any():
            out -= np.outer(self.shift, rows.sum(axis=0))
        return np.asarray(out)

    def multiply_gram(self, rows: Numbers) -> Numbers:
        """Return XX'A."""
        slopes = self.slopes(rows)
        out = self.matrix.times(slopes)
        return np.asarray(out - self.shift @ slopes if self.shift.any() else out)

    def chances(self, functions: Numbers) -> tuple[float, Numbers]:
        """Return the negative log-likelihood of functions at the rows, and the errors of the probabilities."""
        top = functions.max(axis=1)
        if self.based:
            top = np.maximum(top, 0.0)
        errors = np.exp(functions - top[:, None])
        norm = errors.sum(axis=1)
        if self.based:
            norm += np.exp(-top)
        errors /= norm[:, None]
        has_function = self.labels >= self.based
        places = self.labels[has_function] - int(self.based)
        own = np.zeros(len(top))
        own[has_function] = functions[self.lines[has_function], places]
        errors[self.lines[has_function], places] -= 1.0
        costs = np.log(norm) + top - own
        if self.weights is None:
            return float(costs.sum()), errors
        return float(costs @ self.weights), errors * self.weights[:, None]


@dataclass(frozen=True, eq=False)
class SpanPoint:
    """The state of the descent: theta, its errors, its cost and the gradient."""

    theta: SpanVector
    errors: Numbers
    cost: float
    slope: SpanVector


def minimize_in_span(problem: LogisticProblem, start: Numbers, passes: int, tolerance: float) -> LogisticSolution:
    """Return the result of L-BFGS, started with the intercepts of `start` and slopes of 0."""
    rows = ScaledRows(problem)
    n_functions = start.shape[0]
    weight = float(len(rows.labels) if rows.weights is None else rows.weights.sum())
    unit = (max(n_functions, 2) / max(weight, 1e-300)) ** 0.5  # of intercepts, for a curvature like that of slopes
    zeros = np.zeros((len(rows.labels), n_functions))

    def make_point(theta: SpanVector, cost: float, errors: Numbers) -> SpanPoint:
        at = rows.multiply_gram(errors) + theta.values
        slope = SpanVector(errors + theta.rows, at, unit * errors.sum(axis=0))
        return SpanPoint(theta, errors, cost + theta_square(theta), slope)

    def theta_square(theta: SpanVector) -> float:
        return float(np.vdot(theta.rows, theta.values)) / 2

    theta = SpanVector(zeros, zeros, start[:, -1] / unit)
    point = make_point(theta, *rows.chances(unit * theta.ends + theta.values))
    pairs = RowSpanHistory(len(rows.labels), n_functions)
    steps = [SolverStep(0, point.cost, start[:, :0], 0.0)]
    asked, settled, fine = 1, False, 0
    while not settled and asked < passes:
        direction = pairs.direction(point.slope)
        fall = point.slope.dot(direction)
        if not fall < 0:
            settled = not pairs.count  # as exact as rounding allows
            pairs.clear()
            continue
        found = _line_search(rows, point, direction, fall, unit)
        if found is None:
            settled = not pairs.count
            pairs.clear()
            continue
        size, cost, errors = found
        moved = direction.times(size)
        new = make_point(point.theta + moved, cost, errors)
        asked += 1
        changed = new.slope + point.slope.times(-1.0)
        if moved.dot(changed) > 0:
            pairs.add(moved, changed)
        gain = point.cost - new.cost
        point = new
        if len(steps) < KEPT:
            steps.append(SolverStep(len(steps), point.cost, start[:, :0], size))
        fine = fine + 1 if gain <= tolerance * abs(point.cost) else 0
        settled = fine >= 2
    out = np.empty(start.shape)
    out[:, :-1] = (rows.slopes(point.theta.rows) * rows.roots[:, None]).T
    out[:, -1] = unit * point.theta.ends
    return LogisticSolution(out, point.cost, settled, asked, None, tuple(steps))


class RowSpanHistory:
    """The last moves and changes of the gradient; a product of two uses the rows of one and the values of the other.

    The usual two-loop recursion is done in coefficients, as in lbfgs.py.
    """

    def __init__(self, n_rows: int, n_functions: int) -> None:
        self.shape = n_rows, n_functions
        self.count = self.next = 0
        self.rows = np.zeros((0, n_rows * n_functions))  # of moves, then of changes
        self.at, self.ends = self.rows, np.zeros((2 * MEMORY, n_functions))
        self.products = np.zeros((2 * MEMORY, 2 * MEMORY))

    def clear(self) -> None:
        """Drop all stored steps."""
        self.count = self.next = 0

    def add(self, moved: SpanVector, changed: SpanVector) -> None:
        """Store a move, replacing the oldest if the memory is full."""
        if not len(self.rows):
            self.rows, self.at = np.zeros((2, 2 * MEMORY, self.shape[0] * self.shape[1]))
        places = self.next, MEMORY + self.next
        for place, one in zip(places, (moved, changed), strict=True):
            self.rows[place], self.at[place], self.ends[place] = one.rows.ravel(), one.values.ravel(), one.ends
        for place, one in zip(places, (moved, changed), strict=True):
            self.products[place] = self.products[:, place] = self.products_with_history(one)
        self.next, self.count = (self.next + 1) % MEMORY, min(self.count + 1, MEMORY)

    def products_with_history(self, one: SpanVector) -> Numbers:
        """Return the products of a vector with all that are stored."""
        return np.asarray(self.rows @ one.values.ravel() + self.ends @ one.ends)

    def direction(self, slope: SpanVector) -> SpanVector:
        """Return minus the inverse Hessian, as approximated, times the gradient."""
        if not self.count:
            return slope.times(-1.0)
        order = [(self.next - 1 - i) % MEMORY for i in range(self.count)]  # the newest first
        own, shares = two_loops(order, self.products_with_history(slope), self.products)
        sums = SpanVector(
            (shares @ self.rows).reshape(self.shape), (shares @ self.at).reshape(self.shape), shares @ self.ends
        )
        return sums + slope.times(own)


def _line_search(
    rows: ScaledRows, point: SpanPoint, direction: SpanVector, fall: float, unit: float
) -> tuple[float, float, Numbers] | None:
    """Return the step size, the cost there without penalty, and the errors; by the secant rule between bounds."""
    here = point.theta.values + unit * point.theta.ends
    along = direction.values + unit * direction.ends
    cross, square = float(np.vdot(point.theta.rows, direction.values)), float(np.vdot(direction.rows, direction.values))
    base = float(np.vdot(point.theta.rows, point.theta.values)) / 2
    low, low_steep, high, high_steep, size = 0.0, fall, np.inf, np.inf, 1.0
    for _ in range(TRIALS):
        cost, errors = rows.chances(here + size * along)
        now = cost + base + size * cross + size * size * square / 2
        steep = float(np.vdot(errors, along)) + cross + size * square
        if abs(steep) <= FLAT * abs(fall) and now <= point.cost + 1e-4 * size * fall + 1e-14 * abs(point.cost):
            return size, cost, errors
        if steep > 0 or not np.isfinite(now):
            high, high_steep = size, steep if np.isfinite(steep) else np.inf
        else:
            low, low_steep = size, steep
        if high == np.inf:
            flat = size * fall / (fall - steep) if steep > fall else 10 * size
            size = float(np.clip(flat, 1.5 * size, 10 * size))
        else:
            share = low_steep / (low_steep - high_steep) if high_steep < np.inf else 0.5
            size = low + (high - low) * float(np.clip(share, 0.1, 0.9))
        if size < 1e-20 or high - low <= 1e-15 * low:
            return None
    return None
