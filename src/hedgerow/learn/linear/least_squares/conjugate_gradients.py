"""Least squares of very many positions: conjugate gradients, which only multiply the rows by vectors (LSQR)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from hedgerow.data.design.design import Design
from hedgerow.data.table.table import Numbers, Table
from hedgerow.learn.linear.least_squares.products import Means


@dataclass(frozen=True, eq=False)
class ConjugateSolution:
    """Coefficients on the user's scale, the residual share of the target's squares, and how the iteration ended."""

    intercept: float
    slopes: Numbers
    share: float
    steps: int
    converged: bool


def conjugate_gradients(
    design: Design, means: Means, table: Table, ridge: float, standardize: bool, steps: int, tolerance: float
) -> ConjugateSolution:
    """Return the coefficients of least squares, by LSQR on centered and scaled columns that stay sparse.

    Where several fit equally well, as with more positions than rows, those of the smallest sum of squares are taken, of
    columns with deviation 1. C. C. Paige, M. A. Saunders, LSQR. ACM Transactions on Mathematical Software 8 (1982).
    """
    from scipy.sparse.linalg import LinearOperator, lsqr

    matrix: Any = design.matrix(table)
    turned = matrix.T.tocsr() if hasattr(matrix, "tocsr") else matrix.T
    root = np.sqrt(table.row_weights)
    target = table.target_numbers
    unit = means.target_deviation or 1.0
    spread = np.where(means.deviations > 0, means.deviations, 1.0)
    price = ridge * (np.square(spread) if standardize else np.ones(design.width))  # of a squared slope
    factor = 1 / np.sqrt(means.weight * np.square(spread) + price)  # slope = factor * what is solved for
    factor = np.where(means.deviations > 0, factor, 0.0)
    numbers, rows = np.sqrt(price) * factor, len(root)

    def multiply(values: Numbers) -> Numbers:
        slopes = factor * values.ravel()
        fitted = root * (matrix @ slopes - float(means.places @ slopes))
        return np.concatenate([fitted, numbers * values.ravel()]) if ridge > 0 else fitted

    def multiply_transposed(values: Numbers) -> Numbers:
        weighed = root * values.ravel()[:rows]
        out = factor * (turned @ weighed - means.places * weighed.sum())
        return np.asarray(out + numbers * values.ravel()[rows:] if ridge > 0 else out)

    long = rows + (design.width if ridge > 0 else 0)
    right = np.zeros(long)
    right[:rows] = root * ((target - means.target) / unit)
    operator = LinearOperator((long, design.width), matvec=multiply, rmatvec=multiply_transposed, dtype=np.float64)
    result, why, done = lsqr(operator, right, atol=tolerance, btol=tolerance, conlim=0, iter_lim=steps)[:3]
    errors = right[:rows] - multiply(result)[:rows]
    total = float(right @ right)
    slopes = factor * result * unit
    share = float(errors @ errors) / total if total > 0 else 0.0
    return ConjugateSolution(means.target - float(slopes @ means.places), slopes, share, int(done), why != 7)
