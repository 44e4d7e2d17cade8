"""Stochastic gradient descent over a stream: after its counts and products, every pass reads the rows once."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from hedgerow.data.design.design import Design
from hedgerow.data.design.design_counts import NumberCounts
from hedgerow.data.table.table import Numbers, Table
from hedgerow.layout.rounding import round_digits
from hedgerow.learn.linear.least_squares.gradient_descent import (
    BatchObjective,
    DescentProgress,
    Objective,
    RowFrame,
    lowest,
    step_block,
)
from hedgerow.learn.linear.least_squares.products import Means, Products
from hedgerow.learn.passes import Plan
from hedgerow.models.linear.linear import Linear

if TYPE_CHECKING:
    from hedgerow.learn.linear.least_squares.linear_regression import LinearRegression


@dataclass(frozen=True, eq=False)
class RowCounts:
    """The statistics of rows for gradient descent: their products, and whether they are sparse."""

    products: Products
    sparse: bool

    def __add__(self, other: RowCounts) -> RowCounts:
        return RowCounts(self.products + other.products, self.sparse or other.sparse)


@dataclass(frozen=True)
class CountRows(Plan):
    """Second pass: products of the positions, which give the cost of any thetas."""

    learner: LinearRegression
    design: Design
    target: NumberCounts

    def count(self, table: Table) -> RowCounts:
        """Return the products of some rows."""
        return RowCounts(Products.of(self.design, self.target, table), self.design.is_sparse(table))

    def advance(self, counts: RowCounts) -> Plan:
        """Return the pass that finds the largest rate."""
        frame = self.learner.frame(self.design, Means.of(counts.products), sparse=counts.sparse)
        return LargestRow(self.learner, frame, frame.batch(counts.products))


@dataclass(eq=False)
class StreamObjective(Objective):
    """The cost of thetas on a stream, by its products; the steps are made while it is read."""

    batch_objective: BatchObjective
    bound: float  # of the rate
    by_row = True

    def cost(self, theta: Numbers) -> float:
        """Return half the weighted sum of squared errors."""
        return self.batch_objective.cost(theta) if np.isfinite(theta).all() else np.inf

    def limit(self) -> float:
        """Return 2 over the largest weighted square of a row."""
        return self.bound


class LargestNumber(float):
    """A number; the sum of two is their maximum."""

    def __add__(self, other: float) -> LargestNumber:
        return LargestNumber(max(self, other))


@dataclass(frozen=True)
class LargestRow(Plan):
    """A pass for the largest square of a row, which determines a rate."""

    learner: LinearRegression
    frame: RowFrame
    batch_objective: BatchObjective

    def count(self, table: Table) -> LargestNumber:
        """Return the largest square of some rows."""
        return LargestNumber(self.frame.rows(table).squares()[0])

    def advance(self, counts: LargestNumber) -> Plan:
        """Return the first pass that makes steps."""
        slope = StreamObjective(self.batch_objective, 2 / counts)
        rate = round_digits(1 / counts, 2) if self.learner.rate is None else float(self.learner.rate)
        halved, tolerance = self.learner.rate is None, float(self.learner.tol)
        starts = self.learner.starting_points(self.frame.design.width)
        walks = [DescentProgress(start, slope.cost(start), rate, tolerance, halved) for start in starts]
        return StepRows(self.learner, self.frame, slope, walks)


class EmptyCounts:
    """An empty result: the steps have been made during the pass."""

    def __add__(self, other: EmptyCounts) -> EmptyCounts:
        return self


@dataclass(eq=False)
class StepRows(Plan):
    """A pass in which every row moves the thetas, in the order of the stream."""

    learner: LinearRegression
    frame: RowFrame
    slope: StreamObjective
    walks: list[DescentProgress]
    moving: list[Numbers] = field(default_factory=list)  # thetas, updated row by row
    passes: int = 0

    in_pairs: ClassVar[bool] = False

    def count(self, table: Table) -> EmptyCounts:
        """Move the thetas of all starts by some rows."""
        if not self.moving:
            self.moving = [walk.theta.copy() for walk in self.walks]
        for matrix, target, weights in self.frame.rows(table).blocks():
            for walk, theta in zip(self.walks, self.moving, strict=True):
                moves = not walk.done and bool(np.isfinite(theta[0]))
                if moves and not step_block(matrix, target, weights, walk.rate, theta):
                    theta[:] = np.inf
        return EmptyCounts()

    def advance(self, counts: EmptyCounts) -> Plan | Linear:  # noqa: ARG002
        """Return the next pass, or the model if all descents have ended."""
        self.passes += 1
        for walk, theta in zip(self.walks, self.moving, strict=True):
            if not walk.done:
                walk.record_pass(theta, self.slope.cost(theta))
        self.moving = []
        if self.passes < int(self.learner.passes) and not all(walk.done for walk in self.walks):
            return self
        best, _ = lowest([walk.path for walk in self.walks])
        return self.learner.model_of_path(best, self.slope, self.frame)
