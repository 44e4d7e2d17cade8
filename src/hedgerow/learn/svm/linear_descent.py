"""Linear machines of a sparse matrix: dual coordinate descent, all machines at once.

The kernel is kernels/linear/dual_coordinate_descent.hpp.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from hedgerow import _kernels
from hedgerow.data.table.table import Numbers
from hedgerow.learn.svm.linear_quality import (
    LinearMachineTask,
    Machine,
    always,
    balance_alphas,
    has_one_sign,
    make_machine,
)
from hedgerow.learn.svm.solution_quality import TOUCHING_LINEAR, SolutionQuality, is_endless

if TYPE_CHECKING:
    from hedgerow.learn.svm.linear import LinearSolution

PULL = 0.1  # rho beside the mean square of a row: how hard sum of y alpha is held at 0
ROUNDS = 6  # of passes, each to half the tolerance of the one before, until the figures agree

DescentResult = tuple[Numbers, Numbers, Numbers, tuple[SolutionQuality, ...]]


@dataclass(frozen=True)
class StopRule:
    """When to end, and with how many threads."""

    tolerance: float
    most_passes: int
    seed: int
    threads: int


def descend(
    matrix: Any,
    signs: NDArray[np.int8],
    bounds: Numbers,
    power: int,
    limits: StopRule,
    start: LinearSolution | None,
    on_progress: Callable[[int, float], None] | None,
) -> DescentResult:
    """Return weights, intercepts, alphas and figures of all machines, whose signs are lines."""
    from scipy.sparse import csr_array

    rows = csr_array(matrix, dtype=np.float64)
    starts, ids = rows.indptr.astype(np.int64), rows.indices.astype(np.int32)
    squares = _squares(starts, rows.data)
    used = bounds > 0
    scale = float(squares[used].mean()) if used.any() else 0.0
    rho = PULL * scale or 1.0
    by_row = np.ascontiguousarray(np.where(used[:, None], signs.T, 0), dtype=np.int8)
    alphas, weights, offsets = _begin(rows, by_row, bounds, power, start)
    passes, machines = np.zeros(len(signs), dtype=np.int64), np.arange(len(signs))
    kept: dict[int, Machine] = {}
    goal, left = limits.tolerance, limits.most_passes
    for _ in range(ROUNDS):
        own_signs = np.ascontiguousarray(by_row[:, machines])
        own = [np.ascontiguousarray(part[:, machines]) for part in (weights, alphas)]
        b = offsets[machines]
        aims = (power == 2, rho, goal, max(left, 1), limits.seed)
        more = _kernels.run_dual_coordinate_descent(
            starts, ids, rows.data, own_signs, bounds, *aims, own[0], own[1], b, limits.threads
        )
        passes[machines] += np.minimum(more, left)
        left -= int(more.max(initial=0))
        tasks = [_task(rows, by_row[:, m], bounds, power) for m in machines]
        _balance(rows, tasks, *own)
        values = _kernels.multiply_sparse(starts, ids, rows.data, own[0], limits.threads).reshape(-1, len(machines))
        lines = [np.ascontiguousarray(part.T) for part in (own[1], own[0], values)]
        for m, task, alpha, line, plain in zip(machines.tolist(), tasks, *lines, strict=True):
            kept[m] = _make_machine(task, alpha, line, plain, int(passes[m]), limits.tolerance, squares)
        weights[:, machines], alphas[:, machines], offsets[machines] = own[0], own[1], b
        machines = np.array([m for m in machines.tolist() if not kept[m].figures.settled], dtype=np.int64)
        if on_progress is not None:
            on_progress(int(passes.max()), max(machine.figures.violation for machine in kept.values()))
        if not len(machines) or left <= 0:
            break
        goal /= 2
    result_machines = [kept[m] for m in range(len(signs))]
    return (
        np.array([machine.weights for machine in result_machines]),
        np.array([machine.b for machine in result_machines]),
        np.ascontiguousarray(alphas.T),
        tuple(machine.figures for machine in result_machines),
    )


def _squares(starts: NDArray[np.int64], values: Numbers) -> Numbers:
    """Return the square of every row's length."""
    sums = np.append(0.0, np.cumsum(values * values))
    return np.asarray(sums[starts[1:]] - sums[starts[:-1]])


def _begin(
    rows: Any, by_row: NDArray[np.int8], bounds: Numbers, power: int, start: LinearSolution | None
) -> tuple[Numbers, Numbers, Numbers]:
    """Return the alphas, weights and intercepts to begin with."""
    machines = by_row.shape[1]
    if start is None:
        return np.zeros(by_row.shape), np.zeros((rows.shape[1], machines)), np.zeros(machines)
    upper = bounds if power == 1 else np.full(len(bounds), np.inf)
    alphas = np.ascontiguousarray(np.clip(start.alphas.T, 0.0, upper[:, None]) * (by_row != 0))
    return alphas, np.ascontiguousarray(rows.T @ (by_row * alphas)), start.b.copy()


def _task(
    rows: Any, signs: NDArray[np.int8], bounds: Numbers, power: int
) -> tuple[NDArray[np.bool_], LinearMachineTask]:
    """Return which rows a machine sees, and its task, whose matrix is that of all rows."""
    seen = signs != 0
    return seen, LinearMachineTask(rows, signs[seen].astype(np.float64), bounds[seen], power)


def _balance(
    rows: Any, tasks: list[tuple[NDArray[np.bool_], LinearMachineTask]], weights: Numbers, alphas: Numbers
) -> None:
    """Move alphas so that their sums over both signs are equal, and the weights with them."""
    moves = np.zeros(alphas.shape)
    for i, (seen, task) in enumerate(tasks):
        alpha = alphas[seen, i]
        then = balance_alphas(task.signs, alpha, task.upper, 0.0)
        moves[seen, i] = task.signs * (then - alpha)
        alphas[seen, i] = then
    if moves.any():
        weights += rows.T @ moves


def _make_machine(
    pair: tuple[NDArray[np.bool_], LinearMachineTask],
    alphas: Numbers,
    weights: Numbers,
    values: Numbers,
    passes: int,
    tolerance: float,
    squares: Numbers,
) -> Machine:
    seen, task = pair
    if has_one_sign(task.signs):
        return always(task)
    alpha = alphas[seen]
    hard = task.power == 1 and bool(np.isinf(task.bounds).all())
    longest = float(squares[seen].max(initial=0.0))
    separable = not hard or not is_endless(alpha, float(weights @ weights), longest, TOUCHING_LINEAR)
    return make_machine(task, alpha, weights, values[seen], passes, tolerance, separable=separable)
