"""Linear machines of few rows, solved as kernel machines: with few rows per column, SMO is the fastest method.

Newton's method takes some fifty steps, whatever the rows: each goes through the matrix and solves equations as wide as
it. SMO takes steps of a length of rows; where rows are few beside columns, that is less by far. It may take very many
of them where C is large or columns are alike: so it is given about as long as Newton's method would take.
"""

from __future__ import annotations

import numpy as np

from hedgerow.data.table.table import Numbers
from hedgerow.learn.svm.linear_newton import COARSE
from hedgerow.learn.svm.linear_quality import LinearMachineTask, Machine, machine_from_alphas
from hedgerow.learn.svm.problem import SvmProblem
from hedgerow.learn.svm.smo import solve
from hedgerow.models.svm.kernel_function import LINEAR, KernelFunction

FEW, MANY = 500, 8000  # rows for which SMO is quicker in any case, and is not
BESIDE = 50  # rows a column up to which it is quicker
MOST_FREE = 1000  # rows on the margin whose equations are solved
# in units of what one row costs a step of SMO: a step of Newton's method, and what one row and column add to it
NEWTON_STEPS, NEWTON_STEP, NEWTON_CELL = 50, 400_000.0, 2.0


def suits_smo(task: LinearMachineTask) -> bool:
    """Return whether a dense task is one for SMO; a hard margin and squared slack have Newton's method."""
    rows, width = task.matrix.shape
    few = rows <= FEW or rows <= min(BESIDE * width, MANY)
    return few and task.power == 1 and bool(np.isfinite(task.bounds).all())


def solve_by_smo(task: LinearMachineTask, tolerance: float, start: Numbers | None = None) -> Machine:
    """Return the machine of a task; it is not converged if it would have taken too many steps."""
    rows, width = task.matrix.shape
    problem = SvmProblem.of(np.arange(rows), task.signs.astype(np.int8), task.bounds)
    newton = NEWTON_STEPS * (NEWTON_STEP + NEWTON_CELL * rows * width + width**3 / 5)
    svm_solution = solve(
        task.matrix,
        KernelFunction(LINEAR),
        problem,
        tolerance=tolerance,
        start=start,
        threads=1,
        most_steps=int(newton / rows) + 100,
    )
    rough = machine_from_alphas(task, svm_solution.alpha, svm_solution.iterations, tolerance)
    if not rough.figures.settled or tolerance >= COARSE:
        return rough
    alpha = _polish(task, rough)
    if alpha is None:
        return rough
    fine = machine_from_alphas(task, alpha, svm_solution.iterations, tolerance)
    return fine if fine.figures.violation < rough.figures.violation else rough


def _polish(task: LinearMachineTask, rough: Machine) -> Numbers | None:
    """Return alphas of which the free ones put their rows on the margin to the last digits; None if they cannot.

    y (w.x + b) = 1 of every free row, and sum of y alpha = 0: equations in what their alphas, and b, are to change by.
    """
    free = np.flatnonzero((rough.alpha > 0) & (rough.alpha < task.upper))
    if not 0 < len(free) <= MOST_FREE:
        return None
    signs, own = task.signs[free], task.matrix[free]
    sides = np.zeros((len(free) + 1, len(free) + 1))
    sides[:-1, :-1] = (own @ own.T) * signs[:, None] * signs
    sides[:-1, -1] = sides[-1, :-1] = signs
    lacks = np.append(1 - signs * (own @ rough.weights + rough.b), 0.0)
    try:
        moves = np.linalg.solve(sides, lacks)[:-1]
    except np.linalg.LinAlgError:
        return None
    alpha = rough.alpha.copy()
    alpha[free] += moves
    return alpha if bool(((alpha >= 0) & (alpha <= task.upper)).all()) else None
