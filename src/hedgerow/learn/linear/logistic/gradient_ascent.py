"""Gradient ascent on the log-likelihood as in textbooks: over all rows at a time, or row by row.

Ascent: every coefficient, the intercept too, moves by the rate times the sum over all rows of (1 or 0 - probability)
times value, until two consecutive vectors of coefficients are equal within `tolerance`. Row by row (stochastic) the
same is done with one row after the other, in their order. l2 penalties are part of the sum; row by row, slopes shrink
after each pass.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from hedgerow import _kernels
from hedgerow.data.table.table import Numbers
from hedgerow.errors import UsageError
from hedgerow.layout.rounding import round_digits
from hedgerow.learn.linear.least_squares.gradient_descent import KEPT
from hedgerow.learn.linear.logistic.likelihood import LogisticProblem, LogisticSolution, SolverStep

CURVED = 400  # coefficients up to which the rate is computed from second derivatives, else from a few products
WINDOW, FALLS = 20, 10  # decreases of the log-likelihood out of so many steps: the rate diverges
COOLING = 10  # passes after which the default rate has halved, row by row


def run_ascent(
    problem: LogisticProblem,
    *,
    by_row: bool = False,
    rate: float | None = None,
    start: float = 0.0,
    passes: int = 1000,
    tolerance: float = 1e-9,
) -> LogisticSolution:
    """Return the result of ascent, when the coefficients have converged or the passes are used up."""
    if not problem.penalty.is_smooth:
        raise UsageError(
            f"solver={'sgd' if by_row else 'ascent'!r} does not support the l1 penalty, which is not differentiable; "
            "use penalty='l2' or solver='auto'"
        )
    way = RowSteps(problem) if by_row else BatchSteps(problem)
    given, rate = rate is not None, round_digits(way.limit() / 2, 2) if rate is None else rate
    theta = np.full(problem.shape, float(start))
    steps = [SolverStep(0, _cost(problem, theta), theta)]
    costs, last, settled = [steps[0].cost], steps[0], False
    for number in range(1, passes + 1):
        now = rate if given or not by_row else rate / (1 + (number - 1) / COOLING)
        moved = way.run_pass(theta, now)
        cost = _cost(problem, moved) if np.isfinite(moved).all() else np.inf
        costs.append(cost)
        if diverges(costs, by_row):
            raise UsageError(too_large(rate, costs, way.limit() / 2))
        change = float(np.abs(moved - theta).max(initial=0.0))
        settled = change <= tolerance * max(1.0, float(np.abs(moved).max(initial=0.0)))
        settled = settled or (by_row and abs(costs[-1] - costs[-2]) <= tolerance * abs(costs[-2]))
        theta, last = moved, SolverStep(number, cost, moved, now)
        if len(steps) <= KEPT:
            steps.append(last)
        if settled:
            break
    if steps[-1] is not last:
        steps.append(last)
    return LogisticSolution(
        theta, last.cost, settled, last.number, steps=tuple(steps), notes=_notes(costs, settled, rate, way, by_row)
    )


def _notes(costs: list[float], settled: bool, rate: float, way: BatchSteps | RowSteps, by_row: bool) -> tuple[str, ...]:
    if costs[-1] > costs[0] * (1 + 1e-9) + 1e-9:
        raise UsageError(too_large(rate, costs, way.limit() / 2))
    if settled:
        return ()
    done = len(costs) - 1
    text = f"solver={'sgd' if by_row else 'ascent'!r} ended after {done} {'pass' if done == 1 else 'passes'} before"
    return (f"{text} the coefficients converged; use more passes, another rate, or solver='auto'",)


def _cost(problem: LogisticProblem, theta: Numbers) -> float:
    with np.errstate(over="ignore", invalid="ignore"):
        return float(problem.answer(theta).cost)


def diverges(costs: list[float], by_row: bool) -> bool:
    """Return whether a rate is too large: the log-likelihood keeps decreasing."""
    if not np.isfinite(costs[-1]):
        return True
    recent = np.array(costs[-WINDOW - 1 :])
    if by_row:  # near the maximum it oscillates; it must not stay below its start
        return len(costs) > FALLS and bool((recent[-FALLS:] > costs[0] * (1 + 1e-9)).all())
    return int(np.count_nonzero(np.diff(recent) > 1e-9 * np.abs(recent[:-1]))) >= FALLS


def too_large(rate: float, costs: list[float], safe: float) -> str:
    """Return the sentence on a rate that is too large."""
    done = len(costs) - 1
    now = f"{-costs[-1]:.6g}" if np.isfinite(costs[-1]) else "minus infinity"
    return (
        f"rate={rate:g} is too large: the log-likelihood went from {-costs[0]:.6g} to {now} in {done} "
        f"{'pass' if done == 1 else 'passes'} and does not converge; try rate={round_digits(safe, 2):g}, or "
        "rate=none, which finds one"
    )


class BatchSteps:
    """Steps by the sum over all rows."""

    def __init__(self, problem: LogisticProblem) -> None:
        self.problem = problem

    def run_pass(self, theta: Numbers, rate: float) -> Numbers:
        """Return theta after one step."""
        with np.errstate(over="ignore", invalid="ignore"):
            return np.asarray(theta - rate * self.problem.answer(theta).gradient)

    def limit(self) -> float:
        """Return a rate from which on ascent may not converge: 2 over the largest curvature.

        The second derivatives are at most those of 1/4 (two classes) or 1/2 (more) times the products of the columns.
        """
        problem = self.problem
        l2 = float(problem.penalty.l2.max(initial=0.0))
        if np.prod(problem.shape) <= CURVED:
            nothing = np.zeros(problem.shape)
            hessian = problem.of_rows(nothing, curved=True).hessian
            assert hessian is not None
            steepest = float(np.linalg.eigvalsh(hessian)[-1])
            k = problem.n_classes
            steepest *= 1.0 if k == 2 else k / 2  # at 0 all classes are equally likely: 1/k of the products
        else:
            steepest = (0.25 if problem.n_classes == 2 else 0.5) * _largest_product(problem)
        return 2 / (steepest + l2) if steepest + l2 > 0 else 2.0


def _largest_product(problem: LogisticProblem) -> float:
    """Return an approximation of the largest eigenvalue of the products of all columns and 1, rather from above."""
    matrix, weights = _matrix(problem)[0], problem.weights
    vector = np.ones(matrix.shape[1] + 1)
    size = 0.0
    for _ in range(30):
        vector /= np.linalg.norm(vector)
        along = matrix @ vector[1:] + vector[0]
        along = along if weights is None else along * weights
        vector = np.append(along.sum(), matrix.T @ along)
        size = float(np.linalg.norm(vector))
    return 1.1 * size


class RowSteps:
    """Steps row by row."""

    def __init__(self, problem: LogisticProblem) -> None:
        self.problem = problem
        self.matrix, self.centers = _matrix(problem)
        self.labels = np.ascontiguousarray(problem.labels, dtype=np.int32)

    def run_pass(self, theta: Numbers, rate: float) -> Numbers:
        """Return theta after an update by every row."""
        slopes, shift = theta[:, :-1], theta[:, :-1] @ self.centers
        flat = np.ascontiguousarray(np.column_stack([theta[:, -1] - shift, slopes]).T).ravel()
        k, weights, based = self.problem.n_classes, self.problem.weights, self.problem.based
        if isinstance(self.matrix, np.ndarray):
            sound = _kernels.run_class_sgd_steps(self.matrix, self.labels, k, based, weights, rate, flat)
        else:
            starts = self.matrix.indptr.astype(np.int64, copy=False)
            ids = self.matrix.indices.astype(np.int32, copy=False)
            sound = _kernels.run_sparse_class_sgd_steps(
                starts, ids, self.matrix.data, self.labels, k, based, weights, rate, flat
            )
        if not sound:
            return np.full(theta.shape, np.inf)
        lines = flat.reshape(-1, len(theta)).T
        slopes = lines[:, 1:] / (1 + rate * self.problem.penalty.l2)
        return np.column_stack([slopes, lines[:, 0] + slopes @ self.centers])

    def limit(self) -> float:
        """Return a rate at which the heaviest row would just be overshot."""
        squares = 1 + np.asarray((self.matrix * self.matrix).sum(axis=1)).ravel()
        squares = squares if self.problem.weights is None else squares * self.problem.weights
        steepest = (0.25 if self.problem.n_classes == 2 else 0.5) * float(squares.max(initial=0.0))
        return 2 / steepest if steepest > 0 else 2.0


def _matrix(problem: LogisticProblem) -> tuple[Any, Numbers]:
    """Return the rows in the problem's frame; sparse columns are not centered, and the centers are returned."""
    if "matrix" not in problem.cache:
        matrix, frame = problem.design.matrix(problem.table), problem.frame
        if isinstance(matrix, np.ndarray):
            matrix -= frame.centers
            matrix *= frame.factors
            problem.cache["matrix"] = matrix, np.zeros(problem.design.width)
        else:
            from scipy.sparse import csr_array, diags_array

            scaled = csr_array(matrix @ diags_array(frame.factors))
            problem.cache["matrix"] = scaled, frame.centers * frame.factors
    found: tuple[Any, Numbers] = problem.cache["matrix"]
    return found
