"""The two-class problem of a kernel machine, its solution, and how good a solution is.

Minimise  1/2 a'Qa + p'a  over  0 <= a_i <= C_i  with  sum y_i a_i  as it is at the start (0 for a classifier), where
Q_ij = y_i y_j (K_ij + [i = j] ridge_i). A classifier has p = -1 (M211, M214); bounds of inf and no ridge make the hard
margin (M208), bounds of inf and a ridge of 1 / (2 C_i) make slacks that cost C_i xi_i^2. Other p make regression within
a tube, p = 0 one class.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from math import inf, nan, sqrt

import numpy as np
from numpy.typing import NDArray

from hedgerow.data.table.table import Numbers, Rows
from hedgerow.errors import DataError
from hedgerow.learn.svm.solution_quality import SolutionQuality, offset, snap_to_bounds

Signs = NDArray[np.int8]


@dataclass(frozen=True, eq=False)
class SvmProblem:
    """Rows of the matrix, ascending, the sign of each, how large its alpha may be, what is added to the diagonal."""

    rows: Rows
    signs: Signs
    bounds: Numbers  # C_i; inf: no bound
    ridge: Numbers
    linear: Numbers | None = None  # p; None: -1 everywhere, as of a classifier

    def __post_init__(self) -> None:
        n = len(self.rows)
        if {len(self.signs), len(self.bounds), len(self.ridge), n if self.linear is None else len(self.linear)} != {n}:
            raise DataError("rows, signs, bounds and ridge of a problem differ in length")
        if not (np.abs(self.signs) == 1).all():
            raise DataError("signs of a problem must be -1 and +1")
        if not (self.bounds > 0).all():
            raise DataError("bounds of a problem must be larger than 0; rows of weight 0 are to be left out")
        if not (np.isfinite(self.ridge) & (self.ridge >= 0)).all():
            raise DataError("ridges of a problem must be numbers of 0 or more")
        if self.linear is not None and not np.isfinite(self.linear).all():
            raise DataError("linear terms of a problem must be numbers")

    def __len__(self) -> int:
        return len(self.rows)

    @classmethod
    def of(cls, rows: Rows, signs: Signs, bounds: Numbers | float, power: int = 1) -> SvmProblem:
        """Return the problem of slacks that cost C_i xi_i^power; `bounds` are the C_i, or one for all."""
        rows = np.ascontiguousarray(rows, dtype=np.int64)
        costs = np.array(np.broadcast_to(np.asarray(bounds, dtype=np.float64), rows.shape))
        if power == 2:
            return cls(rows, np.ascontiguousarray(signs, dtype=np.int8), np.full(len(rows), inf), 0.5 / costs)
        return cls(rows, np.ascontiguousarray(signs, dtype=np.int8), costs, np.zeros(len(rows)))

    @cached_property
    def p(self) -> Numbers:
        """The linear term of every row."""
        return np.full(len(self), -1.0) if self.linear is None else self.linear

    @property
    def is_hard(self) -> bool:
        """Whether some row may have no slack at all."""
        return bool((np.isinf(self.bounds) & (self.ridge == 0)).any())


@dataclass(frozen=True, eq=False, kw_only=True)
class SvmSolution(SolutionQuality):
    """Alphas, the intercept, and how good they are.

    Figures are sums in double precision, of kernel values as precise as the solver took them. The primal value is
    infinite where a hard margin is not kept on both sides.
    """

    alpha: Numbers
    b: float
    values: Numbers  # f of the problem's rows, intercept included

    @property
    def support(self) -> NDArray[np.int64]:
        """Which rows of the problem are support vectors."""
        return np.flatnonzero(self.alpha)


def quality(
    problem: SvmProblem,
    alpha: Numbers,
    sums: Numbers,
    *,
    iterations: int = 0,
    settled: bool = True,
    separable: bool = True,
) -> SvmSolution:
    """Return the quality of alphas, given `sums`: sum_j y_j alpha_j K_ij of every row i, no ridge, no intercept."""
    signs = problem.signs.astype(np.float64)
    alpha = snap_to_bounds(alpha, problem.bounds)
    weighed = signs * alpha
    squares = max(_dot(weighed, sums), 0.0)
    gradient = signs * sums + problem.ridge * alpha + problem.p
    b, violation = offset(signs, alpha, problem.bounds, -signs * gradient)
    lost = 0.5 * _dot(problem.ridge, alpha * alpha)
    inside = (alpha > 0) & (alpha < problem.bounds)
    return SvmSolution(
        alpha=alpha,
        b=b,
        primal=_cost(problem, signs * (sums + b), squares) + b * float(weighed.sum()),
        dual=-_dot(problem.p, alpha) - 0.5 * squares - lost,
        violation=violation,
        free=int(inside.sum()),
        bounded=int((alpha >= problem.bounds).sum()),
        margin=2 / sqrt(squares) if squares > 0 else inf,
        iterations=iterations,
        settled=settled,
        separable=separable,
        values=sums + b,
    )


def _cost(problem: SvmProblem, kept: Numbers, squares: float) -> float:
    """Return w.w / 2 and the cost of the slacks, given y f of every row.

    A row's cost is the most that a xi - ridge a^2 / 2 can be for 0 <= a <= C: C xi without a ridge, xi^2 / (2 ridge)
    without a bound. Hard rows cannot pay: w and b are made longer until the nearest of them lies on its margin.
    """
    if not problem.ridge.any() and np.isfinite(problem.bounds).all():
        return 0.5 * squares + _dot(problem.bounds, np.maximum(-problem.p - kept, 0.0))
    hard = np.isinf(problem.bounds) & (problem.ridge == 0)
    if hard.any():
        nearest = float(np.min(kept[hard] / -problem.p[hard])) if (problem.p[hard] < 0).all() else nan
        if not nearest > 0:
            return inf
        if nearest < 1:
            kept, squares = kept / nearest, squares / nearest**2
    xi = np.maximum(-problem.p - kept, 0.0)[~hard]
    ridge, bounds = problem.ridge[~hard], problem.bounds[~hard]
    with np.errstate(divide="ignore", invalid="ignore"):
        most = np.where(xi > 0, np.minimum(bounds, np.where(ridge > 0, xi / ridge, inf)), 0.0)
    return 0.5 * squares + float(np.sum(most * xi - 0.5 * ridge * most * most))


def _dot(one: Numbers, other: Numbers) -> float:
    return float(np.einsum("i,i->", one, other))  # BLAS would wake its threads
