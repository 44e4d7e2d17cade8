"""The problem that logistic regression solves, and the requests of its solvers for passes over the rows.

Problem: find theta that minimizes the cost

    -log-likelihood + half the sum of l2 * theta^2 + the sum of l1 * |theta|

where the intercepts have no penalty. `theta` is a matrix, one line per class with a function and one column per
position, the intercept LAST: `theta[c] @ [z, 1]` is the linear function of class `told[c]`. With `based` the first
class has no line and its function is 0 (k-1 coupled models); without, every class has one. Positions are scaled by a
frame, z = (x - center) * factor, which `to_user_scale` undoes (design_scaling.py): `DesignScaling.standardizing` is
centered and scaled (solvers that converge best), `DesignScaling.identity` is the user's own scale, in which the
textbook's steps are printed.

How solvers are written (newton.py, lbfgs.py): generators that yield `Question(theta, curved)`, are sent an `Answer`
(cost without l1, its gradient, and the Hessian if requested by `curved`) and return `LogisticSolution`.
`LogisticProblem.run_solver(solver)` drives one over the rows of a table; streams drive the same generators, one pass
per answer.

Solvers that go through the rows in their own order (ascent.py) are called as `climbed(problem, by_row=..., rate=...,
start=..., passes=..., tolerance=...) -> Found`, unscaled, or scaled where columns are standardized: they may call
`problem.answer(theta)` for cost and gradient (ascent: theta += rate * -gradient), and
`problem.design.matrix(problem.table)`, `problem.frame`, `problem.labels`, `problem.weights` for steps row by row.
`LogisticSolution.steps` are what `--show-work` prints (logistic_work.py).
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, TypeVar

import numpy as np

from hedgerow import _kernels
from hedgerow.data.design.blocks import LevelBlock, NumberBlock
from hedgerow.data.design.design import Design
from hedgerow.data.table.table import Codes, Numbers, Table
from hedgerow.data.table.threads import n_threads
from hedgerow.learn.linear.logistic.separation import Margins
from hedgerow.models.base.design_scaling import DesignScaling

Questions = TypeVar("Questions")
AnswerFunction = TypeVar("AnswerFunction")
Solution = TypeVar("Solution")


@dataclass(frozen=True, eq=False)
class Question:
    """A solver's request: the cost at theta, its gradient, and its Hessian if `needs_hessian`.

    With `margins`, only the margins of the rows' own classes over the others at theta.
    """

    theta: Numbers
    needs_hessian: bool = False
    margins: bool = False


@dataclass(frozen=True, eq=False)
class Answer:
    """Cost (without l1), gradient and Hessian at a theta; answers of disjoint rows add with `+`."""

    cost: float
    gradient: Numbers  # of the shape of theta
    hessian: Numbers | None = None  # (theta.size, theta.size)
    margins: Margins | None = None

    def __add__(self, other: Answer) -> Answer:
        both = None if self.hessian is None or other.hessian is None else self.hessian + other.hessian
        margins = self.margins or other.margins
        if self.margins is not None and other.margins is not None:
            margins = self.margins + other.margins
        return Answer(self.cost + other.cost, self.gradient + other.gradient, both, margins)


@dataclass(frozen=True, eq=False)
class SolverStep:
    """The state of a solver: the cost with all penalties, theta, and the size of the last step (1: full)."""

    number: int
    cost: float
    theta: Numbers
    size: float = 1.0


@dataclass(frozen=True, eq=False)
class LogisticSolution:
    """The result of a solver."""

    theta: Numbers
    cost: float  # with all penalties
    converged: bool  # False: the passes were used up
    passes: int
    hessian: Numbers | None = None  # at theta, or very close to it
    steps: tuple[SolverStep, ...] = ()
    notes: tuple[str, ...] = ()
    adrift: bool = False  # whether theta seemed to diverge
    away: Numbers | None = None  # 1 for coefficients that do, if any


Solver = Generator[Question, Answer, LogisticSolution]


@dataclass(frozen=True, eq=False)
class Penalty:
    """The penalty of coefficients: a number per position, on the frame's scale; none for intercepts."""

    l2: Numbers
    l1: Numbers

    @classmethod
    def none(cls, width: int) -> Penalty:
        """Return no penalty."""
        return cls(np.zeros(width), np.zeros(width))

    def times(self, factor: float) -> Penalty:
        """Return the penalty times a factor."""
        return Penalty(self.l2 * factor, self.l1 * factor)

    @cached_property
    def is_none(self) -> bool:
        """Whether nothing is penalized."""
        return not (self.l2.any() or self.l1.any())

    @cached_property
    def is_smooth(self) -> bool:
        """Whether there is no l1."""
        return not self.l1.any()

    def smooth(self, answer: Answer, theta: Numbers) -> Answer:
        """Return the answer with the l2 part added."""
        if not self.l2.any():
            return answer
        slopes = theta[:, :-1]
        gradient = answer.gradient.copy()
        gradient[:, :-1] += self.l2 * slopes
        hessian = answer.hessian
        if hessian is not None:
            hessian = hessian.copy()
            hessian[np.diag_indices(len(hessian))] += np.tile(np.append(self.l2, 0.0), len(theta))
        return Answer(answer.cost + float((self.l2 * np.square(slopes)).sum()) / 2, gradient, hessian)

    def rough(self, theta: Numbers) -> float:
        """Return the l1 part of the cost."""
        return float((self.l1 * np.abs(theta[:, :-1])).sum())


@dataclass(eq=False)
class LogisticProblem:
    """Rows, classes and penalties; see above."""

    design: Design
    table: Table  # aligned with the design
    labels: Codes  # the class of every row, 0 to n_classes - 1
    n_classes: int
    based: bool
    penalty: Penalty
    frame: DesignScaling
    cache: dict[str, Any] = field(default_factory=dict)

    @property
    def weights(self) -> Numbers | None:
        """The weight of every row; None: 1."""
        return self.table.weights

    @property
    def n_functions(self) -> int:
        """How many classes have their own function."""
        return self.n_classes - self.based

    @property
    def shape(self) -> tuple[int, int]:
        """The shape of theta."""
        return self.n_functions, self.design.width + 1

    def answer(self, theta: Numbers, curved: bool = False) -> Answer:
        """Return cost (without l1), gradient and Hessian at theta."""
        return self.penalty.smooth(self.of_rows(theta, curved), theta)

    def of_rows(self, theta: Numbers, curved: bool = False) -> Answer:
        """Return the same without penalties."""
        rows = self._rows()
        return rows.answer(np.ascontiguousarray(theta), self.labels, self.weights, self.based, curved)

    def answer_question(self, ask: Question) -> Answer:
        """Return the answer to a request, computed from the rows."""
        if not ask.margins:
            return self.of_rows(ask.theta, ask.needs_hessian)
        intercepts, slopes = self.frame.to_user_scale(ask.theta)
        columns = [
            self.design.values(self.table, float(a), np.ascontiguousarray(b))
            for a, b in zip(intercepts, slopes, strict=True)
        ]
        values = np.column_stack([np.zeros(self.table.n_rows), *columns] if self.based else columns)
        if self.weights is not None:
            counted = self.weights > 0
            values, labels = values[counted], self.labels[counted]
        else:
            labels = self.labels
        return Answer(0.0, np.zeros(ask.theta.shape), margins=Margins.of(values, labels))

    def _rows(self) -> DenseRows | SparseRows:
        if "rows" not in self.cache:
            sparse = self.design.is_sparse(self.table)
            self.cache["rows"] = (SparseRows if sparse else DenseRows).of(self.design, self.table, self.frame)
        rows: DenseRows | SparseRows = self.cache["rows"]
        return rows

    def run_solver(self, solver: Solver) -> LogisticSolution:
        """Return the result of a solver on these rows."""
        return run_generator(solver, lambda ask: self.answer(ask.theta, ask.needs_hessian))


def run_generator(
    asking: Generator[Questions, AnswerFunction, Solution], answer: Callable[[Questions], AnswerFunction]
) -> Solution:
    """Return the result of a generator whose requests are answered."""
    try:
        ask = next(asking)
        while True:
            ask = asking.send(answer(ask))
    except StopIteration as end:
        ended: Solution = end.value
        return ended


@dataclass(frozen=True, eq=False)
class DenseRows:
    """The columns as stored, for the kernel that processes them in cache-sized blocks."""

    arrays: list[Any]
    tables: list[Any]
    widths: list[int]
    centers: Numbers
    factors: Numbers
    gaps: Numbers  # value of z where a number is missing
    n_rows: int

    @classmethod
    def of(cls, design: Design, table: Table, frame: DesignScaling) -> DenseRows:
        """Return the columns of a table."""
        arrays, tables, widths, *_ = design.kernel_columns(table)
        starts = np.array(design.starts[:-1], dtype=np.int64)
        numeric = np.array([isinstance(part, NumberBlock) for _, part in design.used_blocks], dtype=np.bool_)
        centers = np.where(numeric, frame.centers[starts], 0.0)
        factors = np.where(numeric, frame.factors[starts], 1.0)
        means = np.array([part.mean if isinstance(part, NumberBlock) else 0.0 for _, part in design.used_blocks])
        return cls(arrays, tables, widths, centers, factors, (means - centers) * factors, table.n_rows)

    def answer(self, theta: Numbers, labels: Codes, weights: Numbers | None, based: bool, curved: bool) -> Answer:
        """Return negative log-likelihood, gradient and Hessian."""
        cost, gradient, hessian = _kernels.compute_logistic_sums(
            self.arrays, self.tables, self.widths, self.centers, self.factors, self.gaps, labels, weights,
            theta, based, curved, n_threads(),
        )  # fmt: skip
        return Answer(cost, gradient.reshape(theta.shape), hessian.reshape(theta.size, theta.size) if curved else None)


@dataclass(frozen=True, eq=False)
class SparseRows:
    """A sparse matrix, centered and scaled algebraically."""

    starts: Any
    ids: Codes
    values: Numbers
    frame: DesignScaling
    matrix: Any

    @classmethod
    def of(cls, design: Design, table: Table, frame: DesignScaling) -> SparseRows:
        """Return the matrix of a table."""
        matrix = design.matrix(table)
        starts, ids = matrix.indptr.astype(np.int64), matrix.indices.astype(np.int32)
        return cls(starts, ids, np.ascontiguousarray(matrix.data, dtype=np.float64), frame, matrix)

    def answer(self, theta: Numbers, labels: Codes, weights: Numbers | None, based: bool, curved: bool) -> Answer:
        """Return negative log-likelihood, gradient and Hessian."""
        intercepts, slopes = self.frame.to_user_scale(theta)
        flat = np.ascontiguousarray(np.column_stack([slopes, intercepts]).T)
        cost, gradient, chances = _kernels.compute_sparse_logistic_sums(
            self.starts, self.ids, self.values, labels, weights, flat, based, curved, n_threads()
        )
        by_class = gradient.reshape(flat.shape).T
        out = np.empty(theta.shape)
        out[:, -1] = by_class[:, -1]
        out[:, :-1] = (by_class[:, :-1] - by_class[:, -1:] * self.frame.centers) * self.frame.factors
        hessian = self._hessian(chances.reshape(len(labels), len(theta)), weights) if curved else None
        return Answer(cost, out, hessian)

    def _hessian(self, chances: Numbers, weights: Numbers | None) -> Numbers:
        from scipy.sparse import csr_array, diags_array

        n_functions, width = chances.shape[1], self.matrix.shape[1]
        size = width + 1
        out = np.empty((n_functions * size, n_functions * size))
        factors, shift = self.frame.factors, self.frame.centers * self.frame.factors
        scaled = csr_array(self.matrix @ diags_array(factors))
        for a in range(n_functions):
            for b in range(a + 1):
                s = chances[:, a] * ((a == b) - chances[:, b])
                s = s if weights is None else s * weights
                weighed = csr_array(diags_array(s) @ scaled)
                sums, total = np.asarray(weighed.sum(axis=0)).ravel(), float(s.sum())
                block = np.empty((size, size))
                crossed = np.outer(shift, sums)
                block[:-1, :-1] = (scaled.T @ weighed).toarray() - crossed - crossed.T
                block[:-1, :-1] += total * np.outer(shift, shift)
                block[-1, :-1] = block[:-1, -1] = sums - total * shift
                block[-1, -1] = total
                out[a * size : (a + 1) * size, b * size : (b + 1) * size] = block
                out[b * size : (b + 1) * size, a * size : (a + 1) * size] = block
        return out


@dataclass(frozen=True, eq=False)
class ColumnSpread:
    """Mean and deviation of every position on the user's scale, and the weight of all rows."""

    weight: float
    means: Numbers
    deviations: Numbers

    @classmethod
    def of(cls, design: Design, counts: Any, weight: float) -> ColumnSpread:
        """Return the moments of counted rows; terms have mean 0 and deviation 1, since they are weighted already."""
        means, deviations = np.zeros(design.width), np.ones(design.width)
        for (position, part), start in zip(design.used_blocks, design.starts, strict=False):
            counted = counts.columns[position]
            if isinstance(part, NumberBlock):
                share = counted.weight / weight
                means[start], deviations[start] = part.mean, part.scale * share**0.5
                if part.gaps:
                    means[start + 1], deviations[start + 1] = 1 - share, (share * (1 - share)) ** 0.5
            elif isinstance(part, LevelBlock):
                shares = np.append(counted.present[part.coded, 0], counted.missing[0])[: part.width] / weight
                own = slice(start, start + part.width)
                means[own], deviations[own] = shares, np.sqrt(shares * np.maximum(1 - shares, 0.0))
        return cls(weight, means, deviations)
