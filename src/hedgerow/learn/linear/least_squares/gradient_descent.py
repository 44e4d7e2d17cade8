"""Gradient descent on squared errors, batch and stochastic: steps, stop rule, starts, and rates that diverge.

Cost: J = half the weighted sum of squared errors. A batch step moves every theta, the intercept too, by the rate times
the sum over all rows of error times value; a stochastic pass does so row by row, in the order of the rows. The sum over
all rows is taken from the products of the columns, X'y - X'X theta, which are counted once: the same step, but its
cost does not depend on the number of rows. Where there are too many sparse columns for that, all rows are read.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from hedgerow import _kernels
from hedgerow.data.design.design import Design
from hedgerow.data.table.table import Numbers, Table
from hedgerow.errors import UsageError
from hedgerow.layout.rounding import round_digits
from hedgerow.learn.linear.least_squares.products import Means, Products

BLOCK_NUMBERS = 1 << 21  # of the matrix that is held while steps go through its rows
RISES = 10  # consecutive steps that raise the cost: the rate diverges
FARTHEST = 1e12  # times the first cost: the rate diverges
HALVINGS = 14  # share of the largest rate that is the default
KEPT = 1000  # steps that are stored


@dataclass(frozen=True, eq=False)
class DescentStep:
    """The state of descent after some passes: theta (the intercept first) and its cost.

    For a stochastic step also the row and its error before the step.
    """

    number: int
    theta: Numbers
    cost: float
    row: int | None = None
    error: float | None = None


@dataclass
class DescentPath:
    """One descent: its first steps, its last step, and how it ended."""

    rate: float
    steps: list[DescentStep] = field(default_factory=list)
    last: DescentStep | None = None
    end_reason: str = "passes"  # "settled", "diverged"


class Objective(ABC):
    """The objective of descent: the cost of thetas, and the largest possible rate."""

    by_row = False  # whether thetas are updated row by row

    @abstractmethod
    def cost(self, theta: Numbers) -> float:
        """Return half the weighted sum of squared errors."""

    @abstractmethod
    def limit(self) -> float:
        """Return the rate from which on descent cannot converge, or would not for the largest row."""


class ObjectiveInMemory(Objective):
    """An objective whose rows, or their products, are in memory."""

    @abstractmethod
    def run_pass(self, theta: Numbers, rate: float) -> Numbers:
        """Return the thetas after one pass over all rows."""


@dataclass(eq=False)
class BatchObjective(ObjectiveInMemory):
    """Batch steps by products of 1, the columns and the target, stored as means and products of deviations."""

    weight: float
    means: Numbers  # of 1, the columns and the target
    centered: Numbers  # likewise
    ridge: float = 0.0

    def __post_init__(self) -> None:
        products = self.weight * np.outer(self.means, self.means) + self.centered
        self.penalty = np.full(len(self.means) - 1, self.ridge)
        self.penalty[0] = 0.0
        self.inner, self.right = products[:-1, :-1] + np.diag(self.penalty), products[:-1, -1]

    @classmethod
    def of(cls, products: Products, shift: Numbers, factor: Numbers, ridge: float = 0.0) -> BatchObjective:
        """Return the same of columns from which `shift` is taken, and which are then multiplied."""
        unit = np.concatenate([[0.0], products.units * factor, [products.target_unit]])
        means = np.concatenate([[1.0], (products.user_means - shift) * factor, [products.target_mean]])
        centered = np.zeros((len(unit), len(unit)))
        centered[1:, 1:] = products.centered_products
        return cls(products.weight, means, centered * np.outer(unit, unit), ridge)

    def cost(self, theta: Numbers) -> float:
        """Return half the squared errors, from their mean and deviations, plus the penalty."""
        both = np.append(theta, -1.0)
        with np.errstate(over="ignore", invalid="ignore"):
            squares = self.weight * float(both @ self.means) ** 2 + max(float(both @ self.centered @ both), 0.0)
            return (squares + float(self.penalty @ np.square(theta))) / 2

    def run_pass(self, theta: Numbers, rate: float) -> Numbers:
        """Return theta + rate * (X'y - X'X theta)."""
        with np.errstate(over="ignore", invalid="ignore"):
            return np.asarray(theta + rate * (self.right - self.inner @ theta))

    def limit(self) -> float:
        """Return 2 over the largest eigenvalue of X'X."""
        largest = float(np.linalg.eigvalsh(self.inner)[-1])
        return 2 / largest if largest > 0 else np.inf


@dataclass(eq=False)
class RowObjective(ObjectiveInMemory):
    """Steps through the rows of a table, which are converted to matrix blocks during the pass."""

    design: Design
    table: Table
    shift: Numbers  # subtracted from the columns, which are then
    factor: Numbers  # multiplied
    batch_objective: BatchObjective | None = None  # costs come from these products, if they are known
    batch: bool = False
    cached_blocks: list[tuple[Any, Numbers, Numbers | None]] | None = None

    @property
    def by_row(self) -> bool:  # type: ignore[override]
        """Whether thetas are updated row by row."""
        return not self.batch

    def blocks(self) -> Iterator[tuple[Any, Numbers, Numbers | None]]:
        """Yield matrix, target and weights of the rows, block by block; a single block is cached."""
        if self.cached_blocks is not None:
            yield from self.cached_blocks
            return
        width = max(self.design.width, 1)
        sparse = self.design.is_sparse(self.table)
        size = self.table.n_rows if sparse else max(BLOCK_NUMBERS // width, 1)
        if size >= self.table.n_rows:
            self.cached_blocks = [self._block(self.table, sparse)]
            yield from self.cached_blocks
            return
        for part in self.table.batches(size):
            yield self._block(part, sparse)

    def _block(self, table: Table, sparse: bool) -> tuple[Any, Numbers, Numbers | None]:
        matrix = self.design.matrix(table)
        target = table.target_numbers
        if sparse:
            from scipy.sparse import csr_array, diags_array

            return csr_array(matrix @ diags_array(self.factor)), target, table.weights
        if self.shift.any():
            matrix -= self.shift
        if (self.factor != 1).any():
            matrix *= self.factor
        return matrix, target, table.weights

    def cost(self, theta: Numbers) -> float:
        """Return half the squared errors of all rows."""
        if self.batch_objective is not None:
            return self.batch_objective.cost(theta)
        total = 0.0
        with np.errstate(over="ignore", invalid="ignore"):
            for matrix, target, weights in self.blocks():
                errors = target - (theta[0] + matrix @ theta[1:])
                squares = np.square(errors)
                total += float(squares.sum() if weights is None else squares @ weights)
        return total / 2

    def run_pass(self, theta: Numbers, rate: float) -> Numbers:
        """Return the thetas after an update by every row, or by all rows together."""
        if self.batch:
            return self._run_batch_pass(theta, rate)
        theta = theta.copy()
        for matrix, target, weights in self.blocks():
            if not step_block(matrix, target, weights, rate, theta):
                return np.full(len(theta), np.inf)
        return theta

    def _run_batch_pass(self, theta: Numbers, rate: float) -> Numbers:
        total = np.zeros(len(theta))
        with np.errstate(over="ignore", invalid="ignore"):
            for matrix, target, weights in self.blocks():
                errors = target - (theta[0] + matrix @ theta[1:])
                errors = errors if weights is None else errors * weights
                total[0] += errors.sum()
                total[1:] += matrix.T @ errors
            return np.asarray(theta + rate * total)

    def limit(self) -> float:
        """Return 2 over the largest weighted square of a row; of batch steps over the sum of them, a safe bound."""
        largest, total = self.squares()
        bound = total if self.batch else largest
        return 2 / bound if bound > 0 else np.inf

    def squares(self) -> tuple[float, float]:
        """Return the largest weighted square of a row and the sum of them, 1 for the intercept included."""
        largest = total = 0.0
        for matrix, _, weights in self.blocks():
            squares = 1 + np.asarray((matrix * matrix).sum(axis=1)).ravel()
            squares = squares if weights is None else squares * weights
            largest, total = max(largest, float(squares.max(initial=0.0))), total + float(squares.sum())
        return largest, total


@dataclass(frozen=True, eq=False)
class RowFrame:
    """How positions become the values used in descent: `shift` is subtracted, then they are multiplied."""

    design: Design
    means: Means
    shift: Numbers
    factor: Numbers

    @classmethod
    def of(cls, design: Design, means: Means, *, standardize: bool, sparse: bool = False) -> RowFrame:
        """Return values as they are, or with mean 0 and deviation 1; sparse columns stay sparse and are not shifted."""
        n, spread = len(means.places), means.deviations
        if not standardize:
            return cls(design, means, np.zeros(n), np.ones(n))
        factor = np.where(spread > 0, 1 / np.where(spread > 0, spread, 1.0), 0.0)
        return cls(design, means, np.zeros(n) if sparse else means.places, factor)

    def batch(self, products: Products, ridge: float = 0.0) -> BatchObjective:
        """Return batch steps by products."""
        return BatchObjective.of(products, self.shift, self.factor, ridge)

    def rows(self, table: Table, known: BatchObjective | None = None, *, batch: bool = False) -> RowObjective:
        """Return steps through the rows of a table."""
        return RowObjective(self.design, table, self.shift, self.factor, known, batch)

    def user(self, theta: Numbers) -> tuple[float, Numbers]:
        """Return intercept and slopes on the user's scale."""
        slopes = theta[1:] * self.factor
        return float(theta[0]) - float(slopes @ self.shift), slopes


def step_block(matrix: Any, target: Numbers, weights: Numbers | None, rate: float, theta: Numbers) -> bool:
    """Update theta in place by the rows of a block, one after another; return False if it overflows."""
    if isinstance(matrix, np.ndarray):
        return bool(_kernels.run_sgd_steps(matrix, target, weights, rate, theta))
    starts, ids = matrix.indptr.astype(np.int64), matrix.indices.astype(np.int32)
    return bool(_kernels.run_sparse_sgd_steps(starts, ids, matrix.data, target, weights, rate, theta))


class DescentProgress:
    """The progress of one descent: the rate and the stopping rule after every pass.

    The cost has converged when a pass lowers it by no more than `tolerance` times itself. Row by row, at a constant
    rate, the last rows always pull the thetas away from the lowest cost; so a rate that may be `halved` is halved
    whenever a pass lowers the cost by less than the root of `tolerance`, and descent has converged after enough
    halvings.
    """

    def __init__(self, start: Numbers, cost: float, rate: float, tolerance: float, halved: bool = False) -> None:
        self.path = DescentPath(rate)
        self.theta, self.rate, self.tolerance, self.halved = start, rate, tolerance, halved
        self.path.last = DescentStep(0, start, cost)
        self.path.steps.append(self.path.last)
        self.first, self.rises, self.halvings = max(cost, 1e-300), 0, 0
        self.done = False

    def record_pass(self, theta: Numbers, cost: float) -> bool:
        """Record the thetas after a pass and their cost; return whether another pass is needed."""
        path = self.path
        assert path.last is not None
        before, self.theta = path.last.cost, theta
        path.last = DescentStep(path.last.number + 1, theta, cost)
        if len(path.steps) <= KEPT:
            path.steps.append(path.last)
        self.rises = self.rises + 1 if cost > before * (1 + 1e-9) else 0
        if not np.isfinite(cost) or (self.rises and cost > FARTHEST * self.first) or self.rises >= RISES:
            path.end_reason = "diverged"
        elif cost <= 1e-28 * self.first or self._is_slow(before, cost):
            path.end_reason = "settled"
        self.done = path.end_reason != "passes"
        return not self.done

    def _is_slow(self, before: float, cost: float) -> bool:
        """Return whether the cost has converged; halve the rate while that helps."""
        if not self.halved:
            return abs(before - cost) <= self.tolerance * before
        if before - cost > self.tolerance**0.5 * before:
            return False
        if self.halvings == HALVINGS:
            return True
        self.halvings += 1
        self.rate /= 2
        return False


def descend(slope: ObjectiveInMemory, start: Numbers, rate: float | None, passes: int, tolerance: float) -> DescentPath:
    """Return the descent from `start`, until the cost converges, diverges, or the passes are used up."""
    first = round_digits(slope.limit() / 2, 2) if rate is None else rate
    walk = DescentProgress(start, slope.cost(start), first, tolerance, halved=rate is None and slope.by_row)
    for _ in range(passes):
        theta = slope.run_pass(walk.theta, walk.rate)
        if not walk.record_pass(theta, slope.cost(theta) if np.isfinite(theta).all() else np.inf):
            break
    return walk.path


def best_path(
    slope: ObjectiveInMemory, starts: list[Numbers], rate: float | None, passes: int, tolerance: float
) -> tuple[DescentPath, list[DescentPath]]:
    """Return the descent with the lowest final cost, and all descents."""
    return lowest([descend(slope, start, rate, passes, tolerance) for start in starts])


def lowest(paths: list[DescentPath]) -> tuple[DescentPath, list[DescentPath]]:
    """Return the descent with the lowest final cost, and all descents."""
    costs = [path.last.cost if path.last is not None and path.end_reason != "diverged" else np.inf for path in paths]
    return paths[int(np.argmin(costs))], paths


def diverges(path: DescentPath, slope: Objective) -> str:
    """Return the sentence on a rate that is too large."""
    assert path.last is not None
    limit = slope.limit()
    first, last = path.steps[0].cost, path.last.cost
    now = f"{last:.6g}" if np.isfinite(last) else "infinity"
    advice = f"try rate={round_digits(limit / 2, 2):g}, or rate=none, which finds one" if np.isfinite(limit) else ""
    return (
        f"rate={path.rate:g} is too large: the cost rose from {first:.6g} to {now} in {path.last.number} "
        f"{'pass' if path.last.number == 1 else 'passes'}, so descent diverges; {advice}"
    )


def check_end(path: DescentPath, slope: Objective, passes: int) -> tuple[str, ...]:
    """Raise an error if descent diverged; return notes on how it ended."""
    assert path.last is not None
    if path.end_reason == "diverged":
        raise UsageError(diverges(path, slope))
    if path.last.cost > path.steps[0].cost * (1 + 1e-9):
        return (diverges(path, slope),)
    if path.end_reason == "passes":
        text = f"descent ended after {passes} {'pass' if passes == 1 else 'passes'} before the cost converged"
        return (f"{text}; use more passes, another rate or standardize=True",)
    return ()


def make_starts(width: int, start: float, starts: int, seed: Callable[[], np.random.Generator]) -> list[Numbers]:
    """Return where descents start: all thetas at `start`, then at random around it."""
    first = np.full(width + 1, float(start))
    chance = seed() if starts > 1 else None
    return [first, *(first + chance.standard_normal(width + 1) for _ in range(starts - 1) if chance is not None)]
