"""Least absolute errors, and those of any quantile, by an interior point method: near the optimum in few steps.

Rows are already multiplied by their weights. With a_i the share of row i that lies above the line, the problem is
to maximize y'a where X'a = right and 0 <= a <= 1; its multipliers are the thetas. Mehrotra's predictor and corrector
(S. Portnoy, R. Koenker, The Gaussian hare and the Laplacian tortoise. Statistical Science 12, 1997).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from hedgerow import _kernels
from hedgerow.data.table.table import Numbers
from hedgerow.data.table.threads import n_threads, scipy_linalg

MOST_STEPS = 80
CLOSE = 1e-11  # of the cost: the gap at which to end
NEARLY = 0.9995  # of the way to the boundary


@dataclass(frozen=True, eq=False)
class InteriorPoint:
    """Thetas near the optimum, the slack of each row (0: it lies on the line), and the remaining gap."""

    theta: Numbers
    slackness: Numbers
    gap: float  # as a share of the cost


@np.errstate(over="ignore", invalid="ignore", divide="ignore")  # steps that overflow are not taken
def near_optimum(matrix: Numbers, target: Numbers, right: Numbers) -> InteriorPoint:
    """Return thetas near the optimum."""
    columns = list(np.ascontiguousarray(matrix.T))
    theta = _solve_symmetric(_products(columns, np.ones(len(target))), along(matrix, target))
    errors = target - predict_rows(matrix, theta)
    size = float(np.abs(errors).mean()) or 1.0
    above, below = np.full(len(target), 0.5), np.full(len(target), 0.5)
    up, down = np.maximum(errors, 0.0) + size, np.maximum(-errors, 0.0) + size  # multipliers: errors = up - down
    best = InteriorPoint(theta, down / above + up / below, np.inf)
    for _ in range(MOST_STEPS):
        errors = target - predict_rows(matrix, theta)
        lacking = right - along(matrix, above)
        gap = (_dot(above, down) + _dot(below, up) + float(np.abs(lacking).sum()) * size) / (
            float(np.abs(errors).sum()) + 1e-3 * size * len(target)
        )
        hold = down / above + up / below
        if not gap < best.gap * 10:
            break
        best = InteriorPoint(theta, hold, gap) if gap < best.gap else best
        if gap < CLOSE:
            break
        free = 1 / hold
        products = _products(columns, free)
        # predictor: straight toward the optimum
        step = _solve_symmetric(products, along(matrix, free * errors) - lacking)
        share = free * (errors - predict_rows(matrix, step))
        d_down, d_up = -down - down / above * share, -up + up / below * share
        primal, dual = _reach(above, share, below, -share), _reach(down, d_down, up, d_up)
        now = _dot(above, down) + _dot(below, up)
        then = _dot(above + primal * share, down + dual * d_down)
        then += _dot(below - primal * share, up + dual * d_up)
        center = max(then / now, 0.0) ** 3 * now / (2 * len(target))
        # corrector: toward the central path, with the second-order terms
        bend_down, bend_up = (center - share * d_down) / above, (center + share * d_up) / below
        aim = errors + bend_down - bend_up
        step = _solve_symmetric(products, along(matrix, free * aim) - lacking)
        share = free * (aim - predict_rows(matrix, step))
        d_down, d_up = bend_down - down - down / above * share, bend_up - up + up / below * share
        primal, dual = _reach(above, share, below, -share), _reach(down, d_down, up, d_up)
        above, below = above + primal * share, below - primal * share
        theta, down, up = theta + dual * step, down + dual * d_down, up + dual * d_up
        if not (np.isfinite(theta).all() and min(above.min(), below.min(), down.min(), up.min()) > 0):
            break
    return best


def _products(columns: list[Numbers], weights: Numbers) -> Numbers:
    """Return the weighted sums of products of columns."""
    n = len(columns)
    plain, threads = (np.zeros(n), np.ones(n)), n_threads()
    flat = _kernels.compute_gram(columns, [None] * n, [1] * n, *plain, weights, len(weights), threads)
    return np.asarray(flat.reshape(n + 1, n + 1)[:-1, :-1])


def predict_rows(matrix: Numbers, theta: Numbers) -> Numbers:
    """Return the value of every row; einsum, since BLAS would start its threads for so little."""
    return np.asarray(np.einsum("ij,j->i", matrix, theta))


def along(matrix: Numbers, shares: Numbers) -> Numbers:
    """Return the sums of every column."""
    return np.asarray(np.einsum("ij,i->j", matrix, shares))


def _dot(one: Numbers, other: Numbers) -> float:
    return float(np.einsum("i,i->", one, other))


def _reach(one: Numbers, d_one: Numbers, other: Numbers, d_other: Numbers) -> float:
    """Return the largest step before a variable becomes negative."""
    with np.errstate(divide="ignore", invalid="ignore"):
        ends = min(
            float(np.min(np.where(d_one < 0, -one / d_one, np.inf))),
            float(np.min(np.where(d_other < 0, -other / d_other, np.inf))),
        )
    return min(1.0, NEARLY * ends)


def _solve_symmetric(products: Numbers, right: Numbers) -> Numbers:
    """Return the solution of symmetric equations; nearly dependent ones are regularized slightly."""
    linalg = scipy_linalg()
    size = np.sqrt(np.maximum(np.diagonal(products), 1e-300))
    scaled = products / np.outer(size, size)
    extra = 0.0
    while True:
        try:
            factor = linalg.cho_factor(scaled + extra * np.eye(len(scaled)))
            return np.asarray(linalg.cho_solve(factor, right / size) / size)
        except (linalg.LinAlgError, ValueError):
            if extra > 1:
                return np.zeros(len(right))
            extra = max(extra * 100, 1e-14)
