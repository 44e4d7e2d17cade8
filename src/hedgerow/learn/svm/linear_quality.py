"""The quality of a linear machine: its function, and its distance from the optimum.

The problem of a machine, with signs y, bounds U (C, or infinite) and ridges r (0, or 1 / (2 C) where slack is squared):

    primal   w.w / 2 + sum of C xi^power,  xi = max(0, 1 - y (w.x + b))
    dual     sum of alpha - w.w / 2 - sum of r alpha^2 / 2,  w = sum of y alpha x,  sum of y alpha = 0,  0 <= alpha <= U

All figures follow from the alphas alone, in double precision, so that they prove what they say.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from hedgerow.data.table.table import Numbers
from hedgerow.learn.svm.solution_quality import SolutionQuality, offset, snap_to_bounds


@dataclass(frozen=True, eq=False)
class LinearMachineTask:
    """The rows of one machine: a matrix (dense or csr), signs, bounds C and whether slack is squared."""

    matrix: Any
    signs: Numbers  # +1.0 or -1.0
    bounds: Numbers  # C of every row, above 0; infinite: no slack
    power: int

    @property
    def upper(self) -> Numbers:
        """The largest alpha of every row."""
        return self.bounds if self.power == 1 else np.full(len(self.bounds), np.inf)

    @property
    def ridge(self) -> Numbers:
        """What squared slack adds to the diagonal: 1 / (2 C)."""
        return np.zeros(len(self.bounds)) if self.power == 1 else 0.5 / self.bounds


@dataclass(frozen=True, eq=False)
class Machine:
    """The function w.x + b of one machine, its alphas (one a row of the task) and its figures."""

    weights: Numbers
    b: float
    alpha: Numbers
    figures: SolutionQuality


def machine_from_alphas(
    task: LinearMachineTask,
    alpha: Numbers,
    iterations: int,
    tolerance: float,
    *,
    separable: bool = True,
    far: Numbers | None = None,
) -> Machine:
    """Return the function and figures of alphas that lie within their bounds.

    far: the sums of y alpha x and of y alpha of rows that are not in the task; their slack and alphas do not count.
    """
    signs = task.signs
    if has_one_sign(signs):
        return always(task)
    alpha = balance_alphas(signs, alpha, task.upper, 0.0 if far is None else float(far[-1]))
    weights = np.asarray(task.matrix.T @ (signs * alpha))
    if far is not None:
        weights = weights + far[:-1]
    return make_machine(
        task, alpha, weights, np.asarray(task.matrix @ weights), iterations, tolerance, separable=separable
    )


def make_machine(
    task: LinearMachineTask,
    alpha: Numbers,
    weights: Numbers,
    plain: Numbers,
    iterations: int,
    tolerance: float,
    *,
    separable: bool = True,
) -> Machine:
    """Return the machine of alphas, the weights that they make, and w.x of every row."""
    signs, upper, ridge = task.signs, task.upper, task.ridge
    alpha = snap_to_bounds(alpha, upper)
    b, violation = offset(signs, alpha, upper, signs * (1 - ridge * alpha) - plain)
    slack = np.maximum(1 - signs * (plain + b), 0.0)
    length = float(np.einsum("i,i->", weights, weights))  # BLAS would wake its threads
    hard = np.isinf(task.bounds)
    slack[hard] = np.where(slack[hard] <= max(tolerance, 1e-9), 0.0, slack[hard])
    costs = np.where(slack > 0, task.bounds, 0.0)  # infinite times 0 is nothing
    figures = SolutionQuality(
        primal=length / 2 + float((costs * slack**task.power).sum()),
        dual=float(alpha.sum()) - length / 2 - float((ridge * alpha * alpha).sum()) / 2,
        violation=violation,
        free=int(np.count_nonzero((alpha > 0) & (alpha < upper))),
        bounded=int(np.count_nonzero((alpha > 0) & (alpha >= upper))),
        margin=2 / length**0.5 if length > 0 else np.inf,
        iterations=iterations,
        settled=separable and violation <= tolerance,
        separable=separable,
    )
    return Machine(weights, b, alpha, figures)


def balance_alphas(signs: Numbers, alpha: Numbers, upper: Numbers, beside: float) -> Numbers:
    """Return alphas of which both signs have the same sum; what an early end left is taken off or added.

    Free ones are moved by their share of the room they have; if that is not enough, all of the larger side are.
    """
    for _ in range(3):
        more = float(np.einsum("i,i->", signs, alpha)) + beside
        if abs(more) <= 1e-12 * float(alpha.sum()):
            break
        side = signs == np.sign(more)
        free = (alpha > 0) & (alpha < upper)
        room = np.where(free, np.where(side | np.isinf(upper), alpha, upper - alpha), 0.0)
        if not float(room.sum()) >= abs(more):
            room = np.where(side, alpha, 0.0)
        total = float(room.sum())
        if not total > 0:
            break
        move = min(abs(more) / total, 1.0) * room
        alpha = np.clip(np.where(side, alpha - move, alpha + move), 0.0, upper)
    return alpha


def has_one_sign(signs: Numbers) -> bool:
    """Return whether there are no rows, or of one sign only."""
    return bool((signs == signs[:1]).all())


def always(task: LinearMachineTask) -> Machine:
    """Return the machine of rows of one sign, or of none: it always gives that sign."""
    b = float(task.signs[0]) if len(task.signs) else 0.0
    nothing = SolutionQuality(0.0, 0.0, 0.0, 0, 0, np.inf, 0, True)
    return Machine(np.zeros(task.matrix.shape[1]), b, np.zeros(len(task.signs)), nothing)
