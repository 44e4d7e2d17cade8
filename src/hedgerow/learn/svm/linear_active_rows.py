"""Linear machines of many rows, solved on active rows until all others lie on the expected side.

Few rows decide: those near the margin. Of large tables a sample is solved first; rows far from its margin are taken to
keep their alphas, 0 or C, where only their sum counts, and the near ones are solved exactly. Rows that then turn out to
lie on the other side join the near ones, until there are none: the optimum of all rows (as in linear/absolute.py).
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from hedgerow.data.table.table import Numbers
from hedgerow.learn.svm.linear_newton import COARSE, StartFunction, newton
from hedgerow.learn.svm.linear_quality import LinearMachineTask, Machine, machine_from_alphas

FEW = 1 << 18  # numbers of a matrix that is solved as a whole
ROUNDS = 20
ROUGH = 1e-2  # violation of a sample's function
ON = 1e-8  # how far values of rows on the margin may be off


def solve_by_near_rows(task: LinearMachineTask, tolerance: float, start: StartFunction | None = None) -> Machine:
    """Return the machine of a task whose matrix is dense and has at least a row of either sign."""
    rows, width = task.matrix.shape
    if rows * (width + 1) <= FEW or rows <= 40 * width or not np.isfinite(task.bounds).all():
        return newton(task, tolerance, start)
    if start is None:
        start = _solve_sample(task, tolerance, max(rows // 12, 20 * width, FEW // (width + 1) // 8))
    if start is None or task.power == 2:
        return newton(task, tolerance, start)
    return _solve_from_margin(task, tolerance, start)


def _solve_sample(task: LinearMachineTask, tolerance: float, some: int) -> StartFunction | None:
    """Return the function of a sample, whose rows count for all; None if it lacks a side."""
    rows = len(task.signs)
    sample = np.sort(np.random.default_rng(1).choice(rows, min(some, rows), replace=False))
    signs, bounds = task.signs[sample], task.bounds[sample]
    if (signs == signs[0]).all():
        return None
    bounds = bounds * (float(task.bounds.sum()) / float(bounds.sum()))
    machine = newton(LinearMachineTask(task.matrix[sample], signs, bounds, task.power), tolerance, close=ROUGH)
    spread = float(np.std(task.matrix[sample] @ machine.weights))
    return StartFunction(machine.weights, machine.b, min(0.5, 4 * spread * (task.matrix.shape[1] / some) ** 0.5))


def _solve_from_margin(task: LinearMachineTask, tolerance: float, start: StartFunction) -> Machine:
    """Return the machine of slack that is not squared, by the rows near the margin of a first function."""
    rows, steps = len(task.signs), 0
    on = tolerance / 2 if tolerance >= COARSE else ON
    margins = task.signs * (task.matrix @ start.weights + start.b)
    off = np.abs(1 - margins)
    close = min(rows, max(int(np.count_nonzero(off <= start.reach)), 20 * task.matrix.shape[1], 1000))
    near = _nearest(off, close)
    full = (margins < 1) & ~near  # alpha = C
    for _ in range(ROUNDS):
        if 2 * close >= rows:
            break
        chosen = np.flatnonzero(near)
        part = LinearMachineTask(task.matrix[chosen], task.signs[chosen], task.bounds[chosen], 1)
        pulls = np.where(full, task.signs * task.bounds, 0.0)
        if not _can_balance(part, float(pulls.sum())):
            close *= 4
            near = _nearest(off, close)
            full = (margins < 1) & ~near
            continue
        first = None if start.alpha is None else start.alpha[chosen]
        machine = newton(part, tolerance, replace(start, alpha=first), np.append(task.matrix.T @ pulls, pulls.sum()))
        steps += machine.figures.iterations
        values = task.signs * (task.matrix @ machine.weights + machine.b)
        wrong = ~near & np.where(full, values > 1 + on, values < 1 - on)
        n_wrong = int(np.count_nonzero(wrong))
        if not n_wrong:
            alpha = np.where(full, task.bounds, 0.0)
            alpha[chosen] = machine.alpha
            return machine_from_alphas(task, alpha, steps, tolerance)
        if n_wrong > len(chosen) // 4:
            close *= 4
            near = _nearest(off, close)
        else:  # the last function is close to the one that is sought
            near |= wrong
            close = int(np.count_nonzero(near))
            margins, start = values, StartFunction(machine.weights, machine.b, start.reach / 4, start.alpha)
        full = (margins < 1) & ~near
    return newton(task, tolerance, start)


def _can_balance(near: LinearMachineTask, far: float) -> bool:
    """Return whether the alphas of near rows can make up for the sum of y alpha of far ones."""
    most = float(near.bounds[near.signs < 0].sum()) if far > 0 else float(near.bounds[near.signs > 0].sum())
    return abs(far) < most or far == 0


def _nearest(off: Numbers, close: int) -> NDArray[np.bool_]:
    """Return which rows lie nearest to the margin."""
    if close >= len(off):
        return np.ones(len(off), dtype=np.bool_)
    return np.asarray(off <= np.partition(off, close)[close])
