"""Measures of clusters based on distances: silhouettes and sums of squares."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from hedgerow.data.table.table import Codes, Numbers

MOST_ROWS = 10_000  # of which all distances are taken for silhouettes; of more rows, so many are drawn
BLOCK_CELLS = 1 << 22  # distances that are held at a time
FEW_PLACES = 64  # up to which distances are taken place by place, not by products, which round


def silhouettes(
    matrix: Any, codes: Codes, k: int, weights: Numbers, most_rows: int = MOST_ROWS, seed: int = 1
) -> tuple[Numbers, int]:
    """Return the mean silhouette of every cluster and, at the end, of all rows; and how many rows were drawn, or 0.

    A row of weight 2 counts as two rows, each of which has the other at a distance of 0.
    """
    n, sampled = matrix.shape[0], 0
    if n > most_rows:
        sampled = most_rows
        rows = np.sort(np.random.default_rng(seed).permutation(n)[:most_rows])
        matrix, codes, weights = matrix[rows], codes[rows], weights[rows]
    member = np.zeros((len(codes), k))
    member[np.arange(len(codes)), codes] = weights
    sizes = member.sum(axis=0)
    out = np.full(k + 1, np.nan)
    if np.count_nonzero(sizes) < 2:
        return out, sampled
    values = np.empty(len(codes))
    for start, stop, apart in _distances(matrix):
        sums, own = apart @ member, codes[start:stop]
        at = np.arange(stop - start)
        others = np.divide(sums, sizes, out=np.full(sums.shape, np.inf), where=sizes > 0)
        others[at, own] = np.inf
        nearest, rest = others.min(axis=1), sizes[own] - 1
        inside = np.divide(sums[at, own], rest, out=np.zeros(len(own)), where=rest > 0)
        larger = np.maximum(inside, nearest)
        result = np.divide(nearest - inside, larger, out=np.zeros(len(own)), where=larger > 0)
        values[start:stop] = np.where(rest > 0, result, 0.0)
    sums = np.bincount(codes, weights * values, k).astype(np.float64)
    out[:k] = np.divide(sums, sizes, out=np.full(k, np.nan), where=sizes > 0)
    out[k] = sums.sum() / sizes.sum()
    return out, sampled


def _distances(matrix: Any) -> Iterator[tuple[int, int, Numbers]]:
    """Yield the distances of some rows to all, a block at a time."""
    n = matrix.shape[0]
    step = max(1, BLOCK_CELLS // max(n, 1))
    if isinstance(matrix, np.ndarray) and matrix.shape[1] <= FEW_PLACES:
        from scipy.spatial.distance import cdist

        for start in range(0, n, step):
            stop = min(start + step, n)
            apart = cdist(matrix[start:stop], matrix) if matrix.shape[1] else np.zeros((stop - start, n))
            yield start, stop, np.asarray(apart)
        return
    if isinstance(matrix, np.ndarray):
        matrix = matrix - matrix.mean(axis=0)
        lengths = np.einsum("ij,ij->i", matrix, matrix)
    else:
        lengths = np.asarray(matrix.multiply(matrix).sum(axis=1)).ravel()
    for start in range(0, n, step):
        stop = min(start + step, n)
        product = matrix[start:stop] @ matrix.T
        product = product if isinstance(product, np.ndarray) else product.toarray()
        squares = lengths[start:stop, None] + lengths - 2 * product
        squares[np.arange(stop - start), np.arange(start, stop)] = 0.0
        yield start, stop, np.sqrt(np.maximum(squares, 0.0))


def squared_distances(matrix: Any, codes: Codes, k: int, weights: Numbers) -> tuple[Numbers, float]:
    """Return the sum of squared distances to the mean of every cluster, and of all rows to the mean of all."""
    from scipy.sparse import csr_array

    n = matrix.shape[0]
    member = csr_array((weights, (codes, np.arange(n))), shape=(k, n))
    sizes = np.asarray(member.sum(axis=1)).ravel()
    if isinstance(matrix, np.ndarray):
        means = np.asarray(member @ matrix) / np.where(sizes > 0, sizes, 1.0)[:, None]
        each = np.zeros(n)
        for place in range(matrix.shape[1]):  # one after the other: no copy of all
            each += (matrix[:, place] - means[codes, place]) ** 2
        own = np.bincount(codes, weights * each, k)
    else:
        sums = (member @ matrix).toarray()
        means = sums / np.where(sizes > 0, sizes, 1.0)[:, None]
        lengths = np.asarray(matrix.multiply(matrix).sum(axis=1)).ravel()
        own = np.maximum(np.bincount(codes, weights * lengths, k) - sizes * (means**2).sum(axis=1), 0.0)
    middle = sizes @ means / sizes.sum()
    return own.astype(np.float64), float(own.sum() + sizes @ ((means - middle) ** 2).sum(axis=1))
