"""Kernel machines of many rows by sequential minimal optimisation: the compiled solver, and how it is called.

It is that of libsvm in the main (C.-C. Chang, C.-J. Lin, LIBSVM: a library for support vector machines. ACM TIST 2,
2011): two alphas a step by second-order information, rows of kernel values kept within a budget, rows at a bound set
aside. Kernel values are single precision where the tolerance allows, sums of them double; the tolerance is checked in
double precision. `smo_by_hand` is the same in plain NumPy.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from hedgerow import _kernels
from hedgerow.data.table.table import Numbers
from hedgerow.data.table.threads import n_threads
from hedgerow.errors import DataError
from hedgerow.learn.svm.problem import SvmProblem, SvmSolution, quality
from hedgerow.models.svm.given_kernels import Precomputed
from hedgerow.models.svm.kernel_function import Kernel, KernelFunction
from hedgerow.models.svm.kernel_sums import dense_part, sparse_parts

Progress = Callable[[int, float], None]

CACHE_BYTES = 512 << 20
LEAST_STEPS = 10_000_000  # the limit, or 100 a row if that is more, as of libsvm
BLOCK = 8  # rows of kernel values that are made at a time
SMALL = 64  # rows, up to which a problem is solved in double precision at once


def solve(
    points: Any,
    kernel: Kernel,
    problem: SvmProblem,
    *,
    tolerance: float = 1e-3,
    cache_bytes: int = CACHE_BYTES,
    start: Numbers | None = None,
    single: bool = True,
    shrink: bool = True,
    threads: int | None = None,
    most_steps: int | None = None,
    on_progress: Progress | None = None,
) -> SvmSolution:
    """Return the solution of a two-class problem.

    Parameters
    ----------
    points
        The scaled matrix: a C-contiguous float64 array or a csr_array; of a `Precomputed` kernel its square of values.
    problem
        Whose rows are positions in `points`.
    tolerance
        How far the worst pair of rows may break the Kuhn-Tucker conditions.
    cache_bytes
        Memory for rows of kernel values.
    start
        Alphas to begin with, say those of a problem much like this one. They are brought within bounds and balance.
    single
        Whether kernel values may be single precision, if the tolerance holds with them. A hard margin never has them.
    shrink
        Whether rows that seem to stay at a bound are held out for a while.
    threads
        That make rows of kernel values together; None: all, for a large problem.
    most_steps
        After which to give up; the solution is not converged then.
    on_progress
        Called as `on_progress(steps, violation)` a few times a second.
    """
    _check(tolerance, cache_bytes)
    n = len(problem)
    if not n:
        return quality(problem, np.zeros(0), np.zeros(0))
    alpha = np.zeros(n) if start is None else feasible(problem, start)
    common = {
        "signs": np.ascontiguousarray(problem.signs, dtype=np.int8),
        "bounds": np.ascontiguousarray(problem.bounds, dtype=np.float64),
        "ridge": np.ascontiguousarray(problem.ridge, dtype=np.float64),
        "linear": np.ascontiguousarray(problem.p, dtype=np.float64),
        "start": alpha,
        "tolerance": float(tolerance),
        "cache_bytes": int(cache_bytes),
        "most": max(LEAST_STEPS, 100 * n) if most_steps is None else int(most_steps),
        "single": single and not problem.is_hard and n > SMALL,
        "shrink": shrink,
        "progress": on_progress,
    }
    rows = np.ascontiguousarray(problem.rows, dtype=np.int64)
    with np.errstate(all="ignore"):  # a Python kernel may leave the numbers; that is found below
        state = _run_solver(points, kernel, rows, common, threads)
    return _solution(problem, state)


def _run_solver(points: Any, kernel: Kernel, rows: Any, common: dict[str, Any], threads: int | None) -> dict[str, Any]:
    """Return the result of the compiled solver."""
    if isinstance(kernel, Precomputed):
        return _kernels.solve_svm_of_matrix(np.ascontiguousarray(points, dtype=np.float64), rows, **common)
    if not isinstance(kernel, KernelFunction):
        return _run_with_function(points, kernel, rows, common)
    common = common | {"kernel": kernel.numbers, "threads": threads or n_threads(), "block": BLOCK}
    parts = sparse_parts(points) if hasattr(points, "indptr") else dense_part(points)
    return _kernels.solve_svm_of_points(parts, rows, **common)


def _run_with_function(points: Any, kernel: Kernel, rows: Any, common: dict[str, Any]) -> dict[str, Any]:
    """Solve with a Python function as the kernel: all its values at once, where there is room for them."""
    own = points[rows]
    n = len(rows)
    if n * n * 8 <= common["cache_bytes"]:
        return _kernels.solve_svm_of_matrix(kernel.matrix(own, own), np.arange(n), **common)

    def kernel_values(wanted: Any) -> Numbers:
        return np.ascontiguousarray(kernel.matrix(own[wanted], own), dtype=np.float64)

    return _kernels.solve_svm_of_function(
        kernel_values, np.ascontiguousarray(kernel.diagonal(own)), **common, block=BLOCK
    )


def _solution(problem: SvmProblem, state: dict[str, Any]) -> SvmSolution:
    """Return the solution with its statistics."""
    alpha, toward = state["alpha"], state["F"]
    signs = problem.signs
    sums = -toward - signs * (problem.p + problem.ridge * alpha)
    if not (np.isfinite(sums).all() and np.isfinite(alpha).all()):
        if np.isinf(problem.bounds).any() and not problem.is_hard:
            raise DataError(
                "squared slack (power=2) has no optimum here: the kernel is not positive definite, or its values are "
                "too large, and the alphas are unbounded; use power=1, a smaller C, or another kernel"
            )
        raise DataError(
            "values of the kernel are too large, or not numbers: scale the columns, or use a smaller degree or factor"
        )
    return quality(
        problem,
        alpha,
        sums,
        iterations=state["steps"],
        settled=state["settled"],
        separable=state["separable"],
    )


def feasible(problem: SvmProblem, start: Numbers) -> Numbers:
    """Return alphas within bounds, and those of a classifier in balance: the side that has more gives some up.

    >>> problem = SvmProblem.of(np.arange(3), np.array([1, 1, -1]), 1.0)
    >>> feasible(problem, np.array([1.0, 3.0, 0.5])).tolist()
    [0.25, 0.25, 0.5]
    """
    if len(start) != len(problem):
        raise DataError(f"there are {len(start)} initial alphas, but {len(problem)} rows")
    if not np.isfinite(start).all():
        raise DataError("initial alphas must be numbers")
    alpha = np.clip(np.asarray(start, dtype=np.float64), 0.0, problem.bounds)
    if problem.linear is not None:
        return alpha
    up, down = alpha[problem.signs > 0].sum(), alpha[problem.signs < 0].sum()
    small = min(up, down)
    shares = np.where(problem.signs > 0, small / (up or 1.0), small / (down or 1.0))
    return np.where(shares < 1, alpha * shares, alpha)


def _check(tolerance: float, cache_bytes: int) -> None:
    if not tolerance > 0:
        raise DataError(f"the tolerance must be above 0, not {tolerance}")
    if cache_bytes < 0:
        raise DataError(f"the cache must have 0 bytes or more, not {cache_bytes}")
