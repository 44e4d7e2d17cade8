"""The nearest of some centers, for many points: where rows of a model of centers belong.

Of equally near centers the first is taken. Dense points have the squared distances that a sum over the positions gives,
in their order; sparse ones those of |x|² - 2 x·c + |c|², so that nothing is converted to dense form.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from hedgerow import _kernels
from hedgerow.data.table.table import Codes, Numbers
from hedgerow.data.table.threads import n_threads

BLOCK_CELLS = 1 << 22  # numbers of the products of sparse points and centers computed at a time
NEAR = 1e-12  # squared distances of sparse points that differ by a smaller share of the lengths are a tie


def nearest_centers(points: Any, centers: Numbers) -> tuple[Codes, Numbers]:
    """Return the nearest center of each point, dense or sparse, and the squared distance.

    >>> codes, squares = nearest_centers(np.array([[1.0], [2.0], [6.0]]), np.array([[0.0], [4.0]]))
    >>> codes.tolist(), squares.tolist()
    ([0, 0, 1], [1.0, 4.0, 4.0])
    """
    n = points.shape[0]
    labels, squares = np.zeros(n, dtype=np.int32), np.zeros(n)
    if not n or not points.shape[1]:
        return labels, squares
    if isinstance(points, np.ndarray):
        dense = np.ascontiguousarray(points)
        _kernels.assign_nearest_centers(dense, np.ascontiguousarray(centers), labels, squares, n_threads())
        return labels, squares
    own, lengths = sparse_squares(points), np.einsum("ij,ij->i", centers, centers)
    across = np.ascontiguousarray(centers.T)
    step = max(1, BLOCK_CELLS // len(centers))
    for start in range(0, n, step):
        part = slice(start, start + step)
        result = own[part, None] - 2 * (points[part] @ across) + lengths
        result[result <= NEAR * (own[part, None] + lengths)] = 0.0
        least = result.min(axis=1)
        near = result <= (least + NEAR * own[part])[:, None]
        labels[part] = near.argmax(axis=1)
        squares[part] = least
    return labels, squares


def sparse_squares(points: Any) -> Numbers:
    """Return the squared length of every row of a sparse matrix."""
    return np.asarray(points.multiply(points).sum(axis=1)).ravel()
