"""Coupling: the probabilities of many classes from those of all their pairs."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from hedgerow.data.table.table import Numbers
from hedgerow.errors import ModelError
from hedgerow.models.many.decoding import blocks

SURE = 1e-7  # pair probabilities are kept this far from 0 and 1, as libsvm does: then there is one solution
WEAK = 1e-2  # how hard a pair without an answer pulls its classes together, where one with an answer pulls as 1/2


def couple_probabilities(pair_probabilities: Numbers, n: int) -> Numbers:
    """Return the probabilities of n classes (rows, n) that fit those of all pairs best: Wu, Lin and Weng's second way.

    `pair_probabilities` are (pairs, rows), in the order of `CodeMatrix.pairs`: of the pair (a, b) the probability of b,
    NaN without a prediction. With r_ij the probability of i in the pair (i, j) they minimize, over p that sum to 1,
    sum over i and j of (r_ji p_i - r_ij p_j)^2 = 2 p'Qp: one linear system a row, solved directly.

    References
    ----------
    T.-F. Wu, C.-J. Lin and R. C. Weng, Probability estimates for multi-class classification by pairwise coupling.
    Journal of Machine Learning Research 5 (2004).
    """
    if pair_probabilities.ndim != 2 or len(pair_probabilities) != n * (n - 1) // 2:
        raise ModelError(f"{n} classes have {n * (n - 1) // 2} pairs, not {len(pair_probabilities)}")
    rows = pair_probabilities.shape[1]
    if n == 1:
        return np.ones((rows, 1))
    out = np.empty((rows, n))
    first, second = np.triu_indices(n, 1)
    for part in blocks(rows, (n + 1) ** 2):
        values = pair_probabilities[:, part].T
        silent = np.isnan(values)
        ahead = np.where(silent, 0.5, np.clip(values, SURE, 1 - SURE))  # of the second class
        pull = np.where(silent, 2 * WEAK, 1.0)
        out[part] = _solve_equations(n, first, second, pull * ahead, pull * (1 - ahead))
    return out


def _solve_equations(
    n: int, first: NDArray[np.int64], second: NDArray[np.int64], ahead: Numbers, behind: Numbers
) -> Numbers:
    """Return the solutions of [Q 1; 1' 0] [p; b] = [0; 1], Q_tt = sum of r_st^2, Q_st = -r_st r_ts."""
    if n == 2:
        return np.concatenate([behind, ahead], axis=1) / (ahead + behind)
    squares = np.zeros((len(ahead), n, n))
    squares[:, first, second], squares[:, second, first] = behind**2, ahead**2  # [s, t]: r_st^2
    system = np.zeros((len(ahead), n + 1, n + 1))
    product = -ahead * behind
    system[:, first, second], system[:, second, first] = product, product
    at = np.arange(n)
    system[:, at, at] = squares.sum(axis=1)
    system[:, :n, n] = system[:, n, :n] = 1.0
    right = np.zeros((len(ahead), n + 1, 1))
    right[:, n] = 1.0
    p = np.maximum(np.linalg.solve(system, right)[:, :n, 0], 0.0)
    return np.asarray(p / p.sum(axis=1, keepdims=True))
