"""Sequential minimal optimisation in plain NumPy: the whole kernel matrix, double precision, no cache, no shrinking.

Two alphas a step, chosen by second-order information (R.-E. Fan, P.-H. Chen, C.-J. Lin, Working set selection using
second order information for training support vector machines. JMLR 6, 2005). `smo` does the same for large problems.
"""

from __future__ import annotations

from math import inf

import numpy as np

from hedgerow.data.table.table import Numbers
from hedgerow.learn.svm.problem import SvmProblem, SvmSolution, quality
from hedgerow.learn.svm.solution_quality import is_endless

FLAT = 1e-12  # curvature taken for kernels that are not positive definite


def solve_by_hand(
    matrix: Numbers,
    problem: SvmProblem,
    *,
    tolerance: float = 1e-3,
    most: int = 1_000_000,
    start: Numbers | None = None,
) -> SvmSolution:
    """Return the solution, given the kernel values of the problem's rows with each other."""
    y, bounds = problem.signs.astype(np.float64), problem.bounds
    alpha = np.zeros(len(problem)) if start is None else start.copy()
    quadratic = matrix + np.diag(problem.ridge)
    gradient = y * (quadratic @ (y * alpha)) + problem.p
    diagonal = np.diagonal(quadratic).copy()
    iterations, separable = 0, True
    settled = False
    while iterations < most:
        toward = -y * gradient
        up = np.where(np.where(y > 0, alpha < bounds, alpha > 0), toward, -inf)
        low = np.where(np.where(y > 0, alpha > 0, alpha < bounds), toward, inf)
        i = int(np.argmax(up)) if len(up) else 0
        if not len(up) or not up[i] - low.min() > tolerance:
            settled = True
            break
        ahead = up[i] - low
        curve = diagonal[i] + diagonal - 2 * quadratic[i]
        curve = np.where(curve > 0, curve, FLAT)
        gain = np.where(ahead > 0, ahead**2 / curve, -inf)
        j = int(np.argmax(gain))
        # a_i rises by y_i t, a_j falls by y_j t
        t = ahead[j] / curve[j]
        t = min(t, bounds[i] - alpha[i] if y[i] > 0 else alpha[i])
        t = min(t, alpha[j] if y[j] > 0 else bounds[j] - alpha[j])
        for k, way in ((i, y[i] * t), (j, -y[j] * t)):
            old = alpha[k]
            alpha[k] = min(max(old + way, 0.0), bounds[k])
            gradient += y * quadratic[k] * (y[k] * (alpha[k] - old))
        iterations += 1
        if problem.is_hard and is_endless(alpha, float(alpha @ (gradient - problem.p)), float(diagonal.max())):
            separable = False
            break
    return quality(problem, alpha, matrix @ (y * alpha), iterations=iterations, settled=settled, separable=separable)
