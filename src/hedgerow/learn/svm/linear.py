"""Linear machines: all two-class problems of a table by the solver that suits its matrix."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hedgerow.data.table.table import Numbers
from hedgerow.data.table.threads import map_in_order, n_threads, scipy_linalg
from hedgerow.learn.svm.linear_active_rows import solve_by_near_rows
from hedgerow.learn.svm.linear_descent import StopRule, descend
from hedgerow.learn.svm.linear_newton import StartFunction, newton
from hedgerow.learn.svm.linear_quality import LinearMachineTask, Machine, always, has_one_sign, machine_from_alphas
from hedgerow.learn.svm.linear_smo import solve_by_smo, suits_smo
from hedgerow.learn.svm.solution_quality import SolutionQuality

Codes = NDArray[np.int8]
SMALL = 1 << 20  # numbers of a sparse matrix that is made dense
NEAR = 0.1  # how far values of machines to begin with may be off
WIDE = 2000  # of rows and columns: where both are more, Newton's equations cost more than passes over the rows


@dataclass(frozen=True, eq=False)
class LinearSolution:
    """The functions of all machines: w.x + b is at least 0 for the positive side."""

    weights: Numbers  # (machines, width)
    b: Numbers  # (machines,)
    alphas: Numbers  # (machines, rows), at least 0; 0 of rows that a machine does not see
    figures: tuple[SolutionQuality, ...]  # one a machine


def solve_linear(
    matrix: Any,
    codes: Any,
    labels: NDArray[Any],
    bounds: Numbers,
    power: int = 1,
    *,
    tolerance: float = 1e-3,
    start: LinearSolution | None = None,
    random_state: int = 1,
    most_passes: int = 1000,
    threads: int | None = None,
    on_progress: Callable[[int, float], None] | None = None,
) -> LinearSolution:
    """Return the machines of a table.

    matrix: (rows, width), an array or a csr_array. codes: a CodeMatrix, or its entries (machines, classes).
    labels: the class of every row. bounds: C of every row; infinite: hard margin; 0: the row is absent.
    start: a solution of the same machines to begin with. most_passes: over the rows of a sparse matrix.
    on_progress is told of machines solved and the violation of the last, or of passes and the worst violation.
    """
    entries: Codes = np.ascontiguousarray(getattr(codes, "entries", codes), dtype=np.int8)
    signs = entries[:, labels]
    bounds = np.ascontiguousarray(bounds, dtype=np.float64)

    sparse = not isinstance(matrix, np.ndarray)
    rows, width = matrix.shape
    if rows * width > SMALL if sparse else min(rows, width) > WIDE:
        limits = StopRule(tolerance, most_passes, random_state, threads or n_threads())
        return LinearSolution(*descend(matrix, signs, bounds, power, limits, start, on_progress))
    dense, center = center_columns(matrix.toarray() if sparse else matrix)
    narrow = reduce_columns(dense) if width > rows else dense

    def solve_machine(m: int) -> tuple[NDArray[np.int64] | None, Machine]:
        own, task = _task(narrow, signs[m], bounds, power)
        if has_one_sign(task.signs):
            return own, replace(always(task), weights=np.zeros(width))
        if narrow is not dense:
            machine = newton(task, tolerance)
            whole = LinearMachineTask(dense if own is None else dense[own], task.signs, task.bounds, power)
            solution_quality = machine.figures
            return own, machine_from_alphas(
                whole, machine.alpha, solution_quality.iterations, tolerance, separable=solution_quality.separable
            )
        begin = None
        if start is not None:
            first = start.alphas[m] if own is None else start.alphas[m][own]
            begin = StartFunction(start.weights[m], float(start.b[m] + start.weights[m] @ center), NEAR, first)
        if suits_smo(task):
            machine = solve_by_smo(task, tolerance, None if begin is None else begin.alpha)
            if machine.figures.settled:
                return own, machine
        return own, solve_by_near_rows(task, tolerance, begin)

    machines = []
    for m, one in enumerate(map_in_order(solve_machine, range(len(entries)), threads)):
        machines.append(one)
        if on_progress is not None:
            on_progress(m + 1, one[1].figures.violation)
    linear_solution = _together(machines, rows)
    return replace(linear_solution, b=linear_solution.b - linear_solution.weights @ center)


def _task(matrix: Any, signs: Codes, bounds: Numbers, power: int) -> tuple[NDArray[np.int64] | None, LinearMachineTask]:
    """Return which rows a machine sees (None: all), and its task."""
    seen = (signs != 0) & (bounds > 0)
    if seen.all():
        return None, LinearMachineTask(matrix, signs.astype(np.float64), bounds, power)
    rows = np.flatnonzero(seen)
    return rows, LinearMachineTask(matrix[rows], signs[rows].astype(np.float64), bounds[rows], power)


def center_columns(matrix: Numbers) -> tuple[Numbers, Numbers]:
    """Return a matrix with its means taken off, where they are large, and what was taken off.

    The intercept makes up for it; without it, products of rows far from 0 would lose digits.
    """
    if not len(matrix):
        return matrix, np.zeros(matrix.shape[1])
    means = np.asarray(matrix.mean(axis=0))
    spread = np.asarray(matrix[:1000].std(axis=0)) if len(matrix) > 1000 else np.asarray(matrix.std(axis=0))
    if (np.abs(means) <= 10 * np.where(spread > 0, spread, 0.1)).all():
        return matrix, np.zeros(matrix.shape[1])
    return matrix - means, means


def reduce_columns(matrix: Numbers) -> Numbers:
    """Return a matrix of as many columns as there are rows, or fewer, whose rows have the same products.

    Machines see rows by their products alone: a wide matrix is as good as the root of its products.
    """
    if not len(matrix):
        return np.zeros((0, 0))
    products = matrix @ matrix.T
    least = 1e-14 * len(matrix) * float(np.diagonal(products).max())
    root, order, rank, _ = scipy_linalg().lapack.dpstrf(products, tol=least, lower=1)
    narrow = np.zeros((len(matrix), rank))
    narrow[order - 1] = np.tril(root)[:, :rank]
    return narrow


def _together(pairs: list[tuple[NDArray[np.int64] | None, Machine]], n_rows: int) -> LinearSolution:
    alphas = np.zeros((len(pairs), n_rows))
    for line, (rows, machine) in zip(alphas, pairs, strict=True):
        line[slice(None) if rows is None else rows] = machine.alpha
    return LinearSolution(
        np.array([machine.weights for _, machine in pairs]),
        np.array([machine.b for _, machine in pairs]),
        alphas,
        tuple(machine.figures for _, machine in pairs),
    )
